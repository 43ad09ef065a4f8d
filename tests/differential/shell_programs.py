"""Random shell programs, what bash runs of them, and what the reader sees.

    python -m tests.differential.shell_programs --seed 1 --count 5000 [--out faults.json]

A program is made of marker commands (m1, m2, …: functions that log their name and arguments) and of
decoys (d1, d2, …) that stand only where nothing runs: in single quotes, comments, quoted
here-documents. It runs with an empty PATH, no input, globbing off and /dev/null as the only file
named, so nothing else can happen. A fault is one of

* silent: bash ran a marker that the tree does not show, though nothing is said to be unsupported,
* unread: bash accepted a program that the reader calls unsupported (ambiguous texts excepted),
* arguments: a command whose words are all literal got other arguments than the tree shows,
* decoy: the tree shows a command that is mere text,
* raised: the reader raised.
"""

import argparse
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from checkrail.readers.shell.parser import parse
from checkrail.readers.shell.tree import Text, Word
from checkrail.readers.shell.walk import commands
from tests.differential.generator import Program

MARKERS = 60
__all__ = ["MARKERS", "Program", "compare", "prepare", "run"]
# What no two shells agree about is said to be unsupported, though bash accepts it.
_AMBIGUOUS = ("here-document and ; in a substitution", "arithmetic or commands")
_SERIAL = itertools.count()
# One write a call, so that what runs at the same time does not mix.
_MARKER = (
    "{name}() {{ local s; printf -v s '%s\\037' {name} \"$@\"; "
    "printf '%s\\036' \"${{s//$'\\n'/$'\\035'}}\" >&9; return $((RANDOM%3==0)); }}"
)


# Running and comparing ------------------------------------------------------------------


class Ran(NamedTuple):
    """What bash did: names with arguments in order of running, and whether it accepted the text."""

    calls: list[tuple[str, ...]]
    accepted: bool


def prepare(folder: Path) -> dict[str, str]:
    """Writes the file of marker functions and returns the environment that loads it."""
    lines = ["PATH=/nonexistent; set -f; v=abc; n=1; r=v; arr=(p q); exec 9>>$LOG"]
    lines += [_MARKER.format(name=f"m{number}") for number in range(1, MARKERS + 1)]
    (folder / "markers.sh").write_text("\n".join(lines))
    return {"BASH_ENV": str(folder / "markers.sh"), "LC_ALL": "C.UTF-8", "PATH": "/nonexistent"}


def run(program: str, folder: Path, environment: dict[str, str], bash: str) -> Ran | None:
    """Runs one program, None where it took over five seconds."""
    # A log of its own: what an earlier program left in the background writes into that one's.
    log = folder / f"log{next(_SERIAL)}"
    log.write_bytes(b"")
    try:
        done = subprocess.run(
            [bash, "-c", program], cwd=folder, env={**environment, "LOG": str(log)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=5, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    records = log.read_bytes().decode("utf-8", "surrogateescape").replace("\x1d", "\n").split("\x1e")[:-1]
    log.unlink()
    refused = re.search(
        rb"syntax error|unexpected EOF|unexpected (token|argument)|bad substitution|operator expected", done.stderr
    )
    return Ran([tuple(record.split("\x1f")[:-1]) for record in records], refused is None)


def literal(word: Word) -> str | None:
    """The value of a word of text only, None where anything in it would be expanded."""
    value = ""
    for part in word.parts:
        if not isinstance(part, Text) or (not part.quoted and re.search(r"[~{]", part.value)):
            return None
        value += part.value
    return value


def faults(program: Program, ran: Ran) -> Iterator[tuple[str, str]]:
    """What the tree gets wrong about a program, as (kind, detail)."""
    try:
        result = parse(program.text)
    except Exception as error:
        yield "raised", repr(error)
        return
    shown = [tuple(literal(word) for word in command.words) for command in commands(result.script) if command.words]
    names = {words[0] for words in shown}
    if any(node.what not in _AMBIGUOUS for node in result.unsupported) and ran.accepted:
        yield "unread", result.unsupported[0].what
    missed = {call[0] for call in ran.calls} - names
    if missed and not result.unsupported:
        yield "silent", " ".join(sorted(missed))
    known = {words[0]: words for words in shown if None not in words}
    for call in ran.calls:
        if call[0] in known and known[call[0]] != call and not result.unsupported:
            yield "arguments", f"{call!r} is not {known[call[0]]!r}"
    if decoys := {name for name in names if name is not None and re.fullmatch(r"d\d+", name)}:
        yield "decoy", " ".join(sorted(decoys))


def compare(
    seed: int, count: int, folder: Path, bash: str = "/bin/bash"
) -> tuple[collections.Counter[str], list[dict[str, str]]]:
    """Counts of programs and faults, and the faulty programs."""
    rng, environment = random.Random(seed), prepare(folder)
    counts: collections.Counter[str] = collections.Counter()
    found: list[dict[str, str]] = []
    for _ in range(count):
        program = Program(rng, depth=rng.choice((1, 2, 2, 3)))
        if program.markers > MARKERS or len(program.text) > 6000:
            counts["too long"] += 1
            continue
        ran = run(program.text, folder, environment, bash)
        if ran is None:
            counts["late"] += 1
            continue
        counts["accepted" if ran.accepted else "refused"] += 1
        for kind, detail in faults(program, ran):
            counts[kind] += 1
            found.append({"kind": kind, "detail": detail, "program": program.text})
    return counts, sorted(found, key=lambda fault: len(fault["program"]))


def main() -> None:
    """Compares and prints the shortest faulty programs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts, found = compare(options.seed, options.count, Path(folder))
    print(dict(counts))
    for fault in found[:8]:
        print(json.dumps(fault, ensure_ascii=False))
    if options.out:
        options.out.write_text(json.dumps(found, indent=1))
    sys.exit(bool(found))


if __name__ == "__main__":
    os.nice(10)
    main()
