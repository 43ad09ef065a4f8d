"""The installed copy of the hook."""

from pathlib import Path

import pytest

from checkrail.daemon import shim
from checkrail.daemon.shim import ShimError


def test_the_paths_are_written_into_it() -> None:
    """The first line, the command of the daemon and the socket; the rest stays, and it is valid Python."""
    before = shim.source()
    after = shim.installed(before, socket=Path("/s p/ü'\"/sock"), python="/opt/py thon")
    assert after.startswith("#!/opt/py thon -IS\n")
    assert "DAEMON = ('/opt/py thon', '-I', '-m', 'checkrail.daemon')\n" in after
    changed = [new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]
    assert len(changed) == 3
    compile(after, "hook", "exec")


def test_it_can_be_written_again() -> None:
    """A copy for one place becomes the copy for another."""
    text = shim.installed(shim.source(), socket=Path("/one"), python="/a")
    assert shim.installed(text, socket=Path("/two"), python="/b") == shim.installed(
        shim.source(), socket=Path("/two"), python="/b"
    )


@pytest.mark.parametrize("text", ["", "#!x\nDAEMON = ()\n", "#!x\nDAEMON = ()\nSOCKET = ''\nSOCKET = ''\n"])
def test_a_text_that_is_not_the_hook_is_refused(text: str) -> None:
    """Rather than install something that asks nobody."""
    with pytest.raises(ShimError, match="install Checkrail again"):
        shim.installed(text, socket=Path("/s"))


@pytest.mark.parametrize(("event", "more"), [("", ()), ("pre", ("--event", "pre"))])
def test_agents_run_an_isolated_interpreter(event: str, more: tuple[str, ...]) -> None:
    """By its absolute path, without site-packages."""
    found = shim.invocation(Path("/hook"), agent="claude", event=event, python="/py")
    assert found == ("/py", "-I", "-S", "/hook", "--agent", "claude", *more)
