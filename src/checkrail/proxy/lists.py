"""What a server says of itself, admitted or not: its tools, prompts, resources, instructions and title."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from checkrail.admission import names, pins
from checkrail.admission.outcomes import judge
from checkrail.admission.records import Definition, Judged, Outcome, Sort
from checkrail.proxy.framing import framed

LISTS = ("tools", "prompts", "resources", "resourceTemplates")
SPOKEN = (*LISTS, "instructions", "serverInfo")
"""Fields of results that describe; they are admitted in whatever answer they stand."""
_PLAIN = {name.lower(): name for name in SPOKEN}
_KINDS: Mapping[str, Sort] = {"prompts": "prompt", "resources": "resource", "resourceTemplates": "template"}
MOST = 4000
"""Entries of one server that are judged; those beyond are left out."""
_INTRODUCTION = "instructions"


class Locks(msgspec.Struct, frozen=True):
    """What was reviewed: by the person, and in the project, which can only hold back."""

    own: pins.Lock = pins.Lock()
    project: pins.Lock = pins.Lock()


Listed = Callable[[Sequence[Definition]], None]
"""Hears of all tools of a server, each time that they are listed."""


class Lists:
    """What one server has said so far. Every answer is judged anew, so a list that changes is judged as it then stands."""

    def __init__(self, server: str, locks: Locks | None = None, listed: Listed | None = None) -> None:
        self.server = server
        self.refused: dict[str, str] = {}
        """Tools that were kept out, and why; prompts and resources by their label."""
        self._locks = locks or Locks()
        self._listed = listed
        self._instructions = ""
        self._tools: dict[str, Mapping[str, Any]] = {}

    @staticmethod
    def describes(names: Iterable[str]) -> bool:
        """Whether a result with these fields describes anything, in whatever case."""
        return any(name.lower() in _PLAIN for name in names)

    def admitted(self, result: Mapping[str, Any]) -> tuple[dict[str, Any], list[Judged]]:
        """The result as it may pass, and what is to be told.

        A field that could be taken for one of those that describe, by its case, does not pass.
        """
        kept = {name: value for name, value in result.items() if _PLAIN.get(name.lower(), name) == name}
        told: list[Judged] = []
        self._introduced(kept, told)
        for name in LISTS:
            if name in kept:
                entries = kept[name] if isinstance(kept[name], list) else []
                kept[name] = self._tools_in(entries, told) if name == "tools" else self._others(name, entries, told)
        return kept, told

    def _introduced(self, result: dict[str, Any], told: list[Judged]) -> None:
        """The server's instructions and how it names itself."""
        said = result.pop("instructions", None)
        if isinstance(said, str):
            answer = self._on_instructions(said)
            told.extend(_telling([answer]))
            if answer.outcome not in pins.REFUSED:
                result["instructions"] = self._shown(said, answer.outcome)
        info = result.get("serverInfo")
        if isinstance(info, dict):
            (answer,) = judge([Definition(self.server, {**info, "name": _INTRODUCTION})])
            told.extend(_telling([answer]))
            if answer.outcome is not Outcome.ACCEPT:
                result["serverInfo"] = {"name": self.server, "version": str(info.get("version", ""))[:40]}

    def _on_instructions(self, said: str) -> Judged:
        self._instructions = said
        reviewed = self._locks.own.servers.get(self.server, {}).values()
        if any(pin.texts.get(_INTRODUCTION) == said for pin in reviewed):
            return Judged(self.server, _INTRODUCTION, Outcome.ACCEPT)
        (answer,) = judge([Definition(self.server, {"name": _INTRODUCTION}, said)])
        return answer

    def _tools_in(self, entries: Sequence[Any], told: list[Judged]) -> list[Any]:
        fresh = [entry for entry in entries[:MOST] if isinstance(entry, dict)]
        listed = {str(entry.get("name")) for entry in fresh}
        before = [entry for name, entry in self._tools.items() if name not in listed]
        self._tools |= {str(entry.get("name")): entry for entry in fresh}
        if len(self._tools) > MOST:
            self._tools = {str(entry.get("name")): entry for entry in fresh}
            before = []
        definitions = [self._definition(entry) for entry in (*fresh, *before)]
        if self._listed:
            self._listed(definitions)
        answers = judge(definitions, lock=self._locks.own, project=self._locks.project)[: len(fresh)]
        told.extend(_telling(answers))
        for answer in answers:
            self.refused.pop(answer.label, None)
        return self._kept(fresh, answers)

    def _kept(self, entries: Sequence[dict[str, Any]], answers: Sequence[Judged]) -> list[Any]:
        """What may pass; of two under one name neither where one of them is refused."""
        self.refused |= {answer.label: why(answer) for answer in answers if answer.outcome in pins.REFUSED}
        return [
            self._entry(entry, answer.outcome)
            for entry, answer in zip(entries, answers, strict=True)
            if answer.outcome not in pins.REFUSED and answer.label not in self.refused
        ]

    def _definition(self, tool: Mapping[str, Any]) -> Definition:
        """A pin covers the instructions beside the tool; without one they are judged by themselves."""
        name = str(tool.get("name"))
        locks = (self._locks.own, self._locks.project)
        reviewed = any(name in lock.servers.get(self.server, {}) for lock in locks)
        return Definition(self.server, tool, self._instructions if reviewed else "")

    def _others(self, kind: str, entries: Sequence[Any], told: list[Judged]) -> list[Any]:
        fresh = [entry for entry in entries[:MOST] if isinstance(entry, dict)]
        known = names.register([Definition(self.server, tool) for tool in self._tools.values()])
        definitions = [Definition(self.server, entry, kind=_KINDS[kind]) for entry in fresh]
        answers = judge(definitions, lock=self._locks.own, project=self._locks.project, known=known)
        told.extend(_telling(answers))
        for answer in answers:
            self.refused.pop(answer.label, None)
        return self._kept(fresh, answers)

    def _entry(self, entry: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
        if outcome is Outcome.ACCEPT:
            return entry
        said = entry.get("description")
        return {**entry, "description": self._shown(said if isinstance(said, str) else "", outcome)}

    def _shown(self, text: str, outcome: Outcome) -> str:
        return text if outcome is Outcome.ACCEPT else framed(text, self.server)


def _telling(answers: Iterable[Judged]) -> list[Judged]:
    return [answer for answer in answers if answer.outcome is not Outcome.ACCEPT]


def why(answer: Judged) -> str:
    """The weightiest finding in a line."""
    return f"{answer.findings[0].reason} [{answer.findings[0].rule}]" if answer.findings else answer.outcome.value
