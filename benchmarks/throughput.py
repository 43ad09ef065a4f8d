"""How many verdicts a second come over the socket, by number of callers.

    python -m benchmarks.throughput [--seconds 3]

A caller is a process that asks, waits for the answer and asks again, each time for another harmless command. Callers and
workers share the processors, so this is less than the workers alone could do.
"""

import argparse
import multiprocessing
import socket
import statistics
import sys
import time
from pathlib import Path

from benchmarks.daemons import daemon, start
from benchmarks.latency import event
from checkrail.daemon.protocol import Request, encode_request

CALLERS = (1, 4, 16, 64)


def ask_for(path: str, caller: int, began: float, until: float) -> list[float]:
    """One caller; milliseconds of each answer."""
    times: list[float] = []
    time.sleep(max(0.0, began - time.time()))
    while time.time() < until:
        raw = event(f"ls -la src/module_{caller}_{len(times)} && git diff --stat HEAD~{len(times) % 9 + 1}")
        frame = encode_request(Request(agent="claude", event="PreToolUse", cwd="/tmp", raw=raw))
        started = time.perf_counter()
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(path)
            peer.sendall(frame)
            while peer.recv(1 << 16):
                pass
        times.append((time.perf_counter() - started) * 1000)
    return times


def measured(path: Path, seconds: float) -> dict[int, tuple[float, float, float]]:
    """Callers -> verdicts a second, median and p99 milliseconds."""
    found = {}
    for callers in CALLERS:
        with multiprocessing.Pool(callers) as pool:
            began = time.time() + 0.3
            results = pool.starmap(ask_for, [(str(path), caller, began, began + seconds) for caller in range(callers)])
            took = time.time() - began
        times = [taken for result in results for taken in result]
        found[callers] = (len(times) / took, statistics.median(times), statistics.quantiles(times, n=100)[98])
        print(
            f"{callers:>3} callers  {found[callers][0]:7.0f} verdicts a second  median {found[callers][1]:7.2f}  p99 {found[callers][2]:7.2f} ms"
        )
    return found


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    given = parser.parse_args()
    with daemon() as home:
        start(home)
        measured(home / "run" / "s", given.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
