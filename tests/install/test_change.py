"""Installing and uninstalling leave no trace but what was meant."""

import os
from pathlib import Path

import pytest

from checkrail.install import change, claude, files, hook, record
from checkrail.install.json_text import SettingsError
from checkrail.places import Places

ORIGINALS = [
    None,
    b"{}",
    b'{\n    "model": "x",\n    "hooks": {"Stop": []}\n}',
    b'\xef\xbb\xbf{"hooks":{}}\r\n',
    b"",
    b"  \n",
]


def install(path: Path, where: Places, python: str = "/py") -> None:
    """Puts our hooks in."""
    planned = change.planned(path, hook.path(where), python, None)
    change.apply(planned, where, record.load(where))


def uninstall(where: Places) -> None:
    """Takes them out."""
    for entry in record.load(where).settings:
        change.take_out(change.planned_removal(entry), where, record.load(where))


@pytest.mark.parametrize("original", ORIGINALS)
@pytest.mark.parametrize("times", [1, 2, 3])
def test_uninstalling_gives_the_very_bytes_back(home: Path, where: Places, original: bytes | None, times: int) -> None:
    """Also after several installations by different interpreters; a file that was not there is gone again."""
    path = home / ".claude/settings.json"
    if original is not None:
        path.parent.mkdir()
        path.write_bytes(original)
    for number in range(times):
        install(path, where, f"/py{number}")
    assert claude.commands_in(path.read_bytes())
    uninstall(where)
    assert files.read(path) == original
    assert record.load(where) == record.Record()


def test_what_others_changed_since_is_kept(home: Path, where: Places) -> None:
    """Then only our entries are taken out."""
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "x"\n}\n')
    install(path, where)
    path.write_text(path.read_text().replace('"x"', '"y"'))
    uninstall(where)
    assert path.read_text() == '{\n  "model": "y"\n}\n'


def test_an_installation_after_a_foreign_edit_does_not_go_back_behind_it(home: Path, where: Places) -> None:
    """The copy from before the edit is no longer what to restore."""
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "x"\n}\n')
    install(path, where)
    path.write_text(path.read_text().replace('"x"', '"y"'))
    install(path, where, "/other")
    uninstall(where)
    assert path.read_text() == '{\n  "model": "y"\n}\n'


def test_a_file_removed_by_hand_is_no_error(home: Path, where: Places) -> None:
    """There is nothing to take out."""
    path = home / ".claude/settings.json"
    install(path, where)
    path.unlink()
    uninstall(where)
    assert not path.exists()


def test_a_copy_is_kept_of_what_was_there(home: Path, where: Places) -> None:
    """For the user alone, with the time in its name."""
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"model": "x"}')
    install(path, where)
    (kept,) = (where.data / "backups").iterdir()
    assert kept.read_text() == '{"model": "x"}'
    assert kept.stat().st_mode & 0o077 == 0
    assert kept.name.startswith("settings.json.")


def test_mode_and_links_are_kept(home: Path, where: Places) -> None:
    """A settings file that is a link to another place is edited there."""
    real = home / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.symlink_to(real)
    install(path, where)
    assert path.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert claude.commands_in(real.read_bytes())


def test_invalid_settings_are_refused_and_stay(home: Path, where: Places) -> None:
    """With a clear word."""
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(b'{"a": 1,}')
    with pytest.raises(SettingsError, match=r"settings.json:1:9: not valid JSON"):
        install(path, where)
    path.write_bytes(b"\xff")
    with pytest.raises(SettingsError, match="UTF-8"):
        install(path, where)
    assert path.read_bytes() == b"\xff"
    assert record.load(where) == record.Record()


@pytest.mark.usefixtures("home")
def test_a_broken_record_counts_as_none(where: Places) -> None:
    """It is written anew by the next installation."""
    record.place(where).parent.mkdir(parents=True)
    record.place(where).write_text("nonsense")
    assert record.load(where) == record.Record()


def test_the_hook_is_put_with_its_places_written_in(home: Path, where: Places) -> None:
    """The socket, and a daemon command that does not believe the caller's environment."""
    path = hook.put(where, os.environ, "/py")
    text = path.read_text()
    assert f"SOCKET = {str(where.socket)!r}" in text
    assert str(home / "config") in text
    assert path.stat().st_mode & 0o777 == 0o500
    assert hook.put(where, os.environ, "/py") == path
    assert "/other" in hook.put(where, os.environ, "/other").read_text()


def test_the_daemon_starts_with_the_installation_s_places(tmp_path: Path) -> None:
    """Variables of the caller that say where files lie are dropped or replaced; the rest passes."""
    import subprocess
    import sys

    command = hook.daemon_command(sys.executable, {"HOME": "/home/u", "XDG_STATE_HOME": "/s", "PATH": "/bin"})
    code = command[-1].replace(
        "runpy.run_module('checkrail.daemon',run_name='__main__')", "print(sorted(os.environ.items()))"
    )
    caller = {"HOME": "/evil", "XDG_CONFIG_HOME": "/evil", "TMPDIR": str(tmp_path)}
    told = subprocess.run([*command[:-1], code], env=caller, capture_output=True, text=True, check=True).stdout
    assert "/evil" not in told
    assert "('HOME', '/home/u')" in told
    assert "('XDG_STATE_HOME', '/s')" in told
    assert str(tmp_path) in told
