"""Start, stop, ask about and run the daemon."""

import gc
import os
import signal
import sys
import time
from pathlib import Path

import msgspec

from checkrail import places
from checkrail.daemon import activation, client, code, listening
from checkrail.daemon.board import Board
from checkrail.daemon.log import Log
from checkrail.daemon.protocol import STATUS, STOP, ProtocolError, Request
from checkrail.daemon.server import Post, Status
from checkrail.daemon.service import Checkrail, Service
from checkrail.daemon.settings import Settings
from checkrail.daemon.supervisor import Links, Supervisor

_BASES = ("CONFIG", "STATE", "DATA", "CACHE")
KEPT = frozenset(
    ("HOME", "USER", "LOGNAME", "PATH", "LANG", "TMPDIR", "XDG_RUNTIME_DIR", *(f"XDG_{base}_HOME" for base in _BASES))
)
"""All that the daemon keeps of the environment it was started in: the rest belongs to whoever happened to start it."""


class DaemonError(Exception):
    """The daemon could not be started or stopped; the text says what to look at."""


def command(socket: Path, python: str = sys.executable) -> tuple[str, ...]:
    """The command line of a daemon that serves ``socket``."""
    return (python, "-I", "-m", "checkrail.daemon", "--socket", str(socket))


def status(socket: Path | None = None, *, seconds: float = client.PROBE_S) -> Status:
    """What the daemon says of itself, by handshake; ``running`` is False where nobody answers."""
    path = socket or places.find().socket
    try:
        answer = client.ask(path, Request(verb=STATUS), seconds=seconds)
        return msgspec.json.decode(answer.stdout, type=Status)
    except (OSError, ProtocolError, msgspec.MsgspecError):
        return Status(running=False, socket=str(path))


def start(socket: Path | None = None, *, run: tuple[str, ...] | None = None, seconds: float = 9.0) -> Status:
    """Starts the daemon, detached, unless one answers already, and waits until it does.

    ``run`` is the command line to use instead of the usual one. Raises :class:`DaemonError`
    if no daemon answers within ``seconds``, :class:`checkrail.places.PlacesError` for an
    unsafe directory.
    """
    path = socket or places.find().socket
    places.secure_directory(path.parent)
    found = status(path)
    if found.running:
        return found
    _detach(run or command(path))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = status(path, seconds=max(0.1, until - time.monotonic()))
        if found.running:
            return found
        time.sleep(0.03)
    raise DaemonError(f"no daemon answers at {path} after {seconds:g} s; run: checkrail daemon run, and read its error")


def _detach(arguments: tuple[str, ...]) -> None:
    """Runs a command as a child of nobody, in its own session, with none of our descriptors."""
    if child := os.fork():
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            os.closerange(3, 1 << 16)
            os.chdir("/")
            os.execv(arguments[0], arguments)
    finally:
        os._exit(0)


def stop(socket: Path | None = None, *, seconds: float = 6.0) -> bool:
    """Stops the daemon; False if none was running. Raises :class:`DaemonError` if it stays."""
    path = socket or places.find().socket
    before = status(path)
    if not before.running:
        return False
    client.ask(path, Request(verb=STOP), seconds=client.PROBE_S)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        now = status(path)
        if not now.running or now.supervisor != before.supervisor:
            return True
        time.sleep(0.02)
    raise DaemonError(f"the daemon at {path} (process {before.supervisor}) does not stop; see its log")


def run(
    *,
    foreground: bool = True,
    socket: Path | None = None,
    log: Path | None = None,
    systemd: bool = False,
    settings: Settings | None = None,
    service: Service | None = None,
    package: Path = code.PACKAGE,
) -> int:
    """Is the daemon until it ends; returns the exit code.

    Takes a socket passed by systemd where there is one, else claims ``socket``. In the
    foreground, what there is to say goes to stderr, else to the log file. The files below
    ``package`` are those whose change makes it start anew. Raises
    :class:`checkrail.places.PlacesError` and :class:`checkrail.daemon.activation.ActivationError`.
    """
    os.umask(0o077)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # whoever started us may have blocked what we rely on
    passed = activation.inherited()
    if systemd and not passed:
        raise activation.ActivationError("no socket was passed: --systemd is for use in a systemd unit")
    found = places.find()
    path = socket or found.socket
    diary = Log(None if foreground else log or _log_path(found))
    if not foreground:
        diary.take_stderr()
    claimed = passed or listening.claim(path)
    if claimed is None:
        diary.note("a daemon is running already")
        return 0
    _scrub_environment()
    return _supervise(claimed, path, diary, settings or Settings(), service or Checkrail(), package)


def _log_path(found: places.Places) -> Path | None:
    """Where the log stands; None where the system gives no place for it. One that is open to others is refused."""
    try:
        places.secure_directory(found.state)
    except places.PlacesError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        return None
    return found.log


def _scrub_environment() -> None:
    for name in set(os.environ) - KEPT:
        del os.environ[name]


def _supervise(
    claimed: activation.Passed, path: Path, diary: Log, settings: Settings, service: Service, package: Path
) -> int:
    listener, own = claimed
    wake_read, wake_write = _wake_pipe()

    def release() -> None:
        if own:
            listening.release(path, own)

    post = Post(
        listener=listener,
        service=service,
        settings=settings,
        board=Board(settings.workers),
        log=diary,
        wake=wake_write,
        path=str(path),
        code=code.version(package),  # before anything is imported: an upgrade in between shows as a change
        installation=code.installation(),
        step_aside=release if own else None,
    )
    links = Links(
        ours=lambda: own is None or listening.identity(path) == own,
        release=release,
        code=lambda: code.version(package),
        identity=own,
    )
    try:
        service.preload()
        gc.collect()
        gc.disable()
        gc.freeze()  # what was loaded stays in pages that all workers share
        diary.note(f"serving {path} with {settings.workers} workers, code {post.code}")
        return Supervisor(post, links, wake_read).run()
    finally:
        release()


def _wake_pipe() -> tuple[int, int]:
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    return read, write
