"""Many calls, with faults in between: does anything leak, get lost or get crossed?

    python -m benchmarks.soak [--calls 200000] [--callers 8] [--seconds 1800] [--faults 400]

A real daemon of its own in a temporary directory, as in the other benchmarks. Each caller is a process that sends calls
over the socket, each with a mark of its own: a harmless command, a delete that must be stopped, a file to write, a page, a
tool. Meanwhile faults come at random: a worker is killed or frozen, the policy changes, clients send garbage, close one
half, stay silent, send too much, or hang up. At the end the log must have numbered a line for each judged call, its chain must be right,
no answer may be wrong or another's, and memory and descriptors must stand where they stood after the first tenth.

It ends by itself, after the calls or the seconds, whichever comes first. Exit code 1 where something is wrong.
"""

import argparse
import collections
import contextlib
import json
import multiprocessing
import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.daemons import daemon, memory, start
from checkrail.audit import names
from checkrail.audit.verify import verify
from checkrail.daemon import client, lifecycle
from checkrail.daemon.protocol import ProtocolError, Request, encode_request
from checkrail.daemon.server import Status

GROWTH_MB = 24.0
"""Proportional memory of the whole daemon may differ by so much; workers are replaced all the time."""

POLICIES = ('profile = "balanced"\n', 'profile = "strict"\n', 'explicit-allow = "off"\n', "not = [toml\n")
"""None of them opens what the callers expect to be stopped; the last one is broken."""


class Tally(msgspec.Struct):
    """What one caller saw: calls by what came out, and the texts of wrong answers."""

    counts: dict[str, int] = {}
    wrong: list[str] = []
    judged: int = 0

    def add(self, kind: str) -> None:
        """Counts one."""
        self.counts[kind] = self.counts.get(kind, 0) + 1


def call(kind: int, mark: str) -> tuple[str, dict[str, Any], bool]:
    """Tool, input, and whether it must be stopped."""
    return (
        ("Bash", {"command": f"ls {mark}"}, False),
        ("Bash", {"command": f"rm -rf /etc/{mark}"}, True),
        ("Bash", {"command": f"cd /tmp && x=$(echo {mark}) && git status --short | grep $x"}, False),
        ("Write", {"file_path": f"/etc/{mark}", "content": "x"}, True),
        ("Write", {"file_path": f"/tmp/{mark}/a.py", "content": "print(1)\n"}, False),
        ("WebFetch", {"url": f"http://169.254.169.254/{mark}", "prompt": "p"}, True),
        ("Read", {"file_path": f"/tmp/{mark}"}, False),
        ("Bash", {"command": f"for i in 1 2 3; do echo $i {mark}; done | sh -c 'rm -rf ~'"}, True),
    )[kind]


def caller(place: Path, number: int, calls: int, until: float) -> Tally:
    """One caller; asked again, as the hook does, where an answer got lost in a fault."""
    tally, chance = Tally(), random.Random(number)
    for index in range(calls):
        if time.monotonic() > until:
            break
        mark = f"mark-{number}-{index}-end"
        tool, given, stops = call(chance.randrange(8), mark)
        raw = json.dumps({"session_id": f"s{number}", "cwd": "/tmp", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given})  # fmt: skip
        request = Request(agent="claude", event="PreToolUse", cwd="/tmp", raw=raw.encode())
        answer = None
        for pause in (0.0, 0.05, 0.2, 0.6, 1.5):
            time.sleep(pause)
            with contextlib.suppress(OSError, ProtocolError):
                answer = client.ask(place, request, seconds=9)
                break
            tally.add("asked again")
        if answer is None:
            tally.add("blocked: no answer")
            continue
        said = (answer.stdout + answer.stderr).decode(errors="replace")
        if b"checkrail: blocked" in answer.stderr:
            tally.add("blocked: by the daemon")
            continue
        tally.judged += 1
        passed = answer.exit_code == 0 and '"deny"' not in said and '"ask"' not in said
        tally.add("passed" if passed else "stopped")
        if passed and stops:
            tally.wrong.append(f"passed: {raw}")
        others = {word for word in said.replace("/", " ").replace('"', " ").split() if word.startswith("mark-")}
        if any(not word.startswith(mark[:-4]) for word in others):
            tally.wrong.append(f"crossed: {raw} got {said[:300]}")
    return tally


# Faults ------------------------------------------------------------------------------------


def _client(place: Path, say: Callable[[socket.socket], None]) -> None:
    with socket.socket(socket.AF_UNIX) as peer, contextlib.suppress(OSError):
        peer.settimeout(0.5)
        peer.connect(str(place))
        say(peer)


def _worker(place: Path, number: signal.Signals, chance: random.Random) -> None:
    workers = [pid for pid in lifecycle.status(place).workers if pid]
    if workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(workers), number)


def _policy(config: Path, chance: random.Random) -> None:
    config.write_text(chance.choice(POLICIES))


def _half(peer: socket.socket) -> None:
    peer.sendall(b"CKR1\0\0\0\x40\0\0")
    peer.shutdown(socket.SHUT_WR)
    peer.recv(1 << 16)


def _large(peer: socket.socket) -> None:
    peer.sendall(encode_request(Request(agent="claude", raw=b"x" * (10 << 20))))


