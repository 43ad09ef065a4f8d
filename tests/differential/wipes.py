"""Random programs in which a wipe really runs are never allowed; their harmless twins are.

    python tests/differential/wipes.py --seed 1 --count 5000 [--out faults.json]

A generated program of marker commands runs in bash (nothing else can happen there, see ``shell_programs``). A marker
that ran is then replaced, in the text only, by a command that wipes something, and by one that only lists: these
texts are judged and never run.
"""

import argparse
import collections
import json
import os
import random
import re
import sys
import tempfile
from pathlib import Path

from checkrail.model import Decision
from tests import judging
from tests.differential import shell_programs

WIPES = (
    "rm -rf ~",
    "rm -rf /",
    "rm -fr /etc",
    "rm -r -f -- /home/dev",
    "find / -delete",
    "dd if=/dev/zero of=/dev/sda",
    "mkfs.ext4 /dev/sda1",
)
TWINS = ("ls -la", "git status", "echo done", "cat README.md", "wc -l x.txt")


def compare(
    seed: int, count: int, folder: Path, bash: str = "/bin/bash"
) -> tuple[collections.Counter[str], list[dict[str, str]]]:
    """Counts, and the programs that were judged wrongly."""
    rng, environment = random.Random(seed), shell_programs.prepare(folder)
    counts: collections.Counter[str] = collections.Counter()
    found: list[dict[str, str]] = []
    for _ in range(count):
        program = shell_programs.Program(rng, depth=rng.choice((1, 2, 2, 3)))
        if program.markers > shell_programs.MARKERS or len(program.text) > 6000:
            continue
        ran = shell_programs.run(program.text, folder, environment, bash)
        if ran is None or not ran.accepted or not ran.calls:
            continue
        marker = rng.choice(sorted({call[0] for call in ran.calls}))
        spelled = r"\b" + r"(?:\\\n)*".join(marker) + r"\b"
        counts["programs"] += 1
        for kind, commands, wrong in (
            ("wipe", WIPES, {Decision.ALLOW}),
            ("twin", TWINS, {Decision.ASK, Decision.DENY}),
        ):
            command = rng.choice(commands)
            text = re.sub(spelled, command.replace("\\", r"\\"), program.text)
            if text == program.text or (kind == "twin" and re.search(r"/dev/null\\*\$\(", text)):
                continue  # spelled in some other way; or a write to a computed name, which asks with good reason
            counts[kind] += 1
            decision = judging.decision(text)
            if decision in wrong:
                counts[f"{kind} {decision.value}"] += 1
                found.append({"kind": kind, "decision": decision.value, "program": text})
    return counts, sorted(found, key=lambda fault: len(fault["program"]))


def main() -> None:
    """Compares and prints the shortest programs that were judged wrongly."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts, found = compare(options.seed, options.count, Path(folder))
    print(dict(counts))
    for fault in [fault for fault in found if fault["kind"] == "wipe"][:6] + [
        fault for fault in found if fault["kind"] == "twin"
    ][:6]:
        print(json.dumps(fault, ensure_ascii=False))
    if options.out:
        options.out.write_text(json.dumps(found, indent=1))
    sys.exit(counts["wipe allow"] > 0)


if __name__ == "__main__":
    os.nice(10)
    main()
