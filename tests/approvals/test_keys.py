"""Two keys: one of the shape, one of every byte."""

import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.approvals import keys
from checkrail.model import Event, Reading, Unread, Verdict
from tests.approvals.samples import AROUND, KEY, judged, shell

WORDS = st.text(st.sampled_from("abcxyz019./_=%,:@+é😀'\" $*;&|-"), min_size=1, max_size=12)


def authorized(event: Event, environment: dict[str, str] | None = None) -> str:
    """The authorization key."""
    return keys.authorization(KEY, event, judged(event), AROUND if environment is None else environment)


def classified(command: str) -> str:
    """The classification of a shell call."""
    event = shell(command)
    return keys.classification(KEY, event, judged(event))


def test_same_shape_with_other_data_is_another_key() -> None:
    """The first defect of old: a yes to deleting A let B be deleted. The shapes are one, the operations are not."""
    first, second = shell("rm -rf /work/app/src"), shell("rm -rf /work/app/lib")
    assert classified("rm -rf /work/app/src") == classified("rm -rf /work/app/lib")
    assert authorized(first) != authorized(second)
    pair = [shell(f'git commit --amend -m "{text}"') for text in ("one", "two")]
    assert authorized(pair[0]) != authorized(pair[1])


@given(st.text(max_size=60), st.data())
def test_any_changed_byte_is_another_authorization(text: str, data: st.DataObject) -> None:
    """Of the command: changed, taken away, put in."""
    command = f"rm -rf src {text}"
    at = data.draw(st.integers(0, len(command) - 1))
    how = data.draw(st.sampled_from(("change", "drop", "add")))
    other = data.draw(st.characters(exclude_categories=["Cs"]))
    end = {"change": command[at + 1 :], "drop": command[at + 1 :], "add": command[at:]}[how]
    changed = command[:at] + ("" if how == "drop" else other) + end
    bare = Verdict(decision=judged(shell("ls")).decision, band=judged(shell("ls")).band)
    one, two = (keys.authorization(KEY, shell(line), bare, AROUND) for line in (command, changed))
    assert (one == two) == (command == changed)


@given(
    st.dictionaries(
        st.text(max_size=5), st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists)
    ),
    st.dictionaries(
        st.text(max_size=5), st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists)
    ),
)
def test_arguments_have_one_canonical_text(one: dict[str, Any], two: dict[str, Any]) -> None:
    """Equal ones the same whatever their order, different ones never; a yes to 1 is none to true."""
    assert (keys.canonical(one) == keys.canonical(two)) == (repr(sorted(one.items())) == repr(sorted(two.items())))
    assert keys.canonical(one) == keys.canonical(dict(reversed(one.items())))


@pytest.mark.parametrize(
    "change",
    [
        {"agent": "codex"}, {"session": "s2"}, {"tool": "PowerShell"}, {"cwd": "/work/app2"},
        {"input": {"command": "rm -rf src", "run_in_background": True}},
    ],
)  # fmt: skip
def test_who_where_and_with_what_belong_to_it(change: dict[str, Any]) -> None:
    """Each of them changes the key."""
    event = shell("rm -rf src")
    verdict = judged(event)
    other = msgspec.structs.replace(event, **change)
    assert keys.authorization(KEY, event, verdict, AROUND) != keys.authorization(KEY, other, verdict, AROUND)


def test_what_decides_nothing_does_not_belong_to_it() -> None:
    """The id of the call, the mode, and the remark that a model writes anew each time; in other tools a description is data."""
    event = shell("rm -rf src")
    again = msgspec.structs.replace(
        event, call="c9", mode="plan", input={**event.input, "description": "another remark"}
    )
    assert authorized(event) == authorized(again)
    issues = [
        msgspec.structs.replace(event, tool="mcp__x__create_issue", input={"description": text}) for text in ("a", "b")
    ]
    assert authorized(issues[0]) != authorized(issues[1])


