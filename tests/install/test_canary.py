"""Canaries go through the very command in the settings, and only a judged answer counts."""

import json
from pathlib import Path

import pytest

from checkrail.install import canary, claude
from checkrail.install.record import Settings

DENY = (
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}'
)

GOOD = f"""#!/bin/sh
raw=$(cat)
case "$raw" in
  *"rm -rf"*|*169.254*) echo '{DENY}'; echo stopped >&2; exit 2;;
esac
exit 0
"""


def settings(tmp_path: Path, script: str) -> Settings:
    """Settings whose hook is a script of the test's."""
    hook = tmp_path / "checkrail-hook"
    hook.write_text(script)
    hook.chmod(0o700)
    path = tmp_path / "settings.json"
    groups = [{"matcher": "*", "hooks": [{"type": "command", "command": f"'{hook}' --agent claude"}]}]
    path.write_text(json.dumps({"hooks": {"PreToolUse": groups}}))
    return Settings(agent="claude", path=str(path), written="", existed=True)


def test_a_hook_that_judges_passes(tmp_path: Path) -> None:
    """Each dangerous one stopped, each harmless one let through."""
    results = canary.prove(settings(tmp_path, GOOD))
    assert len(results) == len(canary.DANGEROUS) + len(canary.HARMLESS)
    assert all(result.ok for result in results)


@pytest.mark.parametrize(
    ("script", "failed"),
    [
        ("#!/bin/sh\nexit 0\n", len(canary.DANGEROUS)),
        ("#!/bin/sh\necho 'checkrail: blocked: no daemon' >&2; exit 2\n", len(canary.DANGEROUS) + len(canary.HARMLESS)),
        ("#!/bin/sh\nexit 1\n", len(canary.DANGEROUS) + len(canary.HARMLESS)),
        ("#!/bin/sh\necho noise\n", len(canary.DANGEROUS) + len(canary.HARMLESS)),
        ("#!/no/such/interpreter\n", len(canary.DANGEROUS) + len(canary.HARMLESS)),
        (f"#!/bin/sh\necho noise; echo '{DENY}'\n", len(canary.DANGEROUS) + len(canary.HARMLESS)),
    ],
)
def test_a_hook_that_does_not_judge_fails(tmp_path: Path, script: str, failed: int) -> None:
    """One that lets all pass, one that blocks all for want of a daemon, one that breaks, one that chatters."""
    results = canary.prove(settings(tmp_path, script))
    assert sum(not result.ok for result in results) == failed


def test_without_a_hook_there_is_nothing_to_prove(tmp_path: Path) -> None:
    """Which is told."""
    entry = settings(tmp_path, GOOD)
    Path(entry.path).write_text("{}")
    assert [result.ok for result in canary.prove(entry)] == [False]
    Path(entry.path).unlink()
    assert not canary.prove(entry)[0].ok


def test_the_canary_is_an_event_of_the_agent() -> None:
    """As it would send it."""
    told = json.loads(canary.event("ls", "/w"))
    assert (told["hook_event_name"], told["tool_name"], told["tool_input"]) == ("PreToolUse", "Bash", {"command": "ls"})
    assert claude.EVENTS[0][0] == "PreToolUse"
