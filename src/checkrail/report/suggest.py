"""Proposes policy rows that would spare questions to which people always said yes, one exact target or class at a time.

Never a row about a rule as such, never one about the floor or a hard finding, never one that covers a call which people refused.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from checkrail.audit.records import Record, Weighed
from checkrail.bands import strictest
from checkrail.model import HOLE, SOME, Decision, Finding
from checkrail.policy import BUILT_IN, Policy, Rule, branches_of, host_of, row_matches
from checkrail.redaction import REDACTED
from checkrail.report.questions import Question

LEAST = 3
_LEAST_DEPTH = 3
"""Components of the shortest directory that a row may open whole, counted from the root; below a home, two of its own."""
_OPENABLE = frozenset(("file.write-outside",))
"""Rules about paths for which a directory may be opened whole: ``dir/**`` covers ``dir`` itself, so never where things are deleted."""
_NO_BRANCH = re.compile(r"HEAD|@|main|master|trunk|develop|release.*|prod.*", re.IGNORECASE)


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """One row, and the questions of the past log that it speaks about."""

    row: Rule
    covered: tuple[Question, ...]
    spared: tuple[Question, ...]  # those that it alone would have answered

    @property
    def yes(self) -> int:
        """To how many of those questions people said yes."""
        return sum(question.yes > 0 for question in self.covered)


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What some rows together would have changed: prompts before and after, and the questions let through by their answer."""

    before: int
    after: int
    through: tuple[Question, ...]

    def answered(self, word: str) -> list[Question]:
        """Those let through to which people said this."""
        return [question for question in self.through if question.answer == word]


_UNKNOWN = (HOLE, SOME, REDACTED, *"*?[]{}")
"""What makes a target a pattern, or hides a part of it: it is no one thing then."""


def _plain(target: str) -> bool:
    unknown = any(mark in target for mark in _UNKNOWN)
    return bool(target) and not unknown and target.isprintable() and len(target) < 500


def finding_of(found: Weighed) -> Finding:
    """The finding that was logged."""
    return Finding(
        rule=found.rule,
        reason=found.reason,
        gate="",
        target=found.target,
        decision=Decision(found.decision) if found.decision in tuple(Decision) else None,
        floor=found.floor,
        hard=found.hard,
    )


class Places(msgspec.Struct, frozen=True):
    """The user's home, and directories that no row may open: homes, projects and where calls ran, with all above them."""

    home: str
    closed: frozenset[str]


_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root")


def places(questions: Iterable[Question], home: str) -> Places:
    """Those of a log."""
    named = {place.rstrip("/") for question in questions for place in (question.first.cwd, question.first.project)}
    closed = {str(above) for place in (*named, home) for above in (PurePosixPath(place), *PurePosixPath(place).parents)}
    return Places(home, frozenset(closed))


def _home_of(path: str, known: Places) -> str:
    """The home in which a path lies, anybody's, or an empty string."""
    if path == known.home or path.startswith(f"{known.home}/"):
        return known.home
    found = _HOME.match(path)
    return found[0] if found and path[found.end() :][:1] in ("", "/") else ""


def _may_open(folder: str, known: Places) -> bool:
    """Whether a directory is narrow enough to be opened whole."""
    home = _home_of(folder, known)
    own = folder.removeprefix(home).count("/")
    return folder not in known.closed and own >= (2 if home else _LEAST_DEPTH)


def _paths(rule: str, target: str, known: Places) -> Iterator[Rule]:
    """The path itself, then its directory with all below."""
    path = target.rstrip("/")
    if path.count("/") < 2 or path in known.closed or path == _home_of(path, known):
        return
    yield Rule(id=rule, path=target, decision=Decision.ALLOW)
    folder = os.path.dirname(path)
    if (rule in _OPENABLE or rule.startswith("sql.")) and _may_open(folder, known):
        yield Rule(id=rule, path=f"{folder}/**", decision=Decision.ALLOW)


def _branch(rule: str, target: str) -> Iterator[Rule]:
    """The branch itself, then those with its prefix."""
    names = branches_of(target)
    if len(names) != 1 or not names[0] or _NO_BRANCH.fullmatch(names[0]):
        return
    yield Rule(id=rule, branch=names[0], decision=Decision.ALLOW)
    prefix = names[0].rpartition("/")[0]
    if prefix and not _NO_BRANCH.fullmatch(prefix):
        yield Rule(id=rule, branch=f"{prefix}/*", decision=Decision.ALLOW)


def _table(rule: str, target: str) -> Iterator[Rule]:
    """The table itself, then those of its schema."""
    yield Rule(id=rule, path=target, decision=Decision.ALLOW)
    schema, dot, _ = target.rpartition(".")
    if dot:
        yield Rule(id=rule, path=f"{schema}.*", decision=Decision.ALLOW)


def conditions(found: Weighed, known: Places) -> tuple[Rule, ...]:
    """Rows that would answer a finding, the narrowest first; none where its target is no path, host, branch or table."""
    rule, target = found.rule, found.target
    host = host_of(target) if "://" in target else ""
    if found.floor or found.hard or found.decision != "ask" or not _plain(host or target):
        return ()
    if host:
        named = bool(re.fullmatch(r"[A-Za-z0-9.-]+\.[A-Za-z0-9-]+", host))
        return (Rule(id=rule, host=host, decision=Decision.ALLOW),) if named else ()
    if rule.startswith("git.push"):
        return tuple(_branch(rule, target))
    if target.startswith("/"):
        return tuple(_paths(rule, target, known))
    return tuple(_table(rule, target)) if rule.startswith("sql.") and " " not in target else ()


def passes(first: Record, policy: Policy) -> bool:
    """Whether a logged question would have been none under a policy, by its findings alone."""
    if first.left_out or not first.findings:
        return False
    found = [finding_of(one) for one in first.findings]
    after = strictest(policy.adjusted(one, one.decision or Decision.ASK) for one in found)
    return after is Decision.ALLOW


def suggest(
    questions: Sequence[Question], *, least: int = LEAST, policy: Policy = BUILT_IN, home: str = "/root"
) -> list[Suggestion]:
    """Rows for which people said yes to at least ``least`` questions and never no. Narrow rows come before wide ones."""
    known = places(questions, home)
    waiting = [question for question in questions if not passes(question.first, policy)]
    narrow: dict[Rule, None] = {}
    wide: dict[Rule, None] = {}
    for found in (one for question in waiting if question.yes for one in question.asking):
        first, *others = conditions(found, known) or (None,)
        if first:
            narrow[first] = None
            wide.update(dict.fromkeys(filter(None, others)))
    heard = _Heard(questions, waiting)
    chosen = [one for row in (*narrow, *wide) if (one := heard.suggestion(row, least, policy))]
    return sorted(chosen, key=lambda one: -sum(question.prompts for question in one.covered))


class _Heard:
    """Goes through candidate rows; what a row covers, a later and wider one need not."""

    def __init__(self, questions: Sequence[Question], waiting: Sequence[Question]) -> None:
        self._by_rule: dict[str, list[tuple[Question, Weighed]]] = {}
        self._waiting = {id(question) for question in waiting}
        self._done: set[tuple[int, str, str]] = set()
        for question in questions:
            for found in question.first.findings:
                self._by_rule.setdefault(found.rule, []).append((question, found))

    def suggestion(self, row: Rule, least: int, policy: Policy) -> Suggestion | None:
        """The row with what it rests on; None where that is too little, or somebody said no."""
        hits = [pair for pair in self._by_rule.get(row.id, ()) if row_matches(row, finding_of(pair[1]))]
        covered = list({id(question): question for question, _ in hits}.values())
        keys = {(id(question), found.rule, found.target) for question, found in hits}
        new = {key[0] for key in keys - self._done}
        habit = sum(question.yes > 0 for question in covered if id(question) in new & self._waiting)
        if habit < least or any(question.no for question in covered):
            return None
        self._done |= keys
        alone = msgspec.structs.replace(policy, rule=(*policy.rule, row))
        spared = [one for one in covered if id(one) in self._waiting and passes(one.first, alone)]
        return Suggestion(row=row, covered=tuple(covered), spared=tuple(spared))


def effect(questions: Iterable[Question], rows: Iterable[Rule], policy: Policy = BUILT_IN) -> Effect:
    """What rows together would have changed on a log. What today's policy lets through already counts on neither side."""
    after_all = msgspec.structs.replace(policy, rule=(*policy.rule, *rows))
    asked = [question for question in questions if not passes(question.first, policy)]
    through = tuple(question for question in asked if passes(question.first, after_all))
    before = sum(question.prompts for question in asked)
    return Effect(before=before, after=before - sum(question.prompts for question in through), through=through)