def test_the_environment_belongs_to_it() -> None:
    """The prefix in the command by its text, the agent's by what the hook passes on."""
    event = shell("kubectl delete ns x")
    assert authorized(event) != authorized(event, {**AROUND, "KUBECONFIG": "/prod"})
    assert authorized(event) != authorized(event, {**AROUND, "PATH": "/tmp/evil:/usr/bin"})
    assert authorized(shell("PATH=/a git push -f")) != authorized(shell("PATH=/b git push -f"))


@pytest.mark.parametrize("line", ["sh ./x.sh", "./x.sh", ". ./x.sh", "cd sub && ../x.sh", "sudo env A=1 bash x.sh"])
@pytest.mark.parametrize("content", ["echo {}; git push -f\n", "\0binary {}", "#!/usr/bin/lua\nprint({})\n"])
def test_a_changed_script_is_another_key(tmp_path: Path, line: str, content: str) -> None:
    """Whether or not the script could be read, and whatever runs it."""
    (tmp_path / "sub").mkdir()
    script = tmp_path / "x.sh"
    event = shell(f"{line}; git push --force", cwd=str(tmp_path))
    found = []
    for text in ("one", "two", "one"):
        script.write_text(content.format(text))
        found.append(authorized(event))
    assert found[0] == found[2] != found[1]


def test_of_what_could_not_be_read_each_file_that_is_named_counts(tmp_path: Path) -> None:
    """Since nobody knows which of them would run."""
    (tmp_path / "x.sh").write_text("one")
    event = shell("frob( x.sh", cwd=str(tmp_path))
    verdict = msgspec.structs.replace(judged(event), reading=Reading(unread=(Unread(what="syntax"),)))
    before = keys.authorization(KEY, event, verdict, AROUND)
    (tmp_path / "x.sh").write_text("two")
    assert keys.authorization(KEY, event, verdict, AROUND) != before


def test_what_cannot_be_bound_to_is_not_approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too large a script, too many of them."""
    (tmp_path / "big").write_bytes(b"\0" * 100)
    monkeypatch.setattr(keys, "SCRIPT_BYTES", 10)
    with pytest.raises(keys.Unbindable):
        keys.scripts([str(tmp_path / "big")])
    with pytest.raises(keys.Unbindable):
        keys.scripts(map(str, range(keys.SCRIPTS + 1)))


def test_a_pipe_in_the_place_of_a_script_does_not_hang(tmp_path: Path) -> None:
    """It is no regular file, and that is what the key says."""
    import os

    os.mkfifo(tmp_path / "x.sh")
    assert keys.scripts([str(tmp_path / "x.sh")]) == {str(tmp_path / "x.sh"): "no regular file"}


def _quoted(word: str, how: int) -> str:
    if how == 1:
        return shlex.quote(word)
    if how == 2:
        return '"' + "".join(f"\\{char}" if char in '"\\$`' else char for char in word) + '"'
    return "".join(f"\\{char}" for char in word)


@given(st.lists(WORDS, min_size=1, max_size=3), st.data())
def test_requoting_alone_does_not_change_the_classification(words: list[str], data: st.DataObject) -> None:
    """Nor do more blanks, of whatever kind."""
    spelled = []
    for _ in range(2):
        quoted = [_quoted(word, data.draw(st.integers(1, 3))) for word in words]
        spelled.append(
            data.draw(st.sampled_from((" ", "  ", " \\\n ", "\t"))).join(["git", "commit", "--amend", "-m", *quoted])
        )
    assert classified(spelled[0]) == classified(spelled[1])


def test_shapes_are_told_apart() -> None:
    """By program, options, kinds of targets and rules; never by data."""
    shapes = [
        "git push --force origin a",
        "git push origin a",
        "git reset --hard",
        "rm -rf src",
        "rm -rf ~",
        "rm src/a",
    ]
    assert len({classified(shape) for shape in shapes}) == len(shapes)
    assert classified("git push --force origin a") == classified("git push --force origin b")


def test_keys_of_two_users_and_two_purposes_differ() -> None:
    """Nothing can be read from one or carried over."""
    event = shell("rm -rf src")
    verdict = judged(event)
    found = {keys.authorization(key, event, verdict, AROUND) for key in (KEY, b"l" * 32)}
    found |= {keys.classification(key, event, verdict) for key in (KEY, b"l" * 32)}
    assert len(found) == 4
