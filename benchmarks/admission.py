"""How long it takes to judge what servers say of their tools.

    python -m benchmarks.admission [--tools 3000]

The tools are made, each in words of its own, so that no two sentences are the same: what is known from before does not help.
"""

import argparse
import os
import random
import time

from checkrail.admission import outcomes, parallel
from checkrail.admission.records import Definition

VERBS = ("Returns", "Creates", "Lists", "Updates", "Searches", "Counts", "Exports", "Renders", "Compares", "Merges")
THINGS = (
    "row",
    "page",
    "branch",
    "invoice",
    "ticket",
    "image",
    "contact",
    "report",
    "metric",
    "calendar",
    "file",
    "folder",
)
TAILS = (
    "sorted by name unless another order is given", "as JSON with one object for each entry", "and fails where there is none",
    "which must be open at that time", "without its attachments", "for the project that was chosen first",
    "in pages of at most fifty entries", "so that it can be read by other tools", "if the account has access to it",
)  # fmt: skip
SERVERS = 50


def tool(number: int, chance: random.Random) -> Definition:
    """One definition: a description of three sentences and four parameters."""
    word = "".join(chance.choice("bdfgklmnprstv") + chance.choice("aeiou") for _ in range(4))
    verb, thing = chance.choice(VERBS), chance.choice(THINGS)
    said = [f"{verb} the {word} {thing} {chance.choice(TAILS)}."]
    said += [f"Each {word} {chance.choice(THINGS)} is given {chance.choice(TAILS)}." for _ in range(2)]
    parameters = {
        f"{chance.choice(THINGS)}_{place}": {
            "type": "string",
            "description": f"The {word} {thing} {place} {chance.choice(TAILS)}.",
        }
        for place in range(4)
    }
    schema = {"type": "object", "properties": parameters, "required": [*parameters][:2]}
    named = {"name": f"{verb.lower().rstrip('s')}_{word}_{thing}", "description": " ".join(said), "inputSchema": schema}
    return Definition(f"server-{number % SERVERS}", named)


def _worked() -> float:
    """Seconds of processors, of processes that have ended too."""
    taken = os.times()
    return taken.user + taken.system + taken.children_user + taken.children_system


def main() -> None:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=int, default=3000)
    args = parser.parse_args()
    chance = random.Random(7)
    outcomes.judge([tool(0, chance)])  # the vocabulary is read once
    made = sorted((tool(number, chance) for number in range(2 * args.tools)), key=lambda entry: entry.server)
    for name, judge, part in (
        ("one process", outcomes.judge, made[::2]),
        ("all processors", parallel.judge, made[1::2]),
    ):
        started, worked = time.perf_counter(), _worked()
        judge(part)
        print(
            f"{len(part)} tools, {name}: {time.perf_counter() - started:.2f} s, {_worked() - worked:.2f} s of processors"
        )
    large = {"name": "large", "description": "Returns a row of a table, sorted by name. " * 25_000}
    started = time.perf_counter()
    (found,) = outcomes.judge([Definition("s", large)])
    print(
        f"a description of {len(large['description']):,} characters: {found.outcome.value}, {time.perf_counter() - started:.2f} s"
    )


if __name__ == "__main__":
    main()
