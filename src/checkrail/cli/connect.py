"""What ``scan --connect`` does: shows each server's command to the person, and asks those servers that they say yes to."""

import os
import shlex
import sys
from pathlib import Path

import msgspec

from checkrail.admission import configured, connecting
from checkrail.admission.records import Definition
from checkrail.cli import terminal
from checkrail.redaction import redact


def definitions(project: Path, *, seconds: float, variables: bool) -> list[Definition]:
    """What the servers of this machine say, those that may be started. Commands and questions stand on stderr."""
    found: list[Definition] = []
    for launch in configured.launches(os.environ, project):
        if not _consent(launch, variables):
            continue
        try:
            said = connecting.definitions(launch, secrets=variables, seconds=seconds)
        except connecting.Unreachable as error:
            _say(f"{launch.server.name}: {redact(str(error))}")
            continue
        _say(f"{launch.server.name}: {len(said)} definitions")
        found += said
    return found


def _consent(launch: configured.Launch, variables: bool) -> bool:
    server = launch.server
    if launch.url:
        _say(f"{server.client} reaches {server.name} ({server.path}) at:")
        _say(f"  {launch.url.partition(':')[0]}://{server.host}")
    else:
        _say(f"{server.client} starts {server.name} ({server.path}) with:")
        _say(f"  {redact(shlex.join(launch.words))[:2000]}")
    if launch.environment or launch.headers:
        names = ", ".join(sorted({*launch.environment, *launch.headers}))
        _say(f"  {'with' if variables else 'here without'} its {'headers' if launch.url else 'variables'} {names}")
    print(
        f"{'reach' if launch.url else 'start'} it and ask what it offers? [y/N] ", end="", file=sys.stderr, flush=True
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _say(text: str) -> None:
    print(terminal.plain(text), file=sys.stderr)


def save(path: str, found: list[Definition]) -> None:
    """Writes what was said as ``scan --list`` and ``pin --review`` take it."""
    lines = [
        msgspec.json.encode(
            {"server": entry.server, "tool": entry.tool, "instructions": entry.instructions or None, "kind": entry.kind}
        )
        for entry in found
    ]
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(b"".join(line + b"\n" for line in lines))
