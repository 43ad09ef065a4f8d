"""What a line says: verdicts and outcomes as plain data, secrets taken out, texts bounded."""

import itertools
import json
import time
from typing import Any

import msgspec

from checkrail.bands import base_decision
from checkrail.model import Decision, Event, Finding, Verdict
from checkrail.redaction import redact, redact_value
from checkrail.verdicts import outcome, rules

MAX_TEXT = 2000
"""Characters kept of one string; redaction sees twice as many, so that a cut cannot split a secret into view."""
MAX_INPUT = 16_000
"""Bytes of JSON kept of one input; a larger one is left out."""
MAX_ITEMS = 1000
MAX_NAME = 500
MAX_FINDINGS = 20

_SPLIT = 1000
"""Characters before the end of what redaction sees in which half a secret might stand that it cannot recognise."""


def stamp(now: float) -> str:
    """UTC with milliseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"


def kept_text(text: str, limit: int = MAX_TEXT) -> str:
    """The beginning of ``text`` without its secrets."""
    seen = redact(text[: 2 * MAX_TEXT])
    return seen[:limit] if len(text) <= 2 * MAX_TEXT else seen[: max(0, min(limit, len(seen) - _SPLIT))]


def _listed(value: Any) -> Any:
    """``value`` with long lists cut."""
    if isinstance(value, dict):
        return {key: _listed(child) for key, child in itertools.islice(value.items(), MAX_ITEMS)}
    return [_listed(child) for child in value[:MAX_ITEMS]] if isinstance(value, list) else value


def _long(value: Any) -> bool:
    """Whether anything of ``value`` is cut."""
    if isinstance(value, str):
        return len(value) > MAX_TEXT
    if isinstance(value, dict):
        return len(value) > MAX_ITEMS or any(_long(key) or _long(child) for key, child in value.items())
    return isinstance(value, list) and (len(value) > MAX_ITEMS or any(map(_long, value)))


def kept_input(given: dict[str, Any]) -> tuple[Any, bool]:
    """The input as it is logged, and whether something of it was left out."""
    kept = redact_value(_listed(given), kept_text)
    return (None, True) if len(json.dumps(kept, default=str)) > MAX_INPUT else (kept, _long(given))


def weighed(finding: Finding) -> dict[str, Any]:
    """What is kept of a finding that asks or denies."""
    return {
        "rule": finding.rule,
        "decision": str(base_decision(finding)),
        "target": kept_text(finding.target, MAX_NAME),
        "reason": kept_text(finding.reason, MAX_NAME),
        "safer": kept_text(finding.safer, MAX_NAME),
        "floor": finding.floor,
        "hard": finding.hard,
    }


def _weighty(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.floor or base_decision(finding) is not Decision.ALLOW]


def authority(findings: tuple[Finding, ...]) -> str:
    """Who decided: the floor, the user's policy, Checkrail itself for want of an understanding, or its rules."""
    if any(finding.floor for finding in findings):
        return "floor"
    if any(finding.gate == "policy" for finding in findings):
        return "policy"
    return "internal" if findings and all(f.rule.startswith("internal.") for f in findings) else "rules"


def _actor(event: Event) -> dict[str, Any]:
    said = {
        "id": event.call,
        "agent": event.agent,
        "subagent": event.subagent,
        "session": event.session,
        "mode": event.mode,
        "event": event.name,
        "tool": event.tool,
        "plugin": event.plugin,
    }
    return {key: kept_text(value, MAX_NAME) for key, value in said.items()}


def signed_body(event: Event) -> bytes:
    """What the signature of an operation covers: everything that it would do and where."""
    return json.dumps((event.tool, event.input, event.cwd), sort_keys=True, default=str).encode()


def verdict_entry(
    event: Event, verdict: Verdict, *, signature: str, policy: str, latency_ms: float, kind: str = "verdict"
) -> dict[str, Any]:
    """The line for a verdict. ``policy`` is the digest of the policy in force.

    ``decision`` is what the agent was told, ``judged`` what rules and policy said: where a question could not be shown, or a
    person answered it outside the agent, they differ, and ``approval`` tells who answered (see :class:`checkrail.model.Approval`).
    """
    operation, (kept, cut) = verdict.operation, kept_input(event.input)
    weighty = _weighty(verdict.findings)
    return {
        "time": stamp(time.time()),
        "kind": kind,
        **_actor(event),
        "action": operation.kind if operation else "unknown",
        "summary": kept_text(operation.summary if operation else event.tool),
        "cwd": kept_text(event.cwd),
        "project": kept_text(event.project),
        "input": kept,
        "cut": cut or max(len(event.cwd), len(event.project)) > MAX_TEXT,
        "signature": signature,
        "band": str(verdict.band),
        "decision": outcome(verdict),
        "judged": str(verdict.judged or outcome(verdict)),
        "authority": "approval" if _approved(verdict) else authority(verdict.findings),
        "request": verdict.approval.request if verdict.approval else None,
        "approval": msgspec.to_builtins(verdict.approval) if verdict.approval else None,
        "rules": rules(verdict)[:50],
        "gates": sorted({finding.gate for finding in verdict.findings}),
        "findings": [weighed(finding) for finding in weighty[:MAX_FINDINGS]],
        "left_out": max(0, len(weighty) - MAX_FINDINGS),
        "errors": [kept_text(error, MAX_NAME) for error in (event.fault, *verdict.errors) if error][:20],
        "latency_ms": round(latency_ms, 3),
        "policy": policy,
    }


def _approved(verdict: Verdict) -> bool:
    return verdict.approval is not None and verdict.approval.state == "used"


def _failed(event: Event) -> bool:
    result = event.result
    return event.name.endswith("Failure") or (isinstance(result, dict) and bool(result.get("interrupted")))


def outcome_entry(event: Event, *, host_prompt: bool = False) -> dict[str, Any]:
    """The line for a finished call; ``id`` is that of its verdict. Nothing of the result itself is kept.

    ``host_prompt`` says that Checkrail had asked about the call and the agent's own prompt showed the question: since the call
    ran, somebody said yes there.
    """
    return {
        "time": stamp(time.time()),
        "kind": "outcome",
        **_actor(event),
        "outcome": "failed" if _failed(event) else "done",
        "authority": "host-prompt" if host_prompt else "",
    }
