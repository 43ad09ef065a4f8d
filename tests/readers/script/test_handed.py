"""Functions that are handed on: what is called later is not followed, and asks."""

import pytest

from tests.readers.code_reading import says

RISKY = [
    ("node", "['ls'].forEach(require('child_process').execSync)"),
    ("node", "setTimeout(require('child_process').exec, 9, 'ls')"),
    ("node", "Promise.resolve('x').then(eval)"),
    ("node", "Reflect.get(require('fs'), 'rmSync')('x')"),
    ("node", "Reflect.apply(require('fs').rmSync, null, ['x'])"),
    ("node", "new Worker('1', { eval: true })"),
    ("node", "import('data:text/javascript,1')"),
    ("ruby", "method(:system).call('ls')"),
    ("ruby", "['ls'].each(&method(:system))"),
]
ORDINARY = [
    ("node", "[1].forEach(console.log)"),
    ("node", "const run = require('util').promisify(require('child_process').exec)"),
    ("node", "Reflect.get(target, name, receiver)"),
    ("node", "setTimeout(() => console.log(1), 9)"),
    ("ruby", "[1].map(&method(:Integer))"),
    ("perl", "find(sub { print }, '.')"),
]


@pytest.mark.parametrize(("language", "code"), RISKY)
def test_what_is_handed_on_is_unread(language: str, code: str) -> None:
    """By a list, a promise, a timer, by name."""
    assert "unread" in " ".join(says(language, code))


@pytest.mark.parametrize(("language", "code"), ORDINARY)
def test_harmless_functions_are_handed_on_freely(language: str, code: str) -> None:
    """Near misses."""
    assert not any(line.startswith(("unread", "delete")) for line in says(language, code))


def test_a_search_that_removes_is_a_deletion_below_its_folders() -> None:
    """``File::Find`` with a function on the spot or a name."""
    assert "delete /w/a" in says("perl", "find(sub { unlink }, 'a')")
    assert "delete /w/a" in says("perl", "finddepth(\\&w, 'a'); sub w { unlink $_ }")


@pytest.mark.parametrize(
    ("language", "code"),
    [("node", "process.kill(process.ppid, 9)"), ("ruby", "Process.kill(9, Process.ppid)"), ("perl", "kill 9, getppid")],
)
def test_the_parent_is_a_vital_process(language: str, code: str) -> None:
    """It is the agent, or the terminal."""
    assert "stop the parent" in says(language, code)
