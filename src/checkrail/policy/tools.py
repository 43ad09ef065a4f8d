"""What the policy says about calls as such: tools an agent may use, how risky a tool is, rows on commands and targets.

Each function gives findings; the strictest wins like everywhere, so a row added never loosens.
"""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase

from checkrail.facts.host import Host
from checkrail.model import NOWHERE, Decision, Effect, Event, EventKind, Finding, Reading, TargetKind
from checkrail.policy import AgentRow, Policy, Rule, host_of, target_matches
from checkrail.policy.subagents import Listing, kind_of, listings

GATE = "policy"

_RISKS = ("low", "medium", "high")
_OTHER_NAMES = {"Task": "Agent", "Agent": "Task"}
"""Claude Code renamed a tool; a row about either name means both."""


def _finding(rule: str, decision: Decision, reason: str, target: str, safer: str = "") -> Finding:
    return Finding(rule=rule, decision=decision, reason=reason, gate=GATE, target=target, safer=safer, hard=True)


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _covers(patterns: tuple[str, ...], tool: str) -> bool:
    """Whether a tool matches one of the globs, under any of its names."""
    return _any(tool, patterns) or (tool in _OTHER_NAMES and _any(_OTHER_NAMES[tool], patterns))


def _speaks(row: AgentRow, event: Event) -> bool:
    """A row names the agent (``claude``) or the sub-agent's kind (``reviewer``)."""
    return _any(event.agent, (row.name,)) or _any(kind_of(event.subagent), (row.name,))


def _of_agent(row: AgentRow, event: Event, risk: str) -> Iterator[Finding]:
    tool, who = event.tool, row.name
    if _covers(row.forbidden, tool):
        yield _finding("policy.tool-forbidden", Decision.DENY, f"{who} must not use {tool}", tool)
    elif row.allowed and not _covers(row.allowed, tool):
        yield _finding("policy.tool-not-listed", Decision.DENY, f"{tool} is not among the tools of {who}", tool)
    elif row.tier == "T3" and risk == "medium":
        yield _finding("policy.tier", Decision.ASK, f"{who} is of tier T3 and {tool} of medium risk", tool)


def _of_file(entry: Listing, tool: str) -> Iterator[Finding]:
    where = f"the sub-agent {entry.name} ({entry.path})"
    if _covers(entry.forbidden, tool):
        yield _finding("policy.tool-forbidden", Decision.DENY, f"{tool} is disallowed for {where}", tool)
    elif entry.allowed is not None and not _covers(entry.allowed, tool):
        yield _finding("policy.tool-not-listed", Decision.DENY, f"{tool} is not among the tools of {where}", tool)


def risk_of(tool: str, policy: Policy) -> str:
    """The highest risk that any matching row gives the tool; empty where none matches."""
    risks = [row.risk for row in policy.tool if _covers((row.glob,), tool)]
    return max(risks, key=_RISKS.index) if risks else ""


def _files(event: Event, host: Host | None) -> tuple[Listing, ...]:
    """The lists of the sub-agent's own files; only Claude Code has such files."""
    if host is None or not event.subagent or event.agent != "claude":
        return ()
    return listings(event.subagent, event.project, host)


def on_tool(event: Event, policy: Policy, host: Host | None = None) -> tuple[Finding, ...]:
    """What the policy and, seen through ``host``, a sub-agent's own file say about this call, whatever its input."""
    tool = event.tool
    risk = risk_of(tool, policy)
    found: list[Finding] = []
    if _covers(policy.forbid, tool):
        found.append(_finding("policy.forbid", Decision.DENY, f"the policy forbids {tool}", tool))
    if risk == "high":
        found.append(
            _finding("policy.high-risk", Decision.ASK, f"{tool} is of high risk and needs a yes each time", tool)
        )
    for row in policy.agent:
        found += _of_agent(row, event, risk) if _speaks(row, event) else ()
    for entry in _files(event, host):
        found += _of_file(entry, tool)
    return tuple(found)


def declared(event: Event, policy: Policy, host: Host | None = None) -> Iterator[str]:
    """What is declared about this tool and this agent, one line each, for who wants to see why."""
    if event.kind is not EventKind.PRE:
        return
    risk = risk_of(event.tool, policy)
    if risk:
        yield f"{event.tool} is of {risk} risk"
    for row in policy.agent:
        if _speaks(row, event):
            lists = (("allowed", row.allowed), ("forbidden", row.forbidden))
            yield f"agent {row.name}: tier {row.tier}{''.join(f', {name} {_shown(globs)}' for name, globs in lists if globs)}"
    for entry in _files(event, host):
        allowed = "every tool" if entry.allowed is None else _shown(entry.allowed)
        yield f"sub-agent file {entry.path}: allowed {allowed}{f', disallowed {_shown(entry.forbidden)}' if entry.forbidden else ''}"


def _shown(globs: tuple[str, ...]) -> str:
    rest = f" and {len(globs) - 12} more" if len(globs) > 12 else ""
    return " ".join(globs[:12]) + rest


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
