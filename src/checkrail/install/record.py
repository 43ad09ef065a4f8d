"""What was installed where: the one file by which ``uninstall``, ``doctor`` and the guard know our traces."""

from pathlib import Path

import msgspec

from checkrail.install import files
from checkrail.places import Places


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """One settings file that we edited. ``original`` keeps its bytes before us; empty where there was no file."""

    agent: str
    path: str
    written: str  # digest of what we left there
    existed: bool
    original: str = ""
    home: int = 0  # which of the agent's homes
    root: tuple[str, ...] = ("hooks",)
    made: str = ""  # the topmost folder that was made for it


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Everything installed. ``python`` runs the hook at ``hook``."""

    python: str = ""
    hook: str = ""
    settings: tuple[Settings, ...] = ()

    def of(self, path: Path) -> Settings | None:
        """What we know of one settings file."""
        return next((entry for entry in self.settings if entry.path == str(path)), None)

    def made(self, path: Path) -> str:
        """The topmost folder that was made for a settings file; empty where it was there before."""
        entry = self.of(path)
        return entry.made if entry else ""


def place(places: Places) -> Path:
    """Where the record lies."""
    return places.data / "installed.json"


def load(places: Places) -> Record:
    """The record, empty where there is none or it cannot be read."""
    try:
        return msgspec.json.decode(place(places).read_bytes(), type=Record)
    except (OSError, msgspec.MsgspecError):
        return Record()


def save(places: Places, record: Record) -> None:
    """Stores the record; an empty one is removed."""
    if record.settings:
        files.write(place(places), msgspec.json.format(msgspec.json.encode(record)) + b"\n", mode=0o600)
    else:
        place(places).unlink(missing_ok=True)