def _silent(peer: socket.socket) -> None:
    peer.settimeout(0.4)
    peer.recv(1)


def faults(place: Path, config: Path, chance: random.Random) -> dict[str, Callable[[], None]]:
    """Faults by name."""
    return {
        "worker killed": lambda: _worker(place, signal.SIGKILL, chance),
        "worker frozen": lambda: _worker(place, signal.SIGSTOP, chance),
        "policy changed": lambda: _policy(config, chance),
        "garbage": lambda: _client(place, lambda peer: peer.sendall(chance.randbytes(chance.randrange(1, 4000)))),
        "half closed": lambda: _client(place, _half),
        "too large": lambda: _client(place, _large),
        "silent": lambda: _client(place, _silent),
        "hung up": lambda: _client(
            place, lambda peer: peer.sendall(encode_request(Request(agent="claude", raw=b"{}")))
        ),
    }


# Measuring ---------------------------------------------------------------------------------


def size(found: Status) -> tuple[float, int]:
    """Proportional megabytes and open descriptors of supervisor and workers."""
    megabytes, descriptors = 0.0, 0
    for pid in (found.supervisor, *found.workers):
        with contextlib.suppress(OSError):
            descriptors += len(os.listdir(f"/proc/{pid}/fd"))
            megabytes += memory(pid).get("pss", 0.0)
    return megabytes, descriptors


def logged(directory: str) -> tuple[int, collections.Counter[str]]:
    """The number of the last line of the log, and how often its files hold each mark; the oldest are gone by then."""
    found: collections.Counter[str] = collections.Counter()
    last = 0
    for path in names.files(directory):
        for entry in names.entries(path):
            last = max(last, int(entry.get("number", 0)))
            text = json.dumps(entry.get("input"))
            at = text.find("mark-")
            if at >= 0:
                found[text[at : text.find("-end", at)]] += 1
    return last, found


def main() -> int:
    """Prints the figures; exit code 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=200_000)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--faults", type=int, default=400, help="at most, spread over the time")
    given = parser.parse_args()
    chance, done = random.Random(1), collections.Counter[str]()
    with daemon() as home, multiprocessing.Pool(given.callers) as pool:
        place, config = home / "run" / "s", home / "config" / "checkrail" / "policy.toml"
        config.parent.mkdir(mode=0o700, parents=True)
        first = start(home)
        ways = faults(place, config, chance)
        until = time.monotonic() + given.seconds
        jobs = [(place, number, given.calls // given.callers, until) for number in range(given.callers)]
        result = pool.starmap_async(caller, jobs, chunksize=1)
        sizes: list[tuple[float, int]] = []
        while not result.ready():
            time.sleep(given.seconds / max(given.faults, 1) * chance.uniform(0.2, 0.8))
            if sum(done.values()) < given.faults:
                name = chance.choice(list(ways))
                ways[name]()
                done[name] += 1
            with contextlib.suppress(lifecycle.DaemonError, OSError):
                found = lifecycle.status(place)
                sizes += [size(found)] if found.running and 0 not in found.workers else []
        tallies = result.get()
        last = lifecycle.status(place)
        report = _report(tallies, done, sizes, (first, last), home)
    print(*report, sep="\n")
    return 1 if any(line.startswith("WRONG") for line in report) else 0


def _report(
    tallies: list[Tally],
    done: collections.Counter[str],
    sizes: list[tuple[float, int]],
    ends: tuple[Status, Status],
    home: Path,
) -> list[str]:
    counts = collections.Counter[str]()
    for tally in tallies:
        counts.update(tally.counts)
    judged = sum(tally.judged for tally in tallies)
    directory = next((str(path.parent) for path in sorted((home / "state").rglob("audit*.jsonl"))), str(home))
    (written, marks), chain = logged(directory), verify(directory)
    tenth = max(1, len(sizes) // 10)
    early, late = sizes[tenth : 2 * tenth] or sizes[:1], sizes[-tenth:]
    grown = max(size for size, _ in late) - max(size for size, _ in early)
    opened = max(count for _, count in late) - max(count for _, count in early)
    lines = [
        f"{sum(counts.values()) - counts['asked again']} calls: {dict(counts)}",
        f"faults: {dict(done)}; workers replaced {ends[1].replaced}, same supervisor {ends[0].supervisor == ends[1].supervisor}",
        f"log: {written} lines for {judged} judged calls; in the files that are kept {sum(marks.values()) - len(marks)} of them twice; chain of {chain.lines} lines: {len(chain.problems)} problems",
        f"memory {early[0][0]:.0f} -> {late[-1][0]:.0f} MB, descriptors {early[0][1]} -> {late[-1][1]}",
    ]
    lines += [f"WRONG {text}" for tally in tallies for text in tally.wrong[:3]]
    lines += [f"WRONG: the chain: {problem}" for problem in chain.problems[:3]]
    lines += ["WRONG: log lines are missing"] if written < judged else []
    lines += ["WRONG: memory grew"] if grown > GROWTH_MB else []
    lines += ["WRONG: descriptors grew"] if opened > len(ends[1].workers) * 3 else []
    return lines


if __name__ == "__main__":
    sys.exit(main())
