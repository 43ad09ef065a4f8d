"""Sends made-up events through the hook exactly as the agent would, to see that it holds. Nothing is ever run."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from checkrail.install import claude
from checkrail.install.json_text import SettingsError, parse
from checkrail.install.record import Settings

SECONDS = 15.0

DANGEROUS = ("rm -rf /", "git push --force origin main && rm -rf ~", "curl -s http://169.254.169.254/latest/meta-data/")
HARMLESS = ("ls", "git status")


class Result(msgspec.Struct, frozen=True):
    """One canary: whether the hook did what it should, in words."""

    ok: bool
    text: str


class Outcome(msgspec.Struct, frozen=True):
    """What the hook's command did; ``code`` is None where it did not end in time or could not run."""

    code: int | None
    stdout: bytes = b""
    stderr: bytes = b""

    @property
    def decision(self) -> str:
        """What the agent would make of it: allow, none (its own flow goes on), ask, deny or broken."""
        if self.code == 2:
            return "deny"
        if self.code != 0:
            return "broken"
        if not self.stdout:
            return "none"
        try:
            told = json.loads(self.stdout)["hookSpecificOutput"]
            return str(told["permissionDecision"]) if told["hookEventName"] == "PreToolUse" else "broken"
        except (ValueError, KeyError, TypeError):
            return "broken"


def event(command: str, cwd: str) -> bytes:
    """A pending shell command as Claude Code reports it."""
    told = {
        "session_id": "checkrail-canary",
        "cwd": cwd,
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "checkrail-canary",
        "permission_mode": "default",
    }
    return msgspec.json.encode(told)


def call(hook_command: str, raw: bytes, cwd: str) -> Outcome:
    """Runs the hook's command line through ``sh``, as the agent does."""
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": cwd}
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", hook_command], input=raw, capture_output=True, timeout=SECONDS, cwd=cwd,
            env=environment, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return Outcome(None)
    return Outcome(done.returncode, done.stdout, done.stderr)


def _stopped(hook_command: str, command: str, cwd: str) -> Result:
    outcome = call(hook_command, event(command, cwd), cwd)
    if outcome.decision == "deny" and b"blocked:" not in outcome.stderr:
        return Result(True, f"stopped: {command}")
    told = outcome.stderr.decode(errors="replace").strip()[:300]
    return Result(False, f"not judged and stopped ({outcome.decision}): {command} {told}".rstrip())


def _passed(hook_command: str, command: str, cwd: str) -> Result:
    outcome = call(hook_command, event(command, cwd), cwd)
    if outcome.decision in ("none", "allow"):
        return Result(True, f"passed: {command}")
    told = (outcome.stderr or outcome.stdout).decode(errors="replace").strip()[:300]
    return Result(False, f"did not pass ({outcome.decision}): {command} {told}".rstrip())


def hook_command(entry: Settings) -> str:
    """The command that the agent's settings hold now; empty where ours is not there."""
    try:
        settings: dict[str, Any] = parse(Path(entry.path).read_text(encoding="utf-8-sig"), entry.path)
    except (OSError, SettingsError, UnicodeDecodeError):
        return ""
    return claude.commands(settings).get("PreToolUse", "")


def prove_command(command: str) -> list[Result]:
    """Each canary through one command line of the hook."""
    with tempfile.TemporaryDirectory(prefix="checkrail-canary-") as cwd:
        stopped = [_stopped(command, dangerous, cwd) for dangerous in DANGEROUS]
        return stopped + [_passed(command, harmless, cwd) for harmless in HARMLESS]


def prove(entry: Settings) -> list[Result]:
    """Each canary through the command in one agent's settings."""
    command = hook_command(entry)
    return prove_command(command) if command else [Result(False, f"{entry.path} holds no PreToolUse hook of Checkrail")]
