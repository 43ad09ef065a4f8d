"""Installing and uninstalling as plans: what each file would become, shown first, then done."""

from pathlib import Path

import msgspec

from checkrail.install import claude, files, record
from checkrail.install.json_text import SettingsError
from checkrail.install.record import Record
from checkrail.places import Places


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One settings file: its bytes now and then (None: no such file)."""

    agent: str
    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def needed(self) -> bool:
        """Whether anything differs."""
        return self.before != self.after


def _decoded(path: Path, content: bytes | None) -> str:
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8; mend it first, nothing was changed") from None


def planned(path: Path, hook: Path, python: str, known: claude.Version | None, *, wait: int = 0) -> Change:
    """What installing would do to a settings file of Claude Code. Raises :class:`SettingsError`, OSError."""
    before = files.read(path)
    wanted = claude.entries(hook, python, known, wait=wait)
    after = claude.with_entries(_decoded(path, before), str(path), wanted).encode()
    return Change(agent="claude", path=path, before=before, after=after)


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
        text = _decoded(path, before)
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        after = (mark + claude.without(text.removeprefix("\ufeff"), str(path))).encode()
    return Change(agent=entry.agent, path=path, before=before, after=after)


def _entry(change: Change, old: record.Settings | None, backups: Path) -> record.Settings:
    """The record after a change. The original stays that of the first installation while nobody else edits."""
    kept, existed = "", change.before is not None
    if change.before is not None:
        kept = str(files.back_up(change.path, change.before, backups))
    if old is not None and old.written == files.digest(change.before):
        kept, existed = old.original, old.existed
    elif change.before is not None and claude.commands_in(change.before):
        kept = ""  # what is there holds an older hook of ours: no original to go back to
    return record.Settings(
        agent=change.agent, path=str(change.path), written=files.digest(change.after), existed=existed, original=kept
    )


def apply(change: Change, places: Places, known: Record) -> Record:
    """Writes one planned installation, keeps a copy of what was there, and returns the new record."""
    if not change.needed and known.of(change.path) is not None:
        return known
    entry = _entry(change, known.of(change.path), places.data / "backups")
    others = tuple(one for one in known.settings if one.path != entry.path)
    after = msgspec.structs.replace(known, settings=(*others, entry))
    record.save(places, after)
    if change.needed:
        files.write(change.path, change.after or b"")
    return after


def take_out(change: Change, places: Places, known: Record) -> Record:
    """Writes one planned removal. The record goes first, so that our own guard lets the change pass."""
    after = msgspec.structs.replace(
        known, settings=tuple(one for one in known.settings if one.path != str(change.path))
    )
    record.save(places, after)
    if change.needed and change.after is None:
        change.path.unlink(missing_ok=True)
    elif change.needed:
        files.back_up(change.path, change.before or b"", places.data / "backups")
        files.write(change.path, change.after or b"")
    return after
