"""The parent of the workers: makes them, ends those that are stuck, and replaces itself when the code changes."""

import gc
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import NoReturn

import msgspec

from checkrail.daemon import activation
from checkrail.daemon import board as shared
from checkrail.daemon.server import Post, Worker

ACTIVE_S = 2.5
"""After a sign of work the supervisor looks often for so long, and otherwise sleeps."""
TICK_S = 0.1
DRAIN_TICK_S = 0.02
SLEEP_S = 60.0
RESPAWN_PAUSE_S = 0.2
COLLECT = (20_000, 10, 10)
"""When a worker looks for garbage in circles: a verdict makes thousands of objects and hardly a circle."""


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """How the supervisor reaches what lies outside of it."""

    ours: Callable[[], bool]  # does our socket still lie at its path?
    release: Callable[[], None]  # gives the socket's path up
    code: Callable[[], str]  # version of the code on the disk
    identity: tuple[int, int] | None


class Supervisor:
    """Runs until told to stop, idle for long, or without its socket."""

    def __init__(self, post: Post, links: Links, wake: int) -> None:
        self._post, self._links, self._wake = post, links, wake
        self._rows: dict[int, int] = {}  # process id -> row
        self._born: dict[int, float] = {}
        self._stopping = False
        self._fill_at = 0.0
        self._code_checked = time.monotonic()
        self._candidate = post.code

    def run(self) -> int:
        """Supervises; returns the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, lambda *_: None)  # what counts is the byte in the wake pipe
        signal.signal(signal.SIGTSTP, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.set_wakeup_fd(self._post.wake, warn_on_full_buffer=False)
        while not self._stopping:
            self._fill()
            self._wait()
            self._reap()
            self._end_stuck()
            self._look_around()
        self._links.release()
        self._drain()
        self._post.log.note("stopped")
        return 0

    def _wait(self) -> None:
        now, board = time.monotonic(), self._post.board
        busy = any(board.busy_since(row) for row in self._rows.values())
        short = busy or now - board[shared.POKED] < ACTIVE_S or len(self._rows) < board.rows
        left = max(0.0, board[shared.ACTIVE] + self._post.settings.idle_s - now)
        if select.select([self._wake], [], [], min(left, TICK_S if short else SLEEP_S))[0]:
            self._stopping = self._swallow_wakes()

    def _fill(self) -> None:
        if time.monotonic() < self._fill_at:
            return
        taken = set(self._rows.values())
        for row in range(self._post.board.rows):
            if row not in taken:
                self._spawn(row)

    def _spawn(self, row: int) -> None:
        handled = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGALRM}
        signal.pthread_sigmask(signal.SIG_BLOCK, handled)
        try:
            pid = os.fork()
            if pid == 0:
                self._become_worker(row, handled)
            self._rows[pid], self._born[pid] = row, time.monotonic()
        except OSError as error:  # no memory, too many processes: those that are there go on
            self._post.log.failure("fork", error)
            self._fill_at = time.monotonic() + RESPAWN_PAUSE_S
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, handled)

    def _become_worker(self, row: int, handled: set[signal.Signals]) -> NoReturn:
        """Never returns: whatever happens, the process ends here."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            os.close(self._wake)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C goes to the group; the supervisor decides
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _limit_memory(self._post.settings.memory_bytes)
            worker = Worker(self._post, row)
            gc.set_threshold(*COLLECT)
            gc.enable()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, handled)
            worker.run()
            code = 0
        except BaseException as error:
            self._post.log.failure("worker", error)
        finally:
            os._exit(code)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if os.WIFSTOPPED(status):
                self._post.log.note(f"worker {pid} was stopped by a signal: replaced")
                os.kill(pid, signal.SIGKILL)
            elif pid in self._rows:
                self._bury(pid, status)

    def _bury(self, pid: int, status: int) -> None:
        row, born = self._rows.pop(pid), self._born.pop(pid)
        self._post.board.enter(row, 0)
        if status and not self._stopping:
            self._post.board[shared.REPLACED] += 1
            self._post.log.note(f"worker {pid} ended with {os.waitstatus_to_exitcode(status)}: replaced")
            if time.monotonic() - born < RESPAWN_PAUSE_S:
                self._fill_at = time.monotonic() + RESPAWN_PAUSE_S

    def _end_stuck(self) -> None:
        now, limit = time.monotonic(), self._post.settings.busy_limit_s
        for pid, row in self._rows.items():
            since = self._post.board.busy_since(row)
            if since and now - since > limit:
                self._post.log.note(f"worker {pid} is stuck in a call: replaced")
                os.kill(pid, signal.SIGKILL)

    def _look_around(self) -> None:
        now, settings = time.monotonic(), self._post.settings
        if now - self._post.board[shared.ACTIVE] > settings.idle_s:
            self._post.log.note("idle for long")
            self._stopping = True
        elif not self._links.ours():
            self._post.log.note("the socket was removed or replaced")
            self._stopping = True
        elif now - self._code_checked >= settings.code_check_s:
            self._code_checked = now
            try:
                self._follow_code(self._links.code())
            except OSError:
                self._candidate = ""  # the files are just being replaced

    def _follow_code(self, found: str) -> None:
        """Replaces the program once its files have changed and then stayed the same for one look."""
        if found == self._candidate != self._post.code:
            self._post.log.note(f"the code changed from {self._post.code} to {found}: starting anew")
            self._drain()
            self._exec()
        self._candidate = found

    def _drain(self) -> None:
        """Lets every worker finish its call, then ends it."""
        until = time.monotonic() + self._post.settings.busy_limit_s + self._post.settings.client_s
        while self._rows and time.monotonic() < until:
            for pid in self._rows:
                os.kill(pid, signal.SIGTERM)  # again and again, for one that was just about to wait
            select.select([self._wake], [], [], DRAIN_TICK_S)
            self._stopping = self._swallow_wakes() or self._stopping
            self._reap()
        for pid in self._rows:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    def _swallow_wakes(self) -> bool:
        """Empties the wake pipe; True if a stop was among it."""
        try:
            return not {signal.SIGTERM, signal.SIGINT}.isdisjoint(os.read(self._wake, 4096))
        except BlockingIOError:
            return False

    def _exec(self) -> None:
        """Becomes the new program; the listening socket and the calls that wait on it are kept."""
        if self._stopping:
            return
        os.dup2(self._post.listener.fileno(), activation.FIRST, inheritable=True)
        os.set_inheritable(activation.FIRST, True)
        environment = {**os.environ, **activation.passing(self._links.identity)}
        try:
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)
        except OSError as error:
            self._post.log.failure("exec", error)
            self._stopping = True


def _limit_memory(limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would hold what calls contained
    if sys.platform != "darwin":
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
