"""Hooks in a TOML file that holds a list of tables ``[[hooks]]``; comments and order of the rest stay."""

from typing import TYPE_CHECKING, Any

from checkrail.agents.homes import Home
from checkrail.install.entries import EVENT, is_ours
from checkrail.install.json_hooks import Entries
from checkrail.install.json_text import SettingsError

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def _read(text: str, path: str) -> "TOMLDocument":
    try:
        import tomlkit
        from tomlkit.exceptions import TOMLKitError
    except ImportError:
        raise SettingsError(f"{path}: TOML settings need tomlkit; run: pip install 'checkrail[agents]'") from None
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise SettingsError(f"{path}: not valid TOML ({error}); mend it first, nothing was changed") from None


def _list(document: "TOMLDocument", path: str) -> list[Any]:
    found = document.get("hooks", [])
    if not isinstance(found, list):
        raise SettingsError(f"{path}: 'hooks' is not a list; mend it first, nothing was changed")
    return found


def handlers(text: str, path: str, home: Home) -> dict[str, list[dict[str, Any]]]:
    """Event -> our entries."""
    found: dict[str, list[dict[str, Any]]] = {}
    names = next(key for key, value in home.handler.items() if value == EVENT)
    for entry in _list(_read(text, path), path):
        if is_ours(entry):
            plain = entry.unwrap() if hasattr(entry, "unwrap") else dict(entry)
            found.setdefault(str(entry.get(names)), []).append(plain)
    return found


def without(text: str, path: str, home: Home) -> str:  # noqa: ARG001
    """``text`` with all our entries taken out."""
    document = _read(text, path)
    many = _list(document, path)
    ours = [number for number, entry in enumerate(many) if is_ours(entry)]
    if not ours:
        return text
    for number in reversed(ours):
        del many[number]
    if not many:
        del document["hooks"]
    return document.as_string()


def with_entries(text: str, path: str, home: Home, wanted: Entries) -> str:
    """``text`` with our entries behind the others, each once; unchanged where they are there already."""
    import tomlkit

    if handlers(text, path, home) == {event: [entry] for event, entry in wanted.items()}:
        return text
    text = without(text, path, home)
    document = tomlkit.document()
    many = tomlkit.aot()
    for entry in wanted.values():
        table = tomlkit.table()
        for key, value in entry.items():
            table.add(key, value)
        many.append(table)
    document.add("hooks", many)
    if not isinstance(_read(text, path).get("hooks", tomlkit.aot()), tomlkit.items.AoT):
        raise SettingsError(
            f"{path}: 'hooks' is written as an inline list; write it as [[hooks]] first, nothing was changed"
        )
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    ours = gap + document.as_string()
    return text + (ours.replace("\n", "\r\n") if "\r\n" in text else ours)
