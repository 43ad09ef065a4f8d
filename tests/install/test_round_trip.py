"""In and out again to the byte, on a home whose settings are written in every way that people and editors write them."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from checkrail.cli import main
from checkrail.install import doctor, record
from checkrail.places import find
from tests.install.test_every_agent import FULL, folders, full, snapshot

__all__ = ["full"]

COMMENTS = (".gemini/settings.json", ".qwen/settings.json")
WAYS: dict[str, Callable[[str, bytes], bytes]] = {
    "as they are": lambda _name, text: text,
    "CRLF": lambda _name, text: text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "a byte order mark": lambda name, text: b"\xef\xbb\xbf" + text if name.endswith(".json") else text,
    "no line end": lambda _name, text: text.rstrip(b"\r\n"),
    "many line ends": lambda _name, text: text + b"\n\n\n",
    "tabs": lambda name, text: text.replace(b"  ", b"\t") if name.endswith(".json") else text,
    "odd indentation": lambda name, text: text.replace(b"{", b"{\n       ") if name.endswith(".json") else text,
    "spaces at the ends": lambda name, text: text.replace(b",", b" , ") if name.endswith(".json") else text,
    "empty objects": lambda name, text: b"{ }" if name.endswith(".json") else text,
    "empty": lambda name, text: b"" if name.endswith((".json", ".toml", ".yaml")) else text,
    "blank": lambda name, text: b" \n\t\n" if name.endswith(".json") else text,
    "letters of all the world": lambda name, text: (
        text.replace(b'"mine', '"mine \u00e9\u4e2d\U0001f600'.encode()) if name.endswith(".json") else text
    ),
    "comments and commas at the end": lambda name, text: (
        text.replace(b"\n", b" // x\n/* y */ ", 1) if name in COMMENTS else text
    ),
}


def put(home: Path, way: str) -> dict[str, bytes]:
    """Every agent's settings written in one way."""
    for name, text in FULL.items():
        (home / name).write_bytes(WAYS[way](name, text.encode()))
    return snapshot(home)


def problems() -> list[str]:
    """What the doctor says of the settings of the agents."""
    where = find()
    known = record.load(where)
    return [check.text for entry in known.settings for check in doctor._entry(where, known, entry) if not check.ok]


@pytest.mark.parametrize("way", sorted(WAYS))
def test_every_way_of_writing_comes_back_to_the_byte(full: Path, way: str) -> None:
    """The doctor finds the hooks in between, a second installation changes nothing."""
    before, around = put(full, way), folders(full)
    assert main(["install", "--no-daemon"]) == 0
    once = snapshot(full)
    assert problems() == []
    assert main(["install", "--no-daemon"]) == 0
    assert snapshot(full) == once
    assert main(["uninstall"]) == 0
    assert snapshot(full) == before
    assert folders(full) - {".config"} <= around | {".config"}


def _bare(name: str, text: bytes) -> bytes:
    """Without white space, and where a comma may stand at the end of a list, without commas."""
    return b"".join(text.split()).replace(b"," if name in COMMENTS else b" ", b"")


@pytest.mark.parametrize("way", sorted(WAYS))
def test_what_others_add_in_between_is_all_that_is_left(full: Path, way: str) -> None:
    """A foreign line at the end makes the kept copy useless: then our entries go one by one, and what stays is theirs."""
    put(full, way)
    assert main(["install", "--no-daemon"]) == 0
    for name in FULL:
        (full / name).write_bytes((full / name).read_bytes() + b"\n")
    assert main(["uninstall"]) == 0
    for name, text in FULL.items():
        left = (full / name).read_bytes()
        assert b"checkrail" not in left, name
        if name.endswith(".json") and way not in ("empty objects", "empty", "blank"):
            assert _bare(name, left) == _bare(name, WAYS[way](name, text.encode())), name


def test_links_are_followed_and_stay(full: Path, tmp_path: Path) -> None:
    """As of people who keep their settings elsewhere; a link that leads nowhere yet leads nowhere again."""
    kept = tmp_path / "dotfiles"
    kept.mkdir()
    for number, name in enumerate(sorted(FULL)):
        target = kept / str(number)
        (full / name).rename(target)
        (full / name).symlink_to(target)
    (full / ".augment/settings.json").resolve().unlink()
    before = {path: path.read_bytes() for path in kept.iterdir()}
    assert main(["install", "--no-daemon"]) == 0
    assert problems() == []
    assert all((full / name).is_symlink() for name in FULL)
    assert main(["uninstall"]) == 0
    assert all((full / name).is_symlink() for name in FULL)
    assert {path: path.read_bytes() for path in kept.iterdir()} == before


def test_a_file_that_cannot_be_written_to_keeps_its_mode(full: Path) -> None:
    """It is replaced, not written into."""
    path = full / ".cursor/hooks.json"
    path.chmod(0o444)
    before = path.read_bytes()
    assert main(["install", "--no-daemon"]) == 0
    assert b"checkrail" in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert main(["uninstall"]) == 0
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (before, 0o444)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_stops_one_agent_and_stays(full: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe would never end, and a link to a device would have the device replaced."""
    path = full / ".cursor/hooks.json"
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/null")
    else:
        path.mkdir()
    assert main(["install", "--no-daemon"]) == 1
    assert "no regular file" in capsys.readouterr().err
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert b"checkrail" in (full / ".codex/hooks.json").read_bytes()
    assert main(["uninstall"]) == 0
    assert (full / ".codex/hooks.json").read_bytes() == FULL[".codex/hooks.json"].encode()


def test_a_failing_write_stops_one_agent_and_is_not_recorded(
    full: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on a full disk or in a folder of somebody else."""
    from checkrail.install import files

    write = files.write

    def failing(path: Path, content: bytes, *, mode: int | None = None) -> None:
        if path.name == "hooks.json" and path.parent.name == ".cursor":
            raise OSError(28, "No space left on device", str(path))
        write(path, content, mode=mode)

    monkeypatch.setattr(files, "write", failing)
    assert main(["install", "--no-daemon"]) == 1
    assert "cursor: " in capsys.readouterr().err
    agents = {entry.agent for entry in record.load(find()).settings}
    assert "cursor" not in agents and "qwen" in agents
    assert (full / ".cursor/hooks.json").read_bytes() == FULL[".cursor/hooks.json"].encode()
