"""``decide``: the only place that knows the order in which an event is judged."""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from checkrail import bands
from checkrail.admission.claims import Recorded
from checkrail.at_stake import at_stake
from checkrail.context import Surroundings
from checkrail.facts import mcp_servers
from checkrail.facts.host import Host
from checkrail.floor import floor
from checkrail.gates import GATES, gate
from checkrail.model import (
    Action,
    Axes,
    Band,
    Decision,
    Effect,
    Event,
    Finding,
    Operation,
    Reading,
    Reversibility,
    Scope,
    TargetKind,
    Unread,
    Verdict,
)
from checkrail.operations import operations
from checkrail.policy import Policy
from checkrail.policy.tools import on_reading, on_tool
from checkrail.reading import read_all
from checkrail.session import Acquaintance, Memory, acquaintance, spend
from checkrail.session.spend import Ledger
from checkrail.workspace import workspace
from checkrail.written import softened

Later = Callable[[Operation, Reading, list[Finding]], list[Finding]]
"""What is added to the findings of the gates."""

EFFECTS_CAP = 5_000
"""Effects of one operation that are judged; no list of targets that anyone typed is as long."""

HARMLESS = frozenset((Action.READ, Action.RECEIVE))


def decide(
    event: Event,
    *,
    host: Host,
    policy: Policy,
    own: tuple[str, ...] = (),
    ledger: Ledger | None = None,
    memory: Memory | None = None,
    met: Acquaintance | None = None,
) -> Verdict:
    """The verdict on a pending call. Raises nothing on purpose; a gate that raises becomes a finding that asks.

    ``ledger`` knows what was spent; it is only asked about calls that move money, where the policy has lines for that.
    ``memory`` knows what the session did before, and is told of this call. ``met`` knows about which MCP servers it was asked.
    """
    if event.fault:
        return _faulty(event)
    around = surroundings(event, host, own)
    errors: list[str] = []
    said = on_tool(event, policy, host)
    money = partial(_with_spend, event, policy, ledger, errors)
    before = partial(_remembered, event, around, policy, memory, met, errors)
    verdicts = [_judged(operation, around, policy, said, errors, before, money) for operation in _meant(event, around)]
    merged = _merged(verdicts)
    _keep(memory, event, merged.decision, errors)
    stakes = at_stake(merged, around) if merged.decision is Decision.ASK else ()
    return msgspec.structs.replace(merged, errors=tuple(errors), stakes=stakes) if errors or stakes else merged


def _meant(event: Event, around: Surroundings) -> tuple[Operation, ...]:
    """What the call means, its tool's name split by the servers that are configured."""
    event = mcp_servers.named(event, around.host, (around.workspace, around.cwd))
    found = mcp_servers.of_call(event, around)
    return operations(event, around, servers=found.own, doubtful=found.project, catalogue=Recorded(around))


def surroundings(event: Event, host: Host, own: tuple[str, ...] = ()) -> Surroundings:
    """What surrounds an event."""
    cwd = event.cwd if event.cwd.startswith("/") else host.home
    return Surroundings(
        host=host,
        home=host.home,
        workspace=workspace(event.project, cwd, host),
        cwd=cwd,
        own=own,
        agent=event.agent,
    )


def _judged(
    operation: Operation,
    around: Surroundings,
    policy: Policy,
    said: Sequence[Finding],
    errors: list[str],
    before: Later,
    money: Later,
) -> Verdict:
    inner = read_all(operation.payloads, around)
    effects, left_out = _bounded((*operation.effects, *inner.effects))
    reading = Reading(
        effects=effects,
        payloads=inner.payloads,
        unread=(*operation.unread, *inner.unread, *left_out),
        opaque=(*operation.opaque, *inner.opaque),
        commands=inner.commands,
        scripts=inner.scripts,
        texts=inner.texts,
    )
    findings = [
        *said,
        *on_reading(reading, policy),
        *_unread(reading),
        *_gated(reading.effects, around, policy, errors),
    ]
    try:
        # INVARIANT: the floor sees no policy, and nothing after it takes a finding away.
        findings.extend(floor(reading.effects, around))
    except Exception as error:
        errors.append(f"floor: {type(error).__name__}: {error}")
        findings.append(_gate_error("floor", error))
    findings = before(operation, reading, [softened(finding) for finding in findings])
    findings = money(operation, reading, findings)
    decision = bands.strictest(_decision(finding, policy) for finding in findings)
    band = bands.highest(bands.band_of(finding) for finding in findings)
    known = not reading.unread and not reading.opaque and not any(finding.gate == "internal" for finding in findings)
    return Verdict(
        decision=decision,
        band=band,
        findings=tuple(sorted(findings, key=lambda finding: -_decision(finding, policy).rank)),
        understood=known and operation.kind != "unknown",
        reads_only=known and band is Band.AUTO and all(_reads(effect) for effect in reading.effects),
        operation=operation,
        reading=reading,
    )


