"""ssh, scp and rsync: what runs elsewhere, what leaves, what arrives, what a copy deletes."""

from typing import TYPE_CHECKING

import msgspec

from checkrail.facts.hosts import classify
from checkrail.facts.paths import Place, describe
from checkrail.model import Action, TargetKind
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.state import FILE, REMOTE, UNKNOWN, Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_COMMANDS = frozenset(("proxycommand", "localcommand", "knownhostscommand"))
_LIBRARIES = frozenset(("pkcs11provider", "securitykeyprovider"))
DELETES = (
    "--delete",
    "--delete-before",
    "--delete-during",
    "--del",
    "--delete-delay",
    "--delete-after",
    "--delete-excluded",
    "--delete-missing-args",
)
_NEAR = ("localhost", "127.", "::1", "10.", "192.168.", "172.16.", "0.0.0.0", "host.docker.internal")


def ssh(entry: "Entry", call: "Call", path: str) -> None:
    """``ssh host command``: the command runs there, some options run here."""
    parsed, run = call.parsed, call.run
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    _options(call, path)
    if not parsed.operands or parsed.has(("-G", "-V", "-Q", "-O")):
        return
    host, *rest = parsed.operands
    while rest and rest[0].text == "--":
        rest = rest[1:]
    place = f"ssh:{host.text.removeprefix('ssh://').rpartition('@')[2]}"
    if rest:
        text = " ".join(field.text for field in rest)
        run.shell(text, rest[0].span, f"ssh {host.text}", host=place)
        call.output = msgspec.structs.replace(UNKNOWN, tags=frozenset((REMOTE,)))
    elif not parsed.has(("-N", "-W", "-s")) and not _is_code_host(host.text):
        kept, run.state.host = run.state.host, place
        try:
            flow.run_code("shell", run.stdin, call, f"a shell on {place[4:]}")
        finally:
            run.state.host = kept


def _is_code_host(text: str) -> bool:
    user, _, host = text.rpartition("@")
    return user == "git" or "code-host" in classify(host).classes


def _options(call: "Call", path: str) -> None:
    for given in call.parsed.options:
        if given.value is None:
            continue
        if given.name == "-o":
            _setting(given.value, call, path)
        elif given.name == "-F" and given.value.text not in ("/dev/null", "none"):
            call.run.opaque(f"{call.name} settings in {given.value.text}")


def _setting(field: Field, call: "Call", path: str) -> None:
    text = field.text.lstrip()
    cut = min((at for at in (text.find("="), text.find(" ")) if at > 0), default=len(text))
    name, value = text[:cut].strip().lower(), text[cut + 1 :].strip().lstrip("=").strip()
    if name in _COMMANDS and value and value.lower() != "none":
        call.run.shell(value, field.span, f"{call.name} -o {text[:cut]}")
    elif name in _LIBRARIES:
        effects.named("runs", call, rule=f"{path}.library", reason="loads a library")


def remote(text: str) -> str:
    """The host of ``[user@]host:path``, or nothing for a local path."""
    if text.startswith(("rsync://", "scp://", "sftp://", "ssh://")):
        return text.split("/", 3)[2].rpartition("@")[2]
    head, colon, _ = text.partition(":")
    return head.rpartition("@")[2] if colon and head and "/" not in head else ""


def scp(entry: "Entry", call: "Call", path: str) -> None:
    """``scp source... target``."""
    operands = call.parsed.operands
    effects.apply(entry, msgspec.structs.replace(call.parsed, operands=()), call, path)
    _options(call, path)
    if len(operands) > 1:
        _copies(operands[:-1], operands[-1], call, path, recursive=call.parsed.has(entry.recursive))


def _copies(
    sources: tuple[Field, ...], target: Field, call: "Call", path: str, *, recursive: bool, deletes: bool = False
) -> None:
    if any(remote(source.text) for source in sources):
        call.tags = frozenset((REMOTE,))
    local = tuple(source for source in sources if not remote(source.text))
    host = remote(target.text)
    for source in local:
        effects.path("send" if host else "read", source, call, path, recursive=recursive)
        if host:
            leaves(source, host, call, path)
    if not host:
        if deletes:
            effects.path("delete", target, call, f"{path}.delete", recursive=True)
        effects.into(target, sources, call, path, recursive=recursive)
        return
    call.effect(
        Action.SEND,
        TargetKind.HOST,
        host,
        rule=path,
        axes=effects.KINDS["shared"][2],
        reason=f"changes files on {host}",
    )
    if deletes:
        effects.named(
            "destroys-shared",
            call,
            rule=f"{path}.delete",
            reason=f"deletes on {host} what is not in the source",
            safer="look at rsync -n first",
        )


_OUTSIDE = frozenset((Place.OUTSIDE, Place.BELOW_HOME, Place.OTHER_HOME, Place.HOME, Place.SYSTEM, Place.ROOT))


def leaves(source: Field, host: str, call: "Call", path: str) -> None:
    """What is not the project's own and goes to a public machine is worth a question."""
    if "." not in host or host.startswith(_NEAR) or call.run.state.host:
        return
    if describe(call.path(source), call.run.around).place in _OUTSIDE:
        reason = f"sends {source.text}, which lies outside the project, to {host}"
        effects.named("external", call, rule=f"{path}.outside", reason=reason, safer="send files of the project only")


def rsync(entry: "Entry", call: "Call", path: str) -> None:
    """``rsync source... target``."""
    parsed, operands = call.parsed, call.parsed.operands
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    if len(operands) < 2 or parsed.has(("--list-only",)):
        return
    sources, target = operands[:-1], operands[-1]
    if parsed.has(("-n", "--dry-run")):
        return
    _copies(sources, target, call, path, recursive=True, deletes=parsed.has(DELETES))
    if parsed.has(("--remove-source-files",)):
        for source in sources:
            if remote(source.text):
                effects.named(
                    "destroys-shared",
                    call,
                    rule=f"{path}.moves",
                    reason="removes the files at the source after copying",
                    safer="leave --remove-source-files out",
                )
            else:
                effects.path("delete", source, call, f"{path}.moves", recursive=True)


def nc(entry: "Entry", call: "Call", path: str) -> None:
    """``nc host port``: a file on its standard input leaves the machine."""
    effects.apply(entry, call.parsed, call, path)
    operands = call.parsed.operands
    host = operands[0].text if operands and not call.parsed.has(("-l", "--listen")) else ""
    if host:
        effects.role("host", operands[0], call, path)
    if any(tag.startswith(FILE) for tag in call.run.stdin.tags) and not host.startswith(_NEAR):
        where = host or "whoever connects"
        effects.named(
            "external",
            call,
            rule=f"{path}.file",
            reason=f"sends a file to {where}",
            safer="scp to a host that is known",
        )


def upload_tree(entry: "Entry", call: "Call", path: str) -> None:
    """``rclone copy folder remote:``, ``aws s3 sync folder s3://x``: whole folders leave, or arrive."""
    operands = call.parsed.operands
    effects.apply(entry, msgspec.structs.replace(call.parsed, operands=()), call, path)
    if len(operands) < 2 or effects.is_dry(entry, call.parsed):
        return
    *sources, target = operands
    elsewhere = [bool(remote(field.text)) or "://" in field.text for field in sources]
    for source, far in zip(sources, elsewhere, strict=True):
        if not far:
            effects.path("send", source, call, path, recursive=True)
    if any(elsewhere) and not remote(target.text) and "://" not in target.text:
        call.tags = frozenset((REMOTE,))
        inside = msgspec.structs.replace(target, text=f"{target.text.rstrip('/')}/*")
        effects.path("write", inside, call, path, recursive=True)
