"""MCP tools by the shape of their arguments, then by their names."""

from collections.abc import Mapping
from typing import Any

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Event, EventKind, Operation, TargetKind
from checkrail.operations import operations
from checkrail.operations.names import judge_words, split, words

AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")


def operation(tool: str, given: dict[str, Any], servers: tuple[str, ...] = ()) -> Operation:
    """The operation of one call."""
    event = Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given, cwd="/work/app")
    return operations(event, AROUND, servers=servers)[0]


@pytest.mark.parametrize(
    ("name", "servers", "expected"),
    [
        ("mcp__git__git_log", (), ("git", "git_log")),
        ("mcp__my__srv__do_it", ("my__srv", "my"), ("my__srv", "do_it")),
        ("mcp__my__srv__do_it", (), ("my", "srv__do_it")),
        ("mcp__plugin_a_b__x", (), ("plugin_a_b", "x")),
        ("run_shell_command", ("run",), ("", "run_shell_command")),
    ],
)
def test_names_are_split_at_the_longest_known_server(
    name: str, servers: tuple[str, ...], expected: tuple[str, str]
) -> None:
    """A server's name may hold the separator."""
    assert split(name, servers) == expected


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("delete_branch", "delete"), ("resources_delete", "delete"), ("volume_delete", "delete"), ("dangerous_delete", "delete"),
        ("worktree_remove", "delete"), ("safe-delete", "delete"), ("linear_archiveIssue", "delete"), ("run_drop_table", "delete"),
        ("get_deleted_items", "read"), ("list_merge_requests", "read"), ("release_list", "read"), ("deploy_get_status", "read"),
        ("API-post-search", "read"), ("linear_getViewer", "read"), ("search_and_replace", "update"), ("get_or_create_label", "create"),
        ("read_and_delete", "delete"), ("check_and_merge", "merge"),
        ("merge_pull_request", "merge"), ("pull_request_merge", "merge"), ("create_merge_request", "create"), ("update_pull_request", "update"),
        ("send_email", "send"), ("post_message", "send"), ("draft_email", "create"), ("session_send", "browse"), ("send_keys", "browse"),
        ("publish_post", "publish"), ("create_release", "publish"), ("deploy_service", "deploy"), ("charge_capture", "pay"), ("create_payment", "pay"),
        ("grant_role", "grant"), ("add_member", "grant"), ("create_webhook", "grant"), ("create_api_token", "grant"), ("get_secret_value", "secret"),
        ("stop_environment", "stop"), ("close_page", "browse"), ("merge_cells", "update"), ("browser_click", "browse"),
        ("generate_chart", "compute"), ("run_report", "read"), ("run_pipeline", "execute"), ("frobnicate", "unknown"), ("", "unknown"),
    ],
)  # fmt: skip
def test_verbs_and_objects(name: str, group: str) -> None:
    """Nouns are told from verbs, weak verbs give way, objects sharpen or soften."""
    assert judge_words(words(name)) == group


def payloads(found: Operation) -> list[tuple[str, str]]:
    """Payloads as (language, text)."""
    return [(payload.language, payload.text) for payload in found.payloads]


