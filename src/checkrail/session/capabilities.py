"""Which capabilities a call uses, by what it does: its effects and what the gates found, never what a tool's author wrote.

A name of a tool or table can add a label, and so a capability; nothing takes one away but the operator's own rows.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

import msgspec

from checkrail.facts.hosts import classify, is_local, registered_domain, suffixes
from checkrail.knowledge import chains as knowledge
from checkrail.knowledge.chains import UNTRUSTED, CapabilityRow
from checkrail.model import Action, Effect, Event, Finding, Operation, Reading, Scope, TargetKind
from checkrail.operations.names import words
from checkrail.policy import Policy
from checkrail.policy import host_of as host_in
from checkrail.redaction import redact
from checkrail.written import WRITTEN, hardened, later

_NET = frozenset({TargetKind.URL, TargetKind.HOST})
_OWN = frozenset({TargetKind.PATH, TargetKind.DATABASE, TargetKind.URL})
_SERVICES = (("gh.", "github.com"), ("glab.", "gitlab.com"))
_TELLING = frozenset({"private-access", "credential-access", "external-action"})
SHORT = 80
INGESTION, PRIVATE, CREDENTIALS = "external-ingestion", "private-access", "credential-access"


class Deed(msgspec.Struct, frozen=True, array_like=True):
    """One capability that a call uses. ``cls`` is what facts are kept by, ``target`` is short and holds no secret."""

    capability: str
    cls: str
    target: str
    labels: tuple[str, ...] = ()


def host_of(effect: Effect) -> str:
    """The host that an effect reaches, empty where its target is none."""
    if effect.target.kind is TargetKind.URL:
        return effect.target.host or effect.target.value.split("://", 1)[-1].split("/", 1)[0]
    value = effect.target.value
    return value if effect.target.kind is TargetKind.HOST and " " not in value else ""


def service(effect: Effect) -> str:
    """Whom an effect talks to: a registered domain, a tool's server, or a command's service."""
    host = host_of(effect)
    if host:
        return registered_domain(host)
    if effect.target.kind is TargetKind.TOOL:
        return effect.target.value.partition("/")[0]
    return next((name for start, name in _SERVICES if effect.rule.startswith(start)), "")


def outside(effect: Effect) -> bool:
    """Whether a URL or host is another machine; a name without a dot is one of a compose file, as a rule."""
    host = host_of(effect)
    if not host:
        return effect.target.kind is TargetKind.URL
    return not is_local(host) and "single-label" not in classify(host).classes


def ordinary(host: str, policy: Policy) -> bool:
    """Whether packages and their documentation lie there, or the policy calls it ordinary to talk to."""
    known = knowledge.chains().ordinary.hosts
    if any(name in known for name in suffixes(host)):
        return True
    return any(fnmatchcase(host, glob) for glob in policy.hosts.allow)


def beyond(effect: Effect, findings: Sequence[Finding]) -> bool:
    """Whether an effect changes something beyond this machine, by its own axes or those that its gate gave it."""
    if effect.axes is not None and effect.axes.scope is not Scope.LOCAL:
        return True
    mine = (f.axes for f in findings if f.rule == effect.rule and f.target == effect.target.value)
    return any(axes is not None and axes.scope is not Scope.LOCAL for axes in mine)


def carries(effect: Effect, findings: Sequence[Finding]) -> bool:
    """Whether what the call says reaches somebody else with this effect, be it as the address of a page that is read."""
    kind = effect.target.kind
    if kind is TargetKind.HOST and " " in effect.target.value:
        named = (host_in(word) for word in effect.target.value.split()[1:64])
        return any("." in host.strip(".") and not is_local(host) for host in named)
    if kind in _NET:
        return outside(effect)
    if kind is TargetKind.TOOL:
        return effect.rule not in ("mcp.carried", "mcp.local", "mcp.compute") and "/" in effect.target.value
    return beyond(effect, findings) and effect.action is not Action.READ


def name_labels(name: str) -> tuple[str, ...]:
    """The labels that the words of a name bring."""
    return tuple(
        dict.fromkeys(label for word in words(name.replace("/", "_")) for label in knowledge.labels_of_word(word))
    )


def deeds(
    event: Event, operation: Operation, reading: Reading, findings: Sequence[Finding], policy: Policy
) -> tuple[Deed, ...]:
    """The capabilities of a call, each once by class. An operator's row about the tool stands for all of them."""
    now = [effect for effect in reading.effects if not later(effect)]
    found = {(deed.capability, deed.cls): deed for deed in _deeds(event, now, findings, policy)}
    if operation.kind == "command" or any(
        payload.language != "url" and not later(payload) for payload in reading.payloads
    ):
        found.setdefault(("code-execution", ""), Deed("code-execution", "", short(operation.summary)))
    own = [row for row in policy.session.override if fnmatchcase(event.tool, row.tool)]
    if own:
        kept = [deed for deed in found.values() if deed.capability in own[-1].capabilities]
        known = {deed.capability for deed in kept}
        kept += [
            Deed(name, event.tool[:SHORT], event.tool[:SHORT], _default_labels(name))
            for name in own[-1].capabilities
            if name not in known
        ]
        return tuple(kept)
    return tuple(found.values())


