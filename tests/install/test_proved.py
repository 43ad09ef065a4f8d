"""Installed for every agent, proved by canaries through the very commands that the agents run, and out to the byte."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.install.test_every_agent import FULL, snapshot


@pytest.fixture
def home() -> Iterator[Path]:
    """In a directory with a short name, for the socket's sake; its daemon is stopped in the end."""
    root = Path(tempfile.mkdtemp(prefix="cr"))
    try:
        yield root
    finally:
        checkrail(root, "daemon", "stop")
        shutil.rmtree(root, ignore_errors=True)


def checkrail(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Our command line in that home."""
    command = [sys.executable, "-m", "checkrail", *words]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "SHELL": "/bin/sh"}
    return subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=False, timeout=120)


def test_every_agent_is_installed_proved_and_removed(home: Path) -> None:
    """The doctor has nothing to say but what only the person can do: trust and consent."""
    for name, text in FULL.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    before = snapshot(home)
    done = checkrail(home, "install")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("stopped: rm -rf /") >= 20
    assert "FAILED" not in done.stdout
    told = [line for line in checkrail(home, "doctor", "-q").stdout.splitlines() if line.startswith("problem")]
    assert [line for line in told if "not trusted yet" not in line and "not consented" not in line] == []
    assert checkrail(home, "uninstall").returncode == 0
    assert snapshot(home) == before
