"""Claude Code's dialect: what it says and how it has to be answered."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.agents import claude
from checkrail.agents.answers import SILENT
from checkrail.daemon.protocol import Answer
from checkrail.model import Band, Decision, Event, EventKind, Finding, Verdict

FINDING = Finding(rule="git.push-force", reason="would overwrite main on origin", gate="command", safer="push a branch")


def told(**fields: Any) -> bytes:
    """A PreToolUse event with the usual envelope."""
    usual = {
        "session_id": "s1",
        "transcript_path": "/h/.claude/projects/p/s1.jsonl",
        "cwd": "/work/app",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": "toolu_1",
    }
    return json.dumps({**usual, **fields}).encode()


def decoded(raw: bytes, *, event: str = "PreToolUse", **environment: str) -> Event:
    """The event, heard in /here."""
    return claude.decode(raw, cwd="/here", event=event, environment=environment)


def call(tool: str, given_input: Any) -> Event:
    """The event of one tool call."""
    return decoded(told(tool_name=tool, tool_input=given_input))


def test_a_shell_call_is_decoded_whole() -> None:
    """Tool, input, place, session and call id come through."""
    event = decoded(told(), CLAUDE_PROJECT_DIR="/work")
    assert event == Event(
        agent="claude",
        name="PreToolUse",
        kind=EventKind.PRE,
        tool="Bash",
        input={"command": "ls"},
        cwd="/work/app",
        project="/work",
        session="s1",
        call="toolu_1",
        mode="default",
    )


def test_a_sub_agent_is_named_by_kind_and_number() -> None:
    """Both parts are kept; the main agent has none."""
    assert decoded(told(agent_id="a1", agent_type="reviewer")).subagent == "reviewer/a1"
    assert decoded(told()).subagent == ""


def test_an_mcp_tool_of_a_plugin_names_the_plugin() -> None:
    """Other MCP tools and plain tools name none."""
    assert call("mcp__plugin_deploy_api__promote", {}).plugin == "deploy"
    assert call("mcp__github__merge", {}).plugin == ""
    assert call("Bash", {"command": "ls"}).plugin == ""


@pytest.mark.parametrize("mode", ["bypassPermissions", "a mode of next year", ""])
def test_unknown_values_that_do_not_matter_are_tolerated(mode: str) -> None:
    """A new permission mode, a new field of a tool or of the envelope is no fault."""
    event = decoded(told(permission_mode=mode, brand_new={"x": 1}, tool_input={"command": "ls", "brand_new": [1]}))
    assert event.fault == ""
    assert event.mode == mode


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("Bash", {"command": "ls", "description": "d", "timeout": 5, "run_in_background": True}),
        ("Write", {"file_path": "/p/a", "content": "x\0y"}),
        ("Edit", {"file_path": "/p/a", "old_string": "x", "new_string": "y", "replace_all": False}),
        ("MultiEdit", {"file_path": "/p/a", "edits": [{"old_string": "a", "new_string": "b"}]}),
        ("NotebookEdit", {"notebook_path": "/p/n.ipynb", "new_source": "1", "edit_mode": "replace"}),
        ("Read", {"file_path": "/p/a", "offset": 1}),
        ("Glob", {"pattern": "**/*.py"}),
        ("Grep", {"pattern": "TODO", "-n": True, "path": None}),
        ("WebFetch", {"url": "https://example.com/", "prompt": "p"}),
        ("WebSearch", {"query": "q"}),
        ("Agent", {"description": "d", "prompt": "p"}),
        ("Task", {"prompt": "p"}),
        ("mcp__srv__do_it", {"x": 1}),
        ("mcp__srv__nothing", None),
        ("SomethingNew", {"anything": [1, {}]}),
    ],
)
def test_the_tools_we_know_are_understood(tool: str, given_input: Any) -> None:
    """Each in the shape it is sent in; a tool we do not know may have any object."""
    event = call(tool, given_input)
    assert event.fault == ""
    assert event.input == (given_input or {})


@pytest.mark.parametrize(
    ("tool", "given_input", "word"),
    [
        ("Bash", "rm -rf ~", "not an object"),
        ("Bash", {}, "without its field 'command'"),
        ("Bash", {"command": None}, "without its field"),
        ("Bash", {"command": 1}, "unknown kind"),
        ("Bash", {"command": True}, "unknown kind"),
        ("Bash", {"command": []}, "unknown kind"),
        ("Bash", {"command": ["rm", 1]}, "unknown kind"),
        ("Bash", {"command": {"x": "rm"}}, "unknown kind"),
        ("Bash", {"command": "ls\0"}, "NUL"),
        ("Bash", None, "not an object"),
        ("Read", {"file_path": 1}, "unknown kind"),
        ("Read", {"file_path": "/a\0b"}, "NUL"),
        ("Write", {"file_path": "/a"}, "without its field 'content'"),
        ("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": "yes"}, "unknown kind"),
        ("MultiEdit", {"file_path": "/a", "edits": "x"}, "unknown kind"),
        ("MultiEdit", {"file_path": "/a", "edits": [{"old_string": "x"}]}, "new_string"),
        ("MultiEdit", {"file_path": "/a", "edits": ["x"]}, "not an object"),
        ("WebFetch", {"url": ["http://x"]}, "unknown kind"),
        ("mcp__a__b", [1], "not an object"),
        ("mcp__a__b", {"x": [{"y": "\0"}]}, "NUL"),
        ("", {}, "names no tool"),
    ],
)
def test_another_shape_of_a_known_tool_is_a_fault(tool: str, given_input: Any, word: str) -> None:
    """It is said why, and the tool is still named."""
    event = call(tool, given_input)
    assert word in event.fault
    assert (event.kind, event.tool, event.session) == (EventKind.PRE, tool, "s1")


def test_an_argument_list_is_joined_to_the_line_that_runs_it() -> None:
    """Quoting keeps each argument whole."""
    assert call("Bash", {"command": ["rm", "-rf", "my dir"]}).input == {"command": "rm -rf 'my dir'"}


def test_a_byte_order_mark_is_dropped() -> None:
    """The event behind it is judged as usual."""
    assert decoded(b"\xef\xbb\xbf" + told()).input == {"command": "ls"}


@pytest.mark.parametrize(
    "raw", [b"", b"null", b'{"a":1}{}', told() + b"XX", told(cwd=["/x"]), told(tool_name=["Bash"])]
)
def test_what_is_no_event_is_a_pending_call_with_a_fault(raw: bytes) -> None:
    """So it cannot pass."""
    event = decoded(raw)
    assert event.fault
    assert event.kind is EventKind.PRE


@pytest.mark.parametrize(
    ("fields", "event", "kind"),
    [
        ({"hook_event_name": "PermissionRequest"}, "", EventKind.PRE),
        ({"hook_event_name": "PreSkillShellCommand"}, "", EventKind.PRE),
        ({"hook_event_name": "PreSomethingNew"}, "", EventKind.PRE),
        ({"hook_event_name": "PostToolUse", "tool_response": {}}, "", EventKind.POST),
        ({"hook_event_name": "PostToolUseFailure", "error": "x"}, "", EventKind.POST),
        ({"hook_event_name": "SessionStart"}, "", EventKind.SESSION),
        ({"hook_event_name": "ConfigChange"}, "", EventKind.CONFIG),
        ({"hook_event_name": None}, "PostToolUse", EventKind.POST),
        ({"hook_event_name": None}, "", EventKind.PRE),
    ],
)
def test_the_kind_follows_the_event(fields: dict[str, Any], event: str, kind: EventKind) -> None:
    """The payload says which; the hook's own event fills in; an unknown one with a tool call is pending."""
    assert decoded(told(**fields), event=event).kind is kind


