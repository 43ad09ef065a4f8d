"""The format of the regression corpus."""

from pathlib import Path

import pytest

from checkrail.corpus import Case, CorpusError, files_of, load, parse, rewritten

TEXT = """# topic
[[case]]
name = "a"  # first
command = "ls"
expect = "allow"

[[case]]   # second
name = "b"
tool = "Write"
input = { file_path = "~/x", content = "expect = \\"deny\\"" }
  expect = "ask"    # note
rules = ["r.x"]
files = { "~/x" = "old", "/work/app/src/" = "", "/l" = "@/etc" }
policy = { profile = "strict" }
"""


def test_cases_are_read_in_order() -> None:
    """With their defaults."""
    first, second = (located.case for located in parse(TEXT, "t.toml"))
    assert (first.name, first.tool, first.cwd, first.home) == ("a", "Bash", "/work/app", "/home/dev")
    assert (second.tool, second.expect, second.policy.profile) == ("Write", "ask", "strict")


def test_the_frozen_machine_has_what_the_case_says() -> None:
    """Home and working directory exist by themselves; a slash at the end makes a directory, an @ a link."""
    host = parse(TEXT, "t.toml")[1].case.host()
    kinds = {
        path: found.kind for path in ("/home/dev/x", "/work/app/src", "/l", "/work/app") if (found := host.lstat(path))
    }
    assert kinds == {"/home/dev/x": "file", "/work/app/src": "directory", "/l": "link", "/work/app": "directory"}
    assert host.readlink("/l") == "/etc"
    assert host.variable("HOME") == "/home/dev"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[case]]\nname='a'\nexpect='allow'", "line 1: a case needs exactly one of"),
        ("[[case]]\nname='a'\ncommand='x'\nraw='y'\nexpect='allow'", "exactly one of"),
        ("[[case]]\nname='a'\ncommand='x'\nexpect='pass'", "line 1: Invalid enum value 'pass'"),
        ("\n[[case]]\nname='a'\ncommand='x'\nexpect='ask'\ncmd='y'", "line 2: Object contains unknown field `cmd`"),
        ("[[case]]\nname='a'\ncommand='x'\nexpect='ask'\ncwd='rel'", "must be absolute"),
        ("[[case]]\nname='a'\ncommand='x'\nexpect='ask'\n[[case]]\nname='a'\ncommand='x'\nexpect='ask'", "two cases"),
        ("[[cases]]\n", "unknown field `cases`"),
        ("[[case]\n", "t.toml: "),
    ],
)
def test_a_wrong_file_is_told(text: str, told: str) -> None:
    """With file, line of the case and key."""
    with pytest.raises(CorpusError) as caught:
        parse(text, "t.toml")
    assert str(caught.value).startswith("t.toml: ")
    assert told in str(caught.value)


def test_expectations_are_rewritten_in_place() -> None:
    """Everything else stays byte for byte: comments, order, and text that only looks like an expectation."""
    changed = rewritten(TEXT, {1: "deny"})
    assert changed == TEXT.replace('  expect = "ask"    # note', '  expect = "deny"    # note')
    assert rewritten(TEXT, {0: "ask"}).splitlines()[4] == 'expect = "ask"'
    assert rewritten(TEXT, {}) == TEXT
    assert [located.case.expect for located in parse(rewritten(TEXT, {0: "deny", 1: "allow"}), "t")] == [
        "deny",
        "allow",
    ]


def test_files_are_found_below_directories(tmp_path: Path) -> None:
    """Sorted, TOML only; a missing one is an error."""
    (tmp_path / "b.toml").write_text("")
    (tmp_path / "a.toml").write_text(TEXT)
    (tmp_path / "notes.md").write_text("")
    assert [Path(path).name for path in files_of([str(tmp_path)])] == ["a.toml", "b.toml"]
    assert len(load([str(tmp_path)])) == 2
    with pytest.raises(CorpusError, match="no such file"):
        files_of([str(tmp_path / "none")])


def test_a_case_is_sent_as_the_agent_would_send_it() -> None:
    """Or raw, as it stands."""
    assert b'"tool_name":"Bash"' in Case(name="a", expect="ask", command="ls").event()
    assert Case(name="a", expect="ask", raw="{}{}").event() == b"{}{}"
