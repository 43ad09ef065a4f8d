"""One worker: takes connections from the shared socket, one at a time, and answers each within a limit."""

import os
import select
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType

import msgspec

from checkrail import __version__
from checkrail.daemon import board as shared
from checkrail.daemon.board import Board
from checkrail.daemon.deadline import Alarm, DeadlineExceeded
from checkrail.daemon.log import Log
from checkrail.daemon.peers import peer_uid
from checkrail.daemon.protocol import (
    EVENT_LIMIT,
    STATUS,
    STOP,
    Answer,
    ProtocolError,
    Request,
    encode_answer,
    receive_request,
)
from checkrail.daemon.service import Service
from checkrail.daemon.settings import Settings

LOOK_S = 0.2
"""How often a worker looks whether a person has answered."""
SIGN = b"C"
"""The first byte of an answer, sent before a person is waited for, so that the shim knows that we live."""
POKE_S = 1.0
"""At most so often does a worker wake the supervisor to say that there is work."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """What a daemon says of itself; all but ``running`` and ``socket`` are empty where none runs."""

    running: bool
    socket: str
    version: str = ""
    code: str = ""  # version and hash of the files it was started from
    policy: str = ""  # digest of the policy in force
    installation: str = ""
    supervisor: int = 0
    workers: tuple[int, ...] = ()
    calls: int = 0
    late: int = 0
    replaced: int = 0  # workers that died or were killed
    up_s: float = 0.0


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """What the supervisor gives each worker."""

    listener: socket.socket
    service: Service
    settings: Settings
    board: Board
    log: Log
    wake: int  # file descriptor that wakes the supervisor
    path: str  # of the socket
    code: str
    installation: str
    step_aside: Callable[[], None] | None = None  # gives up the socket; None where it is not ours to give
    uid_of: Callable[[socket.socket], int] = peer_uid


def blocked(reason: str) -> Answer:
    """The plain block, right for every agent that takes exit code 2."""
    return Answer(2, b"", f"checkrail: blocked: {reason}\n".encode(errors="replace"))


def _skip_rest(peer: socket.socket) -> None:
    """Takes what has arrived and will not be read: left there, it would cost the client our answer."""
    peer.setblocking(False)
    try:
        while peer.recv(1 << 18):
            pass
    except OSError:
        pass


def _left(peer: socket.socket) -> bool:
    """Whether the caller is gone."""
    poll = select.poll()
    poll.register(peer, select.POLLIN)
    try:
        return bool(poll.poll(0)) and peer.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True


class Worker:
    """The loop of one process. Everything it needs from outside is in its :class:`Post`."""

    def __init__(self, post: Post, row: int) -> None:
        self._post = post
        self._row = row
        self._parent = os.getppid()
        self._stopping = False
        self._policy = ""
        self._policy_checked = float("-inf")
        post.board.enter(row, os.getpid())
        signal.signal(signal.SIGTERM, self._end)
        self._alarm = Alarm(self._leave_if_orphaned)

    def run(self) -> None:
        """Serves until told to stop, orphaned, or due for replacement."""
        for _ in range(self._post.settings.calls_per_worker):
            if self._stopping:
                break
            self._serve_next()

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        """Makes a waiting ``accept`` return. To raise here could lose a connection just taken."""
        self._stopping = True
        self._post.listener.setblocking(False)

    def _leave_if_orphaned(self) -> None:
        if os.getppid() != self._parent:
            self._end(0, None)

    def _serve_next(self) -> None:
        try:
            peer, _ = self._post.listener.accept()
        except BlockingIOError:  # a worker is ending: the switch is shared, so turn it back for those that are not
            if not self._stopping:
                self._post.listener.setblocking(True)
            return
        except OSError as error:  # e.g. out of descriptors, or the client is gone already
            self._post.log.failure("accept", error)
            time.sleep(0.05)
            return
        self._post.board.begin(self._row)
        try:
            self._serve(peer)
        except (Exception, DeadlineExceeded) as error:
            self._alarm.rest()
            self._post.log.failure("call", error)
        finally:
            peer.close()
            self._post.board.end(self._row)

    def _serve(self, peer: socket.socket) -> None:
        peer.settimeout(self._post.settings.client_s)
        if self._post.uid_of(peer) != os.geteuid():
            self._post.log.note("refused a client of another user")
            return
        try:
            request = receive_request(peer, seconds=self._post.settings.client_s)
        except TimeoutError:
            return
        except ProtocolError as error:
            _skip_rest(peer)
            self._send(peer, blocked(str(error)))
            return
        if request and (answer := self._respond(request)):
            seconds = min(answer.wait, request.patience)
            if seconds <= 0 or not self._post.board.may_wait(self._row):
                self._send(peer, answer)
                return
            try:
                peer.sendall(SIGN)
                self._send(peer, self._awaited(peer, request, answer, seconds), skip=len(SIGN))
            finally:
                self._post.board.waited(self._row)

    def _awaited(self, peer: socket.socket, request: Request, answer: Answer, seconds: float) -> Answer:
        """Judges a call anew once a person has answered its request; the given answer where nobody does in time."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._stopping and not _left(peer):
            self._post.board.begin(self._row)
            time.sleep(min(LOOK_S, left))
            if not self._alarm.limited(self._post.settings.decide_s, lambda: self._post.service.waits(answer.request)):
                return self._decide(request)
        return answer

    def _send(self, peer: socket.socket, answer: Answer, *, skip: int = 0) -> None:
        self._post.board.begin(self._row)
        peer.settimeout(self._post.settings.client_s)
        try:
            peer.sendall(encode_answer(answer)[skip:])
        except OSError:
            pass  # the caller is gone or does not read; a shim that got half an answer blocks

    def _respond(self, request: Request) -> Answer | None:
        """The answer; None where the caller must ask another daemon."""
        if request.verb == STATUS:
            return Answer(0, msgspec.json.encode(self._status()))
        if request.verb == STOP:
            os.kill(self._parent, signal.SIGTERM)
            return Answer(0)
        self._poke()
        if self._post.step_aside and request.installation not in ("", self._post.installation):
            self._post.log.note(f"a hook of another installation calls ({request.installation}): making room for it")
            self._post.step_aside()
            os.kill(self._parent, signal.SIGTERM)
            return None
        return self._decide(request)

    def _decide(self, request: Request) -> Answer:
        if len(request.raw) > EVENT_LIMIT:
            return blocked(f"the event is larger than {EVENT_LIMIT >> 20} MiB")
        settings = self._post.settings
        self._post.board.begin(self._row)
        due = msgspec.structs.replace(request, deadline=time.monotonic() + settings.decide_s)
        try:
            return self._alarm.limited(settings.decide_s, lambda: self._answer(due))
        except DeadlineExceeded:
            return self._late(due)
        except Exception as error:
            self._post.log.failure("decision", error)
            return blocked(f"internal error ({type(error).__name__}); see checkrail status")

    def _answer(self, request: Request) -> Answer:
        self._follow_policy()
        answer = self._post.service.answer(request)
        encode_answer(answer)  # a wrong one shall fail here, where it becomes a block
        return answer

    def _late(self, request: Request) -> Answer:
        self._alarm.rest()
        self._post.board[shared.LATE] += 1
        self._post.log.note("a decision took too long")
        try:
            answer = self._alarm.limited(self._post.settings.late_s, lambda: self._post.service.late(request))
            encode_answer(answer)
            return answer
        except (Exception, DeadlineExceeded) as error:
            self._alarm.rest()
            self._post.log.failure("late answer", error)
            return blocked(f"no decision within {self._post.settings.decide_s:g} s")

    def _follow_policy(self) -> None:
        now = time.monotonic()
        if now - self._policy_checked < self._post.settings.policy_check_s:
            return
        self._policy_checked = now
        digest = self._post.service.digest()
        if digest != self._policy:
            self._post.service.reload()
            self._policy = digest

    def _poke(self) -> None:
        now = time.monotonic()
        if now - self._post.board[shared.POKED] < POKE_S:
            return
        self._post.board[shared.POKED] = now
        try:
            os.write(self._post.wake, b"\0")
        except BlockingIOError:
            pass  # the pipe is full: the supervisor has been woken often enough

    def _status(self) -> Status:
        post = self._post
        return Status(
            running=True,
            socket=post.path,
            version=__version__,
            code=post.code,
            policy=self._digest(),
            installation=post.installation,
            supervisor=self._parent,
            workers=post.board.pids(),
            calls=post.board.calls(),
            late=int(post.board[shared.LATE]),
            replaced=int(post.board[shared.REPLACED]),
            up_s=round(time.monotonic() - post.board[shared.STARTED], 3),
        )

    def _digest(self) -> str:
        """For the status, which a broken policy must not make look like a dead daemon."""
        try:
            return self._alarm.limited(self._post.settings.decide_s, self._post.service.digest)
        except (Exception, DeadlineExceeded) as error:
            self._alarm.rest()
            self._post.log.failure("digest of the policy", error)
            return "unreadable"
