"""A time limit that no code in the worker can sleep through or swallow."""

import signal
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")
AGAIN_S = 0.05
IDLE_S = 10.0


class DeadlineExceeded(BaseException):
    """The time for a decision is over. Not an Exception: ``except Exception`` in a reader must not catch it."""


class Alarm:
    """The process's interval timer: a deadline during a call, a slow pulse between calls.

    The timer keeps ringing after the deadline, so an exception that was swallowed (by a bare
    ``except``, in a finaliser) comes again. To be used in the main thread only.
    """

    def __init__(self, idle: Callable[[], None]) -> None:
        self._idle = idle
        self._armed = False
        signal.signal(signal.SIGALRM, self._ring)
        self.rest()

    def limited(self, seconds: float, work: Callable[[], T]) -> T:
        """The result of ``work``. Raises :class:`DeadlineExceeded` if it takes longer than ``seconds``."""
        try:
            self._armed = True
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), AGAIN_S)
            return work()
        finally:
            self.rest()

    def rest(self) -> None:
        """No deadline; the idle pulse goes on."""
        self._armed = False
        signal.setitimer(signal.ITIMER_REAL, IDLE_S, IDLE_S)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if self._armed:
            raise DeadlineExceeded
        self._idle()
