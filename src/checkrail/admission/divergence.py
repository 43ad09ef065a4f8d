"""Where a description and the schema beside it contradict one another."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from checkrail.admission import lexicon, names
from checkrail.admission.fields import parameters
from checkrail.admission.records import Definition, Finding, Text
from checkrail.admission.sentences import Sentence, pieces, words
from checkrail.knowledge.speech import rules

RULE = "admission.divergence"

READ_LIMIT = 16_384
"""Characters of a description in which claims are looked for."""


class Claims(msgspec.Struct, frozen=True):
    """What a description promises, with the span of each promise."""

    reads: tuple[int, int] | None = None
    local: tuple[int, int] | None = None
    sends_nothing: tuple[int, int] | None = None


def findings(definition: Definition) -> Iterator[Finding]:
    """The contradictions of a definition, one per claim."""
    tool = definition.tool
    said = tool.get("description")
    text = Text("description", said[:READ_LIMIT] if isinstance(said, str) else "", "description")
    claims = _claims(text.text)
    hinted = _hint(tool, "readOnlyHint") is True
    told = parameters(tool)
    if (claims.reads or hinted) and (what := _changes(told, stated=claims.reads is not None, hinted=hinted)):
        yield _finding(text, claims.reads, f"it claims to only read, yet {what}", hinted)
    elif (
        claims.reads
        and claims.reads[0] < 120
        and _hint(tool, "readOnlyHint") is False
        and _hint(tool, "destructiveHint") is True
    ):
        yield _finding(text, claims.reads, "it claims to only read, yet its annotations say that it destroys", False)
    elif hinted and (verb := _destroys(definition, text.text)):
        yield _finding(text, None, f"its annotations say that it only reads, yet {verb}", True)
    if claims.local and (name := _outlet(told, urls=True)):
        yield _finding(text, claims.local, f"it claims to work on this machine only, yet takes {name}", False)
    elif claims.sends_nothing and (name := _outlet(told, urls=True) or _outlet(told, urls=False)):
        yield _finding(text, claims.sends_nothing, f"it claims to send nothing, yet takes {name}", False)
    if hook := _hook(tool):
        yield _finding(Text(hook, str(tool[hook]), "value"), None, f"{hook} is a command beside the schema", False)


def _finding(text: Text, span: tuple[int, int] | None, detail: str, hinted: bool) -> Finding:
    entry = rules()[RULE]
    start, end = span or (0, min(len(text.text), 80))
    field = "annotations.readOnlyHint" if hinted and span is None else text.path
    return Finding(
        rule=RULE,
        field=field,
        start=start,
        end=end,
        text=text.text[start:end],
        reason=f"{entry.reason}: {detail}",
        fix=entry.fix,
    )


def _hint(tool: Mapping[str, Any], name: str) -> object:
    notes = tool.get("annotations")
    return notes.get(name) if isinstance(notes, Mapping) else None


def _claims(text: str) -> Claims:
    found: dict[str, tuple[int, int]] = {}
    for offset, piece in pieces(text):
        start = offset + len(piece) - len(piece.lstrip())
        for sentence, tags in lexicon.tagged(piece.strip()):
            for claim in _CLAIMS & lexicon.NONE.union(*tags):
                place = next(at for at, mine in enumerate(tags) if claim in mine)
                if claim not in found and not _restricted(sentence, tags, place):
                    found[claim] = (start + sentence.start(place), start + sentence.end(len(sentence.raw) - 1))
    return Claims(found.get("claims-read"), found.get("claims-local"), found.get("claims-silence"))


_CLAIMS = frozenset(("claims-read", "claims-local", "claims-silence"))


def _restricted(sentence: Sentence, tags: Sequence[lexicon.Tags], place: int) -> bool:
    """Whether the claim holds only for a mode: "without applying it when dry_run is set"."""
    return any("condition" in mine for mine in tags[place + 1 :]) or "except" in sentence.words


def _changes(told: Mapping[str, Mapping[str, Any]], *, stated: bool, hinted: bool) -> str:
    """What among the parameters changes something."""
    for name, schema in told.items():
        said = names.words(name)
        classes = lexicon.classes_of(said)
        default = schema.get("default")
        if (
            _truth(schema)
            and "guards" in classes
            and default is False
            and (stated or hinted)
            and "guards-off" not in classes
        ):
            return f"`{name}` is off by default"
        if (
            _truth(schema)
            and said
            and "changes" in lexicon.classes_of(said[:1])
            and "sees" not in classes
            and (stated or default is True)
        ):
            return f"`{name}` changes something"
        values = schema.get("enum")
        if stated and isinstance(values, list) and "operation-name" in classes and (bad := _mutating_value(values)):
            return f"`{name}` may be {bad!r}"
        if (stated or hinted) and said and said[0] == "new" and len(said) > 1:
            return f"`{name}` is a new value"
        about = schema.get("description")
        if isinstance(about, str) and _breaks(_classes(about), stated=stated):
            return f"`{name}` takes what changes something"
        if stated and (hinted or "sends" in classes) and _recipient(name):
            return f"`{name}` names a recipient"
    return ""


def _breaks(said: lexicon.Tags, *, stated: bool) -> bool:
    return "takes-statements" in said or (stated and "takes-change" in said)


def _classes(text: str) -> lexicon.Tags:
    found: lexicon.Tags = frozenset()
    for _, tags in lexicon.tagged(text[:2048]):
        found = found.union(*tags)
    return found


def _truth(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    return (
        kind == "boolean"
        or kind is None
        or (isinstance(schema.get("default"), bool))
        or (kind == "string" and "enum" not in schema)
    )


def _mutating_value(values: list[Any]) -> str:
    for value in values:
        if isinstance(value, str) and (said := names.words(value)) and "changes" in lexicon.classes_of(said[:1]):
            return value
    return ""


def _destroys(definition: Definition, text: str) -> str:
    """A name or description whose verb destroys or sends, in a tool that is annotated as one that only reads."""
    said = names.words(definition.name)
    if said and "destroys" in lexicon.classes_of(said[:1]):
        return f"it is called {definition.name}"
    head = next((sentence for _, piece in pieces(text) for sentence in words(piece)), None)
    if head and head.words and "destroys" in lexicon.classes_of(head.words[:1]) and said[:1] != head.words[:1]:
        return f"its description begins with {head.raw[0]!r}"
    return ""


def _outlet(told: Mapping[str, Mapping[str, Any]], *, urls: bool) -> str:
    for name in told:
        classes = lexicon.classes_of(names.words(name))
        if (urls and "outlet" in classes) or (not urls and _recipient(name)):
            return f"`{name}`"
    return ""


def _recipient(name: str) -> bool:
    said = names.words(name)
    return "recipient" in lexicon.classes_of(said) or (
        len(said) > 1 and said[-1] == "to" and "sends" in lexicon.classes_of(said[:1])
    )


def _hook(tool: Mapping[str, Any]) -> str:
    """A field of no standard that holds a command."""
    for key, value in tool.items():
        if (
            isinstance(value, str)
            and key not in ("name", "title", "description")
            and "hook-name" in lexicon.classes_of(names.words(key))
        ):
            found = _classes(value)
            if "fetcher" in found or "pipeshell" in found or "shellish" in found:
                return str(key)
    return ""
