"""Reads one setting of git, ``key=value``, as ``git -c`` takes it: does it make later commands run something?

Settings that run programs are data (``knowledge/git_config.toml``). A value that a shell would run becomes a shell payload;
where its program is not a well-known pager, editor or helper, it asks besides.
"""

import fnmatch

import msgspec

from checkrail.context import Surroundings
from checkrail.knowledge.git_config import Key, keys
from checkrail.model import Action, Axes, Effect, Payload, Reading, Reversibility, Target, TargetKind


def lookup(name: str) -> Key | None:
    """What is known of a setting; names are matched without regard to case."""
    lowered = name.strip().lower()
    return next(
        (key for key in keys().key if any(fnmatch.fnmatchcase(lowered, glob.lower()) for glob in key.names)), None
    )


def command(key: Key, value: str) -> str:
    """The line that a shell would run for a setting, or nothing."""
    if key.kind == "alias":
        return value[1:] if value.startswith("!") else f"git {value}"
    return value.removeprefix("!").strip() if key.kind == "command" else ""


def _host(address: str) -> str:
    """The host of an address of git; nothing for a made-up prefix (``gh:``)."""
    rest = address.partition("://")[2] if "://" in address else address if "@" in address or "." in address else ""
    return rest.rpartition("@")[2].replace(":", "/").split("/", 1)[0].lower()


def asks(key: Key, value: str, name: str = "") -> bool:
    """Whether the setting itself is worth a question, beside what its value runs."""
    if key.kind == "redirect":
        return _host(value) not in ("", _host(name.partition(".")[2].rpartition(".")[0]))
    if key.kind == "alias" or value.strip().lower() in key.free:
        return False
    first = command(key, value).split(" ", 1)[0].strip("'\"")
    return (
        key.kind != "command" or first.rpartition("/")[2] not in keys().programs or ("/" in first and first[0] != "/")
    )


def read(payload: Payload, around: Surroundings) -> Reading:  # noqa: ARG001  # the signature of every reader
    """See :data:`checkrail.readers.Reader`."""
    name, _, value = payload.text.partition("=")
    key = lookup(name)
    if key is None or (key.kind != "alias" and value.strip().lower() in key.free):
        return Reading()
    line = command(key, value)
    inner = msgspec.structs.replace(
        payload,
        language="shell",
        text=line,
        depth=payload.depth + 1,
        via=(*payload.via, f"git setting {name}"),
        options=(),
    )
    effect = Effect(
        action=Action.EXECUTE,
        target=Target(TargetKind.CODE, name, payload.host),
        rule="git.setting",
        axes=Axes(Reversibility.HARD),
        reason=f"{name}: {key.reason}",
        command="git",
        span=payload.span,
        via=payload.via,
    )
    return Reading(effects=(effect,) if asks(key, value, name) else (), payloads=(inner,) if line else ())
