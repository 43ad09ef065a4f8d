"""What a line says: verdicts and outcomes as plain data, secrets taken out, texts bounded."""

import time
from typing import Any

import msgspec

from checkrail.model import Event, Finding, Verdict
from checkrail.redaction import redact, redact_value
from checkrail.verdicts import outcome, rules

MAX_TEXT = 2000
"""Characters kept of one string; redaction sees twice as many, so that a cut cannot split a secret into view."""
MAX_INPUT = 16_000
"""Bytes of JSON kept of one input; a larger one is left out."""


def stamp(now: float) -> str:
    """UTC with milliseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"


def _cut(value: Any) -> tuple[Any, bool]:
    """``value`` with long strings cut, and whether any was."""
    if isinstance(value, str):
        return value[: 2 * MAX_TEXT], len(value) > MAX_TEXT
    if isinstance(value, dict):
        children = {key[:MAX_TEXT]: _cut(child) for key, child in value.items()}
        return {key: child for key, (child, _) in children.items()}, any(cut for _, cut in children.values())
    if isinstance(value, list):
        parts = [_cut(child) for child in value[:1000]]
        return [part for part, _ in parts], len(value) > 1000 or any(cut for _, cut in parts)
    return value, False


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value[:MAX_TEXT]
    if isinstance(value, dict):
        return {key: _short(child) for key, child in value.items()}
    return [_short(child) for child in value] if isinstance(value, list) else value


def kept_input(given: dict[str, Any]) -> tuple[Any, bool]:
    """The input as it is logged, and whether something of it was left out."""
    shorter, cut = _cut(given)
    kept = _short(redact_value(shorter))
    return (None, True) if len(msgspec.json.encode(kept)) > MAX_INPUT else (kept, cut)


def authority(findings: tuple[Finding, ...]) -> str:
    """Who decided: the floor, the user's policy, Checkrail itself for want of an understanding, or its rules."""
    if any(finding.floor for finding in findings):
        return "floor"
    if any(finding.gate == "policy" for finding in findings):
        return "policy"
    return "internal" if findings and all(f.rule.startswith("internal.") for f in findings) else "rules"


def _actor(event: Event) -> dict[str, Any]:
    return {
        "id": event.call,
        "agent": event.agent,
        "subagent": event.subagent,
        "session": event.session,
        "mode": event.mode,
        "event": event.name,
        "tool": event.tool,
        "plugin": event.plugin,
    }


def signed_body(event: Event) -> bytes:
    """What the signature of an operation covers: everything that it would do and where."""
    return msgspec.json.encode((event.tool, event.input, event.cwd), order="deterministic")


def verdict_entry(
    event: Event, verdict: Verdict, *, signature: str, policy: str, latency_ms: float, kind: str = "verdict"
) -> dict[str, Any]:
    """The line for a verdict. ``policy`` is the digest of the policy in force."""
    operation, (kept, cut) = verdict.operation, kept_input(event.input)
    return {
        "time": stamp(time.time()),
        "kind": kind,
        **_actor(event),
        "action": operation.kind if operation else "unknown",
        "summary": redact((operation.summary if operation else event.tool)[: 2 * MAX_TEXT])[:MAX_TEXT],
        "cwd": event.cwd,
        "project": event.project,
        "input": kept,
        "cut": cut,
        "signature": signature,
        "band": str(verdict.band),
        "decision": outcome(verdict),
        "authority": authority(verdict.findings),
        "rules": rules(verdict)[:50],
        "gates": sorted({finding.gate for finding in verdict.findings}),
        "errors": [redact(error[:MAX_TEXT]) for error in (event.fault, *verdict.errors) if error][:20],
        "latency_ms": round(latency_ms, 3),
        "policy": policy,
    }


def _failed(event: Event) -> bool:
    result = event.result
    return event.name.endswith("Failure") or (isinstance(result, dict) and bool(result.get("interrupted")))


def outcome_entry(event: Event) -> dict[str, Any]:
    """The line for a finished call; ``id`` is that of its verdict. Nothing of the result itself is kept."""
    return {
        "time": stamp(time.time()),
        "kind": "outcome",
        **_actor(event),
        "outcome": "failed" if _failed(event) else "done",
    }
