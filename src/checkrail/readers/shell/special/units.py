"""Services and units: ``systemctl``, ``service``. Starting an ordinary one again is work; what the machine lives by is a question."""

import fnmatch
from typing import TYPE_CHECKING

from checkrail.model import HOLE, SOME, Action, Axes, Reversibility, Scope, TargetKind
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import SECRET, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

SHOWS = (
    *("status", "list-*", "show", "cat", "is-*", "help", "get-default", "show-environment", "list", "whoami"),
    *("log-level", "log-target", "service-watchdogs", "check"),
)
"""Verbs that change nothing."""

STARTS = frozenset(
    (
        *("start", "reload", "restart", "try-restart", "condrestart", "reload-or-restart", "try-reload-or-restart"),
        *("force-reload", "daemon-reload", "reset-failed"),
    )
)
"""Verbs after which everything runs as its files say."""

STOPS = frozenset(
    ("stop", "kill", "disable", "mask", "restart", "try-restart", "condrestart", "reload-or-restart", "isolate")
)

VITAL = (
    *("ssh", "sshd", "ssh[.@]*", "sshd[.@]*", "dropbear*", "telnet*", "*network*", "systemd-*", "wpa_supplicant*"),
    *("dhc*", "connman*", "iwd*", "wg-quick*", "openvpn*", "tailscale*", "iptables*", "ip6tables*", "nftables*"),
    *("firewall*", "ufw*", "fail2ban*", "display-manager*", "gdm*", "lightdm*", "sddm*", "*getty*", "*login*"),
    *("dbus*", "polkit*", "auditd*", "apparmor*", "selinux*", "docker*", "containerd*", "kubelet*", "libvirt*"),
    *("*.target", "*.mount", "*.swap", "*/*", "*[[*?]*", f"*{HOLE}*", f"*{SOME}*"),
)
"""Units by which one reaches the machine, or which guard or carry everything on it; and what may be any unit."""

ELSEWHERE = ("-H", "--host", "-M", "--machine", "--root", "-f", "--force", "--job-mode")

ORDINARY = Axes(Reversibility.REVERSIBLE, Scope.SHARED)


def systemd(entry: "Entry", call: "Call", path: str) -> None:
    """``systemctl``: showing is free, starting ordinary units is noted, the rest changes what runs on the machine."""
    parsed = call.parsed
    if parsed.has(entry.dry) or not parsed.operands:
        return
    verb = parsed.operands[0].text
    if verb == "show-environment":
        call.output = Value(HOLE, frozenset((SECRET, "environment")))
    if any(fnmatch.fnmatchcase(verb, shown) for shown in SHOWS):
        return
    ordinary = not parsed.has(ELSEWHERE)
    remote = parsed.value("-H", "--host")
    _judged(verb, parsed.operands[1:], call, path, ordinary=ordinary, where=f" on {remote.text}" if remote else "")


UNIT_FIRST = frozenset(("service", "rc-service", "invoke-rc.d"))
VERB_FIRST = frozenset(("initctl", "sv"))


def services(entry: "Entry", call: "Call", path: str) -> None:
    """``service nginx restart``, ``sv restart nginx``; of other managers every change is a question."""
    parsed = call.parsed
    held = [rule for rule in entry.rule if effects.holds(rule, parsed)]
    if any(rule.instead for rule in held):
        return
    operands = parsed.operands
    if call.name in UNIT_FIRST and len(operands) == 2:
        _judged(operands[1].text, operands[:1], call, path, ordinary=not parsed.strange)
    elif call.name in VERB_FIRST and len(operands) > 1:
        _judged(operands[0].text, operands[1:], call, path, ordinary=not parsed.strange)
    else:
        effects.apply(entry, parsed, call, path)


def _judged(verb: str, units: tuple[Field, ...], call: "Call", path: str, *, ordinary: bool, where: str = "") -> None:
    free = ordinary and verb in STARTS and not any(_vital(field.text) for field in units)
    for field in units:
        call.effect(
            Action.STOP if verb in STOPS else Action.CONFIGURE,
            TargetKind.SERVICE,
            field.text,
            rule=f"{path}.{verb[:30]}",
            axes=ORDINARY if free else Axes(),
            reason=f"{verb} {field.text}",
        )
    names = " ".join(field.text for field in units[:3])
    if not free:
        reason = f"{verb} {names}{where}: changes the services of the machine".replace("  ", " ")
        effects.named("host", call, rule=path, reason=reason)
    elif not units:
        call.effect(Action.CONFIGURE, TargetKind.SERVICE, verb, rule=f"{path}.{verb[:30]}", axes=ORDINARY, reason=verb)


def _vital(unit: str) -> bool:
    return any(fnmatch.fnmatchcase(unit.casefold(), glob) for glob in VITAL)
