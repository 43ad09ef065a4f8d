"""Containers and pods: what runs inside is judged as running there, and reaches this machine through its mounts."""

from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE
from checkrail.readers import mounts
from checkrail.readers.shell import effects, flow, redirects
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_SOCKETS = ("docker.sock", "containerd.sock", "podman.sock", "crio.sock")
_WHOLE = frozenset(
    (
        "/",
        "/home",
        "/root",
        "/etc",
        "/var",
        "/usr",
        "/boot",
        "/dev",
        "/proc",
        "/sys",
        "/var/lib",
        "/var/lib/docker",
        "/run",
        "/var/run",
        "/Users",
        "/opt",
        "/bin",
        "/sbin",
        "/lib",
    )
)
"""Folders that give a container the machine."""

_KEYS = (
    "/.ssh",
    "/.aws",
    "/.gnupg",
    "/.kube",
    "/.config",
    "/.config/gcloud",
    "/.config/gh",
    "/.docker",
    "/.azure",
    "/.password-store",
    "/.claude",
    "/.codex",
)
"""Folders that are read as a whole because keys lie in them."""

_RIGHTS = (
    "SYS_ADMIN",
    "ALL",
    "SYS_PTRACE",
    "SYS_MODULE",
    "SYS_RAWIO",
    "DAC_READ_SEARCH",
    "CAP_SYS_ADMIN",
    "CAP_ALL",
    "NET_ADMIN_HOST",
)
_UNCONFINED = (
    "seccomp=unconfined",
    "seccomp:unconfined",
    "apparmor=unconfined",
    "apparmor:unconfined",
    "label=disable",
    "label:disable",
    "systempaths=unconfined",
)


def container(entry: "Entry", call: "Call", path: str) -> None:
    """``run``, ``create`` and ``exec`` of docker and its like."""
    parsed = call.parsed
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    binds = _mounts(call, path)
    _rights(call, path)
    if not parsed.operands:
        return
    image, *rest = parsed.operands
    runs = entry.names[0] == "run"
    name = f"{'container' if runs else 'running'}:{image.text}"
    entry_point = parsed.value("--entrypoint")
    words = (entry_point, *rest) if entry_point is not None and entry_point.text else tuple(rest)
    _inside(words, mounts.place(name, binds), parsed.value("-w", "--workdir"), call)


def _inside(words: tuple[Field, ...], host: str, folder: Field | None, call: "Call") -> None:
    if not words:
        return
    state = call.run.state
    kept, kept_files, state.cwd, state.files = (
        state.cwd,
        state.files,
        (folder.text if folder is not None else HOLE,),
        {},
    )
    try:
        call.invoke(words, host=host)
    finally:
        state = call.run.state
        state.cwd, state.files = kept, kept_files


def _mounts(call: "Call", path: str) -> tuple[tuple[str, str], ...]:
    found = []
    for given in call.parsed.options:
        if given.value is None:
            continue
        if given.name in ("-v", "--volume"):
            source, _, rest = given.value.text.partition(":")
            inside, _, mode = rest.partition(":")
        elif given.name == "--mount":
            source, inside, mode = _long_mount(given.value.text)
        else:
            continue
        if not source or not inside:
            continue
        if source.startswith(("/", ".", "~", HOLE)):
            home = call.run.around.home
            outside = redirects.resolve(home + source[1:] if source[:2] in ("~", "~/") else source, call.run)
            _dear(outside, given.value, call, path)
            if "ro" not in mode.split(",") and inside.startswith("/"):
                found.append((inside, outside))
    return tuple(found)


def _long_mount(text: str) -> tuple[str, str, str]:
    parts = dict(part.partition("=")[::2] for part in text.split(","))
    source = parts.get("source") or parts.get("src") or ""
    inside = parts.get("target") or parts.get("dst") or parts.get("destination") or ""
    return (source if parts.get("type") == "bind" else "", inside, "ro" if "readonly" in parts or "ro" in parts else "")


def _dear(outside: str, field: Field, call: "Call", path: str) -> None:
    home = call.run.around.home
    if outside.endswith(_SOCKETS):
        reason = "hands the container service itself to a container, and with it this machine"
    elif outside in _WHOLE or outside.rstrip("/") in (home, home.rpartition("/")[0]):
        reason = f"mounts {outside} of this machine into a container"
    else:
        whole = outside.endswith(_KEYS)
        effects.path("read", msgspec.structs.replace(field, text=outside), call, path, recursive=whole)
        return
    effects.named("privilege", call, rule=f"{path}.mount", reason=reason, safer="mount only the folder that is needed")


def _rights(call: "Call", path: str) -> None:
    parsed = call.parsed
    values = [(given.name, given.value.text) for given in parsed.options if given.value is not None]
    reasons = []
    if parsed.has(("--privileged",)) and ("--privileged", "false") not in values:
        reasons.append("gives a container every right on this machine")
    for name, text in values:
        if name in ("--pid", "--userns", "--uts", "--cgroupns") and text == "host":
            reasons.append(f"lets a container share the machine's own {name[2:]} space")
        elif name == "--cap-add" and text.upper() in _RIGHTS:
            reasons.append(f"gives a container the right {text.upper()}")
        elif name == "--security-opt" and text.lower() in _UNCONFINED:
            reasons.append("takes a container's confinement away")
        elif name == "--device" and text.startswith(
            ("/dev/sd", "/dev/nvme", "/dev/mem", "/dev/disk", "/dev/vd", "/dev/mapper")
        ):
            reasons.append(f"hands the disk {text} to a container")
    for reason in reasons:
        effects.named(
            "privilege", call, rule=f"{path}.rights", reason=reason, safer="give only the right that is needed"
        )


def compose(entry: "Entry", call: "Call", path: str) -> None:
    """``compose run`` and ``compose exec``: a service instead of an image."""
    container(entry, call, path)


def as_compose(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``docker-compose`` is ``docker compose``."""
    call.invoke((Field("docker", call.span), Field("compose", call.span), *call.arguments))


def forward(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """A word that only groups subcommands (``docker container ls``)."""
    at = next((index for index, field in enumerate(call.arguments) if field.text in entry.names), len(call.arguments))
    rest = call.arguments[at + 1 :]
    if rest and not rest[0].text.startswith("-"):
        call.invoke((Field(call.name, call.span), *call.arguments[:at], *rest))


def kubectl(entry: "Entry", call: "Call", path: str) -> None:
    """``kubectl exec pod -- command``."""
    effects.apply(entry, msgspec.structs.replace(call.parsed, operands=()), call, path)
    operands = call.parsed.operands
    texts = [field.text for field in call.arguments]
    words = call.arguments[texts.index("--") + 1 :] if "--" in texts else operands[1:]
    pod = operands[0].text if operands and operands[0] not in words[:1] else "pod"
    _inside(tuple(words), f"pod:{pod}", None, call)


def manifest(entry: "Entry", call: "Call", path: str) -> None:
    """``kubectl apply -f -``: what comes over the network is applied unread."""
    effects.apply(entry, call.parsed, call, path)
    given = call.parsed.value("-f", "--filename")
    if given is not None and redirects.is_standard_input(given.text, call.run):
        flow.provenance(call.run.stdin, call, f"what {call.name} applies")
