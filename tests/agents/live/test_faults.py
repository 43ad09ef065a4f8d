"""What goes wrong around the hook, in front of real agents: foreign lines on stdout, a daemon that hangs, a garbled event.

The installed hook is moved aside, and what stands in its place calls it; or somebody
else listens at the daemon's socket.
"""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.agents.live.test_clients import METADATA, World, pytestmark, world

__all__ = ["pytestmark", "world"]

NOISE = 'os.write(1, b"a line that some profile printed\\n")\nos.execv(real, [real, *sys.argv[1:]])\n'
GARBLED = """import subprocess
done = subprocess.run([real, *sys.argv[1:]], input=os.read(0, 1 << 20)[:25], capture_output=True)
os.write(1, done.stdout)
os.write(2, done.stderr)
os._exit(done.returncode)
"""


def instead(world: World, body: str) -> None:
    """Puts a program in the place of the hook, in C or Python, whichever runs; ``real`` is the hook itself."""
    hooks = world.home / ".local/share/checkrail/hooks"
    for place in (hooks / "checkrail-hook", hooks / "native/checkrail-hook"):
        if place.exists():
            real = place.rename(place.with_name("real-hook"))
            real.chmod(0o500)
            place.write_text(f"#!{sys.executable} -IS\nimport os, sys\nreal = {str(real)!r}\n{body}")
            place.chmod(0o500)


@contextmanager
def mute(world: World) -> Iterator[None]:
    """Somebody who takes every connection at the daemon's socket and says nothing, where no other daemon can start."""
    world.checkrail("daemon", "stop")
    world.state.chmod(0o777)  # so a fresh daemon, which would take over, refuses to work there
    path = world.state / "run/daemon.sock"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen(64)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            world.state.chmod(0o700)


def test_a_foreign_line_on_stdout_loosens_nothing(world: World) -> None:
    """A denial and a question still stop; what is harmless still runs."""
    instead(world, NOISE)
    world.run("touch harmless", f"touch denied; {METADATA}", "touch asked; git push --force origin main")
    assert [world.ran(name) for name in ("harmless", "denied", "asked")] == [True, False, False]


def test_nothing_runs_while_the_daemon_hangs(world: World) -> None:
    """The hook gives up before the agent does, and blocks."""
    with mute(world):
        told = world.run("touch harmless")
    assert not world.ran("harmless")
    assert "blocked" in told


def test_a_garbled_event_does_not_pass(world: World) -> None:
    """Nobody knows what it would have been."""
    instead(world, GARBLED)
    world.run("touch harmless")
    assert not world.ran("harmless")
