"""Runs the regression corpus, or a past audit log, through the very path that a live call takes."""

from collections.abc import Callable
from typing import Any

import msgspec

from checkrail.agents import AGENTS
from checkrail.corpus import Case, CorpusError, Located, rewritten
from checkrail.facts.host import Host
from checkrail.model import Band, Decision, Event, Verdict
from checkrail.policy import BUILT_IN, Policy
from checkrail.policy import layers as policy_layers
from checkrail.session.spend import Unspent
from checkrail.verdicts import rules

Decide = Callable[..., Verdict]
"""``pipeline.decide(event, *, host, policy) -> Verdict``."""


def default_decide(event: Event, *, host: Host, policy: Policy) -> Verdict:
    """The one pipeline, imported when it is first needed."""
    from checkrail.pipeline import decide

    return decide(event, host=host, policy=policy, ledger=Unspent())


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
    event = agent.decode(case.event(), cwd=case.cwd, event="", environment=environment)
    return decide(event, host=host, policy=policy_of(case))


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


def logged_event(line: dict[str, Any]) -> Event | None:
    """The call of a log line, or None where the line keeps too little of it to judge it again."""
    if line.get("kind") not in ("verdict", "check") or line.get("cut") or not isinstance(line.get("input"), dict):
        return None
    agent = AGENTS.get(str(line.get("agent")), AGENTS["generic"])
    told = {"tool_name": line.get("tool"), "tool_input": line["input"], "cwd": line.get("cwd"), **_whence(line)}
    event = agent.decode(msgspec.json.encode(told), cwd=str(line.get("cwd") or "/"), event="", environment={})
    return msgspec.structs.replace(event, project=str(line.get("project") or event.cwd))


def _whence(line: dict[str, Any]) -> dict[str, str]:
    return {"session_id": str(line.get("session") or ""), "agent_type": str(line.get("subagent") or "")}


def compare(lines: list[dict[str, Any]], decide: Callable[[Event], Verdict]) -> tuple[list[Difference], int]:
    """What differs between a log and today's policy, and how many lines could be judged at all."""
    differences, judged = [], 0
    for line in lines:
        event = logged_event(line)
        if event is None:
            continue
        judged += 1
        verdict, before = decide(event), str(line.get("judged") or line.get("decision")).replace("note", "allow")
        if verdict.decision != before:
            differences.append(
                Difference(str(line.get("time")), str(line.get("summary")), Decision(before), verdict.decision, tuple(rules(verdict)))
            )  # fmt: skip
    return differences, judged
