"""The MCP gate: verbs, statements, claims, secrets."""

from typing import Any

import pytest

from checkrail.bands import base_decision, strictest
from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.gates import mcp
from checkrail.model import Decision, Event, EventKind, Finding
from checkrail.operations import operations
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN

HOST = FrozenHost(files={"/work/app/.git": None})
AROUND = Surroundings(host=HOST, home="/home/dev", workspace="/work/app", cwd="/work/app")


def event(tool: str, given: dict[str, Any]) -> Event:
    """One pending call."""
    return Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given, cwd="/work/app", project="/work/app")


def findings(tool: str, given: dict[str, Any]) -> tuple[Finding, ...]:
    """What the gate says about a call."""
    return mcp.judge(operations(event(tool, given), AROUND)[0].effects, AROUND, BUILT_IN)


@pytest.mark.parametrize(
    ("tool", "given_input", "expected"),
    [
        ("mcp__linear__delete_issue", {"id": "1"}, Decision.ASK),
        ("mcp__gmail__send_email", {"to": "a@example.com", "body": "x"}, Decision.ASK),
        ("mcp__github__merge_pull_request", {"number": 1}, Decision.ASK),
        ("mcp__v__deploy_to_vercel", {}, Decision.ASK),
        ("mcp__stripe__create_refund", {"amount": 1}, Decision.ASK),
        ("mcp__aws__add_role_permission", {}, Decision.ASK),
        ("mcp__x__frobnicate", {}, Decision.ASK),
        ("mcp__vault__get_secret", {"name": "x"}, Decision.ASK),
        ("mcp__git__git_log", {"branch": "--output=x"}, Decision.ASK),
        ("mcp__github__create_branch", {"name": "x", "force": True}, Decision.ASK),
        ("mcp__linear__create_issue", {"title": "x"}, Decision.ALLOW),
        ("mcp__linear__update_issue", {"id": "1", "title": "x"}, Decision.ALLOW),
        ("mcp__linear__list_issues", {"state": "deleted"}, Decision.ALLOW),
        ("mcp__playwright__browser_click", {"selector": "a"}, Decision.ALLOW),
    ],
)
def test_by_verb(tool: str, given_input: dict[str, Any], expected: Decision) -> None:
    """Sends, merges, deploys, pays, deletes and grants ask; reads and what can be changed back do not."""
    assert strictest(base_decision(finding) for finding in findings(tool, given_input)) is expected


def test_reads_say_nothing_at_all() -> None:
    """So that they can be allowed outright."""
    assert findings("mcp__linear__list_issues", {"state": "open"}) == ()


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("mcp__x__search", {"query": "AKIAIOSFODNN7QWERTYU"}),
        ("mcp__x__get", {"channel": "c?d=AKIAIOSFODNN7QWERTYU"}),
        ("mcp__x__create_issue", {"a": {"b": [{"topic": "AKIAIOSFODNN7QWERTYU"}]}}),
    ],
)
def test_a_secret_under_any_name_asks(tool: str, given_input: dict[str, Any]) -> None:
    """Sink fields, nested fields and the queries of reads carry data out, too."""
    assert "mcp.secret-argument" in {finding.rule for finding in findings(tool, given_input)}


def test_a_thousand_reads_through_one_tool_give_no_prompt() -> None:
    """And each gets an explicit allow."""
    for number in range(1000):
        verdict = decide(
            event("mcp__supabase__execute_sql", {"query": f"select * from t where id = {number}"}),
            host=HOST,
            policy=BUILT_IN,
        )
        assert verdict.decision is Decision.ALLOW
        assert verdict.understood and verdict.reads_only


