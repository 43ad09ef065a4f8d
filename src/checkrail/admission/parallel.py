"""Long lists, judged by several processes. Only for a command line: it forks, which a process with threads must not."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from checkrail.admission import names, outcomes, pins
from checkrail.admission.records import Authority, Definition, Judged

LEAST = 600
"""Definitions from which on it is worth starting processes."""
BLOCK = 150
"""Definitions judged in one go; neighbours are of one server and repeat each other."""
MOST = 8


def judge(
    definitions: Sequence[Definition],
    authority: Authority = Authority.SYSTEM,
    *,
    lock: pins.Lock | None = None,
    project: pins.Lock | None = None,
) -> list[Judged]:
    """What :func:`checkrail.admission.outcomes.judge` says, in the same order."""
    known = names.register(definitions)
    judges = partial(outcomes.judge, authority=authority, lock=lock, project=project, known=known)
    processes = min(MOST, os.cpu_count() or 1)
    if len(definitions) < LEAST or processes < 2 or threading.active_count() > 1:
        return judges(definitions)
    try:
        with ProcessPoolExecutor(
            processes, multiprocessing.get_context("fork"), initializer=_hold, initargs=(definitions, judges)
        ) as pool:
            return [entry for found in pool.map(_block, range(0, len(definitions), BLOCK)) for entry in found]
    except (BrokenProcessPool, OSError):
        return judges(definitions)


_held: tuple[Sequence[Definition], Callable[[Sequence[Definition]], list[Judged]]] = ((), outcomes.judge)
"""In a process of the pool: what was there when it was forked, so that only numbers and answers travel."""


def _hold(definitions: Sequence[Definition], judges: Callable[[Sequence[Definition]], list[Judged]]) -> None:
    global _held
    _held = (definitions, judges)


def _block(start: int) -> list[Judged]:
    definitions, judges = _held
    return judges(definitions[start : start + BLOCK])
