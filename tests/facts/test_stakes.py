"""What is at stake is counted within a budget and said in one line."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from checkrail.facts.host import FrozenHost, RealHost
from checkrail.facts.stakes import Stakes, phrase, stakes

HOST = FrozenHost(files={"/d/a": "12345", "/d/b/c": "1234567890", "/d/b/link": "@/etc", "/etc/big": "x" * 999})


def test_counts_below_a_directory() -> None:
    """Files, bytes and links below a directory count; what a link points to does not."""
    found = stakes(["/d"], HOST)
    assert (found.files, found.bytes, found.lost, found.complete) == (3, 15, None, True)


def test_missing_and_doubled_paths() -> None:
    """A path counts once, a missing one not at all."""
    assert stakes(["/d/a", "/d/a", "/nowhere"], HOST).files == 1
    assert phrase(stakes(["/nowhere"], HOST)) == ""


def test_limits_leave_a_lower_bound() -> None:
    """Beyond the most entries the count says that it is not whole."""
    found = stakes(["/d"], HOST, most=3)
    assert not found.complete
    assert found.files < 3
    many = FrozenHost(files={f"/d/{number}": "x" for number in range(200)})
    assert not stakes(["/d"], many, budget=-1.0).complete


def test_phrases() -> None:
    """The line names what a person weighs."""
    whole = Stakes(files=312, bytes=4_200_000, youngest=200.0, lost=5)
    assert phrase(whole) == "312 files, 4.2 MB, newest 3 minutes old, 5 that git cannot bring back"
    part = Stakes(files=1, bytes=12, youngest=90_000.0, complete=False)
    assert phrase(part) == "at least 1 file, 12 bytes, newest 1 day old, not under git"
    assert phrase(Stakes(files=2, bytes=2_500, lost=0)) == "2 files, 2.5 kB"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_real_files(tmp_path: Path) -> None:
    """On a real repository only what git does not have is lost."""
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "kept").write_text("kept")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tmp_path, env=environment, check=True, capture_output=True)
    (tmp_path / "s" / "new").write_text("new!!")
    os.utime(tmp_path / "s" / "new", (1000.0, 1000.0))
    found = stakes([f"{tmp_path}/s"], RealHost(str(tmp_path)))
    assert (found.files, found.bytes, found.lost, found.complete) == (2, 9, 1, True)
    assert found.youngest is not None
    assert found.youngest < 3600
