"""What counts as asked, as yes and as no."""

import pytest

from tests.audit.lines import outcome, verdict, weighed
from tests.report.logs import as_record, asked, questions


@pytest.mark.parametrize(
    ("said", "yes", "no", "answer"),
    [
        ("yes", 1, 0, "yes"),
        ("no", 0, 1, "no"),
        ("approved", 1, 0, "yes"),
        ("refused", 0, 1, "no"),
        ("waiting", 0, 0, "open"),
        ("unknown", 0, 0, "open"),
    ],
)
def test_answers(said: str, yes: int, no: int, answer: str) -> None:
    """A call that ran after its question was let through; one that did not was not."""
    (found,) = questions(asked(said=said))
    assert (found.prompts, found.yes, found.no, found.answer) == (1, yes, no, answer)


def test_identical_calls_of_one_session_are_one_question() -> None:
    """Other sessions ask anew."""
    same = {"signature": "same"}
    found = questions(
        asked(session="a", **same),
        asked(session="a", **same),
        asked(session="a", said="no", **same),
        asked(session="b", **same),
    )
    assert [(one.prompts, one.yes, one.no, one.answer) for one in found] == [(3, 2, 1, "both"), (1, 1, 0, "yes")]


def test_a_request_that_waits_is_asked_once() -> None:
    """However often the agent tries; the approval then counts as one yes."""
    waiting = verdict(decision="deny", judged="ask", approval={"state": "waiting", "request": 7})
    used = verdict(decision="allow", judged="ask", approval={"state": "used", "request": 7})
    (found,) = questions([as_record(one) for one in (waiting, waiting, used, outcome())])
    assert (found.prompts, found.approved, found.host_yes, found.answer) == (1, 1, 0, "yes")


def test_a_refusal_counts_once() -> None:
    """Though each further try is told of it."""
    waiting = verdict(decision="deny", judged="ask", approval={"state": "waiting", "request": 7})
    refused = verdict(decision="deny", judged="ask", approval={"state": "refused", "request": 7})
    (found,) = questions([as_record(one) for one in (waiting, refused, refused)])
    assert (found.prompts, found.no, found.answer) == (1, 1, "no")


def test_what_is_no_question() -> None:
    """Allowed and denied calls, mere checks, and outcomes of calls that nobody asked about."""
    lines = [verdict(decision="allow"), verdict(decision="deny"), verdict(kind="check"), outcome(), outcome(call="")]
    assert questions([as_record(one) for one in lines]) == []


def test_an_outcome_of_another_session_is_no_answer() -> None:
    """Call ids may repeat."""
    (found,) = questions([as_record(verdict()), as_record(outcome(session="other"))])
    assert found.answer == "no"


def test_only_findings_that_ask_are_asking() -> None:
    """Not what was denied besides."""
    (found,) = questions(asked(weighed("a"), weighed("b", decision="deny")))
    assert [one.rule for one in found.asking] == ["a"]
