"""Every agent × what may happen: denials stop, asks ask or stop, no opinion is silence, and nothing broken lets a call pass.

Events are recorded payloads (``<agent>/pre_*.json``); what the agent makes of an answer is in :mod:`tests.agents.hosts`.
"""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkrail.agents import AGENTS, PRESENCES, answered, hear
from checkrail.agents.json_events import MAX_BYTES
from checkrail.daemon.protocol import Answer
from checkrail.facts.host import FrozenHost
from checkrail.model import Asking, Band, Decision, Event, EventKind, Finding, Verdict
from checkrail.operations import operations
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN
from tests.agents.hosts import ASKING, HOSTS

HERE = Path(__file__).parent
OTHERS = sorted(PRESENCES)
EVERY = sorted(HOSTS)
RECORDED = [path for name in OTHERS for path in sorted((HERE / name).glob("*.json"))]
PRE = [path for path in RECORDED if path.stem.startswith("pre_")]
FINDING = Finding(rule="r.x", reason="would do it", gate="command")
DENY = Verdict(decision=Decision.DENY, band=Band.ESCALATE, findings=(FINDING,))
ASK = Verdict(decision=Decision.ASK, band=Band.ESCALATE, findings=(FINDING,))
ALLOW = Verdict(decision=Decision.ALLOW, band=Band.AUTO)
READS = Verdict(decision=Decision.ALLOW, band=Band.AUTO, understood=True, reads_only=True)
NOISE = b"a line that some profile printed\n"
MEANT = {"shell": "Bash", "write": "Write", "edit": "Edit", "read": "Read", "fetch": "WebFetch", "agent": "Agent"}
BY_SHAPE = {  # tools whose shapes nobody confirmed are judged by their arguments, under their own names
    ("vscode", "write"), ("vscode", "fetch"), ("gemini", "fetch"), ("qwen", "fetch"), ("kiro", "write"), ("augment", "edit"),
    ("crush", "fetch"), ("antigravity", "write"), ("antigravity", "fetch"), ("grok", "write"),
}  # fmt: skip


def name_of(path: Path) -> str:
    """The agent and the case."""
    return f"{path.parent.name}/{path.stem}"


def heard(path: Path, installed: str = "") -> Event:
    """The recorded event, through a hook that was installed for ``installed`` (usually the agent itself)."""
    return hear(installed or path.parent.name, path.read_bytes(), cwd="/work/app", event="", environment={})


def shell(agent: str) -> Event:
    """The agent's pending shell command."""
    if agent != "claude":
        return heard(HERE / agent / "pre_shell.json")
    told = json.loads((HERE / "claude/PreToolUse-Bash.json").read_text()) | {"permission_mode": "default"}
    return hear("claude", json.dumps(told).encode(), cwd="/work/app", event="", environment={})


def noisy(answer: Answer) -> Answer:
    """The answer after somebody else printed a line."""
    return Answer(answer.exit_code, NOISE + answer.stdout, answer.stderr)


def outcome(agent: str, event: Event, answer: Answer) -> str:
    """What the agent does with it."""
    return HOSTS[agent](event.name, answer)


@pytest.mark.parametrize("path", PRE, ids=name_of)
def test_every_recorded_call_is_understood(path: Path) -> None:
    """As a pending call of the right tool, without a fault, in its place."""
    event, agent = heard(path), path.parent.name
    kind = path.stem.split("_")[1]
    assert (event.agent, event.kind, event.fault, event.project) == (agent, EventKind.PRE, "", "/work/app")
    if kind == "mcp":
        assert event.tool == f"mcp__{'unnamed' if agent == 'cursor' else 'tracker'}__read_ticket"
        assert event.input == {"id": 1}
    elif kind == "patch":
        assert event.tool in ("apply_patch", "ApplyPatch")
    elif kind == "edit" and isinstance(event.input.get("edits"), list):
        assert event.tool == "MultiEdit"
    elif (agent, kind) not in BY_SHAPE:
        assert event.tool == MEANT[kind]
    if kind == "shell":
        assert event.input["command"] == "ls"


@pytest.mark.parametrize("path", PRE, ids=name_of)
def test_harmless_recorded_calls_pass(path: Path) -> None:
    """The whole pipeline has nothing against them."""
    host = FrozenHost(files={"/work/app/.git/": "", "/work/app/a.txt": "x\n"})
    verdict = decide(heard(path), host=host, policy=BUILT_IN)
    assert verdict.decision is Decision.ALLOW, verdict.findings
    assert not verdict.operation or verdict.operation.unread == ()