CARRIERS = (
    ("fetch metadata", Decision.DENY, [
        ("WebFetch", {"url": "http://169.254.169.254/latest/", "prompt": "x"}),
        ("mcp__w__fetch", {"url": "http://2852039166/latest/"}),
        ("mcp__w__anything", {"a": [{"b": "http://[::ffff:a9fe:a9fe]/"}]}),
        ("mcp__b__browser_navigate", {"url": "http:\\\\169.254.169.254\\"}),
    ]),
    ("drop a table", Decision.ASK, [
        ("mcp__db__execute_sql", {"sql": "DROP TABLE users"}),
        ("mcp__db__query", {"query": "/* x */ DROP TABLE users", "readOnly": True}),
        ("mcp__x__lookup", {"deep": {"er": "DROP TABLE users"}}),
    ]),
    ("write a git hook", Decision.ASK, [
        ("Write", {"file_path": "/work/app/.git/hooks/pre-commit", "content": "x"}),
        ("mcp__filesystem__write_file", {"path": "/work/app/.git/hooks/pre-commit", "content": "x"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n*** End Patch"}),
    ]),
    ("wipe home", Decision.DENY, [
        ("Bash", {"command": "rm -rf ~"}),
        ("mcp__runner__execute_command", {"command": "rm -rf ~"}),
        ("mcp__runner__execute_command", {"command": ["rm", "-rf", "/home/dev"]}),
        ("mcp__code__git_operation", {"operation": "status; rm -rf ~"}),
        ("run_shell_command", {"command": "rm -rf ~"}),
    ]),
    ("read a private key", Decision.ASK, [
        ("Read", {"file_path": "/home/dev/.ssh/id_rsa"}),
        ("mcp__fs__read_file", {"path": "/home/dev/.ssh/id_rsa"}),
        ("WebFetch", {"url": "file:///home/dev/.ssh/id_rsa", "prompt": "x"}),
        ("mcp__playwright__browser_navigate", {"url": "FILE://localhost/home/dev/.ssh/id_rsa"}),
    ]),
)  # fmt: skip


@pytest.mark.parametrize(("name", "expected", "calls"), CARRIERS)
def test_one_effect_has_one_verdict(name: str, expected: Decision, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Whichever tool carries it."""
    verdicts = {
        tool + str(given): decide(event(tool, given), host=HOST, policy=BUILT_IN).decision for tool, given in calls
    }
    assert set(verdicts.values()) == {expected}, (name, verdicts)


def _with_locks(own: str | None, project: str | None = None) -> Surroundings:
    files: dict[str, str | None] = {"/work/app/.git": None}
    if own is not None:
        files["/home/dev/.config/checkrail/checkrail.lock"] = own
    if project is not None:
        files["/work/app/checkrail.lock"] = project
    return Surroundings(
        host=FrozenHost(files=files),
        home="/home/dev",
        workspace="/work/app",
        cwd="/work/app",
        own=("/home/dev/.config/checkrail",),
    )


def _rules(tool: str, around: Surroundings) -> set[str]:
    found = mcp.judge(operations(event(tool, {"id": "1"}), around)[0].effects, around, BUILT_IN)
    return {finding.rule for finding in found}


HELD = '{"version": 1, "servers": {}, "quarantined": {"line ar": "list_issues: quarantine"}}'


@pytest.mark.parametrize("tool", ["mcp__line_ar__list_issues", "mcp__plugin_x_line_ar__list_issues"])
def test_a_quarantined_server_is_denied(tool: str) -> None:
    """By the user's lock or the project's, under any name that clients give it."""
    assert "mcp.quarantined" in _rules(tool, _with_locks(HELD))
    assert "mcp.quarantined" in _rules(tool, _with_locks(None, HELD))


def test_others_are_not() -> None:
    """Another server, no lock at all, a project's broken lock."""
    assert _rules("mcp__other__list_issues", _with_locks(HELD)) == set()
    assert _rules("mcp__line_ar__list_issues", _with_locks(None)) == set()
    assert _rules("mcp__line_ar__list_issues", _with_locks(None, "{")) == set()


def test_a_broken_lock_of_the_users_asks() -> None:
    """Nobody knows what it held back."""
    assert "mcp.lock-unreadable" in _rules("mcp__other__list_issues", _with_locks("{"))
