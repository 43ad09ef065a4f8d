"""Random programs in which the name of a command takes a winding way: variables, arrays, functions, texts within texts, files.

Each program is made of steps that hide a word and a sink that runs it. Bash runs it with a marker command in an empty
folder; where the marker ran, the reading must show the marker or ask. With a harmless command in its place the same
program should pass. Run it as ``python -m tests.differential.value_programs --count 2000 --seed 1``.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from checkrail.model import Verdict
from tests.judging import judged

MARKER, HARMLESS = "pwned", "true"

Step = Callable[[int, str], tuple[str, str]]
"""``(number, expression) -> (statements, expression)``: both expressions stand for the same word."""


def _between(text: str) -> Step:
    """A step written as ``statements => expression`` with ``{e}`` for the expression before and ``{n}`` for a fresh number."""
    statements, _, expression = text.partition(" => ")

    def step(number: int, before: str) -> tuple[str, str]:
        numbered = (statements.replace("{n}", str(number)), expression.replace("{n}", str(number)))
        return numbered[0].replace("{e}", before), numbered[1].replace("{e}", before)

    return step


STEPS = tuple(
    map(
        _between,
        (
            "v{n}={e} => $v{n}",
            'v{n}="{e}" => ${v{n}}',
            "v{n}=XX{e} => ${v{n}#XX}",
            "v{n}={e}.sh => ${v{n}%.sh}",
            "v{n}={e}; w{n}=v{n} => ${!w{n}}",
            "declare v{n}={e} => $v{n}",
            "export v{n}={e} => $v{n}",
            "declare -n r{n}=t{n}; t{n}={e} => $r{n}",
            'printf -v v{n} %s "{e}" => $v{n}',
            'read -r v{n} <<< "{e}" => $v{n}',
            'read -r a{n} v{n} <<< "x {e}" => $v{n}',
            'IFS=: read -r a{n} v{n} <<< "x:{e}" => $v{n}',
            'read -ra v{n} <<< "x {e}" => ${v{n}[1]}',
            'mapfile -t v{n} <<< "{e}" => ${v{n}[0]}',
            'v{n}=(x "{e}") => ${v{n}[1]}',
            'v{n}=(x "{e}") => ${v{n}[-1]}',
            'v{n}=("{e}") => $v{n}',
            'v{n}=(x y "{e}"); i{n}=1 => ${v{n}[i{n}+1]}',
            'v{n}=(x); v{n}+=("{e}") => ${v{n}[1]}',
            'v{n}=(x "{e}" y) => ${v{n}[@]:1:1}',
            'declare -A v{n}=([k]="{e}") => ${v{n}[k]}',
            'declare -A v{n}; k{n}=q; v{n}[$k{n}]="{e}" => ${v{n}[q]}',
            'set -- x "{e}" => $2',
            'set -- "{e}" y => ${1}',
            'set -- x "{e}"; shift => $1',
            'f{n}() { echo "{e}"; } => $(f{n})',
            'f{n}() { printf %s "$1"; } => $(f{n} "{e}")',
            'f{n}() { v{n}="{e}"; }; f{n} => $v{n}',
            "f{n}() { local l={e}; v{n}=$l; }; f{n} => $v{n}",
            'f{n}() { local -n o=$1; o="{e}"; }; f{n} v{n} => $v{n}',
            ' => $(echo "{e}")',
            ' => $(printf %s "{e}")',
            ' => $(cat <<< "{e}")',
            'v{n}=$(echo "x{e}" | cut -c2-) => $v{n}',
            'v{n}=$(bash -c \'echo "$1"\' _ "{e}") => $v{n}',
            'eval "v{n}={e}" => $v{n}',
            'for v{n} in "{e}"; do :; done => $v{n}',
            'while read -r v{n}; do w{n}=$v{n}; done <<< "{e}" => $w{n}',
            'echo "{e}" > f{n} => $(cat f{n})',
            'echo "{e}" > f{n} => $(< f{n})',
            'echo "{e}" > f{n}; read -r v{n} < f{n} => $v{n}',
            'exec 7<<< "{e}"; read -r -u 7 v{n} => $v{n}',
            'case x in x) v{n}="{e}";; esac => $v{n}',
            'if true; then v{n}="{e}"; fi => $v{n}',
            'true && v{n}="{e}" => $v{n}',
            '{ v{n}="{e}"; } => $v{n}',
            "v{n}=; v{n}=${v{n}:-{e}} => $v{n}",
            'unset v{n}; : "${v{n}:=$(echo "{e}")}" => $v{n}',
            'v{n}="{e}"; v{n}=${v{n}/x/x} => $v{n}',
            'v{n}="{e}"; w{n}=${v{n}:0:1}${v{n}:1} => $w{n}',
            'v{n}="{e}"; w{n}=${v{n}^}; w{n}=${w{n},} => $w{n}',
            "echo 'v{n}=$1' > s{n}; . ./s{n} \"{e}\" => $v{n}",
            'v{n}=$(x="{e}"; echo "$x") => $v{n}',
            'v{n}=$(set -- "{e}"; echo "$1") => $v{n}',
        ),
    )
)

SINKS = (
    "{e}",
    "{e} a b",
    '"{e}"',
    'eval "{e}"',
    'bash -c "{e}"',
    'sh -c "$(echo {e})"',
    "bash -c '$0' \"{e}\"",
    'bash <<< "{e}"',
    'echo "{e}" | bash',
    "command {e}",
    "env {e}",
    'x={e}; eval "$x"',
    'trap "{e}" EXIT',
    'source <(echo "{e}")',
    'echo "{e}" > r; bash r',
    'echo "{e}" > r; . ./r',
    'g() { "$@"; }; g {e}',
    'g() { "{e}"; }; g',
    "g() { {e}; }; h() { g; }; h",
    "g() { {e}; }; export -f g; bash -c g",
    "g() { {e}; }; trap g EXIT",
    "g() { {e}; }; eval g",
    'echo "{e}" | while read -r c; do $c; done',
    "for c in {e}; do $c; done",
    'c=({e}); "${c[@]}"',
    "timeout 5 {e}",
    'echo "{e}" | xargs -I{} bash -c "{}"',
    "find . -maxdepth 0 -exec {e} \\;",
    "x='$('{e}')'; eval \"echo $x\"",
    "x='a[$('{e}' >&2; echo 0)]'; echo $((x))",
    "[[ -n $({e}) ]]",
    "cat <({e})",
    "{e} &",
    "coproc {e}; wait",
    "if {e}; then :; fi",
    'exec 8<<< "{e}"; bash <&8',
)


def program(rng: random.Random, word: str) -> str:
    """One program that runs ``word``."""
    lines, expression = [], word
    for number in range(rng.randint(1, 5)):
        statements, expression = rng.choice(STEPS)(number, expression)
        lines += [statements] if statements.strip() else []
    lines.append(rng.choice(SINKS).replace("{e}", expression))
    return rng.choice(("; ", "\n")).join(lines)


def runs(text: str) -> bool:
    """Whether bash runs the marker: a program of its own in an empty folder, which writes one file."""
    with tempfile.TemporaryDirectory() as folder:
        marker = Path(folder, "bin", MARKER)
        marker.parent.mkdir()
        marker.write_text(f"#!/bin/sh\n: > {folder}/ran\n")
        marker.chmod(0o755)
        Path(folder, "work").mkdir()
        known = {"PATH": f"{marker.parent}:/usr/bin:/bin", "HOME": folder, "TMPDIR": folder}
        try:
            subprocess.run(
                ["bash", "-c", text],
                cwd=f"{folder}/work",
                env=known,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10,
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return os.path.exists(f"{folder}/ran")


def shown(verdict: Verdict) -> bool:
    """Whether the reading shows the marker, or the call is asked about."""
    lines = verdict.reading.commands
    return verdict.decision.value != "allow" or any(line.split(" ")[0] == MARKER for line in lines)


def compare(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many programs ran, were missed, and how many harmless twins ask; the programs that were missed."""
    rng, found, missed = random.Random(seed), Counter[str](), list[str]()
    for _ in range(count):
        text = program(rng, MARKER)
        if not runs(text):
            found["did not run"] += 1
            continue
        found["ran"] += 1
        if not shown(judged(text)):
            missed.append(text)
        found["twins that ask"] += judged(text.replace(MARKER, HARMLESS)).decision.value != "allow"
    return found, missed


def main() -> None:
    """Prints the counts and each program that was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    found, missed = compare(args.count, args.seed)
    print(dict(found), f"missed {len(missed)}")
    for text in missed[:50]:
        print(json.dumps(text))


if __name__ == "__main__":
    main()
