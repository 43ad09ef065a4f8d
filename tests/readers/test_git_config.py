"""Settings of git that make later commands run something."""

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.knowledge.git_config import keys
from checkrail.model import Payload, Reading
from checkrail.readers.git_config import lookup, read

AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")


def reading(text: str) -> Reading:
    """The reading of one setting."""
    return read(Payload(language="git-config", text=text, cwd="/work/app"), AROUND)


@pytest.mark.parametrize("text", [text for key in keys().key for text in key.hits])
def test_a_hit_runs_something(text: str) -> None:
    """Each hit of the knowledge asks or hands a shell line on."""
    found = reading(text)
    assert found.effects or found.payloads


@pytest.mark.parametrize("text", [text for key in keys().key for text in key.misses])
def test_a_near_miss_asks_nothing(text: str) -> None:
    """Each near miss has no effect of its own."""
    assert reading(text).effects == ()


def test_names_are_matched_without_case() -> None:
    """git does not tell upper from lower case in section and key."""
    assert lookup("Core.SSHCommand") is lookup("core.sshcommand") is not None
    assert lookup("user.name") is None


def test_an_alias_becomes_what_it_runs() -> None:
    """After an exclamation mark a shell line, else a git command."""
    assert [payload.text for payload in reading("alias.x=!rm -rf src").payloads] == ["rm -rf src"]
    assert [payload.text for payload in reading("alias.x=reset --hard").payloads] == ["git reset --hard"]
