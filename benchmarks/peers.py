"""Other guards' hooks beside ours, with the same events, in turn.

    python -m benchmarks.peers [--runs 40] NAME='COMMAND LINE OF ITS HOOK' ...

Each gets a harmless call, an ordinary long line, and a harmless command of 3 MB, as Claude Code sends them; nothing of it is
ever run. Homes are a temporary directory. A hook that takes longer than ``--limit`` seconds is ended and told as such.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping

from benchmarks.daemons import daemon, start
from benchmarks.latency import event, kinds

EVENTS: Mapping[str, str] = {
    "git status": "git status --short",
    "a long line": 'cd src && for f in *.py; do python3 -m py_compile "$f" || echo "$f" >> bad.txt; done; git diff --stat | tail -3 | awk \'{print $1}\' > /tmp/x',
    "3 MB": "echo '" + "some text and more of it " * 120_000 + "'",
}


def answered(command: tuple[str, ...], raw: bytes, home: str, limit: float) -> tuple[float, str]:
    """Milliseconds of one call, and its answer in a word."""
    around = {"HOME": home, "PATH": os.environ["PATH"]}
    started = time.perf_counter()
    try:
        done = subprocess.run(command, input=raw, capture_output=True, env=around, cwd=home, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return limit * 1000, "no answer"
    taken = (time.perf_counter() - started) * 1000
    try:
        said = json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        said = "nothing said"
    return taken, said if done.returncode == 0 else f"exit code {done.returncode}"


def main() -> int:
    """Prints the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="*", metavar="NAME=COMMAND")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--limit", type=float, default=30)
    given = parser.parse_args()
    with daemon() as home, tempfile.TemporaryDirectory() as nobody:
        start(home)
        hooks: dict[str, tuple[str, ...]] = {"`/bin/true`": ("/bin/true",)}
        hooks |= {name: line for name, line in kinds(home).items() if name.startswith("hook")}
        hooks |= {name: tuple(shlex.split(line)) for name, _, line in (told.partition("=") for told in given.peers)}
        print(
            f"| hook | {' | '.join(f'{name}, ms | answer' for name in EVENTS)} |\n|{' --- |' * (1 + 2 * len(EVENTS))}"
        )
        rows: dict[str, list[str]] = {name: [] for name in hooks}
        for command in EVENTS.values():
            found: dict[str, list[tuple[float, str]]] = {name: [] for name in hooks}
            for _ in range(given.runs if len(command) < 10_000 else 5):
                for name, words in hooks.items():
                    found[name].append(answered(words, event(command), nobody, given.limit))
            for name, calls in found.items():
                rows[name] += [f"{statistics.median(taken for taken, _ in calls):.1f}", calls[-1][1]]
        for name, cells in rows.items():
            print(f"| {name} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
