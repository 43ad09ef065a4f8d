"""Random shell programs, what bash runs of them, and what the reader sees.

    python tests/differential/shell_programs.py --seed 1 --count 5000 [--out faults.json]

A program is made of marker commands (m1, m2, …: functions that log their name and arguments) and of
decoys (d1, d2, …) that stand only where nothing runs: in single quotes, comments, quoted
here-documents. It runs with an empty PATH, no input, globbing off and /dev/null as the only file
named, so nothing else can happen. A fault is one of

* silent: bash ran a marker that the tree does not show, though nothing is said to be unsupported,
* unread: bash accepted a program that the reader calls unsupported,
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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from checkrail.readers.shell.parser import parse
from checkrail.readers.shell.tree import Text, Word
from checkrail.readers.shell.walk import commands

MARKERS = 60
_SERIAL = itertools.count()


class Program:
    """One random program. ``markers`` counts the marker commands in ``text``."""

    def __init__(self, rng: random.Random, depth: int = 3) -> None:
        self.rng = rng
        self.markers = 0
        self.decoys = 0
        self.documents = 0
        self.continued = "\\"  # at the end of a comment, where it continues nothing (but for a document)
        self.text = self.lines(depth)

    def pick(self, *choices: str | Callable[[], str]) -> str:
        choice = self.rng.choice(choices)
        return choice if isinstance(choice, str) else choice()

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def glue(self, text: str) -> str:
        """The text, now and then with a line continued in the middle."""
        if len(text) < 2 or not self.chance(0.03):
            return text
        at = self.rng.randrange(1, len(text))
        return text[:at] + "\\\n" + text[at:]

    def marker(self) -> str:
        self.markers += 1
        return self.glue(f"m{self.markers}")

    def decoy(self) -> str:
        self.decoys += 1
        return f"d{self.decoys}"

    # Words ----------------------------------------------------------------------------

    def word(self, depth: int) -> str:
        if depth > 0 and self.chance(0.45):
            return self.expansion(depth - 1)
        return self.pick(
            "-3", "foo", "./x", "a=b", "--opt=v", "x#y", "-", "a]b", "]]", "}", "if", "done", "x=y", "!", "é", "time",
            '"a b"', "'x;y'", "$'a\\nb\\x41\\101\\''", '$"loc"', '"x\\"y"', "\\;", "a\\ b", "'a'\"b\"", "x'${t'", "''", '""',
            "'it'\\''s'", '"$"', "a$", "$$", '"a\\\nb"', "a\\\nb", "'a\\\nb'", "'a\nb'", '"\\q\\$v\\`"', "a{b", "x\ry", "%",
            lambda: f"'$({self.decoy()})'", lambda: f'"\\$({self.decoy()})"', lambda: f"\\$'({self.decoy()})'",
            lambda: f"'`{self.decoy()}`'", lambda: f"\\`{self.decoy()}\\`",
        )  # fmt: skip

    def expansion(self, depth: int) -> str:
        return self.pick(
            lambda: self.substitution(depth), lambda: f'"p {self.substitution(depth)} q"',
            lambda: self.parameter(depth, quoted=False), lambda: f'"{self.parameter(depth, quoted=True)}"',
            lambda: f"'a'\"{self.substitution(depth)}\"'b'", lambda: f"'a'{self.substitution(depth)}'b'",
            lambda: self.arithmetic(depth), lambda: f'"{self.arithmetic(depth)}"',
            lambda: f"{self.rng.choice('<>')}({self.inline(depth)})", lambda: f"a<({self.inline(depth)})b",
            lambda: "${arr[" + self.number(depth) + "]}", "${arr[@]}", '"${arr[0]}"', "${#arr[@]}", "${!arr[@]}",
            lambda: f'"{self.pick("a  b", "#", "it is", "(", "x=", "{", "|")}{self.substitution(depth)}"',
        )  # fmt: skip

    def substitution(self, depth: int) -> str:
        if depth > 0 and self.chance(0.15):
            return f"{self.glue('$(')}{self.lines(depth - 1)}\n)"
        if self.chance(0.3):
            return "`" + re.sub(r"([\\`$])", r"\\\1", self.inline(depth)) + "`"
        return f"{self.glue('$(')}{self.pick('', ' ', self.comment)}{self.inline(depth)}{self.pick('', ' ', self.comment)})"

    def parameter(self, depth: int, *, quoted: bool) -> str:
        def operand() -> str:
            if depth > 0 and self.chance(0.6):
                inner = self.substitution(depth - 1)
                if quoted:
                    return self.pick(inner, f"x'{inner}'" if "'" not in inner else inner, f'"{inner}"')
                return self.pick(inner, f"x {inner} y", f'"{inner}"', f"'{{$({self.decoy()})'{inner}")
            return self.pick("x", "a b", '"}"', "\\}", "${v}", "{a,b", '"x y"', "", "*", "'y'" if quoted else "'}'", "#x")

        name = self.pick("u", "v")
        head = self.glue("${" + name)
        op = self.pick(":-", "-", ":+", "+", "#", "##", "%", "%%", "/", "//", "^^", ",", ":", "@Q", "")
        if op in ("@Q", ""):
            return head + op + "}"
        if op == ":":
            return f"{head}:{self.number(depth)}{self.pick('', ':1')}}}"
        if op in ("/", "//"):
            pattern = self.pick("a", '"/"', "'/'", "[/]") if self.chance(0.5) else f"$({self.inline(0)})"
            return f"{head}{op}{pattern}/{operand()}}}"
        if op in ("#", "##", "%", "%%", "^^", ","):
            pattern = self.pick("a", "'}'", "*b", '"}"', "\\}") if self.chance(0.5) else f"$({self.inline(0)})"
            return f"{head}{op}{pattern}}}"
        return f"{head}{op}{operand()}}}"

    def number(self, depth: int) -> str:
        if depth > 0 and self.chance(0.3):
            return f"$({self.inline(depth - 1)}; echo 1)"
        return self.pick("0", "1", "n", "1+0", "$n", "${n}", "(1)", "n?1:0", "`echo 1`")

    def arithmetic(self, depth: int) -> str:
        return self.pick(
            lambda: f"$(({self.number(depth)} + {self.number(depth)}))",
            lambda: f"{self.glue('$((')} ({self.number(depth)}) * 2 ))", lambda: f"$[{self.number(depth)}+1]",
            lambda: f"$(( ({self.number(depth)}) ))", lambda: f"$(({self.simple(0)}) )",
            lambda: f"$(({self.simple(0)}); {self.simple(0)})", lambda: f"$( ({self.inline(0)}) )",
        )  # fmt: skip

    # Commands -------------------------------------------------------------------------

    def redirection(self, depth: int) -> str:
        return self.pick(
            "2>&1", ">/dev/null", "2>/dev/null", "</dev/null", "&>/dev/null", "&>>/dev/null", ">>/dev/null", ">|/dev/null",
            "<>/dev/null", "3>/dev/null", "{fd}>/dev/null", "<<< z", ">&2", "3>&-", ">& /dev/null", "3<&0-", "2> /dev/null",
            '> "/dev/null"', ">/dev/\\\nnull", lambda: f"< <({self.inline(0)})", lambda: f"> >({self.inline(0)})",
            lambda: f'<<< "$({self.inline(0)})"', lambda: f"<<<{self.substitution(0)}",
            lambda: f"> /dev/null$({self.inline(0)})",
        )  # fmt: skip

    def assignment(self, depth: int) -> str:
        return self.pick(
            "A=1", 'A="x y"', "B+=1", "C=", "A='x;y'", "A=a\\ b", lambda: f"A=$({self.inline(depth)})", "A=~", "A={a,b}",
            lambda: f'A="$({self.inline(0)})"', lambda: f"arr[{self.number(depth)}]=x", "arr[ 1 ]=x", "arr[0]+=y",
        )  # fmt: skip

    def array(self, depth: int) -> str:
        elements = [self.word(depth) for _ in range(self.rng.randrange(3))]
        elements += [f"[{self.number(depth)}]={self.word(0)}"] if self.chance(0.3) else []
        gap = self.pick(" ", " ", "\n", " # c'\n")
        return f"{self.pick('arr', 'brr')}{self.pick('=', '+=')}({gap.join(elements)})"

    def simple(self, depth: int) -> str:
        pieces = [self.redirection(depth)] if self.chance(0.06) else []
        pieces += [self.assignment(depth)] if self.chance(0.2) else []
        pieces.append(self.marker())
        pieces += [self.word(depth) for _ in range(self.rng.randrange(3))]
        pieces += [self.redirection(depth)] if self.chance(0.25) else []
        pieces += [self.word(0)] if self.chance(0.1) else []
        return self.pick(" ", " ", " ", "\t", " \\\n").join(pieces)

    def special(self, depth: int) -> str:
        return self.pick(
            lambda: self.array(depth), lambda: f"declare -a {self.array(depth)}", lambda: f"export X=$({self.inline(0)}) Y",
            lambda: f"eval {self.simple(0)}" if False else ":", lambda: f"declare z=$({self.inline(0)})",
            lambda: f"(( {self.number(depth)} ))", lambda: f"(({self.simple(0)}) )", lambda: f"(({self.simple(0)});{self.simple(0)})",
            lambda: f"[[ {self.test(depth)} ]]", lambda: f"{self.assignment(depth)}", lambda: f"coproc {self.simple(0)}",
            lambda: f"coproc N {{ {self.inline(0)}; }}", lambda: f"> /dev/null < <({self.inline(0)})",
            lambda: f"case x in y) {self.inline(0)} ;; esac",
        )  # fmt: skip

    def test(self, depth: int) -> str:
        return self.pick(
            "-n x", "x", "! -z x", "a < b", "a == (b|c)*" if False else "a == a*", "y =~ ^(x|y)$", "y =~ [[:alpha:]] ",
            lambda: f"-n $({self.inline(0)})", lambda: f"x =~ $({self.inline(0)})", lambda: f"x == $({self.inline(0)})",
            lambda: f"1 -eq {self.number(depth)}", lambda: f"( {self.test(0)} )", lambda: f"x == @(x|$({self.inline(0)}))",
            lambda: f"{self.test(0)} && {self.test(0)}", lambda: f"{self.test(0)} ||\n {self.test(0)}", lambda: f"! {self.test(0)}",
            lambda: f"z =~ (a|$({self.simple(0)})) ", lambda: f"x != 'a b'{self.word(0)}", "a =~ a\\ b", "x =~ \"(\"",
        )  # fmt: skip

    def compound(self, depth: int) -> str:
        body = lambda: self.lines(depth - 1)  # noqa: E731
        condition = lambda: self.inline(depth - 1)  # noqa: E731
        text = self.pick(
            lambda: f"{{ {body()}\n}}", lambda: f"({self.pick('', ' ')}{body()}\n)", lambda: f"{{ {self.inline(0)};}}",
            lambda: f"if {condition()}; then\n{body()}\nelse {body()}\nfi", lambda: f"for i in 1 {self.word(depth)}; do {body()}\ndone",
            lambda: f"if ! {self.simple(0)}; then {body()}\nelif {condition()}\nthen {body()}\nfi",
            lambda: f"for i\nin a\ndo {body()}\ndone", lambda: f"for i in a; {{ {body()}\n}}", lambda: f"for i; do {body()}\ndone",
            lambda: self.case(depth), lambda: f"while {condition()}; do {body()}\nbreak; done", lambda: self.function(depth),
            lambda: f"until {condition()}; do {body()}\nbreak; done", lambda: f"select i in a b; do {body()}\nbreak; done <<< 1",
            lambda: f"for ((i={self.number(0)};i<1;i++)); do {body()}\ndone", lambda: f"for ((;;)) {{ {body()}\nbreak; }}",
            lambda: f"if [[ {self.test(1)} ]]; then {body()}\nfi", lambda: f"if (({self.number(1)})) ; then {body()}\nfi",
            lambda: f"if ( {self.inline(0)} ) then {self.inline(0)}; fi", lambda: f"if {{ {self.inline(0)}; }} then {self.inline(0)}; fi",
        )  # fmt: skip
        if text[0] in "{(ifwu" and "\n" in text and self.chance(0.25) and not text.startswith("f"):
            text += " " + self.redirection(0)
        return text

    def case(self, depth: int) -> str:
        arms = []
        for _ in range(self.rng.choice((1, 2, 3))):
            pattern = self.pick("x", "y|x", "(x|z)", "'x'", '"x"', "*", "[a-z]", "esac)" if False else "if", lambda: f"$({self.inline(0)})")
            body = self.pick(lambda: self.lines(depth - 1) + "\n", lambda: self.inline(0), ":")
            arms.append(f"{pattern}) {body} {self.pick(';;', ';;', ';&', ';;&')}")
        last = self.pick("", "", lambda: f" *) {self.inline(0)}")
        gap = self.pick("\n", " ", " # c'\n")
        return f"case {self.pick('x', self.word(depth - 1).strip() or 'x')} in{gap}{gap.join(arms)}{last}\nesac"

    def function(self, depth: int) -> str:
        name = self.pick("f", "g", "f-g.h", "f:x", "f+")
        body = self.pick(lambda: f"{{ {self.lines(depth - 1)}\n}}", lambda: f"( {self.inline(0)} )", lambda: f"if {self.inline(0)}; then :; fi",
                         lambda: f"for i in 1; do {self.inline(0)}; done")  # fmt: skip
        head = self.pick(f"{name}()", f"{name} ( )", f"function {name}", f"function {name} ()", f"{name}()\n")
        return f"{head} {body}{self.pick('', ' >/dev/null')}\n{name}"

    # Here-documents -------------------------------------------------------------------

    def heredoc(self, depth: int) -> str:
        announced, bodies = [], []
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            self.documents += 1
            letter = f"E{self.documents}"
            end = self.pick(letter, f"'{letter}'", f'"{letter}"', f"\\{letter}", f"-{letter}", f"-'{letter}'", f"{letter}''", f"$'{letter}'", f" {letter}")
            quoted = any(mark in end for mark in "'\"\\")
            tab = "\t" if end[0] == "-" and self.chance(0.5) else ""
            announced.append(f"{self.simple(0)} {self.pick('', '3')}<<{end}")
            bodies.append("".join(f"{line}\n" for line in self.document(depth, quoted=quoted)) + f"{tab}{letter}")
        line = self.pick(" | ", "; ", " && ").join(announced)
        line += self.pick("", "", lambda: " | " + self.simple(0), lambda: " && " + self.simple(0), lambda: "; " + self.simple(0), " >/dev/null",
                          lambda: f' "{self.substitution(0)}"' if "\n" not in line else "", " # c'", " &")  # fmt: skip
        return line + "\n" + "\n".join(bodies)

    def document(self, depth: int, *, quoted: bool) -> list[str]:
        if quoted:
            line = self.pick("text", lambda: f"$({self.decoy()})", "it's \"x", lambda: f"`{self.decoy()}`", "'E1'", "x\\", " E1", "E1 ", lambda: self.decoy())
            return [line] if self.chance(0.8) else []
        before, self.continued = self.continued, ""
        lines = [
            self.pick("text here", "it's \"x", lambda: self.substitution(depth), "a | b; c", lambda: self.parameter(depth, quoted=True),
                      "\ttabbed", lambda: f"`{self.marker()}`", "'E1'", "E1 ", "\\$(no)", "x\\\ny", lambda: self.arithmetic(depth), "a\\\\", '"')
            for _ in range(self.rng.choice((0, 1, 1, 2)))
        ]  # fmt: skip
        self.continued = before
        return lines

    # Lists ----------------------------------------------------------------------------

    def pipeline(self, depth: int) -> str:
        count = self.rng.choice((1, 1, 1, 2, 2, 3, 4))
        prefix = self.pick("", "", "", "", "", "! ", "time ", "time -p ", "! ! ", "time -- ")
        bar = self.pick(" | ", "|", " |& ", " |\n ", " | # c'\n")
        return prefix + bar.join(self.element(depth) for _ in range(count))

    def element(self, depth: int) -> str:
        if depth > 0 and self.chance(0.25):
            return self.special(depth) if self.chance(0.3) else self.compound(depth).removesuffix("\nf")
        return self.simple(depth)

    def inline(self, depth: int) -> str:
        joint = self.pick("; ", " && ", " || ", "|", " & ", self.glue("&&"))
        return joint.join(self.simple(depth) for _ in range(self.rng.choice((1, 1, 1, 2))))

    def item(self, depth: int) -> str:
        draw = self.rng.random()
        if draw < 0.12:
            return self.heredoc(depth)
        if depth > 0 and draw < 0.3:
            return self.compound(depth)
        if depth > 0 and draw < 0.4:
            return self.special(depth)
        return self.pipeline(depth)

    def comment(self) -> str:
        return self.pick(" # c\n", lambda: f" # it's $({self.decoy()}) \"\n", lambda: f"\n# {self.decoy()} {self.pick('', self.continued)}\n")

    def lines(self, depth: int) -> str:
        text = self.item(depth)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3))):
            after_document = re.search(r"\n\t?E\d+$", text) is not None
            text += "\n" if after_document else self.pick("\n", "\n", "; ", " && ", " || ", " & ", "\n\n", " ;\n", " &&\n", self.comment)
            text += self.item(depth)
        return text


# Running and comparing ------------------------------------------------------------------


class Ran(NamedTuple):
    """What bash did: names with arguments in order of running, and whether it accepted the text."""

    calls: list[tuple[str, ...]]
    accepted: bool


def prepare(folder: Path) -> dict[str, str]:
    """Writes the file of marker functions and returns the environment that loads it."""
    lines = ["PATH=/nonexistent; set -f; v=abc; n=1; r=v; arr=(p q); exec 9>>$LOG"]
    for name in (f"m{i}" for i in range(1, MARKERS + 1)):
        lines.append(f"{name}() {{ local s; printf -v s '%s\\037' {name} \"$@\"; printf '%s\\036' \"${{s//$'\\n'/$'\\035'}}\" >&9; return $((RANDOM%3==0)); }}")
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
    refused = re.search(rb"syntax error|unexpected EOF|unexpected (token|argument)|bad substitution|operator expected", done.stderr)
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
    if result.unsupported and ran.accepted:
        yield "unread", result.unsupported[0].what
    missed = {call[0] for call in ran.calls} - names
    if missed and not result.unsupported:
        yield "silent", " ".join(sorted(missed))
    known = {words[0]: words for words in shown if None not in words}
    for call in ran.calls:
        if call[0] in known and known[call[0]] != call:
            yield "arguments", f"{call!r} is not {known[call[0]]!r}"
    if decoys := {name for name in names if name is not None and re.fullmatch(r"d\d+", name)}:
        yield "decoy", " ".join(sorted(decoys))


def compare(seed: int, count: int, folder: Path, bash: str = "/bin/bash") -> tuple[collections.Counter[str], list[dict[str, str]]]:
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
