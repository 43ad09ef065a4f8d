"""What the descriptive channel of a definition says: the speech acts in each of its texts, hidden ones included."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from checkrail.admission import crosstool, fields, grammar, lexicon, matter, names, prose, sinks
from checkrail.admission.lexicon import Tags
from checkrail.admission.records import EXCERPT, Definition, Finding, Text
from checkrail.admission.sentences import Sentence, words
from checkrail.knowledge.speech import rules

FINDINGS = 40
"""Findings of one definition that are kept."""


def findings(definition: Definition, known: names.Register) -> Iterator[Finding]:
    """All findings in the texts of a definition, at most :data:`FINDINGS`."""
    seen = matter.view(definition, known)
    count = 0
    try:
        for text in fields.texts(definition):
            for found in _of_text(text, seen):
                yield found
                count += 1
                if count >= FINDINGS:
                    return
    except fields.Unread as error:
        yield finding("admission.unread", Text("", "", "description"), 0, 0, detail=str(error))
    yield from sinks.findings(definition, seen.scope)


def finding(
    rule: str, text: Text, start: int, end: int, *, detail: str = "", target: str = "", decoded: str = ""
) -> Finding:
    """A finding of a rule on a span, in the rule's own words."""
    entry = rules()[rule]
    reason = f"{entry.reason}: {detail}" if detail else entry.reason
    return Finding(
        rule=rule, field=text.path, start=start, end=end, text=text.text[start:end][:EXCERPT], reason=reason, fix=entry.fix,
        target=target, decoded=decoded,
    )  # fmt: skip


def _of_text(text: Text, seen: matter.View) -> Iterator[Finding]:
    if len(text.text) < _SHORTEST:
        return
    hides = prose.hidden(text.text)
    for start, end, what in hides.unseen[:1]:
        yield finding("admission.hidden-text", text, start, end, detail=what)
    if text.kind in ("name", "key"):
        yield from _of_name(text, seen)
        return
    said = list(_acts(text, text.text, seen))
    yield from said
    yield from _asides(text, hides, seen)
    yield from _encoded(text, hides, seen, {found.rule for found in said if _grave(found.rule)})


def _of_name(text: Text, seen: matter.View) -> Iterator[Finding]:
    """A name whose letters are not what they seem, or one so long that it says something."""
    for start, end in prose.mixed(text.text):
        yield finding("admission.hidden-text", text, start, end, detail=_MIXED)
    if "own-secret" not in seen.scope and not _PRIVATE_NAMES.isdisjoint(_pairs(names.words(text.text))):
        yield finding("admission.data-sink", text, 0, len(text.text), detail="a name of a file that holds secrets")
    spoken = text.text.replace("_", " ")
    if spoken.count(" ") >= _SENTENCE:
        yield from (found for found in _acts(text, spoken, seen) if _grave(found.rule))


def _pairs(said: Sequence[str]) -> set[tuple[str, str]]:
    return set(pairwise(said))


_PRIVATE_NAMES = frozenset({("id", "rsa"), ("id", "ed25519"), ("id", "ecdsa"), ("private", "key"), ("seed", "phrase")})
_SHORTEST = 3
_SENTENCE = 2
"""Gaps in a name from which on it may be a sentence."""
_MIXED = "letters of another script that pass for Latin ones"


def _grave(rule: str) -> bool:
    return rules()[rule].outcome != "demote"


def _acts(text: Text, spoken: str, seen: matter.View, decoded: str = "") -> Iterator[Finding]:
    label = text.kind == "name" or text.path.rsplit(".", 1)[-1] in fields.LABELS
    first = label and not decoded
    for said in prose.said(spoken, first):
        yield from _of_sentence(text, said, seen, decoded)


