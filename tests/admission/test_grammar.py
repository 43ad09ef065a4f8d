"""Every pattern is executed on its own examples, and names classes that some language has."""

import pytest

from checkrail.admission import channel, names
from checkrail.admission.records import Definition
from checkrail.knowledge.speech import Pattern, grammar, languages, rules
from tests.admission.definitions import tool

_MADE = frozenset(
    [
        "verb",
        "linked",
        "secretvar",
        "belongingsstrong",
        "validated",
        "belongings",
        "describes",
        "account",
        "beacon",
        "personal",
        "theirs",
        "base",
        "past",
        "ing",
        "third",
        "command",
        "do",
        "dont",
        "weak",
        "act",
        "mark",
        "word",
        "path",
        "url",
        "email",
        "host",
        "option",
        "private",
        "agent-file",
        "home-file",
        "outside",
        "startup",
        "executable",
        "code",
        "quote",
        "image",
        "param",
        "tool-own",
        "tool-sibling",
        "tool-foreign",
        "tool-unknown",
    ]
)
_PARAMETERS = {"note": "", "template": "", "date": ""}


def _found(pattern: Pattern, sentence: str) -> bool:
    described = tool("reckon", f"Reckons a value. {sentence}", _PARAMETERS)
    if "parameter" in pattern.channels:
        described = tool("reckon", "Reckons a value.", {"note": f"A value. {sentence}"})
    entry = Definition("mine", described)
    return any(found.rule == pattern.rule for found in channel.findings(entry, names.register([entry])))


@pytest.mark.parametrize("pattern", grammar().patterns, ids=lambda pattern: pattern.id)
def test_examples(pattern: Pattern) -> None:
    """Hits are found under the pattern's rule, misses are not."""
    assert [text for text in pattern.hits if not _found(pattern, text)] == []
    assert [text for text in pattern.misses if _found(pattern, text)] == []


def test_patterns_name_what_there_is() -> None:
    """A misspelled class or rule would never be found out otherwise."""
    known = _MADE | {entry.name for language in languages() for entry in language.classes}
    for pattern in grammar().patterns:
        assert pattern.rule in rules(), pattern.id
        for text in (*pattern.steps, *pattern.needs, *pattern.unless, *pattern.between, *pattern.clear):
            for part in text.replace("|", "&").split("&"):
                assert part in known, (pattern.id, part)


def test_classes_stand_once_per_language() -> None:
    """Each class has one list."""
    for language in languages():
        names_ = [entry.name for entry in language.classes]
        assert len(names_) == len(set(names_)), language.language
