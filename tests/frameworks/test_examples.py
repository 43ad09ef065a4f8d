"""What each example promises, with the framework itself: denied and refused calls do not run, and the model reads why."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from checkrail.client import Client, Guard, Verdict
from tests.frameworks.drivers import FRAMEWORKS, there
from tests.shells import Place

MEANS = {"run_shell": "Bash"}
PUSH = "git push --force origin main"

pytestmark = [
    pytest.mark.parametrize("later", [False, True], ids=["sync", "async"]),
    pytest.mark.parametrize(
        "framework",
        [pytest.param(name, marks=pytest.mark.skipif(not there(name), reason=f"{name} is not installed; see make test-frameworks")) for name in FRAMEWORKS],
    ),
]  # fmt: skip


class Person:
    """Who is asked, and says the same each time."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def __call__(self, tool: str, given: Mapping[str, Any], verdict: Verdict) -> bool:
        """The answer."""
        self.asked.append(f"{tool} {given['command']} {verdict.decision}")
        return self.answer


def test_allowed_calls_run_and_denied_ones_do_not(framework: str, later: bool, place: Place) -> None:
    """And the model reads the reason."""
    ran: list[str] = []
    guard = Guard(Client(socket=place.socket, cwd=str(place.project), session="f1"), means=MEANS)
    told = FRAMEWORKS[framework](guard, ["ls", "rm -rf ~", "git status"], ran, later)
    assert ran == ["ls", "git status"]
    assert told[0] == "ran ls" and told[2] == "ran git status"
    assert told[1].startswith("Not run: ") and "floor.home" in told[1]


@pytest.mark.parametrize("answer", [True, False], ids=["yes", "no"])
def test_a_question_goes_to_the_person(framework: str, later: bool, place: Place, answer: bool) -> None:
    """Who is asked once, and about nothing else."""
    ran: list[str] = []
    person = Person(answer)
    asking = Client(socket=place.socket, cwd=str(place.project), session="f2", asks=True)
    told = FRAMEWORKS[framework](Guard(asking, means=MEANS, approve=person), ["ls", PUSH, "rm -rf ~"], ran, later)
    assert ran == ["ls", PUSH] if answer else ran == ["ls"]
    assert person.asked == [f"run_shell {PUSH} ask"]
    assert told[1].startswith("ran ") is answer
    assert answer or "git.push.force" in told[1]


def test_where_nobody_can_be_asked_a_request_is_named(framework: str, later: bool, place: Place) -> None:
    """Which a person can approve at a terminal."""
    ran: list[str] = []
    guard = Guard(Client(socket=place.socket, cwd=str(place.project), session="f3"), means=MEANS)
    told = FRAMEWORKS[framework](guard, [PUSH], ran, later)
    assert ran == [] and "checkrail approve" in told[0]


def test_nothing_runs_without_a_daemon(framework: str, later: bool, tmp_path: Path) -> None:
    """That can start."""
    (tmp_path / "run").write_text("in the way")
    ran: list[str] = []
    guard = Guard(Client(socket=tmp_path / "run/s", seconds=2), means=MEANS, approve=Person(True))
    told = FRAMEWORKS[framework](guard, ["ls"], ran, later)
    assert ran == [] and told[0].startswith("Not run: ")