def _remembered(
    event: Event,
    around: Surroundings,
    policy: Policy,
    memory: Memory | None,
    met: Acquaintance | None,
    errors: list[str],
    operation: Operation,
    reading: Reading,
    findings: list[Finding],
) -> list[Finding]:
    """With what the call is in the light of its session."""
    try:
        known = [*findings, *acquaintance.findings(event, reading.effects, around, met)]
        return [*known, *memory.weigh(event, operation, reading, known, policy)] if memory is not None else known
    except Exception as error:
        errors.append(f"session: {type(error).__name__}: {error}")
        return [*findings, _gate_error("session", error)]


def _keep(memory: Memory | None, event: Event, decision: Decision, errors: list[str]) -> None:
    """What cannot be remembered is told; it is no reason to stop the call, whose own verdict stands."""
    if memory is not None:
        try:
            memory.keep(event, decision)
        except Exception as error:
            errors.append(f"session: {type(error).__name__}: {error}")


def _with_spend(
    event: Event,
    policy: Policy,
    ledger: Ledger | None,
    errors: list[str],
    operation: Operation,
    reading: Reading,
    findings: list[Finding],
) -> list[Finding]:
    """Last of all, since only what nothing else asks about is reserved."""
    try:
        return spend.settled(
            event, operation, reading, findings,
            policy=policy, ledger=ledger, decide=lambda finding: _decision(finding, policy),
        )  # fmt: skip
    except Exception as error:
        errors.append(f"spend: {type(error).__name__}: {error}")
        return [*findings, _gate_error("spend", error)]


def _bounded(effects: tuple[Effect, ...]) -> tuple[tuple[Effect, ...], tuple[Unread, ...]]:
    """The effects that are judged, and what is said of others. Those with the shortest targets stay, in their order: what is
    never allowed (``/``, a home, ``/etc``) is short, so a long list around it hides it least."""
    if len(effects) <= EFFECTS_CAP:
        return effects, ()
    near = sorted(range(len(effects)), key=lambda at: len(effects[at].target.value))[:EFFECTS_CAP]
    return tuple(effects[at] for at in sorted(near)), (Unread(what=f"more than {EFFECTS_CAP} effects of one call"),)


def _decision(finding: Finding, policy: Policy) -> Decision:
    base = bands.base_decision(finding)
    return base if finding.floor else policy.adjusted(finding, base)


def _gated(effects: Sequence[Effect], around: Surroundings, policy: Policy, errors: list[str]) -> list[Finding]:
    found: list[Finding] = []
    for name in GATES:
        try:
            found.extend(gate(name)(effects, around, policy))
        except Exception as error:
            errors.append(f"gate {name}: {type(error).__name__}: {error}")
            found.append(_gate_error(name, error))
    return found


def _gate_error(name: str, error: Exception) -> Finding:
    return Finding(
        rule="internal.gate-error",
        reason=f"the {name} gate failed ({type(error).__name__}), so it did not judge this call",
        gate="internal",
        decision=Decision.ASK,
        hard=True,
    )


def _unread(reading: Reading) -> list[Finding]:
    return [
        Finding(
            rule="reading.unread",
            reason=f"could not be read: {unread.what}",
            gate="internal",
            axes=Axes(Reversibility.HARD, Scope.LOCAL),
            decision=Decision.ASK,
            span=unread.span,
            via=unread.via,
        )
        for unread in reading.unread
    ]


def _reads(effect: Effect) -> bool:
    return effect.action in HARMLESS and effect.target.kind is not TargetKind.SECRET


def _faulty(event: Event) -> Verdict:
    finding = Finding(rule="event.unreadable", reason=event.fault, gate="internal", decision=Decision.ASK, hard=True)
    return Verdict(decision=Decision.ASK, band=Band.ESCALATE, findings=(finding,))


def _merged(verdicts: Sequence[Verdict]) -> Verdict:
    if len(verdicts) == 1:
        return verdicts[0]
    if not verdicts:
        return Verdict(decision=Decision.ALLOW, band=Band.AUTO)
    first = verdicts[0]
    return Verdict(
        decision=bands.strictest(verdict.decision for verdict in verdicts),
        band=bands.highest(verdict.band for verdict in verdicts),
        findings=tuple(finding for verdict in verdicts for finding in verdict.findings),
        understood=all(verdict.understood for verdict in verdicts),
        reads_only=all(verdict.reads_only for verdict in verdicts),
        operation=first.operation,
        reading=Reading(
            effects=tuple(effect for verdict in verdicts for effect in verdict.reading.effects),
            payloads=tuple(payload for verdict in verdicts for payload in verdict.reading.payloads),
            unread=tuple(unread for verdict in verdicts for unread in verdict.reading.unread),
            opaque=tuple(text for verdict in verdicts for text in verdict.reading.opaque),
            commands=tuple(line for verdict in verdicts for line in verdict.reading.commands),
            scripts=tuple(path for verdict in verdicts for path in verdict.reading.scripts),
        ),
    )