def test_an_unknown_event_without_a_tool_is_passed_over() -> None:
    """There is nothing to judge in it."""
    raw = json.dumps({"hook_event_name": "Stop", "session_id": "s"}).encode()
    assert decoded(raw, event="Stop").kind is EventKind.OTHER


def test_a_config_change_carries_its_file() -> None:
    """And its source."""
    raw = told(hook_event_name="ConfigChange", source="local_settings", file_path="/p/.claude/settings.local.json")
    assert decoded(raw).input == {"source": "local_settings", "file_path": "/p/.claude/settings.local.json"}


def test_a_relative_cwd_is_not_believed() -> None:
    """Where the hook ran is taken instead."""
    assert decoded(told(cwd="app")).cwd == "/here"


@given(st.binary(max_size=200), st.sampled_from(["", "PreToolUse", "PostToolUse", "Nonsense"]))
def test_no_bytes_raise(raw: bytes, event: str) -> None:
    """Decoding always gives an event."""
    assert claude.decode(raw, cwd="/", event=event, environment={}).agent == "claude"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
    )
)
def test_no_input_of_a_known_tool_raises(value: Any) -> None:
    """Whatever JSON stands where the input of Bash belongs."""
    event = call("Bash", value)
    assert event.fault or isinstance(event.input["command"], str)


def answered(event: Event, verdict: Verdict, setting: str = "reads") -> Answer:
    """The encoded answer."""
    return claude.encode(event, verdict, explicit_allow=setting)


