"""What a definition is about, and whether what a sentence reaches for is its own matter."""

import re
from collections.abc import Iterator

import msgspec

from checkrail.admission import fields, grammar, lexicon, names, prose
from checkrail.admission.lexicon import Tags
from checkrail.admission.records import Definition, Text


class View(msgspec.Struct, frozen=True):
    """What of a definition its sentences are judged against."""

    definition: Definition
    known: names.Register
    own: frozenset[str]
    parameters: frozenset[str]
    scope: Tags
    attacks: bool
    """Whether it is named for attacks, or its first sentence is about them."""
    topic: frozenset[str]
    """Words of a short first sentence, which says what the tool is about."""


def view(definition: Definition, known: names.Register) -> View:
    """A definition, looked at once."""
    own = names.own_words(definition)
    said = [*names.words(definition.name), *names.words(definition.server)]
    scope = lexicon.classes_of(said)
    head = _head(definition)
    attacks = "own-attack" in scope or "own-attack" in lexicon.classes_of(head)
    topic = frozenset(map(_kind, head)) if len(head) <= _SHORT else frozenset()
    return View(
        definition, known, own, frozenset(map(names.fold, fields.parameters(definition.tool))), scope, attacks, topic
    )


def _head(definition: Definition) -> tuple[str, ...]:
    """The words of the first sentence of a description."""
    said = definition.tool.get("description")
    if not isinstance(said, str):
        return ()
    return tuple(_WORD.findall(_END.split(said[:_HEAD].strip(), 1)[0].lower()))


_END = re.compile(r"[.!?:]\s|\n")
_WORD = re.compile(r"[\w'\-]+")
_HEAD, _SHORT = 240, 14
"""Characters in which a first sentence must end, and words that it may have."""


def own(scope: str, act: grammar.Act, said: prose.Said, text: Text, seen: View) -> bool:
    """Whether what an act reaches for is what the tool or the parameter is named for."""
    if said.sentence.words[act.last] in _YOURS or said.sentence.words[act.first] in _YOURS:
        return False
    if scope == _ATTACK:
        return seen.attacks
    mine = _scope(text, seen)
    if scope in (_SECRET, _OBJECT) and _flows(act, said) and _into_another(said, seen):
        return False
    if scope not in (_NAMED, _OBJECT):
        return f"own-{scope}" in mine
    if scope == _OBJECT and any(
        owned in mine and kind in said.tags[act.first] | said.tags[act.last] for kind, owned in _OWNED
    ):
        return True
    entry = seen.definition
    if "personal" in said.tags[act.first] and _named_for(act, said):
        return True
    own = {_kind(word) for word in names.words(f"{entry.server} {entry.name} {text.about}")} | seen.topic
    return not own.isdisjoint(_reached(act, said))


def _flows(act: grammar.Act, said: prose.Said) -> bool:
    return any("do" in mine and ("put" in mine or "send" in mine) for mine in said.tags[act.first : act.last + 1])


def _into_another(said: prose.Said, seen: View) -> bool:
    """Whether what the tool deals in is to go into a parameter that is not named for it."""
    put = [
        said.sentence.words[place]
        for place in said.parameters
        if names.fold(said.sentence.raw[place]) in seen.parameters
    ]
    return bool(put) and not any(_SECRETS & lexicon.classes_of(names.words(name)) for name in put)


_SECRET = "secret"
_SECRETS: Tags = frozenset(("own-secret", "secretnoun", "identity"))
_YOURS = frozenset(("your", "my"))


def _named_for(act: grammar.Act, said: prose.Said) -> bool:
    """Whether the parameter that is to be filled is named for what it is to hold."""
    put = {_kind(word) for place in said.parameters for word in names.words(said.sentence.raw[place])}
    return not put.isdisjoint(_reached(act, said))


def _reached(act: grammar.Act, said: prose.Said) -> Iterator[str]:
    """The words of the things that an act is about; a phrase bears its class on its first word."""
    for place in range(act.first, min(len(said.tags), act.last + 2)):
        if not _THINGS.isdisjoint(said.tags[place]) or place >= act.last:
            yield from (_kind(word) for word in said.sentence.words[place : place + 3] if len(word) >= _CONTENT)


def _kind(word: str) -> str:
    """A noun without its number; mail by whichever name."""
    found = word.removesuffix("'s").rstrip("s")
    return "mail" if found.endswith(("mail", "mailbox", "inbox")) else found


_CONTENT = 4
"""Letters from which on a word is taken for one that means something."""
_THINGS: Tags = frozenset(
    ("secretnoun", "personalnoun", "convonoun", "secret", "convo", "thing", "personal", "reponoun")
)
_OWNED = (("secret", "own-secret"), ("private", "own-secret"), ("convo", "own-convo"), ("prompt", "own-prompt"))


def quoted(act: grammar.Act, said: prose.Said) -> bool:
    """Whether an act stands in quotes: a tool that is named for attacks speaks of them."""
    before = sum("quote" in mine for mine in said.tags[: act.first])
    return before % 2 == 1 and any("quote" in mine for mine in said.tags[act.last :])


_NAMED, _OBJECT, _ATTACK = "named", "object", "attack"
"""What the definition is named for; what class the thing is of that the act is about."""


def _scope(text: Text, seen: View) -> Tags:
    return seen.scope | (lexicon.classes_of(names.words(text.about)) if text.about else frozenset())
