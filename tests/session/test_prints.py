"""Passages are found again wherever they begin, in other wrapping and quoting; other texts are not."""

import json
import random
import textwrap

import pytest

from checkrail.session import prints

BY = prints.factor(bytes(range(1, 33)))
TEXT = (
    "The importer keeps a list of every row that it could not read and writes it beside the report. "
    "Rows with a wrong number of fields go there too, with their line and the reason in plain words."
)


def found(asked: str, source: str = TEXT) -> bool:
    """Whether a passage is recognised."""
    return bool(prints.repeated(prints.plain(asked), set(prints.of_source(source, BY)), BY))


def test_every_passage_of_the_least_length_is_found() -> None:
    """Wherever it begins."""
    raw = prints.plain(TEXT)
    known = set(prints.of_source(TEXT, BY))
    for at in range(len(raw) - prints.USUAL + 1):
        assert prints.repeated(raw[at : at + prints.USUAL], known, BY), at


@pytest.mark.parametrize(
    "asked",
    [
        TEXT[10:70],
        TEXT[10:70].upper(),
        "\n".join(textwrap.wrap(TEXT[10:120], 20)),
        json.dumps({"body": textwrap.fill(TEXT, 30)}),
        "> " + TEXT[10:70].replace(" ", "  "),
        f"**{TEXT[10:70]}**",
    ],
)
def test_wrapping_quoting_and_letter_case_do_not_hide(asked: str) -> None:
    """What an editor or JSON changes on the way."""
    assert found(asked)


@pytest.mark.parametrize(
    "asked", ["", "every row", "git push origin main", "=" * 200, "a report about rows and lines", TEXT[10:24]]
)
def test_other_and_short_texts_are_not_found(asked: str) -> None:
    """Near misses."""
    assert not found(asked, TEXT + "=" * 400)


def test_no_chance_hits_in_random_text() -> None:
    """A hundred thousand places that say nothing of it."""
    letters = random.Random(7)
    noise = "".join(letters.choice("etaoinshrdlu ") for _ in range(100_000))
    assert not found(noise)


def test_the_salt_matters() -> None:
    """The prints of one machine tell another nothing."""
    other = prints.factor(bytes(range(2, 34)))
    assert not set(prints.of_source(TEXT, BY)) & set(prints.of_source(TEXT, other))


def test_a_huge_text_is_bounded_and_its_end_is_kept() -> None:
    """Beginning and end count."""
    huge = TEXT + "x y z " * 500_000 + "and the last sentence of the page says goodbye to all"
    assert len(prints.of_source(huge, BY)) <= prints.MOST_BYTES // prints.stretch(prints.USUAL)[1] + 1
    assert found("the last sentence of the page says goodbye", huge)
    assert found(TEXT[10:70], huge)