@pytest.mark.parametrize("path", [p for p in RECORDED if not p.stem.startswith("pre_")], ids=name_of)
def test_what_is_over_is_never_stopped(path: Path) -> None:
    """Finished calls and sessions are told apart from pending ones."""
    event = heard(path) if "turn_id" in path.read_text() or path.parent.name not in ("copilot",) else hear(
        "copilot", path.read_bytes(), cwd="/", event="postToolUse", environment={}
    )  # fmt: skip
    assert event.kind in (EventKind.POST, EventKind.SESSION)
    assert outcome(path.parent.name, event, answered(event, DENY, explicit_allow="reads")) in ("own", "allowed")


@pytest.mark.parametrize("agent", EVERY)
def test_a_denial_stops_even_beside_noise(agent: str) -> None:
    """With a reason. Cline alone is lost to noise, since it understands nothing but JSON."""
    event = shell(agent)
    answer = answered(event, DENY, explicit_allow="reads")
    assert outcome(agent, event, answer) == "stopped"
    assert b"r.x" in answer.stdout + answer.stderr
    assert outcome(agent, event, noisy(answer)) == ("own" if agent == "cline" else "stopped")


@pytest.mark.parametrize("agent", EVERY)
def test_an_ask_asks_or_stops(agent: str) -> None:
    """And where it has to stop, the person is told what to do; noise makes neither an allow."""
    event = shell(agent)
    answer = answered(event, ASK, explicit_allow="reads")
    assert outcome(agent, event, answer) == ("asked" if agent in ASKING else "stopped")
    assert event.asking is (Asking.SHOWS if agent in ASKING else Asking.CANNOT)
    if agent not in ASKING:
        assert b"run it yourself" in answer.stdout + answer.stderr


@pytest.mark.parametrize("agent", EVERY)
def test_no_opinion_changes_nothing(agent: str) -> None:
    """The agent's own flow goes on, with noise and without."""
    event = shell(agent)
    answer = answered(event, ALLOW, explicit_allow="auto")
    assert outcome(agent, event, answer) == "own"
    assert outcome(agent, event, noisy(answer)) in ("own", "stopped")


@pytest.mark.parametrize("agent", EVERY)
def test_an_explicit_allow_is_given_only_where_it_means_something(agent: str) -> None:
    """Never where the agent takes it for a failure."""
    event = shell(agent)
    answer = answered(event, READS, explicit_allow="reads")
    assert outcome(agent, event, answer) in ("own", "allowed")
    assert agent != "codex" or answer == Answer(0)


BROKEN = [b"", b"null", b"[]", b"{", b'{"a": 1}{}', b"\xff\xfe", b"{}" + b" " * 9 + b"x", b'{"hook_event_name": 5}']


@pytest.mark.parametrize("agent", EVERY)
@pytest.mark.parametrize("raw", BROKEN, ids=range(len(BROKEN)))
def test_a_garbage_event_does_not_pass(agent: str, raw: bytes) -> None:
    """It is a pending call that nobody understood."""
    event = hear(agent, raw, cwd="/", event="", environment={})
    assert event.fault and event.kind is EventKind.PRE
    verdict = msgspec.structs.replace(ASK, findings=(msgspec.structs.replace(FINDING, reason=event.fault),))
    assert outcome(agent, event, answered(event, verdict, explicit_allow="auto")) in ("asked", "stopped")


@pytest.mark.parametrize("agent", OTHERS)
def test_an_oversized_event_does_not_pass(agent: str) -> None:
    """However well it begins."""
    raw = (HERE / agent / "pre_shell.json").read_bytes() + b" " * MAX_BYTES
    event = hear(agent, raw, cwd="/", event="", environment={})
    assert "larger than" in event.fault
    assert outcome(agent, event, answered(event, ASK, explicit_allow="auto")) in ("asked", "stopped")


def _without_tool(value: object) -> object:
    if isinstance(value, dict):
        return {
            key: _without_tool(child)
            for key, child in value.items()
            if key not in ("command", "command_line", "CommandLine")
        }
    return value


