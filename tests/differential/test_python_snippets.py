"""The reader shows, or calls unread, every effect that running a snippet would have had."""

from pathlib import Path

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Payload
from checkrail.readers.python import read
from tests.differential.python_compared import missed, recorded
from tests.differential.python_snippets import snippets


def test_no_effect_of_a_snippet_is_missed(tmp_path: Path) -> None:
    """A bounded number; the module itself runs thousands by hand. Calling most of them unread would prove nothing."""
    texts = list(snippets(20261130, 300))
    around = Surroundings(host=FrozenHost(), home="/home/dev", workspace=str(tmp_path), cwd=str(tmp_path))
    results = recorded(texts, tmp_path)
    readings = [read(Payload(language="python", text=text, cwd=str(tmp_path)), around) for text in texts]
    misses = [
        (text, lost)
        for text, effects, reading in zip(texts, results, readings, strict=True)
        if (lost := missed(effects, reading))
    ]
    assert misses == []
    assert sum(bool(effects) for effects in results) > 250
    assert sum(bool(reading.unread) for reading in readings) < 30


def test_a_silent_reading_would_be_a_miss(tmp_path: Path) -> None:
    """The comparison can fail: an effect that no reading shows is found."""
    ((effects),) = recorded(["open('a', 'w')"], tmp_path)
    around = Surroundings(host=FrozenHost(), home="/home/dev", workspace=str(tmp_path), cwd=str(tmp_path))
    silent = read(Payload(language="python", text="print(1)", cwd=str(tmp_path)), around)
    assert missed(effects, silent) == [("write", str(tmp_path / "a"))]
