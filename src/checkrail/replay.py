"""Runs the regression corpus, or a past audit log, through the very path that a live call takes."""

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from checkrail.agents import AGENTS
from checkrail.corpus import Case, CorpusError, Located, rewritten
from checkrail.facts.host import Host
from checkrail.model import Band, Decision, Event, EventKind, Verdict
from checkrail.policy import BUILT_IN, Policy
from checkrail.policy import layers as policy_layers
from checkrail.redaction import REDACTED
from checkrail.session import Memory
from checkrail.session.memory import Store
from checkrail.session.remember import Recollection
from checkrail.session.spend import Unspent
from checkrail.verdicts import rules

Decide = Callable[..., Verdict]
"""``pipeline.decide(event, *, host, policy) -> Verdict``."""


def default_decide(event: Event, *, host: Host, policy: Policy, memory: Memory | None = None) -> Verdict:
    """The one pipeline, imported when it is first needed."""
    from checkrail.pipeline import decide

    return decide(event, host=host, policy=policy, ledger=Unspent(), memory=memory)


class Result(msgspec.Struct, frozen=True):
    """A case and what came out; ``problem`` is empty where it is as expected."""

    located: Located
    verdict: Verdict
    problem: str = ""


def policy_of(case: Case) -> Policy:
    """The policy of a case: the built-in one with the case's own table laid over it."""
    return policy_layers.over(BUILT_IN, policy_layers.expanded(case.policy, case.home))


def verdict_of(case: Case, decide: Decide = default_decide) -> Verdict:
    """What the pipeline says about the case on its frozen machine."""
    if case.agent not in AGENTS:
        raise CorpusError(f"the case {case.name!r} names an unknown agent {case.agent!r}")
    host, agent = case.host(), AGENTS[case.agent]
    environment = {**host.environment, "CLAUDE_PROJECT_DIR": case.project or case.cwd}
    known: dict[str, Any] = {"host": host, "policy": policy_of(case)}

    def heard(raw: bytes) -> Event:
        return agent.decode(raw, cwd=case.cwd, event="", environment=environment)

    if not case.before and known["policy"].session == BUILT_IN.session:
        return decide(heard(case.event()), **known)
    with tempfile.TemporaryDirectory(prefix="checkrail-story-") as folder:
        store = Store(Path(folder))
        for number, call in enumerate(each for each in case.before for _ in range(each.repeat)):
            before, after = call.events(case.cwd, str(number))
            decide(heard(before), memory=Recollection(store, policy=known["policy"]), **known)
            if after:
                Recollection(store, policy=known["policy"]).heard(heard(after))
        return decide(heard(case.event()), memory=Recollection(store, policy=known["policy"]), **known)


def problem_of(case: Case, verdict: Verdict) -> str:
    """Why the verdict is not what the case expects; empty where it is."""
    wanted = ("ask", "deny") if case.expect == "ask_or_deny" else (case.expect,)
    if verdict.decision not in wanted:
        return f"expected {case.expect}, got {verdict.decision}"
    found = rules(verdict)
    missing = [rule for rule in case.rules if rule not in found]
    if missing:
        return f"the rule {missing[0]} is not among the findings {found}"
    wrong = [rule for rule in case.absent if rule in found]
    return f"the rule {wrong[0]} is among the findings" if wrong else ""


def _result(located: Located, decide: Decide) -> Result:
    try:
        verdict = verdict_of(located.case, decide)
    except CorpusError:
        raise
    except Exception as error:
        broken = Verdict(decision=Decision.ASK, band=Band.ESCALATE, errors=(f"{type(error).__name__}: {error}",))
        return Result(located, broken, f"judging it raised {type(error).__name__}: {error}")
    return Result(located, verdict, problem_of(located.case, verdict))


def run(cases: tuple[Located, ...], decide: Decide = default_decide) -> list[Result]:
    """Every case, in order. Raises :class:`CorpusError` for an agent that there is not."""
    return [_result(located, decide) for located in cases]


def update(results: list[Result]) -> list[str]:
    """Rewrites the expectations that did not hold, for review; names the files that changed."""
    wrong: dict[str, dict[int, str]] = {}
    for result in results:
        if result.problem.startswith("expected "):
            wrong.setdefault(result.located.path, {})[result.located.index] = str(result.verdict.decision)
    for path, expectations in wrong.items():
        with open(path, encoding="utf-8", newline="") as handle:
            text = handle.read()
        with open(path, "w", encoding="utf-8", newline="") as handle:
            handle.write(rewritten(text, expectations))
    return sorted(wrong)


class Difference(msgspec.Struct, frozen=True):
    """A logged call that would be decided otherwise today."""

    time: str
    summary: str
    before: Decision
    after: Decision
    reason_rules: tuple[str, ...]


class Comparison(msgspec.Struct, kw_only=True):
    """What a log and a policy differ in, how many calls were judged again, and how many could not be."""

    differences: list[Difference] = []
    judged: int = 0
    cut: int = 0
    redacted: int = 0
    unreadable: int = 0


def logged_event(line: dict[str, Any]) -> Event:
    """The call of a log line, as it was understood when it was logged."""

    def said(name: str) -> str:
        return str(line.get(name) or "")

    return Event(
        agent=said("agent"),
        kind=EventKind.PRE,
        name=said("event"),
        tool=said("tool"),
        input=line["input"],
        cwd=said("cwd"),
        project=said("project") or said("cwd"),
        session=said("session"),
        subagent=said("subagent"),
        mode=said("mode"),
        plugin=said("plugin"),
    )


def _lost(line: dict[str, Any]) -> str:
    """Why a call cannot be judged again: of what it said, something is not in the log. Empty where it can be."""
    if line.get("cut"):
        return "cut"
    if not isinstance(line.get("input"), dict) or not line.get("tool") or "event.unreadable" in line.get("rules", ()):
        return "unreadable"
    return "redacted" if REDACTED in json.dumps((line["input"], line.get("cwd"), line.get("project"))) else ""


def compare(lines: Iterable[dict[str, Any]], decide: Callable[[Event], Verdict]) -> Comparison:
    """What differs between a log and today's policy. What the answer was made of outside the agent does not count."""
    found = Comparison()
    for line in lines:
        if line.get("kind") not in ("verdict", "check"):
            continue
        lost = _lost(line)
        if lost:
            setattr(found, lost, getattr(found, lost) + 1)
            continue
        found.judged += 1
        verdict, before = decide(logged_event(line)), str(line.get("judged") or line.get("decision"))
        was = Decision.ALLOW if before == "note" else Decision(before)
        if verdict.decision is not was:
            told = str(line.get("time")), str(line.get("summary"))
            found.differences.append(Difference(*told, was, verdict.decision, tuple(rules(verdict))))
    return found
