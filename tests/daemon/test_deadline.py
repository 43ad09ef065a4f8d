"""The alarm reaches code that does not want to end."""

import re
import signal
from collections.abc import Iterator

import pytest

from checkrail.daemon.deadline import Alarm, DeadlineExceeded


@pytest.fixture
def alarm() -> Iterator[Alarm]:
    """An alarm that leaves no timer and no handler behind."""
    before = signal.getsignal(signal.SIGALRM)
    yield Alarm(lambda: None)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def spin() -> None:
    """Never ends."""
    while True:
        pass


def swallow() -> None:
    """Takes the first exceptions for itself."""
    for _ in range(3):
        try:
            spin()
        except BaseException:
            pass
    spin()


def narrow() -> None:
    """Catches what a careful reader would."""
    try:
        spin()
    except Exception:
        pass


@pytest.mark.parametrize("work", [spin, swallow, narrow, lambda: re.fullmatch(r"(a|aa)*b", "a" * 90)])
def test_work_without_end_is_ended(alarm: Alarm, work: object) -> None:
    """In Python, in the engine of re, behind ``except Exception``, and again after it was swallowed."""
    with pytest.raises(DeadlineExceeded):
        alarm.limited(0.02, work)  # type: ignore[arg-type]


def test_quick_work_gives_its_result_and_no_late_alarm(alarm: Alarm) -> None:
    """After the work the timer only pulses."""
    assert alarm.limited(5, lambda: 7) == 7
    assert signal.getitimer(signal.ITIMER_REAL)[1] == 10
    signal.raise_signal(signal.SIGALRM)


def test_the_pulse_runs_what_it_was_given() -> None:
    """Between calls the handler does not raise by itself."""
    before, rang = signal.getsignal(signal.SIGALRM), []
    Alarm(lambda: rang.append(1))
    signal.raise_signal(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    assert rang == [1]
