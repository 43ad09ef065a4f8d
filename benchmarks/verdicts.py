"""How long a verdict takes, by gate: in this process, on a frozen machine, over events made here or taken from a file.

    python -m benchmarks.verdicts [--rounds 20] [--events events.jsonl]

``--events`` takes JSON lines with a ``tool`` and an ``input`` each (or a ``command``): they are judged, never run.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from checkrail.facts.host import FrozenHost
from checkrail.model import Event, EventKind
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN

Call = tuple[str, dict[str, Any]]
ROOM = "/work/app"


def _host() -> FrozenHost:
    files: dict[str, str | None] = {f"{ROOM}/src/module_{number}.py": "x = 1\n" for number in range(40)}
    files |= {f"{ROOM}/.git/HEAD": "ref: refs/heads/main\n", f"{ROOM}/package.json": '{"scripts": {"test": "vitest"}}'}
    return FrozenHost(files=files)


def commands(number: int) -> Call:
    """A command line as agents write them, each round another."""
    lines = (
        "git status --short && git diff --stat HEAD~{n}",
        "cd src && grep -rn 'name_{n}' --include='*.py' . | head -{n}",
        "npm test -- --run case_{n}",
        "rm -rf build/{n} node_modules/.cache && npm ci",
        'for f in src/*_{n}.py; do python3 -m py_compile "$f" || echo "$f"; done',
        "python3 - <<'EOF'\nimport json\nprint(json.load(open('a{n}.json')))\nEOF",
        "docker compose exec -T web sh -c 'ls -la /app/{n}'",
        "find . -name '*.log' -mtime +{n} -print | xargs -r wc -l",
    )
    return "Bash", {"command": lines[number % len(lines)].format(n=number + 1)}


def files(number: int) -> Call:
    """A write, an edit or a patch of a source file."""
    source = "\n".join(f"def f{line}(a, b):\n    return a + b + {line}\n" for line in range(number % 40 + 5))
    path = f"{ROOM}/src/module_{number % 40}.py"
    calls: tuple[Call, ...] = (
        ("Write", {"file_path": path, "content": source}),
        ("Edit", {"file_path": path, "old_string": "x = 1", "new_string": f"x = {number}"}),
        (
            "apply_patch",
            {"input": f"*** Begin Patch\n*** Add File: src/new_{number}.ts\n+export const a = {number}\n*** End Patch"},
        ),
        ("Read", {"file_path": path}),
        ("Write", {"file_path": f"{ROOM}/scripts/run_{number}.sh", "content": "#!/bin/sh\nset -e\nnpm ci\nnpm test\n"}),
    )
    return calls[number % len(calls)]


def fetches(number: int) -> Call:
    """A page of documentation, an API, this machine."""
    urls = (
        "https://docs.python.org/3/library/os.html?n={n}",
        "https://api.github.com/repos/a/b/issues/{n}",
        "http://localhost:3000/x/{n}",
        "https://xn--mnchen-3ya.de/{n}",
    )
    return "WebFetch", {"url": urls[number % len(urls)].format(n=number), "prompt": "summarise"}


def tools(number: int) -> Call:
    """Calls of MCP tools."""
    calls: tuple[Call, ...] = (
        ("mcp__linear__list_issues", {"state": "open", "page": number}),
        ("mcp__linear__create_issue", {"title": f"Case {number}", "description": "It fails. " * 40}),
        ("mcp__fs__read_file", {"path": f"src/module_{number % 40}.py"}),
        ("mcp__playwright__browser_click", {"selector": f"#a{number}", "options": {"deep": [{"x": number}]}}),
        ("mcp__x__execute_command", {"command": f"ls -la {number}"}),
    )
    return calls[number % len(calls)]


def statements(number: int) -> Call:
    """SQL through a database tool."""
    texts = (
        "SELECT id, name FROM users WHERE id = {n}",
        "WITH a AS (SELECT * FROM orders WHERE total > {n}) SELECT count(*) FROM a JOIN items i ON i.id = a.id",
        "EXPLAIN SELECT * FROM t{n} ORDER BY created_at DESC LIMIT 10",
        "UPDATE users SET name = 'x' WHERE id = {n}",
    )
    return "mcp__postgres__execute_sql", {"query": texts[number % len(texts)].format(n=number)}


GATES: Mapping[str, Callable[[int], Call]] = {
    "command": commands,
    "file": files,
    "fetch": fetches,
    "mcp": tools,
    "sql": statements,
}
"""Gate -> the call of a round."""


def timed(calls: Iterable[Call], host: FrozenHost) -> list[float]:
    """Milliseconds of each verdict."""
    times = []
    for tool, given in calls:
        event = Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given, cwd=ROOM, project=ROOM)
        started = time.perf_counter()
        decide(event, host=host, policy=BUILT_IN)
        times.append((time.perf_counter() - started) * 1000)
    return times


def row(name: str, times: Sequence[float]) -> str:
    """One line of the table."""
    cuts = statistics.quantiles(times, n=100) if len(times) > 1 else [times[0]] * 99
    return f"{name:<12}{len(times):>8}{statistics.median(times):>11.3f}{cuts[89]:>11.3f}{cuts[98]:>11.3f}{max(times):>11.3f}"


def given_calls(path: Path) -> dict[str, list[Call]]:
    """The calls of a file by gate, as far as the tool's name tells it."""
    found: dict[str, list[Call]] = {}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        call: Call = (entry.get("tool", "Bash"), entry.get("input") or {"command": entry.get("command", "")})
        found.setdefault(gate_of(call), []).append(call)
    return found


def gate_of(call: Call) -> str:
    """The gate that mostly judges a call."""
    tool, given = call
    if tool.startswith("mcp__"):
        return "sql" if {"sql", "query", "statement"} & given.keys() and "sql" in tool else "mcp"
    return {
        "Bash": "command",
        "Monitor": "command",
        "PowerShell": "command",
        "WebFetch": "fetch",
        "WebSearch": "fetch",
    }.get(tool, "file")


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="times that each gate's calls are judged, ten a round")
    parser.add_argument("--events", type=Path)
    given = parser.parse_args()
    host, count = _host(), max(given.rounds, 1) * 10
    made = {name: [call(number) for number in range(count)] for name, call in GATES.items()}
    for calls in made.values():
        timed(calls[:10], host)  # imports and tables, which a daemon has loaded before the first call
    print(f"{'gate':<12}{'calls':>8}{'median':>11}{'p90':>11}{'p99':>11}{'max':>11}  milliseconds a verdict")
    for name, calls in made.items():
        print(row(name, timed(calls, host)))
    for name, calls in sorted((given_calls(given.events) if given.events else {}).items()):
        print(row(f"{name} (file)", timed(calls, host)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