def _of_sentence(text: Text, said: prose.Said, seen: matter.View, decoded: str) -> Iterator[Finding]:
    tags = _with_names(said, seen)
    found = said.acts if tags is said.tags else _acts_of(tags)
    told: set[str] = set()
    kind = "document" if text.kind == "description" and text.text.startswith(_FRONT) else text.kind
    for act in found:
        pattern = act.pattern
        if pattern.rule in told or (pattern.channels and kind not in pattern.channels):
            continue
        if pattern.scope and matter.own(pattern.scope, act, said, text, seen):
            continue
        if seen.attacks and matter.quoted(act, said):
            continue
        if pattern.rule == "admission.directive" and told:
            continue
        told.add(pattern.rule)
        start, end = _span(said, act.first, act.last)
        yield finding(pattern.rule, text, start, end, detail=pattern.id, decoded=decoded)
    if tags is said.tags:
        return
    for mention in crosstool.mentions(said.sentence, tags, vault="own-secret" in seen.scope):
        if kind == "document" and "tool-unknown" in tags[mention.place]:
            continue  # a skill speaks of functions in code
        start, end = _span(said, mention.place, mention.place)
        yield finding(
            mention.rule, text, start, end, detail=f"{seen.definition.name} steers {mention.name}", target=mention.name,
            decoded=decoded,
        )  # fmt: skip


@lru_cache(maxsize=32768)
def _acts_of(tags: tuple[Tags, ...]) -> tuple[grammar.Act, ...]:
    return tuple(grammar.acts(tags))


_FRONT = "---\n"
"""How the text of a skill begins. It instructs an agent by its nature, so what it merely speaks of is no finding."""


def _span(said: prose.Said, first: int, last: int) -> tuple[int, int]:
    sentence = said.sentence
    return said.start + sentence.start(first), said.start + sentence.end(last)


def _with_names(said: prose.Said, seen: matter.View) -> tuple[Tags, ...]:
    """The classes of words with what depends on the definition: its parameters, and whose tool a name is."""
    added: dict[int, Tags] = {}
    raw = said.sentence.raw
    for place in said.parameters:
        if names.fold(raw[place]) in seen.parameters:
            added[place] = _PARAM
    for place in said.names:
        name = raw[place].lower() if said.shouted else raw[place]
        if place not in added and (owner := names.owner(name, seen.definition, seen.known, seen.own)):
            added[place] = frozenset((f"tool-{owner}",))
    if not added:
        return said.tags
    return tuple(mine | added.get(place, _NONE) for place, mine in enumerate(said.tags))


_PARAM: Tags = frozenset(("param",))
_NONE: Tags = frozenset()


def _asides(text: Text, hides: prose.Hidden, seen: matter.View) -> Iterator[Finding]:
    for aside in hides.asides:
        inner = [found for found in _acts(text, aside.text, seen, aside.what) if _grave(found.rule)]
        if aside.certain or inner or (aside.what in _SPOKEN and _speaks(aside.text)):
            detail = aside.what + (f", which {inner[0].reason}" if inner else "")
            yield finding("admission.hidden-text", text, aside.start, aside.end, detail=detail, decoded=aside.what)
            yield from (found for found in inner if found.rule == "admission.concealment")


_SPOKEN = frozenset(("a comment", "a message in the voice of the system"))


def _speaks(comment: str) -> bool:
    """Whether a comment commands somebody or speaks of secrets."""
    return any(
        len(said.sentence.words) > 2
        and any("do" in mine or "authority" in mine or "secret" in mine for mine in said.tags)
        for said in prose.said(comment, False)
    )


def _encoded(text: Text, hides: prose.Hidden, seen: matter.View, grave: set[str]) -> Iterator[Finding]:
    """Encoded stretches that command something once they are decoded."""
    for name, start, end, said in hides.views:
        inner = [found for found in _acts(text, said, seen, name) if _grave(found.rule) and found.rule not in grave]
        if inner or (name in _BLOBS and _shell(said)):
            detail = f"{name}, which {inner[0].reason if inner else 'is a command'}"
            yield finding("admission.hidden-text", text, start, end, detail=detail, decoded=name)
            yield from (found for found in inner if found.rule == "admission.concealment")
            return


_BLOBS = frozenset(("base64", "base32", "hexadecimal", "binary", "base85"))
_SHELL: Tags = frozenset(("shellish", "fetcher"))


def _shell(said: str) -> bool:
    return "/dev/tcp" in said or any(
        not _SHELL.isdisjoint(tags) for sentence in _words(said) for tags in lexicon.tag(sentence)
    )


def _words(said: str) -> Iterator[Sentence]:
    return words(said[:4096])
