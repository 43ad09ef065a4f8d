"""Many callers at once: is every answer there, and the right one?

    python -m benchmarks.concurrency [--callers 16] [--calls 2000]

Each caller is a process that sends commands of its own over the socket, one connection a call. Even ones are a harmless
command with a mark in it, odd ones a delete of a marked path: the answer to the second must name that mark, and no
answer may name another's. Then the same number of callers runs the shim itself, a few times each.
"""

import argparse
import multiprocessing
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from benchmarks.daemons import daemon, start
from benchmarks.latency import event
from checkrail.daemon import client, lifecycle, shim
from checkrail.daemon.protocol import ProtocolError, Request

MARK = re.compile(rb"mark-\d+-\d+-end")


class Tally(msgspec.Struct):
    """What one caller saw."""

    lost: int = 0
    crossed: int = 0
    other: list[bytes] = []  # answers that belong to the call but are not the usual ones: late, failed
    times: list[float] = []  # milliseconds

    def add(self, answer: bytes | None, mark: str, number: int, started: float) -> None:
        """Counts one answer; None is a lost one."""
        self.times.append((time.perf_counter() - started) * 1000)
        if answer is None:
            self.lost += 1
            return
        named = set(MARK.findall(answer))
        self.crossed += bool(named - {mark.encode()})
        if bool(named) is not bool(number % 2):
            self.other.append(answer[:300])


def command(mark: str, number: int) -> str:
    """Harmless and dangerous in turn."""
    return f"rm -rf /etc/{mark}" if number % 2 else f"ls {mark}"


def by_socket(place: Path, caller: int, calls: int) -> Tally:
    """One caller over the socket."""
    tally = Tally()
    for number in range(calls):
        mark = f"mark-{caller}-{number}-end"
        request = Request(agent="claude", event="PreToolUse", cwd="/tmp", raw=event(command(mark, number)))
        started = time.perf_counter()
        try:
            found = client.ask(place, request, seconds=9)
            tally.add(found.stdout + found.stderr, mark, number, started)
        except (OSError, ProtocolError):
            tally.add(None, mark, number, started)
    return tally


def by_shim(hook: Path, caller: int, calls: int) -> Tally:
    """One caller that runs the shim."""
    tally = Tally()
    arguments = shim.invocation(hook, agent="claude", event="PreToolUse")
    for number in range(calls):
        mark = f"mark-{caller}-{number}-end"
        started = time.perf_counter()
        done = subprocess.run(arguments, input=event(command(mark, number)), capture_output=True)
        lost = done.stderr.startswith(b"checkrail: blocked")
        tally.add(None if lost else done.stdout + done.stderr, mark, number, started)
    return tally


def report(name: str, tallies: list[Tally], seconds: float) -> int:
    """Prints the sums; returns how many answers were lost or crossed."""
    lost, crossed = sum(tally.lost for tally in tallies), sum(tally.crossed for tally in tallies)
    times, other = (
        [taken for tally in tallies for taken in tally.times],
        [text for tally in tallies for text in tally.other],
    )
    cuts = statistics.quantiles(times, n=100)
    print(
        f"{name}: {len(times)} answers in {seconds:.1f} s, {lost} lost, {crossed} crossed, {len(other)} unusual;",
        end=" ",
    )
    print(f"median {cuts[49]:.2f}, p99 {cuts[98]:.2f}, longest {max(times):.1f} ms")
    for text in sorted({MARK.sub(b"...", answer) for answer in other})[:5]:
        print(f"  unusual: {text!r}")
    return lost + crossed


def main() -> int:
    """Exit code 1 if an answer was lost or crossed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callers", type=int, default=16)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--shim-calls", type=int, default=20)
    given = parser.parse_args()
    with daemon() as home, multiprocessing.Pool(given.callers) as pool:
        socket = home / "run" / "s"
        start(home)
        wrong, kinds = (
            0,
            (("socket", by_socket, socket, given.calls), ("shim", by_shim, home / "hook", given.shim_calls)),
        )
        for name, call, place, calls in kinds:
            started = time.perf_counter()
            results = pool.starmap(call, [(place, caller, calls) for caller in range(given.callers)])
            wrong += report(name, results, time.perf_counter() - started)
        print(lifecycle.status(socket))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
