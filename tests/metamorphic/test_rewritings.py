"""The same command written in another way gets the same answer or a stricter one."""

import subprocess

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN
from tests.metamorphic.rewritings import ALL, ORDINARY, rewritten
from tests.metamorphic.seeds import HARMFUL, HARMLESS


def decided(command: str) -> Decision:
    """The decision on a command in an ordinary project, nothing of which exists on disk."""
    event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": command}, cwd="/work/app")
    return decide(event, host=FrozenHost(home="/home/dev"), policy=BUILT_IN).decision


@pytest.mark.parametrize("spellings", HARMFUL, ids=lambda spellings: spellings[0])
def test_a_harmful_command_is_never_judged_looser(spellings: tuple[str, ...]) -> None:
    """Every rewriting and every other spelling of a harmful command is judged at least as strictly."""
    seed = spellings[0]
    strictness = decided(seed).rank
    assert strictness > Decision.ALLOW.rank
    lines = [*rewritten(seed, ALL), *(("spelling", spelling) for spelling in spellings[1:])]
    assert len(lines) >= 15
    looser = [(name, line) for name, line in lines if decided(line).rank < strictness]
    assert looser == []


@pytest.mark.parametrize("seed", HARMLESS)
def test_a_harmless_command_stays_allowed(seed: str) -> None:
    """Every ordinary rewriting of a harmless command is allowed too."""
    lines = rewritten(seed, ORDINARY)
    assert len(lines) >= 15
    asked = [(name, line) for name, line in [("seed", seed), *lines] if decided(line) is not Decision.ALLOW]
    assert asked == []


MARKERS = ("true", "echo one two", "printf %s a-b", "test -n 'a b'", "basename /x/y.z")


@pytest.mark.parametrize("seed", MARKERS)
def test_rewritings_mean_the_same_to_bash(seed: str) -> None:
    """Bash itself prints the same for every rewriting of a command without effects."""
    wanted = _printed(seed)
    for name, line in rewritten(seed, ALL):
        if name not in ("path_prefix", "crooked_path", "script") and "time " not in line:
            assert _printed(line) == wanted, (name, line)


def _printed(line: str) -> str:
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=20, check=False)
    return done.stdout.strip()


def test_there_are_two_hundred_seeds() -> None:
    """About half of two hundred seeds are harmful, and none stands twice."""
    seeds = [*(spellings[0] for spellings in HARMFUL), *HARMLESS]
    assert len(seeds) == len(set(seeds)) >= 200
    assert len(HARMFUL) >= 100
