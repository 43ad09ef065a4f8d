"""Merges the layers into the policy in force: built-in < user < managed; the project's file can only tighten.

A layer whose file is broken keeps its last good text, which is stored beside the daemon's state, and the fault is
reported. So a slip of the pen neither stops work nor silently drops what the user had asked for.
"""

import hashlib
import os

import msgspec

from checkrail import __version__
from checkrail.policy import BUILT_IN, Hosts, Policy, SpendLine
from checkrail.policy.files import File, PolicyError, ProjectFile, decoded, parse, parse_project, read

MANAGED = "/etc/checkrail/policy.toml"
PROJECT_NAME = ".checkrail.toml"

_PROFILES = ("permissive", "balanced", "strict")
_EXPLICIT = ("off", "reads", "auto")


class Layer(msgspec.Struct, frozen=True):
    """A file of the user's or the administrator's policy, and where its last good text is kept (empty: nowhere)."""

    path: str
    owners: tuple[int, ...]
    kept: str = ""


class Loaded(msgspec.Struct, frozen=True):
    """The policy in force, a digest that changes with it, and what is wrong with the files."""

    policy: Policy = BUILT_IN
    digest: str = ""
    faults: tuple[str, ...] = ()


def _keep(path: str, text: str) -> None:
    """Stores the last good text. A failure costs nothing now, so it is not reported."""
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as handle:
            handle.write(text)
        os.replace(temporary, path)
    except OSError:
        return


def _kept(layer: Layer) -> File:
    """The last good text of a layer, or an empty file."""
    try:
        text = read(layer.kept, (os.geteuid(),)) if layer.kept else None
        return parse(text, layer.kept) if text is not None else File()
    except PolicyError:
        return File()


def expanded(file: File, home: str) -> File:
    """``file`` with ``~/`` spelled out in its directories and in the paths of its rows."""

    def full(path: str) -> str:
        return os.path.join(home, path[2:]) if path.startswith("~/") else path

    return msgspec.structs.replace(
        file,
        scratch=tuple(full(path).rstrip("/") for path in file.scratch),
        rule=tuple(msgspec.structs.replace(row, path=full(row.path)) for row in file.rule),
    )


def _read_layer(layer: Layer) -> tuple[File, str]:
    try:
        text = read(layer.path, layer.owners)
        file = parse(text, layer.path) if text is not None else File()
    except PolicyError as error:
        return _kept(layer), f"{error} (the last good policy stays in force)"
    if layer.kept:
        _keep(layer.kept, text or "")
    return file, ""


def _replaced(base: tuple[SpendLine, ...], lines: tuple[SpendLine, ...]) -> tuple[SpendLine, ...]:
    """The later layer's line stands for its currency."""
    return tuple({line.currency: line for line in (*base, *lines)}.values())


def _lowered(line: SpendLine, wishes: tuple[SpendLine, ...]) -> SpendLine:
    """A project can lower each amount of a line; a currency without a line gets none."""
    for wish in wishes:
        if wish.currency == line.currency:
            return SpendLine(
                currency=line.currency,
                per_call=min(line.per_call, wish.per_call),
                per_day=min(line.per_day, wish.per_day),
                lifetime=min(line.lifetime, wish.lifetime),
            )
    return line


def over(base: Policy, file: File) -> Policy:
    """``file`` laid over ``base``: single values replace, lists are joined."""
    return Policy(
        profile=file.profile or base.profile,
        explicit_allow=file.explicit_allow or base.explicit_allow,
        rule=base.rule + file.rule,
        scratch=base.scratch + file.scratch,
        forbid=base.forbid + file.forbid,
        hosts=Hosts(allow=base.hosts.allow + file.hosts.allow, block=base.hosts.block + file.hosts.block),
        agent=base.agent + file.agent,
        tool=base.tool + file.tool,
        audit=file.audit or base.audit,
        approvals=file.approvals or base.approvals,
        spend=_replaced(base.spend, file.spend),
        session=file.session or base.session,
        guidance={**base.guidance, **file.guidance},
    )


def tightened(base: Policy, project: ProjectFile) -> Policy:
    """``base`` with a project's wishes, none of which can loosen it."""
    wish = project.profile or base.profile
    return msgspec.structs.replace(
        base,
        profile=max(base.profile, wish, key=_PROFILES.index),
        explicit_allow=min(base.explicit_allow, project.explicit_allow or base.explicit_allow, key=_EXPLICIT.index),
        forbid=base.forbid + project.forbid,
        hosts=Hosts(allow=base.hosts.allow, block=base.hosts.block + project.hosts.block),
        agent=base.agent + project.agent,
        tool=base.tool + project.tool,
        spend=tuple(_lowered(line, project.spend) for line in base.spend),
        project_rules=project.rule,
        project_session=project.session,
    )


def digest_of(policy: Policy) -> str:
    """Sixteen hex digits that change whenever the policy or this program does."""
    body = msgspec.json.encode(policy) + __version__.encode()
    return hashlib.sha256(body).hexdigest()[:16]


def load(layers: tuple[Layer, ...]) -> Loaded:
    """Reads the layers, the weakest first. A missing file is fine; a broken one is a fault, not an exception."""
    policy, faults = BUILT_IN, []
    for layer in layers:
        file, fault = _read_layer(layer)
        policy = over(policy, expanded(file, os.path.expanduser("~")))
        faults += [fault] if fault else []
    return Loaded(policy, digest_of(policy), tuple(faults))


def unusable(loaded: Loaded, path: str, why: str) -> Loaded:
    """``loaded`` with a fault about a project's file, which changes nothing else."""
    return msgspec.structs.replace(
        loaded, faults=(*loaded.faults, f"{path}: {why} (the project's file is not applied)")
    )


def for_project(loaded: Loaded, path: str, raw: bytes) -> Loaded:
    """``loaded`` tightened by the project's file; a broken one is reported and changes nothing."""
    try:
        policy = tightened(loaded.policy, parse_project(decoded(path, raw), path))
    except PolicyError as error:
        return unusable(loaded, path, str(error).removeprefix(f"{path}:"))
    return msgspec.structs.replace(loaded, policy=policy, digest=digest_of(policy))
