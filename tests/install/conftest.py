"""A home of our own for everything that installs."""

from pathlib import Path

import pytest

from checkrail import places
from checkrail.places import Places


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory that the process's environment points to."""
    where = tmp_path / "home"
    where.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(where))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(where / name.lower()))
    monkeypatch.chdir(where)
    return where


@pytest.fixture
def where(home: Path) -> Places:  # noqa: ARG001
    """Checkrail's places in that home."""
    return places.find()
