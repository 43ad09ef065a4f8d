"""An edit, a gap and a cut end show."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from checkrail.audit import Log, files, verify


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A log of five lines."""
    log = Log(str(tmp_path / "audit"))
    for number in range(5):
        log.append({"n": number, "decision": "deny"})
    return log.directory


def _edit(lines: list[str]) -> list[str]:
    return [line.replace("deny", "allow") if number == 2 else line for number, line in enumerate(lines)]


def _forge(lines: list[str]) -> list[str]:
    entry = {**json.loads(lines[2]), "decision": "allow"}
    return [*lines[:2], json.dumps(entry, separators=(",", ":")) + "\n", *lines[3:]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_edit, ":3: the line was changed"),
        (_forge, ":3: the line was changed"),
        (lambda lines: lines[:2] + lines[3:], ":3: 1 lines are missing before it"),
        (lambda lines: lines[:1] + lines[4:], ":2: 3 lines are missing before it"),
        (lambda lines: lines[1:], ":1: the 1 lines before it are missing"),
        (lambda lines: lines[:-2], "the last 2 lines are missing"),
        (lambda _lines: [""], "the last 5 lines are missing"),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], ":4: line 3 stands after line 3: repeated or out of order"),
        (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], ":2: 1 lines are missing before it"),
        (lambda lines: [*lines, "nonsense\n"], ":6: not a whole line of the log"),
        (lambda lines: [*lines, '{"number":6}\n'], ":6: not a whole line of the log"),
        (lambda lines: [*lines[:4], lines[4][:20]], "not a whole line of the log"),
    ],
)
def test_every_change_shows(folder: str, change: Callable[[list[str]], list[str]], told: str) -> None:
    """With file and line."""
    path = Path(files(folder)[0])
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))
    assert any(told in problem for problem in verify(folder).problems), verify(folder).problems


def test_a_lost_or_changed_head_shows(folder: str) -> None:
    """Since without it a cut end would not."""
    head = os.path.join(folder, "head")
    Path(head).write_text("7 abc 9 def")
    assert "the head is missing or was changed" in verify(folder).problems[0]
    os.unlink(head)
    assert "the head is missing or was changed" in verify(folder).problems[0]


def test_a_whole_log_has_no_problem(folder: str) -> None:
    """Nor has one that was never written."""
    assert verify(folder).problems == ()
    assert verify(folder + "-none").lines == 0


def test_the_chain_goes_on_after_a_torn_line(folder: str) -> None:
    """The torn line is told, what follows is judged again."""
    path = Path(files(folder)[0])
    with path.open("a") as handle:
        handle.write('{"half":')
    log = Log(folder)
    log.append({"n": 5})
    log.append({"n": 6})
    problems = verify(folder).problems
    assert [problem.partition(": ")[2] for problem in problems] == ["not a whole line of the log"]
    assert verify(folder).lines == 8


def test_another_key_does_not_verify(folder: str) -> None:
    """Who lacks the key cannot make a line."""
    key = Path(folder, "audit.key")
    key.write_bytes(bytes(32))
    assert len(verify(folder).problems) >= 5
