"""How long a hook takes: whole process, verdict in the worker, cold start; and what the daemon weighs.

    python -m benchmarks.latency [--runs 200] [--commands agent-commands.jsonl]

Each kind of process is started with ``posix_spawn``, given the same event on stdin, read to the end and waited for. A hook and
the process that it is compared with run in turn, so that drift hits both alike. ``--commands`` takes JSON lines with a ``command`` each: they are judged, never run.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.daemons import daemon, interpreter, memory, whole
from checkrail.daemon import shim


def event(command: str) -> bytes:
    """A pending command as Claude Code would send it."""
    call = {"session_id": "benchmark", "cwd": "/tmp", "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    call |= {"permission_mode": "default", "transcript_path": "/tmp/none.jsonl", "tool_use_id": "toolu_benchmark"}
    return json.dumps(call | {"tool_input": {"command": command, "description": "a benchmark"}}).encode()


def whole_process(arguments: tuple[str, ...], raw: bytes) -> tuple[float, float]:
    """Milliseconds from the start of a process to its end, its output read; and of processor time, which says more
    on a machine that others use too."""
    stdin, to = os.pipe()
    out, stdout = os.pipe()
    started = time.perf_counter()
    actions = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, stdout, 1)]
    pid = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=actions)
    os.close(stdin)
    os.close(stdout)
    try:
        os.write(to, raw)
    except BrokenPipeError:
        pass  # some of the processes compared do not read
    os.close(to)
    while os.read(out, 1 << 16):
        pass
    usage = os.wait4(pid, 0)[2]
    taken = (time.perf_counter() - started) * 1000
    os.close(out)
    return taken, (usage.ru_utime + usage.ru_stime) * 1000


def line(name: str, milliseconds: Sequence[float]) -> float:
    """Prints the spread; returns the median."""
    cuts = statistics.quantiles(milliseconds, n=100)
    median = statistics.median(milliseconds)
    print(f"{name:<34} median {median:7.3f}  p10 {cuts[9]:7.3f}  p90 {cuts[89]:7.3f}  p99 {cuts[98]:7.3f} ms")
    return median


def kinds(home: Path) -> dict[str, tuple[str, ...]]:
    """What is compared: bare processes and the hooks that there are."""
    python = interpreter()
    found: dict[str, tuple[str, ...]] = {
        "/bin/true": ("/bin/true",),
        "python3 -I -S -c pass": (python, "-I", "-S", "-c", "pass"),
        "hook in Python": shim.invocation(home / "hook", agent="claude", event="PreToolUse", python=python),
    }
    if (home / "hook-c").exists():
        found["hook in C"] = shim.direct(home / "hook-c", agent="claude", event="PreToolUse")
    return found


PAIRS = (("/bin/true", "hook in C"), ("python3 -I -S -c pass", "hook in Python"))
"""What is measured in turn: each hook and the process that does nothing in its place."""


def crowded(home: Path, runs: int) -> float:
    """How many times ``/bin/true`` the hook in C takes where interpreters start in between, which take the processors' caches."""
    raw, found = event("git status --short"), kinds(home)
    times: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(runs):
        for name, arguments in found.items():
            times[name].append(whole_process(arguments, raw)[0])
    walls = {name: statistics.median(taken) for name, taken in times.items()}
    ratio = walls.get("hook in C", 0.0) / walls["/bin/true"]
    print(f"{'hook in C, interpreters in between':<34} {ratio:6.2f} x true")
    return ratio


def processes(home: Path, runs: int) -> dict[str, tuple[float, float]]:
    """The hooks with a warm daemon beside bare processes; median milliseconds, wall and processor."""
    raw, found = event("git status --short"), kinds(home)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in found}
    for pair in PAIRS:
        for _ in range(runs):
            for name in pair:
                if name in found:
                    times[name].append(whole_process(found[name], raw))
    times = {name: taken for name, taken in times.items() if taken}
    walls = {name: line(name, [wall for wall, _ in found]) for name, found in times.items()}
    busy = {name: statistics.median(cpu for _, cpu in found) for name, found in times.items()}
    for name in walls:
        true, bare = (walls[name] / walls[other] for other in ("/bin/true", "python3 -I -S -c pass"))
        print(f"{name:<34} {true:6.2f} x true  {bare:6.2f} x python   processor {busy[name]:.2f} ms")
    return {name: (walls[name], busy[name]) for name in walls}


def cold_start(home: Path) -> float:
    """The first call, which starts the daemon; milliseconds."""
    arguments = list(kinds(home).values())[-1]
    taken = whole_process(arguments, event("true"))[0]
    print(f"first call, daemon started by it   {taken:7.0f} ms")
    return taken


def weight(socket: Path) -> float:
    """Memory of every process of the daemon; megabytes in all."""
    found = whole(socket)
    for name, pid in (("supervisor", found.supervisor), *(("worker", pid) for pid in found.workers)):
        print(f"{name:<34} " + "  ".join(f"{kind} {size:5.1f} MB" for kind, size in memory(pid).items()))
    total = sum(memory(pid).get("pss", 0) for pid in (found.supervisor, *found.workers))
    print(f"all together (proportional)        {total:.1f} MB")
    return total


def verdicts(path: Path) -> None:
    """Time of ``serve.answer`` for each command of a file, in this process."""
    from checkrail import serve

    serve.preload()
    commands = [json.loads(text)["command"] for text in path.read_text().splitlines()]
    times = []
    for command in commands:
        raw = event(command)
        started = time.perf_counter()
        serve.answer("claude", "PreToolUse", "/tmp", raw, environment={"HOME": "/home/nobody"})
        times.append((time.perf_counter() - started) * 1000)
    line(f"verdict, {len(commands)} commands", times)
    for taken, command in sorted(zip(times, commands, strict=True), reverse=True)[:3]:
        print(f"  slowest {taken:7.1f} ms  {command[:80]!r}")


def main() -> int:
    """Prints all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--commands", type=Path)
    given = parser.parse_args()
    with daemon() as home:
        cold_start(home)
        processes(home, given.runs)
        crowded(home, given.runs)
        weight(home / "run" / "s")
        if given.commands:
            verdicts(given.commands)
    return 0


if __name__ == "__main__":
    sys.exit(main())
