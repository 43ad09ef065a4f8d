"""Many callers at once: is every answer there, and the right one?

    python -m benchmarks.concurrency [--callers 16] [--calls 2000]

Each caller is a process that sends commands of its own over the socket, one connection a call. Even ones are a harmless
command with a mark in it, odd ones a delete of a marked path; what the daemon answers to the second must name that
caller's mark, and no other. Then the same number of callers runs the shim itself, a few times each.
"""

import argparse
import multiprocessing
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.daemons import daemon, whole
from benchmarks.latency import event
from checkrail.daemon import client, lifecycle, shim
from checkrail.daemon.protocol import Request

Result = tuple[int, int, list[float]]
"""Lost answers, crossed answers, milliseconds of each call."""


def command(mark: str, number: int) -> str:
    """Harmless and dangerous in turn."""
    return f"rm -rf /etc/{mark}" if number % 2 else f"ls {mark}"


def right(answer: bytes, mark: str, number: int) -> bool:
    """Is this the answer to that call? A delete below /etc is stopped with its target in the reason."""
    return mark.encode() in answer if number % 2 else b"/etc/" not in answer


def by_socket(socket: Path, caller: int, calls: int) -> Result:
    """One caller over the socket."""
    lost, crossed, times = 0, 0, []
    for number in range(calls):
        mark = f"mark-{caller}-{number}-end"
        raw = event(command(mark, number))
        started = time.perf_counter()
        try:
            answer = client.ask(
                socket, Request(agent="claude", event="PreToolUse", cwd="/tmp", raw=raw, environment={}), seconds=9
            )
        except OSError:
            lost += 1
            continue
        times.append((time.perf_counter() - started) * 1000)
        crossed += not right(answer.stdout + answer.stderr, mark, number)
    return lost, crossed, times


def by_shim(hook: Path, caller: int, calls: int) -> Result:
    """One caller that runs the shim."""
    lost, crossed, times = 0, 0, []
    arguments = shim.invocation(hook, agent="claude", event="PreToolUse")
    for number in range(calls):
        mark = f"mark-{caller}-{number}-end"
        started = time.perf_counter()
        done = subprocess.run(arguments, input=event(command(mark, number)), capture_output=True)
        times.append((time.perf_counter() - started) * 1000)
        lost += done.stderr.startswith(b"checkrail: blocked")
        crossed += not right(done.stdout + done.stderr, mark, number)
    return lost, crossed, times


def report(name: str, results: list[Result], seconds: float) -> int:
    """Prints the sums; returns how many answers were wrong."""
    lost, crossed = sum(result[0] for result in results), sum(result[1] for result in results)
    times = [taken for result in results for taken in result[2]]
    cuts = statistics.quantiles(times, n=100)
    print(f"{name}: {len(times)} answers in {seconds:.1f} s, {lost} lost, {crossed} crossed;", end=" ")
    print(f"median {cuts[49]:.2f}, p99 {cuts[98]:.2f}, longest {max(times):.1f} ms")
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
        lifecycle.start(socket)
        whole(socket)
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
