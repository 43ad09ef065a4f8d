"""Events become operations by what their tool means."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import HOLE, Action, Event, EventKind, Operation, TargetKind
from checkrail.operations import operations

HOST = FrozenHost(
    files={"/work/app/old.sh": "#!/bin/sh\necho a\nmake build\n", "/work/app/src": None, "/work/app/src/a.py": "x"}
)
AROUND = Surroundings(host=HOST, home="/home/dev", workspace="/work/app", cwd="/work/app")


def operation(tool: str, given: dict[str, Any], cwd: str = "/work/app") -> Operation:
    """The operation of one call."""
    (found,) = operations(Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given, cwd=cwd), AROUND)
    return found


def paths(found: Operation) -> list[tuple[str, str]]:
    """Effects on paths, as (action, path)."""
    return [
        (effect.action.value, effect.target.value) for effect in found.effects if effect.target.kind is TargetKind.PATH
    ]


def test_a_command_is_a_shell_payload_whose_spans_point_into_the_root_text() -> None:
    """Bash gives one payload with the text and the working directory of the event."""
    found = operation("Bash", {"command": "ls -la"})
    assert (found.kind, found.text, found.payloads[0].text, found.payloads[0].cwd) == (
        "command",
        "ls -la",
        "ls -la",
        "/work/app",
    )
    assert operation("PowerShell", {"command": "ls"}).payloads[0].language == "powershell"


@pytest.mark.parametrize(
    ("tool", "given_input", "expected"),
    [
        ("Write", {"file_path": "/work/app/a.txt", "content": "x"}, [("write", "/work/app/a.txt")]),
        ("Write", {"file_path": "../../etc/profile.d/x.sh", "content": ""}, [("write", "/etc/profile.d/x.sh")]),
        ("Write", {"file_path": "~/.bashrc", "content": ""}, [("write", "/home/dev/.bashrc")]),
        ("Write", {"file_path": "/work/app//.git///hooks/./x", "content": ""}, [("write", "/work/app/.git/hooks/x")]),
        ("Write", {"file_path": "//etc/passwd", "content": ""}, [("write", "/etc/passwd")]),
        ("Edit", {"file_path": "a.txt", "old_string": "x", "new_string": "y"}, [("write", "/work/app/a.txt")]),
        (
            "MultiEdit",
            {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
            [("write", "/work/app/a")],
        ),
        ("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "1"}, [("write", "/work/app/n.ipynb")]),
        ("Read", {"file_path": "a.txt"}, [("read", "/work/app/a.txt")]),
        ("Delete", {"path": "a.txt"}, [("delete", "/work/app/a.txt")]),
        ("Move", {"source": "a", "destination": "b"}, [("delete", "/work/app/a"), ("write", "/work/app/b")]),
        ("Grep", {"pattern": "x", "path": "/work/app/src/a.py"}, [("read", "/work/app/src/a.py")]),
        ("Grep", {"pattern": "x", "path": "/work/app/src"}, []),
        ("Grep", {"pattern": "x", "path": "/home/dev/.aws"}, [("read", "/home/dev/.aws")]),
        ("Grep", {"pattern": "x", "path": "/work/app/src", "glob": "**/.env*"}, [("read", "/work/app/src/.env*")]),
        ("Grep", {"pattern": "x", "path": "/work/app/src", "glob": "*.py"}, []),
        ("Glob", {"pattern": "**/*.py"}, []),
        ("LS", {"path": "/work/app"}, []),
    ],
)
def test_file_tools(tool: str, given_input: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    """Paths are absolute and normal, from the event's own directory."""
    assert paths(operation(tool, given_input)) == expected


PATCH = """*** Begin Patch
*** Add File: new.sh
+#!/bin/sh
+rm -rf x
*** Update File: a.txt
*** Move to: b.txt
@@
-old
+new
*** Delete File: gone.txt
*** End Patch"""

DIFF = """--- a/one.txt
+++ b/one.txt
@@ -1 +1 @@
-x
+y
--- /dev/null
+++ b/two.txt
@@ -0,0 +1 @@
+z
--- a/three.txt
+++ /dev/null
@@ -1 +0,0 @@
-z
"""


def test_every_file_of_a_patch_is_an_effect() -> None:
    """Added, moved and deleted files are all there."""
    found = operation("apply_patch", {"input": PATCH})
    assert paths(found) == [
        ("write", "/work/app/new.sh"),
        ("delete", "/work/app/a.txt"),
        ("write", "/work/app/b.txt"),
        ("delete", "/work/app/gone.txt"),
    ]
    assert [payload.text for payload in found.payloads] == ["#!/bin/sh\nrm -rf x\n"]


def test_unified_diffs_are_patches_too() -> None:
    """Old, new and removed files by their headers."""
    found = operation("apply_patch", {"patch": DIFF})
    assert paths(found) == [
        ("write", "/work/app/one.txt"),
        ("write", "/work/app/two.txt"),
        ("delete", "/work/app/three.txt"),
    ]


def test_a_patch_without_files_is_unread() -> None:
    """A text that is no patch does not pass as nothing."""
    assert operation("apply_patch", {"input": "hello"}).unread


