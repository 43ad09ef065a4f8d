"""What the policy says about calls as such: tools an agent may use, how risky a tool is, rows on commands and targets.

Each function gives findings; the strictest wins like everywhere, so a row added never loosens.
"""

import os
from fnmatch import fnmatchcase

from checkrail.model import NOWHERE, Decision, Effect, Event, Finding, Reading, TargetKind
from checkrail.policy import AgentRow, Policy, Rule, host_of, target_matches

GATE = "policy"

_RISKS = ("low", "medium", "high")


def _finding(rule: str, decision: Decision, reason: str, target: str, safer: str = "") -> Finding:
    return Finding(rule=rule, decision=decision, reason=reason, gate=GATE, target=target, safer=safer, hard=True)


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _speaks(row: AgentRow, event: Event) -> bool:
    """A row names the agent (``claude``) or the sub-agent's kind (``reviewer``)."""
    return _any(event.agent, (row.name,)) or _any(event.subagent.split("/")[0], (row.name,))


def _of_agent(row: AgentRow, event: Event, risk: str) -> list[Finding]:
    tool, who = event.tool, row.name
    if _any(tool, row.forbidden):
        return [_finding("policy.tool-forbidden", Decision.DENY, f"{who} must not use {tool}", tool)]
    if row.allowed and not _any(tool, row.allowed):
        return [_finding("policy.tool-not-listed", Decision.DENY, f"{tool} is not among the tools of {who}", tool)]
    if row.tier == "T3" and risk == "medium":
        return [_finding("policy.tier", Decision.ASK, f"{who} is of tier T3 and {tool} of medium risk", tool)]
    return []


def risk_of(tool: str, policy: Policy) -> str:
    """The highest risk that any matching row gives the tool; empty where none matches."""
    risks = [row.risk for row in policy.tool if fnmatchcase(tool, row.glob)]
    return max(risks, key=_RISKS.index) if risks else ""


def on_tool(event: Event, policy: Policy) -> tuple[Finding, ...]:
    """What the policy says about this agent calling this tool, whatever the input."""
    tool, found = event.tool, []
    risk = risk_of(tool, policy)
    if _any(tool, policy.forbid):
        found.append(_finding("policy.forbid", Decision.DENY, f"the policy forbids {tool}", tool))
    if risk == "high":
        found.append(
            _finding("policy.high-risk", Decision.ASK, f"{tool} is of high risk and needs a yes each time", tool)
        )
    for row in policy.agent:
        found += _of_agent(row, event, risk) if _speaks(row, event) else []
    return tuple(found)


def _command_matches(command: str, pattern: str) -> bool:
    """``yarn`` covers ``yarn install`` and ``/usr/bin/yarn install``; a pattern of several words is a plain glob."""
    if " " in pattern:
        return fnmatchcase(command, pattern)
    program = os.path.basename(command.split(" ", 1)[0])
    return fnmatchcase(program, pattern) or fnmatchcase(command, pattern)


def _touches(row: Rule, effect: Effect) -> bool:
    kind, target = effect.target.kind, effect.target
    at_path = kind is TargetKind.PATH and not target.host and target_matches(target.value, row.path)
    at_host = kind in (TargetKind.HOST, TargetKind.URL) and fnmatchcase(host_of(target.value), row.host)
    return (not row.path or at_path) and (not row.host or at_host)


def _hit(row: Rule, reading: Reading) -> Finding | None:
    touched = next((effect for effect in reading.effects if _touches(row, effect)), None)
    if (row.path or row.host) and touched is None:
        return None
    lines = (*reading.commands, *(effect.command for effect in reading.effects))
    if row.command and not any(_command_matches(line, row.command) for line in lines if line):
        return None
    reason = row.why or f"the policy says {row.decision} for {row.command or row.path or row.host}"
    target, span = (
        (touched.target.value, touched.span) if (row.path or row.host) and touched else (row.command, NOWHERE)
    )
    return Finding(
        rule="policy.rule", decision=row.decision, reason=reason, gate=GATE, hard=True, target=target, span=span
    )


def on_reading(reading: Reading, policy: Policy) -> tuple[Finding, ...]:
    """What rows without a rule id say about what the call would run and touch."""
    rows = (row for row in (*policy.rule, *policy.project_rules) if not row.id)
    return tuple(finding for row in rows if (finding := _hit(row, reading)) is not None)
