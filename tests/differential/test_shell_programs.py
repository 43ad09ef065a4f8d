"""The reader agrees with bash about random programs (a bounded number; the module runs more by hand)."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.differential.shell_programs import compare

BASH = shutil.which("bash") or ""


def version() -> tuple[int, ...]:
    """The version of bash here, (0,) where there is none."""
    if not BASH:
        return (0,)
    said = subprocess.run([BASH, "-c", 'echo "${BASH_VERSINFO[@]:0:2}"'], capture_output=True, text=True, check=True)
    return tuple(int(part) for part in said.stdout.split())


@pytest.mark.skipif(version() < (5, 2), reason="needs bash 5.2 to compare with")
@pytest.mark.parametrize(("mutate", "count"), [(False, 250), (True, 100)])
def test_reader_sees_what_bash_runs(tmp_path: Path, mutate: bool, count: int) -> None:
    """Every command that bash runs is in the tree with its arguments, and no valid program is called unreadable."""
    counts, found = compare(20261130, count, tmp_path, mutate=mutate, bash=BASH)
    assert counts["accepted"] > count / 4
    assert [(fault["kind"], fault["detail"], fault["program"]) for fault in found] == []
