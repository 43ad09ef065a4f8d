"""Which questions a log holds, and what people said.

A question is yes where a person said so outside the agent, or where the agent showed it and the call ran; no where it was
refused, or was shown and the call never ran. Identical calls within one session are one question, asked again.
"""

from collections.abc import Iterator

import msgspec

from checkrail.audit.records import Record, Weighed


class Question(msgspec.Struct, kw_only=True):
    """One call of one session about which was asked, and how often what was said."""

    first: Record
    last: str = ""
    prompts: int = 0
    host_yes: int = 0
    approved: int = 0
    shown: int = 0  # with a call id, so that it can be told whether the call ran
    requests: set[int] = msgspec.field(default_factory=set)
    refusals: set[int] = msgspec.field(default_factory=set)

    @property
    def yes(self) -> int:
        """How often people said yes."""
        return self.host_yes + self.approved

    @property
    def no(self) -> int:
        """How often they said no, or let the agent's prompt pass without the call running."""
        return len(self.refusals) + max(0, self.shown - self.host_yes)

    @property
    def answer(self) -> str:
        """yes, no, both, or open where nobody answered, or nothing is known of it."""
        return ("both" if self.no else "yes") if self.yes else "no" if self.no else "open"

    @property
    def asking(self) -> tuple[Weighed, ...]:
        """The findings that asked."""
        return tuple(found for found in self.first.findings if found.decision == "ask")


class Questions:
    """Gathers the questions of a log, fed in its order."""

    def __init__(self) -> None:
        self._all: dict[tuple[str, str, str], Question] = {}
        self._shown: dict[tuple[str, str], Question] = {}

    def __iter__(self) -> Iterator[Question]:
        """In the order in which they were first asked."""
        return iter(self._all.values())

    def add(self, found: Record) -> Question | None:
        """Takes up one line; the question it belongs to."""
        if found.kind == "outcome":
            return self._ran(found)
        return self._asked(found) if found.asked else None

    def _ran(self, found: Record) -> Question | None:
        question = self._shown.pop((found.session, found.id), None) if found.id else None
        if question:
            question.host_yes += 1
        return question

    def _asked(self, found: Record) -> Question:
        key = (found.agent, found.session, found.signature or str(found.number))
        question = self._all.setdefault(key, Question(first=found))
        question.last = found.time
        approval = found.approval
        if approval is None:
            question.prompts += 1
            if found.decision == "ask" and found.id:
                question.shown += 1
                self._shown[found.session, found.id] = question
            return question
        if approval.request not in question.requests:  # asked again while it waits: nobody is asked twice
            question.requests.add(approval.request)
            question.prompts += 1
        if approval.state == "refused":
            question.refusals.add(approval.request)
        question.approved += approval.state == "used"
        return question
