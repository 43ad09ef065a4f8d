"""Every agent's own tools: everyday calls pass without a word, and the same tools stop where a call does harm.

The calls stand in ``own_tools.toml``; each is put into the agent's recorded envelope.
"""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkrail.agents import hear
from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN

HERE = Path(__file__).parent
CALLS: dict[str, dict[str, list[list[str]]]] = tomllib.loads((HERE / "own_tools.toml").read_text())
HOST = FrozenHost(home="/home/dev", files={"/work/app/.git/": "", "/work/app/a.txt": "x\n"})
FIELDS = {
    "copilot": ("toolName", "toolArgs"),
    "grok": ("toolName", "toolInput"),
    "opencode": ("tool", "args"),
    "cline": ("toolName", "parameters"),
    "antigravity": ("name", "args"),
}
"""Where tool and arguments stand, if not in ``tool_name`` and ``tool_input``."""
WITHIN = {"cline": "preToolUse", "antigravity": "toolCall"}


def cases(kind: str) -> list[Any]:
    """Agent, tool and arguments."""
    return list(_cases(kind))


def _cases(kind: str) -> Iterator[Any]:
    for agent, told in CALLS.items():
        for tool, given in told.get(kind, ()):
            yield pytest.param(agent, tool, json.loads(given), id=f"{agent}-{tool}")


def envelope(agent: str, tool: str, given: Any) -> bytes:
    """The recorded event of a shell command with another call in it."""
    name = "PreToolUse-Bash" if agent == "claude" else "pre_shell"
    told = json.loads((HERE / agent / f"{name}.json").read_text())
    call = told[WITHIN[agent]] if agent in WITHIN else told
    first, second = FIELDS.get(agent, ("tool_name", "tool_input"))
    call |= {first: tool, second: given}
    if agent == "cursor":
        told["hook_event_name"] = "preToolUse"
    if agent == "goose":
        told["matcher_context"] = tool
    return json.dumps(told | {"cwd": "/work/app"}).encode()


def judged(agent: str, tool: str, given: Any) -> Verdict:
    """What is said of the call."""
    event = hear(agent, envelope(agent, tool, given), cwd="/work/app", event="", environment={})
    assert event.agent == agent and not event.fault, event.fault
    return decide(event, host=HOST, policy=BUILT_IN)


@pytest.mark.parametrize(("agent", "tool", "given"), cases("pass"))
def test_everyday_calls_pass(agent: str, tool: str, given: Any) -> None:
    """Where the agent cannot ask, a question would take the tool away from it."""
    verdict = judged(agent, tool, given)
    assert verdict.decision is Decision.ALLOW, [finding.rule for finding in verdict.findings]


@pytest.mark.parametrize(("agent", "tool", "given"), cases("stop"))
def test_harm_through_the_same_tools_does_not(agent: str, tool: str, given: Any) -> None:
    """What is typed into a running program, fetched because a text says so, or called through another tool."""
    assert judged(agent, tool, given).decision is not Decision.ALLOW


def test_only_agents_that_are_known() -> None:
    """And most of them."""
    from checkrail.agents import AGENTS

    assert set(CALLS) <= set(AGENTS)
    assert len(CALLS) >= 18
