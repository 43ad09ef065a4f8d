"""Hooks in YAML settings: event -> handlers, below the keys of the home; comments, order and quotes of the rest stay."""

import io
from typing import Any

from checkrail.agents.homes import Home
from checkrail.install.entries import is_ours
from checkrail.install.json_hooks import Entries
from checkrail.install.json_text import SettingsError


def _yaml() -> Any:
    try:
        from ruamel.yaml import YAML
    except ImportError:
        raise SettingsError("YAML settings need ruamel.yaml; run: pip install 'checkrail[agents]'") from None
    found = YAML()
    found.preserve_quotes = True
    found.width = 4096
    found.indent(mapping=2, sequence=4, offset=2)
    return found


def _read(text: str, path: str) -> Any:
    from ruamel.yaml.error import YAMLError

    try:
        found = _yaml().load(text)
    except YAMLError as error:
        first = str(error).splitlines()[0]
        raise SettingsError(f"{path}: not valid YAML ({first}); mend it first, nothing was changed") from None
    found = {} if found is None else found
    hooks = found.get("hooks", {}) if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance({} if hooks is None else hooks, dict):
        raise SettingsError(f"{path}: 'hooks' is not a mapping; mend it first, nothing was changed")
    return found


def _written(document: Any) -> str:
    out = io.StringIO()
    _yaml().dump(document, out)
    return out.getvalue()


def _events(document: Any, path: str) -> dict[str, list[Any]]:
    found = document.get("hooks") or {}
    wrong = [event for event, many in found.items() if not isinstance(many, list)]
    if wrong:
        raise SettingsError(f"{path}: 'hooks.{wrong[0]}' is not a list; mend it first, nothing was changed")
    return dict(found)


def handlers(text: str, path: str, home: Home) -> dict[str, list[dict[str, Any]]]:  # noqa: ARG001  # one signature
    """Event -> our handlers."""
    ours = {
        event: [dict(one) for one in many if is_ours(one)] for event, many in _events(_read(text, path), path).items()
    }
    return {event: many for event, many in ours.items() if many}


def without(text: str, path: str, home: Home) -> str:
    """``text`` with all our handlers taken out."""
    if not handlers(text, path, home):
        return text
    document = _read(text, path)
    hooks = document["hooks"]
    for event, many in _events(document, path).items():
        for number in reversed([n for n, one in enumerate(many) if is_ours(one)]):
            del many[number]
        if not many:
            del hooks[event]
    if not hooks:
        del document["hooks"]
    return _written(document) if document else ""


def with_entries(text: str, path: str, home: Home, wanted: Entries) -> str:
    """``text`` with our handlers behind the others, each once; unchanged where they are there already."""
    if handlers(text, path, home) == {event: [entry] for event, entry in wanted.items()}:
        return text
    document = _read(without(text, path, home), path)
    if not document:
        return (
            text
            + ("" if not text or text.endswith("\n") else "\n")
            + _written({"hooks": {e: [v] for e, v in wanted.items()}})
        )
    if document.get("hooks") is None:
        document["hooks"] = {}
    for event, entry in wanted.items():
        document["hooks"].setdefault(event, []).append(dict(entry))
    return _written(document)
