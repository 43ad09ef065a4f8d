"""Hooks in JSON settings: which are ours, how they are put in and taken out, in each of the shapes that agents use.

``grouped``: event -> groups with a list ``hooks`` of handlers. ``flat``: event -> handlers. ``listed``: one list of entries.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from checkrail.agents.homes import Home
from checkrail.install.entries import is_ours
from checkrail.install.json_text import SettingsError, children, inserted, member, opening, parse, removed, value

Entries = Mapping[str, dict[str, Any]]


def _root(settings: Mapping[str, Any], home: Home) -> tuple[str, ...]:
    """The keys that lead to the events; where the agent takes both forms, the one that the file has."""
    return ("hooks",) if home.wrapped and "hooks" in settings else home.root


def _events(settings: Mapping[str, Any], home: Home, path: str = "") -> dict[str, list[Any]]:
    """Event -> its list. Raises :class:`SettingsError` where the file has another shape."""
    found: Any = settings
    for key in _root(settings, home):
        found = found.get(key, {}) if isinstance(found, dict) else None
    named = ".".join(_root(settings, home)) or "the document"
    if home.form == "listed":
        found = {"": [] if found == {} else found}
    if not isinstance(found, dict):
        raise SettingsError(f"{path}: {named!r} is not an object; mend it first, nothing was changed")
    ours = {hook.event for hook in home.hooks} | {""}
    wrong = [
        event
        for event, many in found.items()
        if not isinstance(many, list) and (_root(settings, home) or event in ours)
    ]
    if wrong:
        raise SettingsError(f"{path}: '{named}.{wrong[0]}' is not a list; mend it first, nothing was changed")
    return {event: many for event, many in found.items() if isinstance(many, list)}


def _handlers(entry: Any, home: Home) -> Iterator[Any]:
    if home.form != "grouped":
        yield entry
    elif isinstance(entry, dict) and isinstance(entry.get("hooks"), list):
        yield from entry["hooks"]


def handlers(settings: Mapping[str, Any], home: Home) -> dict[str, list[dict[str, Any]]]:
    """Event -> our handlers there, the events without any left out. In ``listed`` the entry itself names its event."""
    found: dict[str, list[dict[str, Any]]] = {}
    for event, entries in _events(settings, home).items():
        for entry in entries:
            for one in _handlers(entry, home):
                if isinstance(one, dict) and is_ours(one):
                    found.setdefault(event or str(one.get("trigger")), []).append(one)
    return found


def _container(text: str, keys: tuple[str, ...]) -> int | None:
    """Where the object or array under ``keys`` opens."""
    at: int | None = opening(text)
    for key in keys:
        child = member(text, at, key) if at is not None and text[at] == "{" else None
        at = child.value if child else None
    return at if at is not None and text[at] in "{[" else None


def _less(text: str, keys: tuple[str, ...], home: Home) -> str | None:
    """One of our handlers less in the list under ``keys``; None where there is none."""
    array = _container(text, keys)
    if array is None or text[array] != "[":
        return None
    for index, entry in enumerate(children(text, array)):
        if home.form != "grouped":
            if is_ours(value(text, entry)):
                return removed(text, array, index)
            continue
        inner = member(text, entry.value, "hooks") if text[entry.value] == "{" else None
        if inner is None or text[inner.value] != "[":
            continue
        present = children(text, inner.value)
        ours = [number for number, child in enumerate(present) if is_ours(value(text, child))]
        if ours:
            return removed(text, array, index) if len(present) == 1 else removed(text, inner.value, ours[0])
    return None


def _pruned(text: str, keys: tuple[str, ...]) -> str:
    """Without the lists and objects on the way to ``keys`` in which nothing is left."""
    for length in range(len(keys), 0, -1):
        at, outer = _container(text, keys[:length]), _container(text, keys[: length - 1])
        if at is None or outer is None or children(text, at):
            return text
        names = [child.key for child in children(text, outer)]
        text = removed(text, outer, names.index(keys[length - 1]))
    return text


def without(text: str, path: str, home: Home) -> str:
    """``text`` with all our handlers taken out. Raises :class:`SettingsError`."""
    settings = parse(text, path, comments=home.comments)
    root = _root(settings, home)
    for event in _events(settings, home, path):
        keys = (*root, event) if event else root
        changed = False
        while (less := _less(text, keys, home)) is not None:
            text, changed = less, True
        text = _pruned(text, keys) if changed else text
    return text


def _nested(keys: tuple[str, ...], inner: Any) -> Any:
    for key in reversed(keys):
        inner = {key: inner}
    return inner


def _with_entry(text: str, keys: tuple[str, ...], entry: dict[str, Any]) -> str:
    """``text`` with one entry more in the list under ``keys``, made where it is not there."""
    for length in range(len(keys), -1, -1):
        at = _container(text, keys[:length])
        if at is None:
            continue
        if length == len(keys):
            return inserted(text, at, entry)
        return inserted(text, at, _nested(keys[length + 1 :], [entry]), key=keys[length])
    raise SettingsError("the document is no object")


def with_entries(text: str, path: str, home: Home, wanted: Entries) -> str:
    """``text`` with our entries in it, each once; unchanged where they are there already. Raises :class:`SettingsError`."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        mark, text = "", json.dumps(home.head, indent=2) + "\n"
    settings = parse(text, path, comments=home.comments)
    _events(settings, home, path)
    ours = {event: entry["hooks"] if home.form == "grouped" else [entry] for event, entry in wanted.items()}
    if handlers(settings, home) == ours:
        return mark + text
    root = _root(settings, home)
    text = without(text, path, home)
    for event, entry in wanted.items():
        text = _with_entry(text, root if home.form == "listed" else (*root, event), entry)
    return mark + text
