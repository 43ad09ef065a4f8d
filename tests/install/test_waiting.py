"""Hooks that give a person time to answer inside a call."""

from pathlib import Path

from checkrail.install import claude


def test_host_and_hook_wait_longer_where_a_person_may_answer_inside_a_call() -> None:
    """By the same number of seconds, and only before a call: the hook always gives up first."""
    found = claude.entries(Path("/h"), "/py", None, wait=60)
    plain = claude.entries(Path("/h"), "/py", None)
    for event, group in found.items():
        handler, before = group["hooks"][0], plain[event]["hooks"][0]
        waits = event in ("PreToolUse", "PreSkillShellCommand")
        assert handler["timeout"] == before["timeout"] + (60 if waits else 0)
        assert handler["command"].endswith(" --wait 60") == waits