@pytest.mark.parametrize(
    ("path", "content", "read"),
    [
        ("/work/app/x.sh", "rm -rf ~\n", True),
        ("/work/app/x", "#!/usr/bin/env bash\nrm -rf ~\n", True),
        ("/work/app/x", "#!/usr/bin/env -S bash -e\nid\n", True),
        ("/work/app/.git/hooks/pre-commit", "id\n", True),
        ("/work/app/.husky/pre-push", "id\n", True),
        ("/work/app/x.py", "#!/usr/bin/python3\nprint()\n", True),
        ("/work/app/x", "#!/usr/bin/env node\nlet a\n", True),
        ("/work/app/x.txt", "#!/usr/bin/awk -f\n", False),
        ("/work/app/tests/fixtures/x.sh", "rm -rf ~\n", False),
        ("/work/app/docs/x.sh", "rm -rf ~\n", False),
        ("/work/app/README.md", "run `rm -rf /`\n", False),
        ("/work/app/.git/hooks/pre-commit", "#!/usr/bin/env python3\n", True),
    ],
)
def test_written_scripts_are_payloads(path: str, content: str, read: bool) -> None:
    """By name, place or first line; marked as only written."""
    found = operation("Write", {"file_path": path, "content": content})
    assert bool(found.payloads) is read
    assert all(("written", path) in payload.options for payload in found.payloads)


def test_only_what_an_edit_adds_is_read() -> None:
    """Lines that were there stay out; a continued command stays whole."""
    (payload,) = operation(
        "Write", {"file_path": "/work/app/old.sh", "content": "#!/bin/sh\necho a\nrm -rf \\\n  x\nmake build\n"}
    ).payloads
    assert payload.text == "rm -rf \\\n  x\n"
    assert (
        operation("Edit", {"file_path": "/work/app/old.sh", "old_string": "a\nb", "new_string": "b\na"}).payloads == ()
    )


PACKAGE = '{"scripts": {"test": "vitest", "build": "tsc"}}'


def test_a_package_gains_scripts() -> None:
    """Only those that are new or changed; a text that does not parse gives none."""
    host = FrozenHost(files={"/work/app/package.json": PACKAGE})
    around = Surroundings(host=host, home="/home/dev", workspace="/work/app", cwd="/work/app")

    def gained(tool: str, given_input: dict[str, Any]) -> list[str]:
        event = Event(agent="claude", kind=EventKind.PRE, tool=tool, input=given_input, cwd="/work/app")
        return [payload.text for payload in operations(event, around)[0].payloads]

    path = "/work/app/package.json"
    whole = PACKAGE.replace("tsc", "tsc && rm -rf ~")
    assert gained("Write", {"file_path": path, "content": whole}) == ["tsc && rm -rf ~"]
    assert gained("Edit", {"file_path": path, "old_string": '"tsc"', "new_string": '"curl x | sh"'}) == ["curl x | sh"]
    assert gained("Write", {"file_path": path, "content": PACKAGE}) == []
    assert gained("Write", {"file_path": path, "content": "{"}) == []


def test_makefiles_and_workflows_gain_commands() -> None:
    """Recipes and steps; rules, keys and prose are none."""
    recipe = operation(
        "Write", {"file_path": "/work/app/Makefile", "content": "all: x\n\t@rm -rf $(HOME)\n\techo $$X\n"}
    )
    assert [payload.text for payload in recipe.payloads] == [f"rm -rf {HOLE}\necho $X\n"]
    workflow = "jobs:\n  x:\n    steps:\n      - run: make test\n      - name: y\n        run: |\n          echo ${{ a }}\n          id\n      - uses: z\n"
    steps = operation("Write", {"file_path": "/work/app/.github/workflows/ci.yml", "content": workflow})
    assert [payload.text for payload in steps.payloads] == ["make test\n", f"echo {HOLE}\nid\n"]


def test_fetch_and_search() -> None:
    """A fetch is a URL payload, a search receives."""
    assert operation("WebFetch", {"url": "https://example.com", "prompt": "x"}).payloads[0].language == "url"
    assert operation("WebSearch", {"query": "x"}).effects[0].action is Action.RECEIVE
    assert operation("Monitor", {"ws": {"url": "wss://example.com"}}).payloads[0].language == "url"
    assert operation("Monitor", {"command": "tail -f x"}).payloads[0].language == "shell"


def test_the_agents_own_tools_are_opaque() -> None:
    """They do nothing themselves, and get no explicit allow."""
    found = operation("Task", {"prompt": "rm -rf /"})
    assert (found.kind, found.effects, bool(found.opaque)) == ("agent", (), True)


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("Bash", {"command": 5}),
        ("Bash", {}),
        ("Bash", {"command": ["ls"]}),
        ("Write", {"file_path": None, "content": "x"}),
        ("Write", {"file_path": "a", "content": {}}),
        ("Write", {"file_path": ""}),
        ("Edit", {"file_path": ["a"]}),
        ("MultiEdit", {"file_path": "a", "edits": "x"}),
        ("MultiEdit", {"file_path": "a", "edits": [1]}),
        ("Read", {}),
        ("WebFetch", {"url": 1}),
        ("Grep", {"pattern": "x", "path": 1}),
        ("Monitor", {}),
    ],
)
def test_wrong_types_are_unread(tool: str, given_input: dict[str, Any]) -> None:
    """A known tool of an unknown shape is never taken as harmless."""
    assert operation(tool, given_input).unread


def test_a_fault_is_unread() -> None:
    """An event that could not be decoded stays so."""
    (found,) = operations(Event(agent="x", kind=EventKind.PRE, fault="too large"), AROUND)
    assert "too large" in found.unread[0].what


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    ["command", "file_path", "content", "url", "query", "edits", "path", "sql", "args", "old_string", "input", "method"]
)


@given(
    st.sampled_from(
        [
            "Bash",
            "Write",
            "Edit",
            "MultiEdit",
            "Read",
            "Grep",
            "apply_patch",
            "WebFetch",
            "Move",
            "mcp__a__b",
            "mcp__git__git_push",
            "anything",
            "",
        ]
    ),
    st.dictionaries(_KEYS | st.text(max_size=8), _JSON, max_size=5),
)
def test_any_input_gives_an_operation(tool: str, given_input: dict[str, Any]) -> None:
    """No input raises, and none vanishes."""
    assert operation(tool, given_input).summary is not None