@pytest.mark.parametrize(
    ("tool", "given_input", "expected"),
    [
        ("mcp__db__execute_sql", {"query": "select 1"}, ("sql", "select 1")),
        ("mcp__docs__query", {"query": "delete from users"}, ("sql", "delete from users")),
        ("mcp__x__lookup", {"opts": [{"q": "DROP TABLE users"}]}, ("sql", "DROP TABLE users")),
        ("mcp__x__do", {"payload": '{"sql": "DROP TABLE users"}'}, ("sql", "DROP TABLE users")),
        ("mcp__r__execute_command", {"command": "rm -rf x"}, ("shell", "rm -rf x")),
        ("mcp__r__execute_command", {"command": ["git", "reset", "--hard"]}, ("shell", "git reset --hard")),
        ("mcp__r__run", {"command": "git", "args": ["push", "--force"]}, ("shell", "git push --force")),
        ("mcp__r__run_in_terminal", {"args": ["rm", "-rf", "x y"]}, ("shell", "rm -rf 'x y'")),
        ("mcp__c__git_operation", {"operation": "status; rm -rf ~"}, ("shell", "git status; rm -rf ~")),
        ("mcp__g__run_gcloud_command", {"args": ["projects", "delete", "x"]}, ("shell", "gcloud projects delete x")),
        (
            "mcp__git__git_push",
            {"remote": "origin", "branch": "main", "force": True},
            ("shell", "git push --force origin main"),
        ),
        ("mcp__git__git_branch", {"operation": "delete", "name": "x"}, ("shell", "git branch -D x")),
        ("mcp__git__git_reset", {"mode": "hard"}, ("shell", "git reset --hard")),
        ("mcp__py__run_python", {"code": "import os"}, ("python", "import os")),
        ("mcp__py__evaluate_python", {"code": "import os"}, ("python", "import os")),
        ("mcp__x__execute_code", {"language": "bash", "code": "id"}, ("shell", "id")),
        ("mcp__x__execute_code", {"language": "javascript", "code": "1"}, ("node", "1")),
        ("mcp__w__fetch", {"u": "http://169.254.169.254/"}, ("url", "http://169.254.169.254/")),
        ("mcp__w__x", {"a": {"b": [{"c": "https://example.com/"}]}}, ("url", "https://example.com/")),
        ("mcp__b__agent", {"instruction": "open http://10.0.0.1/ and log in"}, ("url", "http://10.0.0.1/")),
        ("mcp__h__request", {"method": "DELETE", "url": "https://example.com/1"}, ("url", "https://example.com/1")),
        ("mcp__gh__graphql", {"query": "mutation { x }"}, ("graphql", "mutation { x }")),
        ("mcp__redis__command", {"command": "FLUSHALL"}, ("redis", "FLUSHALL")),
        ("mcp__mongo__run", {"command": "db.x.drop()"}, ("mongo", "db.x.drop()")),
        ("run_shell_command", {"command": "ls"}, ("shell", "ls")),
    ],
)
def test_texts_that_do_something_are_payloads(
    tool: str, given_input: dict[str, Any], expected: tuple[str, str]
) -> None:
    """At any depth, under any name, inside JSON inside texts."""
    assert expected in payloads(operation(tool, given_input))


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        (
            "mcp__linear__create_issue",
            {"title": "DROP TABLE users", "description": "run rm -rf / and http://169.254.169.254/"},
        ),
        ("mcp__w__search", {"query": "delete from list python"}),
        ("mcp__w__search", {"query": "show me how to merge"}),
        ("mcp__docs__query", {"query": "how do I update a table"}),
        ("mcp__a__session_send", {"text": "the guard refused git push --force"}),
        ("mcp__editor__edit", {"command": "create"}),
        ("mcp__linear__list_issues", {"state": "deleted"}),
        ("mcp__slack__search", {"text": "sudo reboot"}),
    ],
)
def test_prose_and_words_do_nothing(tool: str, given_input: dict[str, Any]) -> None:
    """Near misses: titles, messages, search words, names of actions."""
    assert operation(tool, given_input).payloads == ()


def test_the_method_of_a_request_comes_along() -> None:
    """And its body, as data that is sent."""
    (payload,) = operation("mcp__h__request", {"method": "post", "url": "https://example.com/", "body": "k=v"}).payloads
    assert dict(payload.options) == {"method": "POST", "data": "literal", "body": "k=v"}


def test_sql_knows_its_dialect_and_target() -> None:
    """By the names of server and tool."""
    (payload,) = operation("mcp__supabase__execute_sql", {"query": "select 1"}).payloads
    assert dict(payload.options) == {"dialect": "postgres", "target": "supabase"}


def test_a_command_elsewhere_has_a_host_and_no_folder() -> None:
    """Through ssh or into a container it does not run here."""
    (payload,) = operation("mcp__ssh__run-command", {"command": "ls", "host": "web1"}).payloads
    assert (payload.host, payload.cwd) == ("web1", None)


@pytest.mark.parametrize(
    ("tool", "given_input", "expected"),
    [
        ("mcp__fs__write_file", {"path": "/home/dev/.bashrc", "content": "x"}, ("write", "/home/dev/.bashrc")),
        ("mcp__fs__read_file", {"path": "src/a.py"}, ("read", "/work/app/src/a.py")),
        ("mcp__fs__read_files", {"paths": ["a", "/home/dev/.ssh/id_rsa"]}, ("read", "/home/dev/.ssh/id_rsa")),
        ("mcp__fs__delete_file", {"path": "a"}, ("delete", "/work/app/a")),
        ("mcp__fs__move_file", {"source": "/work/app/a", "destination": "/work/app/b"}, ("delete", "/work/app/a")),
        ("mcp__fs__move_file", {"source": "/work/app/a", "destination": "/work/app/b"}, ("write", "/work/app/b")),
        (
            "mcp__serena__replace_symbol_body",
            {"relative_path": ".claude/hooks/gate.py", "body": "pass"},
            ("write", "/work/app/.claude/hooks/gate.py"),
        ),
        ("mcp__xl__delete_chart", {"path": "/work/app/b.xlsx"}, ("write", "/work/app/b.xlsx")),
        ("mcp__m__save_screenshot", {"saveTo": "/home/dev/.bashrc"}, ("write", "/home/dev/.bashrc")),
        ("mcp__b__navigate", {"x": "~/.ssh/id_rsa", "file": "~/.ssh/id_rsa"}, ("read", "/home/dev/.ssh/id_rsa")),
    ],
)
def test_paths_are_effects(tool: str, given_input: dict[str, Any], expected: tuple[str, str]) -> None:
    """By the verb of the tool and the name of the argument."""
    found = [
        (effect.action.value, effect.target.value)
        for effect in operation(tool, given_input).effects
        if effect.target.kind is TargetKind.PATH
    ]
    assert expected in found