PRE = decoded(told())
DENY = Verdict(decision=Decision.DENY, band=Band.ESCALATE, findings=(FINDING,))
ASK = Verdict(decision=Decision.ASK, band=Band.ESCALATE, findings=(FINDING,))
ALLOW = Verdict(decision=Decision.ALLOW, band=Band.AUTO)
KNOWN = Verdict(decision=Decision.ALLOW, band=Band.AUTO, understood=True)
READS = Verdict(decision=Decision.ALLOW, band=Band.AUTO, understood=True, reads_only=True)
NOTE = Verdict(decision=Decision.ALLOW, band=Band.SOFT_ACK, understood=True, reads_only=True)


def specific(answer: Answer) -> dict[str, Any]:
    """The hookSpecificOutput of an answer; there is one document and nothing else."""
    document = json.loads(answer.stdout)
    assert list(document) == ["hookSpecificOutput"]
    return dict(document["hookSpecificOutput"])


def test_a_denial_is_written_three_ways() -> None:
    """JSON on stdout, the reason on stderr, exit code 2."""
    answer = answered(PRE, DENY)
    found = specific(answer)
    assert set(found) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert (found["hookEventName"], found["permissionDecision"]) == ("PreToolUse", "deny")
    assert found["permissionDecisionReason"].encode() + b"\n" == answer.stderr
    assert answer.exit_code == 2
    assert b"git.push-force" in answer.stderr


def test_an_ask_is_json_alone() -> None:
    """Exit code 0 and no stderr, or the agent would take it for a denial."""
    answer = answered(PRE, ASK)
    assert specific(answer)["permissionDecision"] == "ask"
    assert (answer.exit_code, answer.stderr) == (0, b"")


@pytest.mark.parametrize("mode", ["bypassPermissions", "dontAsk", "plan", "default"])
def test_an_ask_is_the_same_in_every_mode(mode: str) -> None:
    """No mode loosens an answer."""
    event = decoded(told(permission_mode=mode))
    assert answered(event, ASK) == answered(PRE, ASK)
    assert answered(event, DENY) == answered(PRE, DENY)


@pytest.mark.parametrize(
    ("verdict", "setting", "explicit"),
    [
        (READS, "reads", True),
        (READS, "auto", True),
        (READS, "off", False),
        (KNOWN, "reads", False),
        (KNOWN, "auto", True),
        (KNOWN, "off", False),
        (ALLOW, "auto", False),
        (NOTE, "auto", False),
        (msgspec.structs.replace(READS, understood=False), "reads", False),
    ],
)
def test_an_explicit_allow_needs_understanding(verdict: Verdict, setting: str, explicit: bool) -> None:
    """Anything else that passes is passed in silence, so the agent's own flow goes on."""
    answer = answered(PRE, verdict, setting)
    if explicit:
        assert specific(answer)["permissionDecision"] == "allow"
        assert specific(answer)["permissionDecisionReason"]
    else:
        assert answer == Answer(0, b"", b"")


def test_a_permission_request_is_answered_in_its_own_form() -> None:
    """Only a denial says anything there: the user is being asked already."""
    event = decoded(told(hook_event_name="PermissionRequest"))
    assert specific(answered(event, DENY))["decision"]["behavior"] == "deny"
    assert answered(event, DENY).exit_code == 2
    assert answered(event, ASK) == SILENT
    assert answered(event, READS) == SILENT


@pytest.mark.parametrize("name", ["PreSkillShellCommand", "PreSomethingNew"])
def test_an_event_that_cannot_ask_is_stopped(name: str) -> None:
    """Ask and deny both block; an allowed one passes in silence."""
    event = decoded(told(hook_event_name=name))
    for verdict in (ASK, DENY):
        answer = answered(event, verdict)
        assert answer.exit_code == 2
        assert specific(answer)["hookEventName"] == name
    assert answered(event, READS) == SILENT


def test_a_blocked_config_change_says_block() -> None:
    """In the form that event takes."""
    event = decoded(told(hook_event_name="ConfigChange"))
    answer = answered(event, DENY)
    assert json.loads(answer.stdout)["decision"] == "block"
    assert answer.exit_code == 2
    assert answered(event, ALLOW) == SILENT


@pytest.mark.parametrize("name", ["PostToolUse", "PostToolUseFailure", "SessionStart", "UserPromptSubmit"])
def test_what_is_over_is_never_blocked(name: str) -> None:
    """Even where a verdict says deny."""
    event = decoded(told(hook_event_name=name, tool_response={}))
    assert answered(event, DENY) == SILENT
