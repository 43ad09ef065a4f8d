"""The reader agrees with bash about random programs (a bounded number; the module runs more by hand)."""

import shutil
from pathlib import Path

import pytest

from tests.differential.shell_programs import compare


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash to compare with")
def test_reader_sees_what_bash_runs(tmp_path: Path) -> None:
    """Every command that bash runs is in the tree with its arguments, and no valid program is called unreadable."""
    counts, found = compare(20261130, 300, tmp_path)
    assert counts["accepted"] > 250
    assert [(fault["kind"], fault["detail"], fault["program"]) for fault in found] == []
