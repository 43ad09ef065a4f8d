"""Every example in the command knowledge is judged by the whole pipeline."""

from collections.abc import Iterator

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.knowledge.commands import COMPILED, FOLDER, KnowledgeError, _from_toml, commands
from checkrail.knowledge.schema import Entry
from checkrail.model import Decision, Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN


def judged(command: str) -> Verdict:
    """The verdict on a command in an ordinary project, nothing of which exists on disk."""
    event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": command}, cwd="/work/app")
    return decide(event, host=FrozenHost(home="/home/dev"), policy=BUILT_IN)


def _entries(entry: Entry, path: str) -> Iterator[tuple[str, Entry]]:
    yield path, entry
    for sub in entry.sub:
        yield from _entries(sub, f"{path}.{sub.names[0]}")


ENTRIES = [pair for entry in dict.fromkeys(commands().values()) for pair in _entries(entry, entry.names[0])]
HITS = [(f"{path}.{rule.id}", text) for path, entry in ENTRIES for rule in entry.rule for text in rule.hits]
MISSES = [(f"{path}.{rule.id}", text) for path, entry in ENTRIES for rule in entry.rule for text in rule.misses]
ALLOWED = [text for _, entry in ENTRIES for text in entry.allow]
ASKED = [text for _, entry in ENTRIES for text in entry.ask]


QUIET = (None, "pure", "code", "install", "local", "network")


def _rules(verdict: Verdict) -> set[str]:
    return {effect.rule for effect in verdict.reading.effects} | {finding.rule for finding in verdict.findings}


@pytest.mark.parametrize(("rule", "command"), HITS)
def test_a_hit_meets_its_rule(rule: str, command: str) -> None:
    """A rule's hits produce it."""
    assert rule in _rules(judged(command))


@pytest.mark.parametrize(("rule", "command"), MISSES)
def test_a_near_miss_passes_its_rule(rule: str, command: str) -> None:
    """A rule's near misses do not."""
    assert rule not in _rules(judged(command))


@pytest.mark.parametrize("command", ALLOWED)
def test_a_harmless_example_is_allowed(command: str) -> None:
    """What an entry calls harmless does not ask."""
    verdict = judged(command)
    assert verdict.decision is Decision.ALLOW, verdict.findings


@pytest.mark.parametrize("command", ASKED)
def test_a_harmful_example_asks(command: str) -> None:
    """What an entry calls harmful asks or is denied."""
    assert judged(command).decision is not Decision.ALLOW


def test_every_rule_has_examples_on_both_sides() -> None:
    """No rule stands without a hit and a near miss, but those that have no effect to be seen."""
    seen = [(path, rule) for path, entry in ENTRIES for rule in entry.rule if rule.effect not in QUIET]
    bare = [f"{path}.{rule.id}" for path, rule in seen if not (rule.hits and rule.misses)]
    assert bare == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[command]]\nnames = ["x"]\nefect = "pure"', r"x.toml: .*efect.*\$\.command\[0\]"),
        ('[[command]]\nnames = ["x"]\noperands = ["reed..."]', r"x.toml: \$\.command\[0\]: unknown role 'reed\.\.\.'"),
        ('[[command]]\nnames = ["x"]\n[[command.rule]]\nid = "a"\neffect = "loses"', r"rule\[0\]\.reason: missing"),
        ('[[command]]\nnames = ["x"]\n[[command.rule]]\nid = "a"\neffect = "bad"', r"rule\[0\]\.effect"),
        ("[[command]", r"x.toml: "),
    ],
)
def test_a_fault_names_file_index_and_key(text: str, message: str) -> None:
    """A schema error tells where it is."""
    with pytest.raises(KnowledgeError, match=message):
        _from_toml("x.toml", text.encode())


def test_the_sources_are_found() -> None:
    """The knowledge lies where the loader looks for it; the compiled form is beside it."""
    assert len(list(FOLDER.glob("*.toml"))) > 10
    assert COMPILED.parent == FOLDER.parent
    assert len(commands()) >= 400
