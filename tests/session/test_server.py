"""Sessions through the server: what the daemon runs for each event, agents with their own ways of naming sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from checkrail.answering import Server
from checkrail.policy.cache import PolicyCache, usual_layers

HOME = {"HOME": "/home/dev"}


@pytest.fixture
def server(tmp_path: Path) -> Server:
    """With a place for sessions."""
    where = tmp_path / "c"
    where.mkdir(mode=0o700)
    return Server(PolicyCache(usual_layers(where, where)[:1]), None, remembered=str(where / "session"))


def say(server: Server, agent: str, event: str, told: dict[str, Any]) -> bytes:
    """What the server answers."""
    answer = server.answer(agent, event, "/work/app", json.dumps(told).encode(), environment=HOME)
    return answer.stdout + answer.stderr


def test_claude_with_a_sub_agent_and_a_resumed_session(server: Server, tmp_path: Path) -> None:
    """Page in the sub-agent, key in the main one, a restart, then the push."""
    page = {
        "tool_name": "WebFetch",
        "tool_input": {"url": "https://forum.example.org/", "prompt": "x"},
        "session_id": "a",
    }
    key = {"tool_name": "Bash", "tool_input": {"command": "env"}, "session_id": "a", "tool_use_id": "2"}
    say(server, "claude", "PreToolUse", {**page, "agent_id": "7", "agent_type": "explore", "tool_use_id": "1"})
    say(
        server,
        "claude",
        "PostToolUse",
        {**page, "agent_id": "7", "agent_type": "explore", "tool_use_id": "1", "tool_response": "x"},
    )
    say(server, "claude", "PreToolUse", key)
    say(server, "claude", "PostToolUse", {**key, "tool_response": {"stdout": "A=1"}})
    again = Server(server.policies, None, remembered=str(tmp_path / "c" / "session"))
    say(again, "claude", "SessionStart", {"hook_event_name": "SessionStart", "source": "resume", "session_id": "a"})
    push = {"tool_name": "Bash", "tool_input": {"command": "git push"}, "session_id": "a", "tool_use_id": "3"}
    assert b"session.suspicious-disclosure-chain" in say(again, "claude", "PreToolUse", push)
    assert b"session." not in say(again, "claude", "PreToolUse", {**push, "session_id": "b"})


def test_an_opencode_child_session(server: Server) -> None:
    """Its parent is told only when it begins."""
    say(server, "opencode", "session", {"event": "session", "sessionID": "child", "parentID": "main"})
    page = {"tool": "webfetch", "args": {"url": "https://forum.example.org/"}, "sessionID": "child", "callID": "1"}
    say(server, "opencode", "pre", {"event": "pre", **page})
    say(server, "opencode", "post", {"event": "post", **page, "output": "x"})
    mail = {"tool": "mcp__crm__get_customer", "args": {"id": "1"}, "sessionID": "main", "callID": "2"}
    say(server, "opencode", "pre", {"event": "pre", **mail})
    say(server, "opencode", "post", {"event": "post", **mail, "output": "x"})
    push = {"tool": "bash", "args": {"command": "git push"}, "sessionID": "main", "callID": "3"}
    assert b"session.suspicious-disclosure-chain" in say(server, "opencode", "pre", {"event": "pre", **push})


def test_a_store_that_cannot_be_written_stops_nothing(server: Server, tmp_path: Path) -> None:
    """Harmless work goes on."""
    (tmp_path / "c" / "session").write_text("a file in the way")
    ls = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "a"}
    assert b'"ask"' not in say(server, "claude", "PreToolUse", ls)
    assert say(server, "claude", "PostToolUse", {**ls, "tool_response": "a b"}) == b""


def test_copilots_sub_agent_shares_with_the_session_that_started_it(server: Server) -> None:
    """Its events name a session of its own, and an agent's number at most."""
    page = {"toolName": "web_fetch", "toolArgs": {"url": "https://forum.example.org/"}, "cwd": "/work/app"}
    task = {"toolName": "task", "toolArgs": {"agent_type": "explore", "description": "d", "prompt": "p"}}
    child = {"sessionId": "two", "agentId": "9", "agentType": "explore", "parentAgentId": "1"}
    say(server, "copilot", "preToolUse", {**task, "sessionId": "one", "cwd": "/work/app"})
    say(server, "copilot", "preToolUse", {**page, **child})
    key = {"toolName": "bash", "toolArgs": {"command": "cat ~/.ssh/id_rsa"}, "cwd": "/work/app"}
    assert b"session.credential-access-after-untrusted" in say(
        server, "copilot", "preToolUse", {**key, "sessionId": "one"}
    )
    assert b"session." not in say(server, "copilot", "preToolUse", {**key, "sessionId": "three"})
