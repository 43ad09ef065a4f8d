"""Kiro, CLI 2 and the newer hook files: exit code 2 and stderr stop a call, nothing asks."""

from checkrail.agents.answers import Answers
from checkrail.agents.dialect import CLAUDE_KINDS, POST, PRE, SESSION, Dialect
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence

DIALECT = Dialect(
    NAME="kiro",
    kinds={**CLAUDE_KINDS, "preToolUse": PRE, "postToolUse": POST, "agentSpawn": SESSION},
    usual="preToolUse",
    tools={"execute_bash": "Bash", "shell": "Bash"},  # fs_write and fs_read by the shape of their arguments
    answers=Answers(deny=None),
)

PRESENCE = Presence(
    title="Kiro",
    folders=("~/.kiro",),
    programs=("kiro", "kiro-cli"),
    homes=(
        Home(
            form="listed",
            user="~/.kiro/hooks/checkrail.json",
            project=".kiro/hooks/checkrail.json",
            head={"version": "v1"},
            hooks=(
                Hook(event="PreToolUse", extra={"matcher": ".*"}),
                Hook(event="PostToolUse", extra={"matcher": ".*"}),
            ),
            handler={
                "name": "checkrail",
                "trigger": "\0event",
                "action": {"type": "command", "command": COMMAND},
                "timeout": TIMEOUT,
                "enabled": True,
            },
        ),
        Home(
            form="flat",
            user="~/.kiro/agents/*.json",
            project=".kiro/agents/*.json",
            hooks=(Hook(event="preToolUse", extra={"matcher": "*"}), Hook(event="postToolUse", extra={"matcher": "*"})),
            handler={"command": COMMAND, "timeout_ms": TIMEOUT, "cache_ttl_seconds": 0},
            unit="ms",
        ),
    ),
    lacks=(
        "it cannot ask",
        "a crash or time-out of the hook lets the call pass, and no switch changes that",
        "in version 2 hooks belong to one agent file: install again after adding one",
        "the older .kiro.hook files are told nothing about the call and cannot guard",
    ),
)