@pytest.mark.parametrize("agent", OTHERS)
def test_a_shell_call_of_another_shape_is_a_fault(agent: str) -> None:
    """A known tool without its command."""
    raw = json.dumps(_without_tool(json.loads((HERE / agent / "pre_shell.json").read_text()))).encode()
    event = hear(agent, raw, cwd="/", event="", environment={})
    assert event.kind is EventKind.PRE
    assert "command" in event.fault


@pytest.mark.parametrize("path", [path for path in PRE if path.stem == "pre_shell"], ids=name_of)
@pytest.mark.parametrize("installed", ["claude", "cursor", "gemini", "codex"])
def test_the_shape_beats_the_name_in_the_settings(path: Path, installed: str) -> None:
    """A denial stops the agent that really speaks; an agent that cannot ask is not asked."""
    agent = path.parent.name
    if agent in ("vscode", "droid", installed):
        return  # they look like Claude Code's own events, and so does the answer
    event = heard(path, installed)
    assert event.agent == agent
    assert outcome(agent, event, answered(event, DENY, explicit_allow="reads")) == "stopped"
    assert outcome(agent, event, answered(event, ASK, explicit_allow="reads")) in ("asked", "stopped")


def claude_call(**more: object) -> bytes:
    """Claude Code's shell call with some fields of others."""
    return json.dumps(
        json.loads((HERE / "claude/PreToolUse-Bash.json").read_text()) | {"permission_mode": "default", **more}
    ).encode()


@pytest.mark.parametrize(
    ("installed", "more", "asking"),
    [
        ("claude", {}, Asking.SHOWS), ("cursor", {}, Asking.CANNOT), ("grok", {}, Asking.CANNOT), ("hermes", {}, Asking.CANNOT),
        ("claude", {"tool_name": "exec"}, Asking.CANNOT),
    ],
)  # fmt: skip
def test_a_question_in_claude_code_s_words_goes_only_to_claude_code(
    installed: str, more: dict[str, object], asking: Asking
) -> None:
    """In another agent's hook, or with another agent's tool, it may be an agent on which it does nothing."""
    event = hear(installed, claude_call(**more), cwd="/w", event="", environment={})
    assert (event.agent, event.asking) == ("claude", asking)


