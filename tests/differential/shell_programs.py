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
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from checkrail.readers.shell.grammar.parser import parse
from checkrail.readers.shell.grammar.tree import Text, Word
from checkrail.readers.shell.grammar.walk import commands
from tests.differential.generator import Program

MARKERS = 60
__all__ = ["MARKERS", "Program", "compare", "prepare", "run"]
# What no two shells agree about is said to be unsupported, though bash accepts it.
_AMBIGUOUS = (
    "here-document and ; in a substitution",
    "arithmetic or commands",
    "subscript that is expanded twice",
    'single quotes in "${…}" that decide where it ends',
)
_SPELLING = (
    *"'\"`\\$(){}[];&|<>#!=+*?@:%/, \t\n",
    "\\\n",
    "$(",
    "${",
    "$((",
    "((",
    "))",
    "<<",
    "<<<",
    "&&",
    ";;",
    "$'",
    "[[",
    "]]",
    "",
)
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
    return {"BASH_ENV": str(folder / "markers.sh"), "LC_ALL": "C.UTF-8", "FUNCNEST": "6", "PATH": "/nonexistent"}


def run(program: str, folder: Path, environment: dict[str, str], bash: str) -> Ran | None:
    """Runs one program, None where it took over five seconds."""
    # A log of its own: what an earlier program left in the background writes into that one's.
    log = folder / f"log{next(_SERIAL)}"
    log.write_bytes(b"")
    process = subprocess.Popen(
        [bash, "-c", "--", program], cwd=folder, env={**environment, "LOG": str(log)}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        _, complaints = process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    records = log.read_bytes().decode("utf-8", "surrogateescape").replace("\x1d", "\n").split("\x1e")[:-1]
    log.unlink()
    refused = re.search(
        rb"syntax error|unexpected EOF|unexpected (token|argument)|bad substitution|operator expected", complaints
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
    if result.unsupported and ran.accepted and not any(node.what in _AMBIGUOUS for node in result.unsupported):
        yield "unread", result.unsupported[0].what
    missed = {call[0] for call in ran.calls} - names
    if missed and not result.unsupported and None not in names:
        yield "silent", " ".join(sorted(missed))
    for call in ran.calls:
        spelled = [words for words in shown if words[0] == call[0]]
        if (
            spelled
            and None not in names
            and not any(None in words or words == call for words in spelled)
            and not result.unsupported
        ):
            yield "arguments", f"{call!r} is not {spelled!r}"
    if decoys := {name for name in names if name is not None and re.fullmatch(r"d\d+", name)}:
        yield "decoy", " ".join(sorted(decoys))


def mutated(rng: random.Random, text: str) -> str:
    """The text with a few characters put in, taken out or changed; it can write only where it runs."""
    text = text.replace("/dev/null", "null").replace("/dev/\\\nnull", "null")
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(_SPELLING) + text[at + rng.choice((0, 0, 0, 1, 1, 2)) :]
    return text


def compare(
    seed: int, count: int, folder: Path, *, mutate: bool = False, bash: str = "/bin/bash"
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
        if mutate:
            program.text = mutated(rng, program.text)
        ran = run(program.text, folder, environment, bash)
        if ran is None:
            counts["late"] += 1
            continue
        counts["accepted" if ran.accepted else "refused"] += 1
        for kind, detail in faults(program, ran):
            if mutate and kind in ("decoy", "unread"):
                continue  # a decoy may well come to life, and much of the rest bash finds wrong when it gets there
            counts[kind] += 1
            found.append({"kind": kind, "detail": detail, "program": program.text})
    return counts, sorted(found, key=lambda fault: len(fault["program"]))


def main() -> None:
    """Compares and prints the shortest faulty programs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--mutate", action="store_true", help="change a few characters of each program")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts, found = compare(options.seed, options.count, Path(folder), mutate=options.mutate)
    print(dict(counts))
    for fault in found[:8]:
        print(json.dumps(fault, ensure_ascii=False))
    if options.out:
        options.out.write_text(json.dumps(found, indent=1))
    sys.exit(bool(found))


if __name__ == "__main__":
    os.nice(10)
    main()
