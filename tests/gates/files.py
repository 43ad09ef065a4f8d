"""Machines, effects and bands for tests of the file gate."""

import struct
import time
from collections.abc import Mapping

import msgspec

from checkrail.bands import band_of
from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost, Stat
from checkrail.gates.file import judge
from checkrail.model import Action, Band, Effect, Target, TargetKind
from checkrail.policy import Policy

ROOM = "/work/app"


class Machine(FrozenHost):
    """A frozen host on which files have an age and git an index (latin-1, so that it can be bytes)."""

    ages: dict[str, float] = msgspec.field(default_factory=dict)

    def lstat(self, path: str) -> Stat | None:
        """As the table says, with the time of change where one is given."""
        found = super().lstat(path)
        return msgspec.structs.replace(found, mtime=self.ages[path]) if found and path in self.ages else found

    def read(self, path: str, limit: int) -> bytes | None:
        """Bytes as written."""
        content = self.files.get(path)
        return content.encode("latin-1") if content is not None and len(content) <= limit else None


def index(entries: dict[str, tuple[int, int]]) -> str:
    """A version 2 index: path below the root -> size and time."""
    out = struct.pack(">4sII", b"DIRC", 2, len(entries))
    for name, (size, mtime) in sorted(entries.items()):
        raw = name.encode()
        entry = struct.pack(">10I20sH", 0, 0, mtime, 0, 0, 0, 0o100644, 0, 0, size, b"\1" * 20, len(raw)) + raw
        out += entry + b"\0" * (8 - len(entry) % 8)
    return out.decode("latin-1")


OLD = 1_600_000_000
NOW = time.time()


def machine(files: Mapping[str, tuple[int, float]], tracked: tuple[str, ...] = ()) -> Surroundings:
    """A workspace with files of a size and an age; ``tracked`` ones are as git knows them."""
    table: dict[str, str | None] = {f"{ROOM}/{name}": "x" * size for name, (size, _) in files.items()}
    table[f"{ROOM}/.git/index"] = index({name: (files[name][0], int(files[name][1])) for name in tracked})
    ages = {f"{ROOM}/{name}": float(int(age)) for name, (_, age) in files.items()}
    return Surroundings(host=Machine(files=table, ages=ages), home="/home/dev", workspace=ROOM, cwd=ROOM)


BARE = Surroundings(host=FrozenHost(), home="/home/dev", workspace=ROOM, cwd=ROOM)


def effect(action: Action, path: str, **more: object) -> Effect:
    """An effect on a path."""
    host = str(more.pop("host", ""))
    base = Effect(action=action, target=Target(TargetKind.PATH, path, host), rule="x")
    return msgspec.structs.replace(base, **more)


def band(*effects: Effect, around: Surroundings = BARE, policy: Policy = Policy()) -> Band:  # noqa: B008
    """The highest band of all findings."""
    return max(
        (band_of(found) for found in judge(effects, around, policy)), key=lambda held: held.rank, default=Band.AUTO
    )


def rules(*effects: Effect, around: Surroundings = BARE) -> set[str]:
    """The rules that speak."""
    return {found.rule for found in judge(effects, around, Policy())}


AUTO, NOTE, ASK = Band.AUTO, Band.SOFT_ACK, Band.ESCALATE
DELETE = Action.DELETE