@pytest.mark.parametrize(
    ("installed", "told", "agent"),
    [
        ("claude", {"hook_event_name": "PreToolUse", "session_id": "s", "timestamp": 1, "cwd": "/w", "tool_name": "Write", "tool_input": {"path": "/w/a", "file_text": "x"}}, "copilot"),
        ("claude", {"hookEventName": "PreToolUse", "sessionId": "s", "timestamp": "t", "tool_name": "run_in_terminal", "tool_input": {"command": "ls"}, "tool_use_id": "1"}, "vscode"),
        ("cursor", {"hookEventName": "PreToolUse", "sessionId": "s", "cwd": "/w", "toolName": "run_terminal_command", "toolInput": {"command": "ls"}}, "grok"),
        ("claude", {"hookEventName": "session_start", "sessionId": "s", "cwd": "/w"}, "grok"),
        ("grok", {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "tool_name": "run_terminal_command", "tool_input": {"command": "ls"}}, "grok"),
        ("claude", {"hook_event_name": "PreToolUse", "session_id": "s", "client_type": "cli", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_call_id": "c"}, "kimi"),
        ("goose", {"event": "PreToolUse", "session_id": "s", "tool_name": "developer__shell", "tool_input": {"command": "ls"}, "tool_call_id": "c"}, "goose"),
        ("vscode", {"hook_event_name": "PreToolUse", "session_id": "s", "timestamp": 1, "cwd": "/w", "tool_name": "run_in_terminal", "tool_input": {"command": "ls"}}, "vscode"),
    ],
)  # fmt: skip
def test_other_spellings_of_an_envelope_are_known(installed: str, told: dict[str, object], agent: str) -> None:
    """Camel case and snake case, older and newer, and hooks that another agent runs."""
    event = hear(installed, json.dumps(told).encode(), cwd="/w", event="", environment={})
    assert (event.agent, event.fault, event.session) == (agent, "", "s")


@pytest.mark.parametrize(
    "told",
    [
        {"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": "bash", "toolArgs": {"command": "ls"}, "toolResult": {"resultType": "success"}},
        {"hook_event_name": "PostToolUse", "session_id": "s", "timestamp": 1, "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_result": {}},
    ],
)  # fmt: skip
def test_a_finished_call_of_copilot_is_known_without_the_name_of_its_event(told: dict[str, object]) -> None:
    """By what came of it, or by its other spelling."""
    event = hear("copilot", json.dumps(told).encode(), cwd="/w", event="", environment={})
    assert event.kind is EventKind.POST
    assert answered(event, DENY, explicit_allow="reads") == Answer(0)


def test_two_names_of_one_field_must_agree() -> None:
    """Else nobody knows which of them the agent takes."""
    told = json.loads((HERE / "droid/pre_write.json").read_text())
    told["tool_input"]["path"] = "/work/app/other"
    assert "differ" in hear("droid", json.dumps(told).encode(), cwd="/", event="", environment={}).fault
    told["tool_input"]["path"] = told["tool_input"]["file_path"]
    assert hear("droid", json.dumps(told).encode(), cwd="/", event="", environment={}).fault == ""


def test_a_shell_call_runs_where_it_says() -> None:
    """Against the agent's own place."""
    assert heard(HERE / "gemini/pre_shell_elsewhere.json").cwd == "/work/app/sub"


def test_every_agent_is_in_the_table_of_hosts() -> None:
    """And has recorded payloads."""
    assert set(HOSTS) == set(AGENTS) - {"generic"}
    assert all((HERE / name / "pre_shell.json").exists() for name in OTHERS)


def test_unconfirmed_tools_still_have_effects() -> None:
    """Their arguments tell: a path is written, an address fetched."""
    from checkrail.context import Surroundings

    around = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")
    for agent, kind in sorted(BY_SHAPE):
        (found,) = operations(heard(HERE / agent / f"pre_{kind}.json"), around)
        said = [entry.target.value for entry in found.effects] + [payload.text for payload in found.payloads]
        assert any("/work/app/" in word or "https://example.com/" in word for word in said), (agent, kind, said)


KEYS = sorted(
    {key for path in RECORDED for key in json.loads(path.read_text())} | {"mcp_context", "mcp_metadata", "tool_call"}
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "[", "{}", "ls", "x__y", "x.y", "PreToolUse", "use_mcp_tool"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "args", "toolName", "arguments", "command", "parameters", *KEYS]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # on a busy machine
@given(st.dictionaries(st.sampled_from(KEYS), _JSON, max_size=8), st.sampled_from(sorted(AGENTS)))
def test_no_shape_raises_and_none_that_is_doubted_passes(told: dict[str, object], agent: str) -> None:
    """Whatever stands in the fields that the dialects look at."""
    event = hear(agent, json.dumps(told).encode(), cwd="/w", event="", environment={})
    assert event.agent in AGENTS
    if event.fault and event.kind is EventKind.PRE and event.agent in HOSTS:
        assert outcome(event.agent, event, answered(event, ASK, explicit_allow="auto")) in (
            "asked",
            "stopped",
            "own" if event.asking is Asking.ASKING else "stopped",
        )


@pytest.mark.parametrize("agent", sorted(HOSTS))
def test_an_unknown_event_at_a_hook_for_pending_calls_does_not_pass(agent: str) -> None:
    """As after a version that names its events and fields anew."""
    first = (
        next((home.hooks[0].event for home in PRESENCES[agent].homes if home.hooks), "")
        if agent in PRESENCES
        else "PreToolUse"
    )
    first = first or {"opencode": "pre", "cline": "PreToolUse"}[agent]
    raw = b'{"hook_event_name": "BeforeAnything", "call": {"command": "x"}}'
    event = hear(agent, raw, cwd="/w", event=first, environment={})
    assert event.kind is EventKind.PRE
    assert event.fault


def test_every_host_waits_longer_than_the_hook() -> None:
    """So that the hook itself blocks before the host gives up and lets the call pass."""
    import re

    from checkrail.daemon import shim

    found = re.search(r"DEADLINE, TRY, WAIT = 8 << 20, ([0-9.]+)", shim.source())
    assert found
    for presence in PRESENCES.values():
        for home in presence.homes:
            seconds = home.timeout / (1000 if home.unit == "ms" else 1)
            assert not home.unit or seconds > float(found[1]) + 2
            text = str(home.handler)
            assert not home.unit or "timeout" in text.lower()
