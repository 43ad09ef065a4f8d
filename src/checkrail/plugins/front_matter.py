"""The front matter of a SKILL.md: every scalar a text, no anchors, tags or keys that stand twice."""

from typing import Any

LIMIT = 16_384
DEEPEST = 16
"""Characters of front matter, and collections within one another; the library takes quadratic time for deep ones."""


class Unreadable(Exception):
    """There is no front matter, or it cannot be read; the text says why."""


def split(text: str) -> tuple[str, str]:
    """The front matter and the body. Raises :class:`Unreadable`."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        raise Unreadable("it does not begin with a line of ---")
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    raise Unreadable("its front matter does not end with a line of ---")


def fields(text: str) -> dict[str, Any]:
    """The mapping that front matter holds. Raises :class:`Unreadable`."""
    if len(text) > LIMIT:
        raise Unreadable(f"its front matter is longer than {LIMIT} characters")
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

    depth = 0
    try:
        for event in YAML(typ="base", pure=True).parse(text):
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if depth > DEEPEST:
                raise Unreadable("its front matter is nested too deep")
            if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
                raise Unreadable("its front matter holds an anchor or an alias")
            if getattr(event, "tag", None):
                raise Unreadable("its front matter holds a tag")
        found = YAML(typ="base", pure=True).load(text)
    except Unreadable:
        raise
    except (YAMLError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        # The library lets a few errors of its own scanner through.
        raise Unreadable(f"its front matter is not YAML ({type(error).__name__})") from None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise Unreadable("its front matter is not a mapping")
    return found
