"""What tools claim to destroy: written down by a list, read by the gate, and only ever stricter."""

from pathlib import Path
from typing import Any

import pytest

from checkrail.admission import claims
from checkrail.admission.records import Definition, Sort
from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN

DESTROYS = {"destructiveHint": True}


def _tool(name: str, hints: dict[str, Any] | None, server: str = "my srv", kind: Sort = "tool") -> Definition:
    return Definition(server, {"name": name, **({"annotations": hints} if hints is not None else {})}, kind=kind)


def _verdict(state: Path, tool: str, given: dict[str, Any] | None = None) -> Verdict:
    files = {str(path): path.read_text() for path in state.rglob("*") if path.is_file()}
    event = Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given or {"id": "1"}, cwd="/work/app", project="/work/app")  # fmt: skip
    return decide(event, host=FrozenHost(files={"/work/app/.git": None, **files}), policy=BUILT_IN, own=(str(state),))


def _rules(state: Path, tool: str, given: dict[str, Any] | None = None) -> set[str]:
    return {finding.rule for finding in _verdict(state, tool, given).findings}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state directory in which a list was noted."""
    where = tmp_path / "state"
    claims.record(where, [
        _tool("get_row", DESTROYS), _tool("list_rows", {"readOnlyHint": True}), _tool("find_row", {"destructiveHint": "yes"}),
        _tool("read_both", {"readOnlyHint": True, **DESTROYS}), _tool("get_prompt", DESTROYS, kind="prompt"),
        _tool("get_row", None, "other"),
    ])  # fmt: skip
    return where


@pytest.mark.parametrize("name", ["mcp__my_srv__", "mcp__plugin_pack_my_srv__"])
def test_a_reader_that_claims_to_destroy_asks(state: Path, name: str) -> None:
    """Under whatever name clients give the server."""
    for tool in ("get_row", "read_both"):
        assert _rules(state, name + tool) == {"mcp.declared"}
        assert _verdict(state, name + tool).decision is Decision.ASK
    for tool in ("list_rows", "find_row", "get_prompt", "get_other"):
        assert _rules(state, name + tool) == set()


def test_others_are_judged_as_before(state: Path) -> None:
    """Another server; a tool whose arguments say what it does; one whose name says that it changes something."""
    assert _rules(state, "mcp__other__get_row") == set()
    claims.record(
        state, [_tool("write_file", DESTROYS), _tool("update_issue", DESTROYS), _tool("delete_issue", DESTROYS)]
    )
    for tool, given in (
        ("write_file", {"path": "/work/app/a.txt", "content": "x"}),
        ("update_issue", {"id": "1", "title": "x"}),
        ("delete_issue", {"id": "1"}),
    ):
        assert _rules(state, f"mcp__my_srv__{tool}", given) == _rules(state.parent, f"mcp__my_srv__{tool}", given)


def test_a_claim_to_only_read_frees_nothing(state: Path) -> None:
    """It is not even kept."""
    claims.record(state, [_tool("delete_row", {"readOnlyHint": True}), _tool("send_row", {"destructiveHint": False})])
    assert not list((state / claims.FOLDER).iterdir())
    assert "mcp.delete" in _rules(state, "mcp__my_srv__delete_row")
    assert "mcp.send" in _rules(state, "mcp__my_srv__send_row")


def test_the_last_list_counts(state: Path) -> None:
    """One file a server, the user's alone."""
    (path,) = (state / claims.FOLDER).iterdir()
    assert path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0
    claims.record(state, [_tool("get_other", DESTROYS)])
    assert _rules(state, "mcp__my_srv__get_row") == set()
    assert _rules(state, "mcp__my_srv__get_other") == {"mcp.declared"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"server": "other", "destructive": ["get_row"]}', "[" * 9999])
def test_what_cannot_be_read_claims_nothing(state: Path, text: str) -> None:
    """The call is judged without it."""
    (path,) = (state / claims.FOLDER).iterdir()
    path.write_text(text)
    assert _rules(state, "mcp__my_srv__get_row") == set()
