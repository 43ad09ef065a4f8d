"""A simulated day: how often Checkrail asks over a list of agents' commands, before and after ``checkrail suggest``.

    python -m benchmarks.day commands.jsonl [--against other.jsonl] [--least 3]

Each line is ``{"command": …}``, in the order given; ``source`` (any text) is the session. Nothing is run: the machine is frozen.
The person of the simulation says yes to each ask, which is the most that suggestions can be made of. Two figures are told: the
whole day judged again under rows learnt from all of it, and its second half under rows learnt from the first.
``--against`` judges another list, of dangerous commands say, under the rows of the whole day.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from checkrail.audit.entries import outcome_entry, signed_body, verdict_entry
from checkrail.audit.records import Record, record
from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind, Verdict
from checkrail.policy import BUILT_IN, Policy, Rule
from checkrail.replay import default_decide
from checkrail.report.questions import Question, Questions
from checkrail.report.rows import row
from checkrail.report.suggest import effect, suggest

HOME, CWD = "/home/dev", "/work/app"
HOST = FrozenHost(HOME)


def events(path: str) -> list[Event]:
    """The calls of a file."""
    found = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").strip("\n").split("\n")):
        told = json.loads(line)
        found.append(
            Event(
                agent="claude", kind=EventKind.PRE, name="PreToolUse", tool="Bash", input={"command": told["command"]}, cwd=CWD,
                project=CWD, session=str(told.get("source", "")), call=f"c{number}", mode="default",
            )
        )  # fmt: skip
    return found


def judged(calls: Iterable[Event], policy: Policy) -> Iterator[tuple[Event, Verdict]]:
    """Each with its verdict, by the very path of a live call."""
    for call in calls:
        yield call, default_decide(call, host=HOST, policy=policy)


def lines(pairs: Iterable[tuple[Event, Verdict]]) -> Iterator[Record]:
    """The log of a day on which a person says yes to each ask."""
    for number, (call, verdict) in enumerate(pairs):
        entry = verdict_entry(call, verdict, signature=signed_body(call).hex(), policy="", latency_ms=0.0)
        ran = verdict.decision is not Decision.DENY
        for told in (entry, *([outcome_entry(msgspec.structs.replace(call, kind=EventKind.POST))] if ran else [])):
            found = record(json.dumps({**told, "number": number + 1}).encode())
            assert found is not None
            yield found


def questions(pairs: Iterable[tuple[Event, Verdict]]) -> list[Question]:
    """What the log of a day holds."""
    found = Questions()
    for line in lines(pairs):
        found.add(line)
    return list(found)


def under(rows: Sequence[Rule]) -> Policy:
    """The built-in policy with rows."""
    return msgspec.structs.replace(BUILT_IN, rule=tuple(rows))


class Tally(msgspec.Struct):
    """How a list of calls was decided, and those that rows changed."""

    asked: int = 0
    denied: int = 0
    changed: list[str] = []

    def told(self, calls: int) -> str:
        """In one line."""
        return f"{self.asked} prompts, {1000 * self.asked / max(1, calls):.1f} per 1,000 calls; {self.denied} denied"


def tally(pairs: Iterable[tuple[Event, Verdict]], before: dict[str, Decision] | None = None) -> Tally:
    """Counts; ``before`` are the decisions without rows."""
    found = Tally()
    for call, verdict in pairs:
        found.asked += verdict.decision is Decision.ASK
        found.denied += verdict.decision is Decision.DENY
        if before and verdict.decision is not before[call.call]:
            found.changed.append(f"{before[call.call]} -> {verdict.decision}  {call.input['command'][:150]!r}")
    return found


def compared(plain: Sequence[tuple[Event, Verdict]], rows: Sequence[Rule], name: str, shown: int) -> None:
    """Prints what rows change on a list that was judged without them."""
    calls = [call for call, _ in plain]
    decisions = {call.call: verdict.decision for call, verdict in plain}
    after = tally(judged(calls, under(rows)), decisions)
    print(f"{name}: {len(calls)} calls")
    print(f"  before  {tally(plain).told(len(calls))}")
    print(f"  after   {after.told(len(calls))}; {len(after.changed)} let through")
    for text in after.changed[:shown]:
        print(f"    {text}")


def main() -> int:
    """Prints everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--against", metavar="FILE", default="")
    parser.add_argument("--least", type=int, default=3)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="so many of the calls let through")
    given = parser.parse_args()
    plain = list(judged(events(given.file), BUILT_IN))
    day = questions(plain)
    whole = [one.row for one in suggest(day, least=given.least, home=HOME)]
    print(f"{sum(one.prompts for one in day)} prompts are {len(day)} different questions")
    for found in whole:
        print("  " + row(found, "").replace("\n", "  ").removesuffix('  why = ""'))
    compared(plain, whole, f"whole day, {len(whole)} rows learnt from it", given.show)
    by_log = effect(day, whole)
    print(f"  by the log alone: {by_log.before} prompts before, {by_log.after} after")
    half = len(plain) // 2
    first = [one.row for one in suggest(questions(plain[:half]), least=given.least, home=HOME)]
    compared(plain[half:], first, f"second half, {len(first)} rows learnt from the first", given.show)
    if given.against:
        compared(
            list(judged(events(given.against), BUILT_IN)),
            whole,
            f"against {Path(given.against).name}",
            given.show or 20,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