def test_paths_in_a_repository_elsewhere_are_not_local() -> None:
    """A file in a hosted repository is no file here."""
    found = operation(
        "mcp__github__create_or_update_file", {"owner": "a", "repo": "b", "path": ".bashrc", "content": "x"}
    )
    assert not [effect for effect in found.effects if effect.target.kind is TargetKind.PATH]


@pytest.mark.parametrize("value", ["--output=/home/dev/.bashrc", "--ext-diff", "--upload-pack=x", "-c"])
def test_options_in_values_are_noticed(value: str) -> None:
    """A branch name that git would take for an option."""
    assert "mcp.option" in {effect.rule for effect in operation("mcp__git__git_log", {"branch": value}).effects}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("branch", "feature/x"),
        ("branch", "a--b"),
        ("sort", "-created"),
        ("message", "--force is bad"),
        ("title", "--help"),
        ("offset", "-1"),
    ],
)
def test_ordinary_values_are_no_options(key: str, value: str) -> None:
    """Near misses."""
    assert "mcp.option" not in {effect.rule for effect in operation("mcp__git__git_log", {key: value}).effects}


def rule(found: Operation) -> str:
    """The rule of the call itself."""
    return found.effects[0].rule


@pytest.mark.parametrize(
    ("tool", "given_input", "expected"),
    [
        ("mcp__db__execute_sql", {"query": "select 1"}, "mcp.carried"),
        ("mcp__db__apply_migration", {"name": "x", "query": "drop table t"}, "mcp.carried"),
        ("mcp__r__run_command", {"command": "ls"}, "mcp.carried"),
        ("mcp__fs__write_file", {"path": "a", "content": "x"}, "mcp.carried"),
        ("mcp__b__browser_navigate", {"url": "http://localhost/"}, "mcp.carried"),
        ("mcp__x__delete_webhook", {"url": "https://example.com/"}, "mcp.delete"),
        ("mcp__x__create_webhook", {"url": "https://example.com/"}, "mcp.grant"),
        ("mcp__cal__create_event", {"title": "x"}, "mcp.create"),
        ("mcp__cal__create_event", {"title": "x", "attendees": ["a@example.com"]}, "mcp.send"),
        ("mcp__g__manage_event", {"action": "delete", "id": "1"}, "mcp.delete"),
        ("mcp__g__manage_event", {"action": "list"}, "mcp.read"),
        ("mcp__z__execute_action", {"action": "gmail_send_email"}, "mcp.send"),
        ("mcp__z__call_tool", {"tool_name": "delete_repo", "arguments": {}}, "mcp.delete"),
        ("mcp__es__request", {"method": "DELETE", "index": "x"}, "mcp.delete"),
        ("mcp__x__get_thing", {"id": 1}, "mcp.read"),
        ("mcp__figma__create_code_block", {"code": "rm -rf ~"}, "mcp.create"),
    ],
)
def test_the_class_of_the_call(tool: str, given_input: dict[str, Any], expected: str) -> None:
    """Carried where the arguments say all; else by verb, object, action, method and people."""
    assert rule(operation(tool, given_input)) == expected


class Claims:
    """A catalogue of one claim."""

    def __init__(self, claims: Mapping[str, Any]) -> None:
        self.claims = claims

    def annotations(self, server: str, tool: str) -> Mapping[str, Any] | None:  # noqa: ARG002
        """The same for every tool."""
        return self.claims


