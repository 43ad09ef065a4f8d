"""Where a description and the schema beside it contradict one another."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from checkrail.admission import lexicon, names
from checkrail.admission.fields import parameters
from checkrail.admission.promises import FAMILIES, OPENING, READ_LIMIT, Promises, promises
from checkrail.admission.records import Definition, Finding, Text
from checkrail.admission.sentences import pieces, words
from checkrail.knowledge.speech import rules

RULE = "admission.divergence"
Parameters = Mapping[str, Mapping[str, Any]]


def findings(definition: Definition) -> Iterator[Finding]:
    """The contradictions of a definition, one per promise."""
    tool = definition.tool
    said = tool.get("description")
    text = Text("description", said[:READ_LIMIT] if isinstance(said, str) else "", "description")
    made = promises(text.text, tuple(names.words(definition.name)))
    told = parameters(tool)
    yield from _reading(definition, text, made, told)
    if not made.reads and (found := _undone(made, told)):
        what, span = found
        yield _finding(text, span, f"it says what it does not do, yet {what}", False)
    if made.local and (name := _outlet(told, made)):
        yield _finding(text, made.local, f"it claims to work on this machine only, yet takes {name}", False)
    elif made.silent and (name := _outlet(told, made) or _sent_to(told, made)):
        yield _finding(text, made.silent, f"it claims to send nothing, yet takes {name}", False)
    if hook := _hook(tool):
        yield _finding(Text(hook, str(tool[hook]), "value"), None, f"{hook} is a command beside the schema", False)


def _reading(definition: Definition, text: Text, made: Promises, told: Parameters) -> Iterator[Finding]:
    """What contradicts that it only reads, as it says itself or as its annotations have it."""
    tool = definition.tool
    hinted = _hint(tool, "readOnlyHint") is True
    alters = _hint(tool, "readOnlyHint") is False and _hint(tool, "destructiveHint") is True
    stated = made.reads is not None
    if (stated or hinted) and (what := _changes(_unsaid(told, text.text, made), made, stated=stated, hinted=hinted)):
        yield _finding(text, made.reads, f"it claims to only read, yet {what}", hinted)
    elif made.reads and made.reads[0] < OPENING and alters:
        yield _finding(text, made.reads, "it claims to only read, yet its annotations say that it destroys", False)
    elif hinted and (verb := _destroys(definition, text.text)):
        yield _finding(text, None, f"its annotations say that it only reads, yet {verb}", True)


def _unsaid(told: Parameters, text: str, made: Promises) -> Parameters:
    """Parameters that count against a promise. An annotation alone is a slip where the description itself speaks of them."""
    if made.reads:
        return told
    return {name: schema for name, schema in told.items() if name not in text}


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


def _changes(told: Parameters, made: Promises, *, stated: bool, hinted: bool) -> str:
    """What among the parameters changes something."""
    for name, schema in told.items():
        said = names.words(name)
        classes = lexicon.classes_of(said)
        default = schema.get("default")
        if _truth(schema) and "guards" in classes and default is False and "guards-off" not in classes:
            return f"`{name}` is off by default"
        if _families(said, schema) and (stated or default is True or schema.get("type") != "boolean"):
            return f"`{name}` changes something"
        values = schema.get("enum")
        if stated and isinstance(values, list) and "operation-name" in classes and (bad := _mutating_value(values)):
            return f"`{name}` may be {bad!r}"
        if said and said[0] == "new" and len(said) > 1 and "compares" not in made.head and not _has_old(told):
            return f"`{name}` is a new value"
        about = schema.get("description")
        if isinstance(about, str) and (_breaks(_classes(about), stated=stated) or _takes_sql(about)):
            return f"`{name}` takes what changes something"
        if stated and (hinted or "sends" in classes) and _recipient(name):
            return f"`{name}` names a recipient"
    return ""


def _has_old(told: Parameters) -> bool:
    return any(names.words(name)[:1] in (("old",), ("previous",), ("base",)) for name in told)


_GENERAL = frozenset(FAMILIES) - {"send"}


def _undone(made: Promises, told: Parameters) -> tuple[str, tuple[int, int]] | None:
    """A parameter with an effect that the description denies."""
    denied = {family for family, _ in made.denied}
    if not denied:
        return None
    broken = _GENERAL if "change" in denied else frozenset(denied)
    for name, schema in told.items():
        families = _families(names.words(name), schema)
        if families & broken and (span := made.undone(families) or made.undone(frozenset(("change",)))):
            return f"`{name}` does it", span
        values = schema.get("enum")
        if (
            "change" in denied
            and isinstance(values, list)
            and "operation-name" in lexicon.classes_of(names.words(name))
        ):
            span = made.undone(frozenset(("change",)))
            if span and (bad := _mutating_value(values)):
                return f"`{name}` may be {bad!r}", span
        if "send" in denied and _recipient(name) and (span := made.undone(frozenset(("send",)))):
            return f"`{name}` names a recipient", span
    return None


def _families(said: Sequence[str], schema: Mapping[str, Any]) -> frozenset[str]:
    """The effects that a parameter switches on or asks for: ``apply``, ``delete_after``, ``set_value``; not ``drop_na``."""
    if not said or len(said) > _LONGEST:
        return frozenset()
    classes = lexicon.classes_of(said[:1])
    if (
        "base" not in classes
        or (len(said) == 1 and said[0] in _SHAPES)
        or (len(said) == 1 and "ambiguous" in classes and schema.get("default") is not True)
    ):
        return frozenset()
    families = frozenset(name.removeprefix("effect-") for name in classes if name.startswith("effect-"))
    if len(said) > 1 and "mutable" not in lexicon.classes_of(said[1:2]):
        return frozenset()
    if _truth(schema) and schema.get("type") != "string":
        return families
    hard = "destroys" in lexicon.classes_of(said[:1]) or said[0] in _HARD
    about = schema.get("description")
    asks = len(said) > 1 or schema.get("type") == "object" or (hard and isinstance(about, str))
    return families if asks else frozenset()


_LONGEST = 3
_SHAPES = frozenset(("truncate", "clean", "merge"))
"""What a flag of one word does to the answer."""
_HARD = frozenset(("terminate", "chmod", "delete", "kill", "purge", "disable"))


_CHANGING_SQL = re.compile(r"\b(?:INSERT|UPDATE|DELETE|DROP|ALTER|TRUNCATE)\b")
_HEDGED = re.compile(r"(?i)\b(?:no|not|never|only|rejected|blocked|except|without|e\.g|for example)\b|n't\b")


def _takes_sql(about: str) -> bool:
    """Whether a parameter is said to take statements that change something."""
    part = about[:2048]
    return _CHANGING_SQL.search(part) is not None and _HEDGED.search(part) is None


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
    if said and "destroys" in lexicon.classes_of(said[:1]) and "noun-after" not in lexicon.classes_of(said[1:]):
        return f"it is called {definition.name}"
    head = next((sentence for _, piece in pieces(text) for sentence in words(piece)), None)
    if head and head.words and "destroys" in lexicon.classes_of(head.words[:1]) and said[:1] != head.words[:1]:
        return f"its description begins with {head.raw[0]!r}"
    return ""


def _outlet(told: Parameters, made: Promises) -> str:
    """An address that something goes to; what is fetched from is none."""
    for name in told:
        said = names.words(name)
        if not said or "outlet" not in lexicon.classes_of(said[-1:]) | lexicon.classes_of(
            said[:1] if len(said) == 1 else ()
        ):
            continue
        if len(said) == 1 and said[0] in ("url", "uri", "server", "remote") and "fetches" in made.head:
            continue
        about = told[name].get("description")
        if isinstance(about, str) and "documentation" in _classes(about):
            continue
        return f"`{name}`"
    return ""


def _sent_to(told: Parameters, made: Promises) -> str:
    for name in told:
        weak = "recipient-weak" in lexicon.classes_of(names.words(name)) and "composes" not in made.head
        if weak or (_recipient(name) and "composes" not in made.head) or names.words(name)[:1] == ("upload",):
            return f"`{name}`"
    return ""


def _recipient(name: str) -> bool:
    said = names.words(name)
    return "recipient" in lexicon.classes_of(said) or (
        len(said) > 1 and said[-1] in ("to", "with") and "sends" in lexicon.classes_of(said[:1])
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
