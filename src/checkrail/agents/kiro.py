"""Kiro, CLI 2 and the newer hook files: exit code 2 and stderr stop a call, nothing asks."""

import json
import re
import shlex
from typing import Any

from checkrail.agents.answers import Answers
from checkrail.agents.dialect import CLAUDE_KINDS, POST, PRE, SESSION, Dialect, Told
from checkrail.agents.homes import COMMAND, TIMEOUT, Home, Hook, Presence
from checkrail.agents.tools import own

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def _kebab(name: str) -> str:
    return _HUMP.sub("-", name).lower()


def _flags(given: Any) -> list[str]:
    """Parameters as options of the command line: ``BucketName`` and ``bucket-name`` are ``--bucket-name``."""
    return [
        word
        for name, value in (given.items() if isinstance(given, dict) else ())
        for word in (f"--{_kebab(str(name))}", value if isinstance(value, str) else json.dumps(value))
    ]


def _unpack(told: Told) -> Told:
    """A call of AWS stands for the command line that it is."""
    given = told.get("tool_input")
    if told.get("tool_name") not in ("use_aws", "aws") or not isinstance(given, dict):
        return told
    service, operation = str(given.get("service_name", "")), str(given.get("operation_name", ""))
    words = ["aws", "s3api" if service == "s3" and "-" in _kebab(operation) else service, _kebab(operation)]
    line = shlex.join([*words, *_flags(given.get("parameters"))])
    return {**told, "tool_name": "use_aws", "tool_input": {"command": line}}


DIALECT = Dialect(
    NAME="kiro",
    kinds={**CLAUDE_KINDS, "preToolUse": PRE, "postToolUse": POST, "agentSpawn": SESSION},
    usual="preToolUse",
    unpack=_unpack,
    tools={
        "execute_bash": "Bash",
        "shell": "Bash",
        "use_aws": "Bash",
        **own(
            Agent="delegate use_subagent subagent",
            StructuredOutput="thinking",
            TodoWrite="todo_list todo",
            LSP="code introspect",
        ),
    },  # fs_write and fs_read by the shape of their arguments
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
