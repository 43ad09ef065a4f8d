"""Random programs in which a command, or its argument, takes a winding way: variables, arrays, functions, texts within texts.

Each program is made of steps that hide a word, of noise that changes nothing, and of a sink that runs the word or passes
it on. Bash runs it with a marker in place of the word, in an empty folder: a program that logs its arguments. Where the
marker ran, the same text with a dangerous command in its place must not be allowed; where it got an argument, the reading
must show that argument or leave it open. With a harmless command the same program should pass. The text with the
dangerous command is judged and never run.

    python -m tests.differential.value_programs --count 2000 --seed 1 [--out faults.json]
"""

import argparse
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from checkrail.model import HOLE, SOME, Decision, Verdict
from tests.differential.value_steps import CALLS, DISGUISES, HOLDERS, NOISE, SINKS, STEPS, split
from tests.judging import judged

MARKER, DANGEROUS, HARMLESS = "zebras", "reboot", "whoami"
"""Three commands whose names are equally long, so that a program may count letters."""

ARGUMENT = "/etc/q7"


class Made(NamedTuple):
    """A program for one word; ``argument`` tells that the word is passed to the marker and not run."""

    text: str
    argument: bool
    pieces: tuple[str, ...]


def step(text: str, number: int, before: str) -> tuple[str, str]:
    """A step's statements and the expression that stands for the same word as the one before."""
    statements, _, expression = text.partition("=> ")
    return tuple(  # type: ignore[return-value]
        part.replace("{n}", str(number)).replace("{e}", before) for part in (statements.rstrip(" "), expression)
    )


def program(rng: random.Random, word: str, *, most: int = 4) -> Made:
    """One program that runs ``word``, or calls it with an argument."""
    argument = rng.random() < 0.3
    pieces = [rng.choice(DISGUISES)] if rng.random() < 0.15 else []
    lines = [piece.replace("{e}", word) for piece in pieces]
    expression = ARGUMENT if argument else word
    if rng.random() < 0.2:
        expression = split(rng, expression)
    for number in range(rng.randint(0 if lines else 1, most)):
        pieces.append(rng.choice(STEPS))
        statements, expression = step(pieces[-1], number, expression)
        lines += [statements] if statements.strip() else []
        variable = re.search(r"\$\{?([vw]\d+)", expression)
        if variable and rng.random() < 0.3:
            pieces.append(rng.choice(NOISE))
            lines.append(pieces[-1].replace("{v}", variable[1]))
    sink = rng.choice(SINKS)
    if argument:
        sink = rng.choice(CALLS)
    pieces.append(sink)
    lines.append(sink.replace("{w}", word).replace("{e}", expression))
    text = "\n".join(lines) if any("\n" in line for line in lines) else rng.choice(("; ", "\n")).join(lines)
    holder = rng.choice(HOLDERS)
    if "<<" in text and holder not in ("{p}", "eval {q}", "bash -c {q}"):
        holder = "{p}"
    return Made(holder.replace("{p}", text).replace("{q}", shlex.quote(text)), argument, (*pieces, holder))


class Bench:
    """A folder with the marker, in which programs run one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log, self.work = folder, folder / "log", folder / "work"
        marker = folder / "bin" / MARKER
        marker.parent.mkdir()
        marker.write_text(f"#!/bin/sh\nIFS=\x1f\nprintf '%s\\036' \"$*\" >> {self.log}\n")
        marker.chmod(0o755)
        self.environment = {"PATH": f"{marker.parent}:/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}  # fmt: skip

    def runs(self, text: str) -> list[list[str]] | None:
        """Arguments of each time that the marker ran; None where the program took too long."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        self.log.write_bytes(b"")
        process = subprocess.Popen(
            ["bash", "-c", text], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # what it left in the background
            except ProcessLookupError:
                pass
            process.wait()
        said = self.log.read_text(errors="surrogateescape").split("\x1e")[:-1]
        return [record.split("\x1f") if record else [] for record in said]


def shown(verdict: Verdict, called: list[str]) -> bool:
    """Whether the reading shows the marker with these arguments, or leaves them open."""
    for line in verdict.reading.commands:
        if line.split(" ")[0].rpartition("/")[2] == MARKER and (
            line.partition(" ")[2] == " ".join(called) or any(mark in line for mark in (HOLE, SOME, "*"))
        ):
            return True
    return verdict.decision is not Decision.ALLOW


def misses(made: Made, dangerous: str, called: list[list[str]]) -> str:
    """What the reading does not see of a program that ran; empty where it sees all."""
    if judged(dangerous).decision is Decision.ALLOW:
        return "allowed"
    if made.argument:
        verdict = judged(made.text)
        for arguments in called:
            if not shown(verdict, arguments):
                return f"argument {arguments!r}"
    return ""


def compare(count: int, seed: int, folder: Path, *, most: int = 4) -> tuple[Counter[str], list[dict[str, str]]]:
    """How many programs ran, were missed, and how many harmless twins ask; the programs that were missed."""
    found, missed, bench = Counter[str](), list[dict[str, str]](), Bench(folder)
    for number in range(count):
        made, dangerous, harmless = (
            program(random.Random(f"{seed} {number}"), word, most=most) for word in (MARKER, DANGEROUS, HARMLESS)
        )
        called = bench.runs(made.text)
        if not called:
            found["late" if called is None else "did not run"] += 1
            continue
        found["ran"] += 1
        if what := misses(made, dangerous.text, called):
            found["missed"] += 1
            missed.append(
                {
                    "what": what,
                    "program": (dangerous if what == "allowed" else made).text,
                    "pieces": " :: ".join(made.pieces),
                }
            )
        if number % 8 == 0:
            found["twins"] += 1
            found["twins that ask"] += judged(harmless.text).decision is not Decision.ALLOW
    return found, sorted(missed, key=lambda fault: len(fault["program"]))


def main() -> None:
    """Prints the counts and the shortest programs that were missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=4, help="steps of one program")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found, missed = compare(args.count, args.seed, Path(folder), most=args.most)
    print(dict(found))
    for fault in missed[:60]:
        print(json.dumps(fault, ensure_ascii=False))
    if args.out:
        args.out.write_text(json.dumps(missed, indent=1))


if __name__ == "__main__":
    main()
