"""Installing and uninstalling as plans: what each file would become, shown first, then done."""

import secrets
import shlex
from pathlib import Path

import msgspec

from checkrail.install import claude, entries, files, forms, record
from checkrail.install.entries import Words
from checkrail.install.json_text import SettingsError
from checkrail.install.record import Record
from checkrail.install.targets import Target, script_words
from checkrail.places import Places


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One settings file: its bytes now and then (None: no such file)."""

    agent: str
    path: Path
    before: bytes | None
    after: bytes | None
    home: int = 0
    root: tuple[str, ...] = ("hooks",)
    mode: int | None = None

    @property
    def needed(self) -> bool:
        """Whether anything differs."""
        return self.before != self.after


def _decoded(path: Path, content: bytes | None) -> str:
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8; mend it first, nothing was changed") from None


def planned(
    path: Path, hook: Path, python: str, known: claude.Version | None, *, wait: int = 0, words: Words | None = None
) -> Change:
    """What installing would do to a settings file of Claude Code. Raises :class:`SettingsError`, OSError."""
    before = files.read(path)
    wanted = claude.entries(hook, python, known, wait=wait, words=words)
    after = claude.with_entries(_decoded(path, before), str(path), wanted).encode()
    return Change(agent="claude", path=path, before=before, after=after)


def _own_text(target: Target, words: Words) -> str:
    """A file of our own, with the hook's command line written in."""
    said = list(words(target.agent, "", 0))
    if target.path.suffix == ".js":
        return target.text.replace('["checkrail-hook"]', script_words(said[: said.index("--agent")]))
    return target.text.replace("checkrail-hook --agent", f"{shlex.join(said[: said.index('--agent')])} --agent")


def _unguessed(text: str, target: Target) -> str:
    """The name of our entry where it has one already, else a new one."""
    present = [one for many in forms.handlers(text, str(target.path), target.home).values() for one in many]
    return next((str(one["name"]) for one in present if "name" in one), f"checkrail-{secrets.token_hex(4)}")


def planned_for(target: Target, words: Words, *, wait: int = 0) -> Change:
    """What installing would do to one file of an agent. Raises :class:`SettingsError`, OSError."""
    before, home = files.read(target.path), target.home
    text = _decoded(target.path, before)
    if home.form == "files":
        after = _own_text(target, words)
        if before is not None and not forms.handlers(text, str(target.path), home) and text != after:
            raise SettingsError(
                f"{target.path} is there already and not ours; let it call {words(target.agent, '', 0)[-3]}, or move it away"
            )
    else:
        name = _unguessed(text, target)
        after = forms.with_entries(
            text, str(target.path), home, entries.wanted(home, target.agent, words, name=name, wait=wait)
        )
    return Change(
        agent=target.agent, path=target.path, before=before, after=after.encode(), home=target.number, root=home.root,
        mode=0o700 if home.executable else None,
    )  # fmt: skip


def planned_removal(entry: record.Settings) -> Change:
    """What uninstalling would do: the bytes from before us where nothing else changed, else only our entries go."""
    path = Path(entry.path)
    before = files.read(path)
    original = files.read(Path(entry.original)) if entry.original else None
    if before is None:
        after = None
    elif files.digest(before) == entry.written and (original is not None or not entry.existed):
        after = original
    else:
        left = forms.without(_decoded(path, before), str(path), forms.home_of(entry))
        after = None if left is None else left.encode()
    return Change(agent=entry.agent, path=path, before=before, after=after, home=entry.home, root=entry.root)


def _entry(change: Change, old: record.Settings | None, backups: Path) -> record.Settings:
    """The record after a change. The original stays that of the first installation while nobody else edits."""
    kept, existed, made = "", change.before is not None, files.missing(change.path.parent)
    if change.before is not None:
        kept = str(files.back_up(change.path, change.before, backups))
    if old is not None and old.written == files.digest(change.before):
        kept, existed, made = old.original, old.existed, old.made
    elif change.before is not None and claude.commands_in(change.before):
        kept = ""  # what is there holds an older hook of ours: no original to go back to
    return record.Settings(
        agent=change.agent, path=str(change.path), written=files.digest(change.after), existed=existed, original=kept,
        home=change.home, root=change.root, made=made,
    )  # fmt: skip


def apply(change: Change, places: Places, known: Record) -> Record:
    """Writes one planned installation, keeps a copy of what was there, and returns the new record."""
    if not change.needed and known.of(change.path) is not None:
        return known
    entry = _entry(change, known.of(change.path), places.data / "backups")
    others = tuple(one for one in known.settings if one.path != entry.path)
    after = msgspec.structs.replace(known, settings=(*others, entry))
    record.save(places, after)
    if not change.needed:
        return after
    try:
        files.write(change.path, change.after or b"", mode=change.mode)
    except OSError:
        record.save(places, known)
        raise
    return after


def take_out(change: Change, places: Places, known: Record) -> Record:
    """Writes one planned removal. The record goes first, so that our own guard lets the change pass."""
    after = msgspec.structs.replace(
        known, settings=tuple(one for one in known.settings if one.path != str(change.path))
    )
    record.save(places, after)
    if change.needed and change.after is None:
        files.remove(change.path)
        files.remove_empty(change.path.parent, known.made(change.path))
    elif change.needed:
        files.back_up(change.path, change.before or b"", places.data / "backups")
        files.write(change.path, change.after or b"")
    return after
