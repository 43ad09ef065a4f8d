"""Judges calls of MCP tools by what their verb does and by their server's standing; what the arguments say other gates judge."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from checkrail.admission import standing
from checkrail.context import Surroundings
from checkrail.knowledge import network
from checkrail.model import Axes, Decision, Effect, Finding, TargetKind
from checkrail.plugins import standing as plugins
from checkrail.redaction import holds_secret

GATE = "mcp"
_SAYS: Mapping[str, str] = {
    "browse": "acts in a page or device",
    "create": "makes something in a service",
    "update": "changes something in a service",
    "execute": "runs something that the call does not show",
    "stop": "stops something that others may need",
    "delete": "deletes something that may not come back",
    "send": "sends something to people or to the outside",
    "publish": "publishes something",
    "merge": "merges, approves or hands over something shared",
    "deploy": "changes what runs for others",
    "pay": "moves money or commits to pay",
    "grant": "changes who may do what",
    "secret": "hands out a secret",
    "unknown": "has a name that says nothing about what it does",
}
_SILENT = frozenset({"mcp.carried", "mcp.read", "mcp.compute", "mcp.local"})


def _axes(group: str) -> Axes | None:
    return next((row.axes() for row in network.tools().axes if row.name == group), None)


def _finding(effect: Effect, rule: str, reason: str, **judged: Any) -> Finding:
    return Finding(
        rule=rule, reason=reason, gate=GATE, span=effect.span, target=effect.target.value, via=effect.via, **judged
    )


def _by_verb(effect: Effect) -> Finding | None:
    """What the name of the tool says."""
    if effect.decision is not None or effect.rule in _SILENT:
        return None
    group = effect.rule.removeprefix("mcp.")
    reason = f"{effect.target.value} {_SAYS.get(group, 'is of a kind that is not known')}"
    if group == "secret":
        return _finding(effect, effect.rule, reason, decision=Decision.ASK)
    return _finding(effect, effect.rule, reason, axes=_axes(group) or _axes("unknown"))


def _stated(effect: Effect) -> Finding | None:
    """What the reading of the arguments stated outright."""
    if effect.decision is None:
        return None
    return _finding(effect, effect.rule, effect.reason, decision=effect.decision)


def _by_claim(effect: Effect) -> Finding | None:
    """The tool's own claim that it destroys; such a claim can only raise."""
    if effect.axes is None:
        return None
    return _finding(effect, "mcp.declared", f"{effect.target.value} declares itself destructive", axes=effect.axes)


def _secret(effect: Effect) -> Finding | None:
    """A secret among the arguments leaves for whatever runs behind the tool."""
    if not effect.content or not holds_secret(effect.content):
        return None
    return _finding(
        effect, "mcp.secret-argument", f"a secret key or token goes to {effect.target.value}", decision=Decision.ASK
    )


def _held_back(effect: Effect, around: Surroundings) -> Finding | None:
    """A call to a server whose descriptions were refused, and that nobody has reviewed since."""
    server, slash, _ = effect.target.value.partition("/")
    try:
        why = standing.held_back(server, around) if slash else None
    except standing.Unreadable as error:
        return _finding(effect, "mcp.lock-unreadable", f"{error} cannot be read", decision=Decision.ASK)
    if why is None:
        return None
    reason = f"the server {server} is quarantined ({why}); review it: checkrail pin --review"
    return _finding(effect, "mcp.quarantined", reason, decision=Decision.DENY)


def _by_declaration(effect: Effect, around: Surroundings) -> Iterator[Finding]:
    """What the author of a plugin, or the operator, declares about the tool: a floor, so it can only raise."""
    server, slash, tool = effect.target.value.partition("/")
    if not slash or not around.own:
        return
    try:
        said, plugin = plugins.declared(server, tool, around), plugins.disabled(server, around)
    except plugins.Unreadable as error:
        yield _finding(effect, "mcp.plugins-unreadable", f"{error} cannot be read", decision=Decision.ASK)
        return
    if said is not None:
        reason = f"{effect.target.value} is declared {said.band} by {said.plugin or 'the operator'}"
        yield _finding(effect, "mcp.declared-band", reason, axes=plugins.axes_of(said))
    if plugin:
        reason = f"the server {server} of {plugin} is not enabled as it stands: checkrail plugin enable"
        yield _finding(effect, "mcp.plugin-disabled", reason, decision=Decision.ASK)


def judge(effects: Sequence[Effect], around: Surroundings, policy: object) -> tuple[Finding, ...]:  # noqa: ARG001
    """Findings on every effect whose target is a tool."""
    calls = [effect for effect in effects if effect.target.kind is TargetKind.TOOL]
    found = [rule(effect) for effect in calls for rule in (_by_verb, _stated, _by_claim, _secret)]
    found += [_held_back(effect, around) for effect in calls]
    declared = [finding for effect in calls for finding in _by_declaration(effect, around)]
    return (*(finding for finding in found if finding is not None), *declared)