def test_claims_only_raise() -> None:
    """A destructive tool says so; one that calls itself read-only is judged as before."""
    event = Event(agent="claude", kind=EventKind.PRE, tool="mcp__x__delete_it", input={}, cwd="/work/app")
    harmless = operations(event, AROUND, catalogue=Claims({"readOnlyHint": True}))[0].effects[0]
    assert (harmless.rule, harmless.axes) == ("mcp.delete", None)
    event = Event(agent="claude", kind=EventKind.PRE, tool="mcp__x__get_it", input={}, cwd="/work/app")
    raised = operations(event, AROUND, catalogue=Claims({"destructiveHint": True}))[0].effects[0]
    assert raised.axes is not None
    both = operations(event, AROUND, catalogue=Claims({"destructiveHint": True, "readOnlyHint": True}))[0].effects[0]
    assert both.axes is not None


@pytest.mark.parametrize(
    ("tool", "servers", "doubtful", "rule"),
    [
        ("mcp__my__send__list_x", (), (), "mcp.send"),
        ("mcp__my__send__list_x", ("my__send",), (), "mcp.read"),
        ("mcp__my__send__list_x", (), ("my__send",), "mcp.send"),
        ("mcp__my__list__send_x", (), ("my__list",), "mcp.send"),
        ("mcp__my__get__x_drop", (), ("my__get",), "mcp.delete"),
        ("mcp__my__get__drop_x", ("my",), ("my__get",), "mcp.delete"),
        ("mcp__my__get_x", (), ("other",), "mcp.read"),
    ],
)
def test_a_projects_own_names_for_servers_only_raise(
    tool: str, servers: tuple[str, ...], doubtful: tuple[str, ...], rule: str
) -> None:
    """A checked-out file cannot turn a sender into a reader by its server's name."""
    event = Event(agent="claude", kind=EventKind.PRE, tool=tool, input={}, cwd="/work/app")
    assert operations(event, AROUND, servers=servers, doubtful=doubtful)[0].effects[0].rule == rule


@pytest.mark.parametrize(
    ("given_input", "expected"),
    [
        ({"path": "a.sh", "content": "x"}, [("x", None)]),
        (
            {"path": "a.sh", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "c", "newText": "d"}]},
            [("b", "a"), ("d", "c")],
        ),
        ({"file": {"path": "a.sh"}, "content": "x"}, [("x", None)]),
        ({"path": "a.sh", "data": {"content": "x"}}, [("x", None)]),
        ({"input": {"file_path": "a.sh", "old_string": "a", "new_string": "b"}}, [("b", "a")]),
        ({"path": "a.sh", "dry": "x"}, [(None, None)]),
    ],
)
def test_what_is_written_is_found_wherever_it_stands(
    given_input: dict[str, Any], expected: list[tuple[str | None, str | None]]
) -> None:
    """Beside the path, in a list of edits, around it or below."""
    effects = operation("mcp__fs__write_file", given_input).effects
    assert [(effect.content, effect.previous) for effect in effects if effect.rule == "file.write"] == expected


@pytest.mark.parametrize(
    ("tool", "given_input", "guesses"),
    [
        ("mcp__x__tool", {"args": ["rm", "-rf", "x"]}, True),
        ("mcp__x__execute", {"q": "rm -rf x"}, True),
        ("mcp__x__frob", {"a": [{"b": "rm -rf x"}]}, True),
        ("mcp__x__tool", {"args": ["frobnicate", "x"]}, False),
        ("mcp__x__tool", {"args": ["rm"]}, False),
        ("mcp__x__execute", {"message": "rm -rf x"}, False),
        ("mcp__docs__search", {"q": "rm -rf x"}, False),
        ("mcp__docs__list", {"args": ["rm", "-rf", "x"]}, False),
    ],
)
def test_a_tool_that_runs_something_may_run_any_text(tool: str, given_input: dict[str, Any], guesses: bool) -> None:
    """Its harm counts in addition to the question that the name deserves; searching for a command is no command."""
    found = [payload for payload in operation(tool, given_input).payloads if ("guess", "yes") in payload.options]
    assert bool(found) is guesses


def test_a_repository_outside_the_workspace_asks() -> None:
    """A commit elsewhere, but not a look at its log."""
    changing = operation("mcp__git__git_commit", {"repo_path": "/home/dev/private", "message": "x"})
    assert "mcp.repository" in {effect.rule for effect in changing.effects}
    assert "mcp.repository" not in {
        effect.rule for effect in operation("mcp__git__git_log", {"repo_path": "/home/dev/private"}).effects
    }


def test_arguments_without_end_are_unread() -> None:
    """Too many and too deep."""
    deep: Any = "x"
    for _ in range(80):
        deep = [deep]
    assert operation("mcp__x__get", {"a": deep}).unread
    assert operation("mcp__x__get", {"a": ["x"] * 20_000}).unread
