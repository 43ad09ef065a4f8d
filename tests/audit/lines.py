"""Entries as the log holds them, for tests of who reads it."""

from typing import Any

VERDICT: dict[str, Any] = {
    "time": "2026-11-29T08:00:00.000Z",
    "kind": "verdict",
    "id": "c1",
    "agent": "claude",
    "subagent": "",
    "session": "s1",
    "mode": "default",
    "event": "PreToolUse",
    "tool": "Bash",
    "plugin": "",
    "action": "command",
    "summary": "git push",
    "cwd": "/w",
    "project": "/w",
    "input": {"command": "git push"},
    "cut": False,
    "signature": "abc",
    "band": "escalate",
    "decision": "ask",
    "authority": "rules",
    "rules": ["git.push"],
    "gates": ["command"],
    "findings": [],
    "left_out": 0,
    "errors": [],
    "latency_ms": 1.5,
    "policy": "def",
}


def verdict(**fields: Any) -> dict[str, Any]:
    """A verdict."""
    return {**VERDICT, **fields}


def outcome(call: str = "c1", **fields: Any) -> dict[str, Any]:
    """A finished call."""
    kept = ("time", "id", "agent", "subagent", "session", "mode", "event", "tool", "plugin")
    return {**{name: VERDICT[name] for name in kept}, "kind": "outcome", "id": call, "outcome": "done", **fields}


def weighed(rule: str = "file.write-outside", target: str = "/srv/a", **fields: Any) -> dict[str, Any]:
    """A finding."""
    usual = {
        "rule": rule,
        "decision": "ask",
        "target": target,
        "reason": "why",
        "safer": "how",
        "floor": False,
        "hard": False,
    }
    return {**usual, **fields}
