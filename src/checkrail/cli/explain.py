"""Shows how a verdict comes about: what was read, what it would do, what each gate found, and how that was merged.

Exit codes are those of ``checkrail check``: 0 allow, 10 ask, 20 deny.
"""

import argparse
from collections.abc import Iterable, Iterator

from checkrail.agents.reasons import by_weight, visible
from checkrail.answering import real_host
from checkrail.cli import USAGE, terminal
from checkrail.cli.judging import EXIT_CODES, environment, judge, make_server, nothing_given, raw_event
from checkrail.cli.judging import configure as configure
from checkrail.model import Decision, Effect, Event, Finding, Span, Verdict
from checkrail.policy.tools import declared
from checkrail.redaction import masked, redact
from checkrail.verdicts import outcome

WIDTH = 100


def _heading(text: str) -> str:
    return terminal.paint(text, "bold")


def excerpt(text: str, span: Span) -> list[str]:
    """The line of ``text`` that a span starts in, and carets under the part it covers; nothing for an empty span."""
    if not span.start < span.end <= len(text):
        return []
    start = text.rfind("\n", 0, span.start) + 1
    stop = text.find("\n", span.start)
    line, column = text[start : stop if stop >= 0 else len(text)], span.start - start
    length = max(1, min(span.end, start + len(line)) - span.start)
    skipped = max(0, column - WIDTH // 2)
    shown = [visible(character) or " " for character in line[skipped : skipped + WIDTH]]
    before = sum(map(len, shown[: column - skipped]))
    carets = max(1, sum(map(len, shown[column - skipped : column - skipped + length])))
    return ["".join(shown), " " * before + terminal.paint("^" * carets, "yellow")]


def _operation(event: Event, verdict: Verdict) -> Iterator[str]:
    kind = verdict.operation.kind if verdict.operation else "unknown"
    text = verdict.operation.summary if verdict.operation else event.tool
    yield f"{_heading('operation')}  {kind}: {visible(redact(text))[:400]}"
    yield f"  in {visible(event.cwd) or 'an unknown directory'}"
    if event.fault:
        yield f"  not understood: {visible(event.fault)}"


def _effect(effect: Effect) -> str:
    target = f"{effect.target.host}:{effect.target.value}" if effect.target.host else effect.target.value
    through = f"  through {' > '.join(map(visible, effect.via))}" if effect.via else ""
    deep = " recursively" if effect.recursive else ""
    return f"  {effect.action}{deep} {effect.target.kind} {visible(redact(target))}  [{effect.rule}]{through}"


def _reading(verdict: Verdict) -> Iterator[str]:
    reading = verdict.reading
    yield _heading("reading")
    yield from map(_effect, reading.effects) if reading.effects else ("  no effects",)
    for unread in reading.unread:
        yield f"  not read: {visible(unread.what)}"
    for name in reading.opaque:
        yield f"  runs, but cannot be judged: {visible(name)}"


def _finding(finding: Finding, text: str) -> Iterator[str]:
    axes = finding.axes
    weighed = f"{axes.reversibility}, {axes.scope}, {axes.trust}" if axes else ""
    stated = f"states {finding.decision}" if finding.decision else ""
    marks = [word for word, on in (("floor", finding.floor), ("hard", finding.hard)) if on]
    yield f"  {terminal.paint(finding.rule, 'bold')}  ({', '.join(filter(None, (finding.gate, weighed, stated, *marks)))})"
    yield f"    {visible(redact(finding.reason))}"
    yield from (f"    {line}" for line in excerpt(text, finding.span))
    if finding.safer:
        yield f"    safer: {visible(finding.safer)}"


def _merge(verdict: Verdict) -> Iterator[str]:
    weightiest = by_weight(verdict)
    why = f"because of {weightiest[0].rule}" if weightiest and verdict.decision is not Decision.ALLOW else ""
    known = "every part was read and known" if verdict.understood else "not every part is known: no explicit allow"
    yield f"{_heading('verdict')}  {terminal.decision(outcome(verdict))}  band {verdict.band}  {why}".rstrip()
    yield f"  {known}{'; it only reads' if verdict.reads_only else ''}"
    yield from (f"  at stake: {visible(redact(stake))}" for stake in verdict.stakes)
    yield from (f"  {visible(redact(error))}" for error in verdict.errors)


def lines(event: Event, verdict: Verdict, declared: Iterable[str] = ()) -> Iterator[str]:
    """The whole explanation, line by line; ``declared`` is what the policy declares about tool and agent."""
    text = masked(verdict.operation.text) if verdict.operation else ""
    yield from _operation(event, verdict)
    told = [f"  {visible(line)}" for line in declared]
    yield from (_heading("declared"), *told) if told else ()
    yield from _reading(verdict)
    yield _heading("findings")
    for finding in by_weight(verdict):
        yield from _finding(finding, text)
    if not verdict.findings:
        yield "  none"
    yield from _merge(verdict)


def run(args: argparse.Namespace) -> int:
    """Judges and explains."""
    if nothing_given(args, "explain"):
        return USAGE
    server, known = make_server(args.policy, log=args.log), environment(args.home)
    event, verdict = judge(args, raw_event(args), server, known)
    host = real_host(known)
    told = declared(event, server.policies.for_project(event.project, host).policy, host)
    print("\n".join(lines(event, verdict, told)))
    return EXIT_CODES[verdict.decision]
