"""The installed hook in C: whose it is, how it is replaced, and what stands in for it."""

import os
import sys
from pathlib import Path

import pytest

from checkrail.cli import main
from checkrail.daemon import compiler
from checkrail.install import doctor, hook, native, record
from checkrail.places import Places, secure_directory

pytestmark = pytest.mark.skipif(not compiler.candidates(), reason="no C compiler: the hook in C is not tested")


@pytest.fixture
def put(home: Path, where: Places) -> Path:  # noqa: ARG001
    """The program in place."""
    for place in (where.config, where.data, where.state):
        secure_directory(place)
    hook.put(where, os.environ)
    assert hook.put_native(where, os.environ) == ""
    return native.path(where)


def words(where: Places) -> tuple[str, ...]:
    """What the agents run."""
    return tuple(hook.words(where)("claude", "PreToolUse", 0))


def test_it_is_ours_alone_and_agents_run_it(put: Path, where: Places) -> None:
    """Mode, owner, its directory, and the command line."""
    assert put.stat().st_mode & 0o7777 == 0o500 and put.stat().st_uid == os.geteuid()
    assert put.parent.stat().st_mode & 0o777 == 0o700
    assert words(where) == (str(put), "--agent", "claude", "--event", "PreToolUse")
    assert sorted(entry.name for entry in put.parent.iterdir()) == ["checkrail-hook", "made.json"]
    assert [entry.name for entry in where.data.iterdir() if entry.name.startswith(".try")] == []


def test_it_is_compiled_again_only_where_something_changed(put: Path, where: Places) -> None:
    """And then replaced in one step: who runs the old one goes on running it."""
    before = put.stat().st_ino
    hook.put_native(where, os.environ)
    assert put.stat().st_ino == before
    with put.open("rb") as running:
        hook.put_native(where, {**os.environ, "XDG_STATE_HOME": "/other"})
        assert put.stat().st_ino != before
        assert os.fstat(running.fileno()).st_ino == before


@pytest.mark.parametrize("what", ["bytes", "mode", "link", "gone"])
def test_what_was_tampered_with_is_not_run_and_is_mended(put: Path, where: Places, what: str) -> None:
    """Foreign bytes, a mode that lets others in, a link in its place, nothing at all."""
    if what == "bytes":
        put.chmod(0o700)
        put.write_bytes(b"#!/bin/true\n")
        put.chmod(0o500)
    elif what == "mode":
        put.chmod(0o777)
    else:
        put.unlink()
    if what == "link":
        put.symlink_to("/bin/true")
    assert native.problem(where, hook.native_text(where, os.environ))
    assert words(where)[0] == sys.executable
    told = [check.text for check in doctor._hook(where, record.Record(python=sys.executable, settings=(ENTRY,)))]
    assert any(str(put) in text for text in told)
    hook.put_native(where, os.environ)
    assert words(where)[0] == str(put) and not put.is_symlink()
    assert native.problem(where, hook.native_text(where, os.environ)) == ""
    assert Path("/bin/true").stat().st_mode & 0o777 == 0o755


ENTRY = record.Settings(agent="claude", path="/none", written="", existed=False)


@pytest.mark.usefixtures("put")
def test_one_of_another_installation_is_told(where: Places) -> None:
    """As after moving the environment."""
    assert "another installation" in native.problem(where, hook.native_text(where, os.environ, "/other/python3"))


def test_without_a_compiler_the_python_text_takes_its_place(
    put: Path, where: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents that are running go on running what lies there; new ones get the interpreter's command line."""
    monkeypatch.setattr(compiler, "candidates", lambda _search, **_: ())
    told = hook.put_native(where, {**os.environ, "XDG_STATE_HOME": "/other"})
    assert told == "there is no C compiler"
    assert put.read_text() == hook.text(where, {**os.environ, "XDG_STATE_HOME": "/other"})
    assert put.stat().st_mode & 0o7777 == 0o500
    assert words(where)[0] == sys.executable
    assert native.problem(where, hook.native_text(where, os.environ)) == ""


@pytest.mark.parametrize(
    "body",
    ["return 0;", 'fputs("checkrail: blocked: x\\n", stderr); return 0;', "return 2;", "abort();", 'fputs("checkrail: blocked: x\\n", stderr); puts(""); return 2;'],
)  # fmt: skip
def test_a_program_that_does_not_block_is_not_installed(where: Places, body: str) -> None:
    """It is tried before it takes its place."""
    text = f"#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ {body} }}\n"
    assert "does not block" in native.put(where, text, "")
    assert not native.path(where).exists()


@pytest.mark.usefixtures("home")
def test_install_says_which_and_purging_removes_it(where: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """Compiled by default, Python where the person wants it."""
    assert main(["install", "claude", "--no-daemon"]) == 0
    assert "hook: compiled" in capsys.readouterr().out
    assert native.current(where)
    assert main(["install", "claude", "--no-daemon", "--shim", "python"]) == 0
    assert "hook: Python (as you chose)" in capsys.readouterr().out
    assert words(where)[0] == sys.executable
    assert main(["uninstall", "--purge"]) == 0
    assert not native.path(where).parent.exists()
