"""How the time of a verdict grows with what it is given: command length, policy rows, known commands, sessions, lines of the log.

    python -m benchmarks.growth [--largest 1048576]

For each shape the exponent of ``time = a * size ** b`` is fitted through the sizes above a floor (least squares of the logarithms). Above 1.1
something is done again and again: that is an error here.
"""

import argparse
import gc
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from benchmarks import latency
from benchmarks.verdicts import ROOM, _host
from checkrail.audit import Log
from checkrail.daemon.supervisor import COLLECT
from checkrail.knowledge import commands as knowledge
from checkrail.model import Event, EventKind
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN
from checkrail.policy.cache import PolicyCache, usual_layers
from checkrail.serve import Server
from checkrail.session.memory import Store
from checkrail.session.remember import Recollection

MOST = 1.1
FLOOR_MS = 3.0
"""Below this the fixed part of a verdict counts more than what grows."""
CEILING_MS = 4000.0
"""Far beyond the daemon's deadline: no need to measure larger ones."""

SHAPES: Mapping[str, Callable[[int], str]] = {
    "one long word": lambda n: "echo " + "a" * n,
    "many words": lambda n: "echo " + "ab " * (n // 3),
    "commands": lambda n: "ls -la src && " * (n // 14) + "true",
    "lines": lambda n: "git status --short\n" * (n // 19),
    "pipeline": lambda n: "cat a " + "| sort " * (n // 7),
    "heredoc": lambda n: "cat > notes.md <<'EOF'\n" + "some text and more of it\n" * (n // 25) + "EOF\n",
    "single quotes": lambda n: "echo '" + "a b c " * (n // 6) + "'",
    "double quotes": lambda n: 'echo "' + "a $HOME c " * (n // 10) + '"',
    "python program": lambda n: "python3 - <<'EOF'\n" + 'x = open("a.txt").read()\n' * (n // 25) + "EOF\n",
    "node program": lambda n: "node - <<'EOF'\n" + 'const x = require("./a");\n' * (n // 26) + "EOF\n",
    "assignments": lambda n: "".join(f"a{i}=b{i}\n" for i in range(n // 12)) + "echo $a1",
    "a variable that grows": lambda n: 'a=$a"x"\n' * (n // 8) + "echo $a",
    "a file that grows": lambda n: "echo abc >> out.txt\n" * (n // 20),
    "many written files": lambda n: "".join(f"cat > f{i} <<E\nabc\nE\n" for i in range(n // 20)),
    "many made folders": lambda n: "".join(f"mkdir d{i}\n" for i in range(n // 11)),
    "many deleted files": lambda n: "rm -f " + " ".join(f"build/o{i}.o" for i in range(n // 12)),
    "many deletes": lambda n: "".join(f"rm -f o{i}\n" for i in range(n // 11)),
    "folders gone into": lambda n: "cd src; cd ..;" * (n // 14),
    "loop": lambda n: "for i in " + "abc " * (n // 4) + "; do echo $i; done",
    "substitutions": lambda n: "echo " + "$(ls) " * (n // 6),
    "braces": lambda n: "echo " + "{a,b} " * (n // 6),
    "functions": lambda n: "".join(f"f{i}() {{ ls; }}\n" for i in range(n // 14)) + "f1",
    "cases": lambda n: "".join(f"case $x in a{i}) ls;; esac\n" for i in range(n // 27)),
    "tests": lambda n: "[[ -f a || $b > 5 ]] && ls\n" * (n // 27),
    "sums": lambda n: "((i += 2))\n" * (n // 11),
    "a long sum": lambda n: "echo $((" + "1+" * (n // 2) + "1))",
    "parentheses": lambda n: "(" * (n // 2) + "ls" + ")" * (n // 2),
    "dollars": lambda n: "echo " + "$" * n,
    "backticks": lambda n: "echo " + "`" * n,
    "wrappers": lambda n: "xargs " * (n // 6) + "ls",
    "shell in shell": lambda n: "bash -c '" + "ls; " * (n // 4) + "'",
    "addresses": lambda n: "curl " + "https://a.com/x " * (n // 16),
    "a long path": lambda n: "ls " + "../" * (n // 3),
    "globs": lambda n: "ls " + "*" * n,
    "sql": lambda n: 'psql -c "' + "select 1; " * (n // 10) + '"',
    "sed script": lambda n: "sed -e '" + "s/a/b/;" * (n // 7) + "' f",
    "a message": lambda n: "git commit -m '" + "some words of it\n" * (n // 17) + "'",
    "python -c": lambda n: "python3 -c '" + "x = 1 + 2\n" * (n // 10) + "'",
    "many heredocs": lambda n: "cat <<E\nab\nE\n" * (n // 13),
    "substitutions in another": lambda n: "echo " + "$(" * (n // 3) + "ls" + ")" * (n // 3),
    "conditions in another": lambda n: "if a; then " * (n // 16) + "ls" + "; fi" * (n // 16),
    "one statement": lambda n: 'psql -c "select ' + "1," * (n // 2) + '1"',
    "many addresses": lambda n: "curl " + " ".join(f"https://a{i}.com/x" for i in range(n // 18)),
    "variables of a call": lambda n: " ".join(f"A{i}=b" for i in range(n // 8)) + " ls",
    "many read files": lambda n: "cat " + " ".join(f"src/a{i}" for i in range(n // 11)),
    "an array": lambda n: "a=(" + "ab " * (n // 3) + "); echo ${a[@]}",
    "encoded": lambda n: "echo " + "QUFB" * (n // 4) + " | base64 -d | sh",
    "a nested body": lambda n: "curl -d '" + '{"a":' * (n // 5) + "' https://a.com",
}


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """The slope through the logarithms; None of fewer than three points."""
    if len(sizes) < 3:
        return None
    xs, ys = [math.log(size) for size in sizes], [math.log(taken) for taken in times]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - middle_x) ** 2 for x in xs)
    return sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True)) / spread


def fitted(points: Sequence[tuple[int, float]]) -> float | None:
    """The exponent through what takes long enough."""
    rising = [(size, taken) for size, taken in points if taken >= FLOOR_MS]
    return exponent([size for size, _ in rising], [taken for _, taken in rising])


def too_steep(points: Sequence[tuple[int, float]]) -> bool:
    """Whether the exponent is above what it may be."""
    found = fitted(points)
    return found is not None and found > MOST


def row(name: str, points: Sequence[tuple[int, float]]) -> tuple[str, float | None, float]:
    """Prints and returns one line: name, exponent, milliseconds at the largest size. Where caps make the largest faster, those before count."""
    found = fitted(points)
    told = f"{found:5.2f}" if found is not None else "    -"
    print(f"{name:<24} exponent {told}  " + "  ".join(f"{size}: {taken:.1f}" for size, taken in points) + " ms")
    return name, found, points[-1][1]


def best(work: Callable[[], object]) -> float:
    """Milliseconds of processor time of the fastest of up to three: what others do on the machine does not count."""
    times = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append((time.process_time() - started) * 1000)
        if times[-1] > 300:
            break
    return min(times)


def as_in_a_worker() -> None:
    """Garbage is looked for as often as in a worker."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)


def by_command(largest: int) -> Iterator[tuple[str, float | None, float]]:
    """Each shape from 1 KiB on."""
    host = _host()

    def judged(command: str) -> object:
        call = {"command": command}
        return decide(Event(agent="claude", kind=EventKind.PRE, tool="Bash", input=call, cwd=ROOM, project=ROOM), host=host, policy=BUILT_IN)  # fmt: skip

    def measured(shape: Callable[[int], str]) -> list[tuple[int, float]]:
        points, size = [], 1024
        while size <= largest and (not points or points[-1][1] < CEILING_MS):
            command = shape(size)
            points.append((size, best(lambda command=command: judged(command))))  # type: ignore[misc]
            size *= 4
        return points

    for name, shape in SHAPES.items():
        judged(shape(64))
        points = measured(shape)
        if too_steep(
            points
        ):  # what others do on the machine only adds, and not to each size alike: once more, the lower of both
            points = [(size, min(one, other)) for (size, one), (_, other) in zip(points, measured(shape), strict=False)]
        yield row(name, points)


def by_policy() -> tuple[str, float | None, float]:
    """A verdict by a policy of so many rows."""
    host, points = _host(), []
    for rows in (100, 400, 1600, 3200):
        with tempfile.TemporaryDirectory() as folder:
            text = "".join(
                f'[[rule]]\nid = "git.rule-{n}*"\nbranch = "b{n}/*"\ndecision = "ask"\n' for n in range(rows)
            )
            Path(folder, "policy.toml").write_text(text)
            Path(folder, "policy.toml").chmod(0o600)
            loaded = PolicyCache(usual_layers(Path(folder), None)).current()
        if loaded.faults:
            print(f"policy of {rows} rows is refused: {loaded.faults[0]}")
            break
        event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": "git push origin main && rm -rf a"}, cwd=ROOM)  # fmt: skip
        points.append((rows, best(lambda event=event, policy=loaded.policy: [decide(event, host=host, policy=policy) for _ in range(50)])))  # type: ignore[misc]  # fmt: skip
    return row("50 verdicts, policy rows", points)


def by_log() -> tuple[str, float | None, float]:
    """A hundred entries appended to a log of so many lines by a fresh process's log, as after a restart."""
    points = []
    with tempfile.TemporaryDirectory() as folder:
        lines, place = 0, str(Path(folder, "audit"))
        for target in (500, 2000, 8000, 32000):
            log = Log(place)
            while lines < target:
                log.append({"n": lines, "text": "x" * 300})
                lines += 1
            points.append((target, best(lambda: [Log(place).append({"n": n}) for n in range(100)])))
            lines += 300
    return row("100 appends, log lines", points)


def by_knowledge() -> tuple[str, float | None, float]:
    """Verdicts where so many commands are known: copies of each entry under other names."""
    host, points = _host(), []
    entries = tuple(dict.fromkeys(knowledge.commands().values()))
    usual = knowledge._from_compiled
    event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": "git push origin main && rm -rf a"}, cwd=ROOM)  # fmt: skip
    try:
        for copies in (1, 4, 16, 64):
            many = tuple(
                msgspec.structs.replace(
                    entry, names=tuple(f"{name}{f'-{copy}' if copy else ''}" for name in entry.names)
                )
                for copy in range(copies)
                for entry in entries
            )
            knowledge._from_compiled = lambda _digest, many=many: many
            knowledge.commands.cache_clear()
            points.append((len(many), best(lambda: [decide(event, host=host, policy=BUILT_IN) for _ in range(50)])))
    finally:
        knowledge._from_compiled = usual
        knowledge.commands.cache_clear()
    return row("50 verdicts, known commands", points)


def by_sessions() -> tuple[str, float | None, float]:
    """The first verdict in each of fifty sessions, in a store of so many."""
    host, points = _host(), []
    with tempfile.TemporaryDirectory() as folder:
        for before, target in ((0, 100), (100, 400), (400, 1600)):
            store = Store(Path(folder))
            for made in range(before, target):
                first = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": "cat ~/.ssh/id_rsa"}, cwd=ROOM, session=f"s{made}", call="1")  # fmt: skip
                decide(first, host=host, policy=BUILT_IN, memory=Recollection(store))
            store.close()

            def asked(count: int = target) -> None:
                fresh = Store(Path(folder))
                for number in range(50):
                    event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": "ls"}, cwd=ROOM, session=f"s{number * count // 50}", call="2")  # fmt: skip
                    decide(event, host=host, policy=BUILT_IN, memory=Recollection(fresh))
                fresh.close()

            points.append((target, best(asked)))
    return row("50 verdicts, sessions", points)


HUGE = 3_000_000


def slowest(size: int = HUGE) -> tuple[str, float]:
    """The shape whose answer takes longest at this size, and the milliseconds of processor time of the whole answer."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(PolicyCache(()), Log(f"{folder}/audit"), approvals=f"{folder}/asked", remembered=folder)
        found = []
        for name, shape in SHAPES.items():
            raw = latency.event(shape(size))
            found.append((best(lambda raw=raw: server.answer("claude", "PreToolUse", ROOM, raw, environment={"HOME": "/home/dev"})), name))  # type: ignore[misc]  # fmt: skip
        server.close()
    taken, name = max(found)
    print(f"{size} characters: the slowest of {len(SHAPES)} shapes is {name!r}, {taken:.0f} ms")
    return name, taken


def measured(largest: int) -> list[tuple[str, float | None, float]]:
    """Everything."""
    return [*by_command(largest), by_policy(), by_knowledge(), by_sessions(), by_log()]


def main() -> int:
    """Exit code 1 where something grows faster than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=1 << 20)
    given = parser.parse_args()
    as_in_a_worker()
    wrong = [name for name, found, _ in measured(given.largest) if found is not None and found > MOST]
    slowest()
    print(f"growing faster than {MOST}: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