def _default_labels(capability: str) -> tuple[str, ...]:
    return {"external-ingestion": ("UNTRUSTED_TOOL",), "private-access": ("INTERNAL_DATA",)}.get(capability, ())


def deferred(event: Event, reading: Reading, findings: Sequence[Finding], policy: Policy) -> tuple[Deed, ...]:
    """What the text that a call writes will do once it is run, as far as it goes out or looks at private places."""
    then = [effect for effect in reading.effects if later(effect)]
    found = _deeds(event, then, [hardened(f) for f in findings if f.rule.startswith(WRITTEN)], policy) if then else ()
    return tuple({(deed.capability, deed.cls): deed for deed in found if deed.capability in _TELLING}.values())


def _deeds(event: Event, effects: Sequence[Effect], findings: Sequence[Finding], policy: Policy) -> Iterator[Deed]:
    rules = {finding.rule for finding in findings}
    own = any(effect.target.kind in _OWN for effect in effects)
    extra = tuple(
        label
        for row in (*policy.session.label, *policy.project_session.label)
        if fnmatchcase(event.tool, row.tool)
        for label in row.labels
    )
    for row in knowledge.chains().capability:
        if row.findings:
            if matching := next((f for f in findings if f.rule in rules and _globbed(row.findings, f.rule)), None):
                yield _by_finding(row, matching, extra)
            continue
        for effect in effects:
            labels = _labels(effect, extra)
            if _matches(row, effect, findings, policy, own=own, labels=labels):
                yield _by_effect(row, effect, labels)


def _globbed(globs: tuple[str, ...], text: str) -> bool:
    return knowledge.pattern(globs).match(text) is not None


def _matches(
    row: CapabilityRow,
    effect: Effect,
    findings: Sequence[Finding],
    policy: Policy,
    *,
    own: bool,
    labels: tuple[str, ...],
) -> bool:
    return (
        (not row.kinds or effect.target.kind in row.kinds)
        and (not row.actions or effect.action in row.actions)
        and (not row.rules or _globbed(row.rules, effect.rule))
        and (not row.outside or outside(effect))
        and (row.ordinary or not ordinary(host_of(effect), policy))
        and (not row.served or (not own and "/" in effect.target.value))
        and (not row.labelled or any(label not in UNTRUSTED for label in labels))
        and (not row.beyond or beyond(effect, findings))
    )


def _labels(effect: Effect, extra: tuple[str, ...]) -> tuple[str, ...]:
    named = name_labels(effect.target.value) if effect.target.kind in (TargetKind.TOOL, TargetKind.DATABASE) else ()
    return (*named, *extra)


def _by_finding(row: CapabilityRow, finding: Finding, extra: tuple[str, ...]) -> Deed:
    label = "SECRET" if row.name == "credential-access" or "credentials" in finding.rule else "INTERNAL_DATA"
    return Deed(row.name, finding.rule, short(finding.target), tuple(dict.fromkeys((label, *extra))))


def _by_effect(row: CapabilityRow, effect: Effect, labels: tuple[str, ...]) -> Deed:
    name = service(effect) or effect.rule
    if row.name == "external-ingestion":
        untrusted = tuple(label for label in labels if label in UNTRUSTED)
        usual = "UNTRUSTED_TOOL" if effect.target.kind is TargetKind.TOOL else "UNTRUSTED_WEB"
        return Deed(row.name, name[:SHORT], short(host_of(effect) or effect.target.value), untrusted or (usual,))
    if row.name in ("private-access", "credential-access"):
        held = tuple(label for label in labels if label not in UNTRUSTED)
        usual = "SECRET" if effect.target.kind is TargetKind.SECRET else "INTERNAL_DATA"
        return Deed(row.name, name[:SHORT], short(effect.target.value), held or (usual,))
    return Deed(row.name, name[:SHORT], short(host_of(effect) or effect.target.value))


def short(text: str) -> str:
    """A target as it is kept: one line, no secret, cut."""
    return redact(" ".join(text[:400].split()))[:SHORT]
