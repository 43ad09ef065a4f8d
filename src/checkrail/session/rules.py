"""The rules about sequences: what a call means after what the session did before. ``chains.toml`` says what each preset decides."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from checkrail import bands
from checkrail.bands import strictest
from checkrail.gates.host_patterns import listed
from checkrail.knowledge import chains as knowledge
from checkrail.knowledge.chains import UNTRUSTED
from checkrail.model import (
    HOLE,
    SOME,
    Action,
    Axes,
    Band,
    Decision,
    Event,
    Finding,
    Operation,
    Reading,
    Reversibility,
    Scope,
)
from checkrail.policy import Policy
from checkrail.session import facts
from checkrail.session.capabilities import PRIVATE, Deed, host_of, ordinary
from checkrail.session.facts import State, Trail
from checkrail.session.forms import formed
from checkrail.session.links import Links, merged
from checkrail.session.trails import Taken

GATE = "session"
ESCALATES = Axes(Reversibility.HARD, Scope.EXTERNAL)


class Case(msgspec.Struct, frozen=True):
    """A pending call and all that the rules look at. ``lost`` says why what came before cannot be told."""

    event: Event
    operation: Operation
    reading: Reading
    findings: Sequence[Finding]
    deeds: tuple[Deed, ...]
    state: State
    links: Links
    policy: Policy
    lost: str = ""
    taken: Taken = Taken()
    ran: Sequence[tuple[str, Trail]] = ()

    def does(self, capability: str) -> Deed | None:
        """The first deed of a capability."""
        return next((deed for deed in self.deeds if deed.capability == capability), None)

    def decided(self, rule: str) -> Decision:
        """What the preset says."""
        return strictest(knowledge.rows()[rule].decision(preset) for preset in presets(self.policy))

    @property
    def quiet(self) -> bool:
        """Whether nobody wants more than the default."""
        return presets(self.policy) == {"default"}


def presets(policy: Policy) -> set[knowledge.Preset]:
    """The operator's preset, and the project's where it names one."""
    wish = policy.project_session.preset
    return {policy.session.preset, *({wish} if wish else ())}


def judged(case: Case) -> list[Finding]:
    """What the rules say about the case."""
    found = [finding for rule in RULES for finding in rule(case)]
    if case.policy.session.mode == "observe" and case.policy.project_session.mode is None:
        return [msgspec.structs.replace(f, decision=Decision.ALLOW, axes=None, hard=False) for f in found]
    return found


def _finding(
    case: Case, rule: str, reason: str, *, decision: Decision | None = None, target: str = ""
) -> Iterator[Finding]:
    row = knowledge.rows()[rule]
    decided = decision or case.decided(rule)
    if decided is not Decision.ALLOW:
        yield Finding(rule=f"session.{rule}", reason=reason, gate=GATE, decision=decided, hard=row.hard, target=target)


def _judged_by_gates(case: Case) -> Iterator[Finding]:
    """What gates judge by themselves; a preset can make it stricter."""
    if case.quiet:
        return
    asked = [f for f in case.findings if bands.base_decision(f) is not Decision.ALLOW]
    for row in knowledge.chains().rule:
        hit = next(
            (
                f
                for f in (case.findings if row.noted else asked)
                if row.judged_by and knowledge.pattern(row.judged_by).match(f.rule)
            ),
            None,
        )
        if hit is not None:
            yield from _finding(case, row.id, hit.reason, target=hit.target)


def _names(case: Case) -> str:
    return ", ".join(dict.fromkeys(host_of(e) or e.target.value[:80] for e in case.links.out)) or "somebody else"


def _credentials(case: Case) -> Iterator[Finding]:
    """A secret that was seen in this session leaves, in whatever spelling."""
    astray, login = case.links.strayed(case.state.gone)
    if astray:
        rule = "credential-network-command" if case.operation.kind == "command" else "credential-external-action"
        spelled = "logs in with" if login else "sends"
        reason = f"{spelled} a secret that this session saw before ({astray[0].label}) to {_names(case)}, where it is not known to belong"
        yield from _finding(case, rule, reason, decision=Decision.ASK if login else None)


def _access(case: Case) -> Iterator[Finding]:
    """A private place is entered after something untrusted came in."""
    entered = facts.ingested(case.state)
    if entered is None:
        return
    if deed := case.does("credential-access"):
        reason = f"reads credentials ({deed.target}) after untrusted content came in: {facts.told(entered)}"
        yield from _finding(case, "credential-access-after-untrusted", reason, target=deed.target)
    new = [d for d in case.deeds if d.capability == PRIVATE and not facts.used_before(case.state, d.cls, entered)]
    if new:
        reason = f"touches private data ({new[0].target}) after untrusted content came in: {facts.told(entered)}"
        yield from _finding(case, "untrusted-private-access", reason, target=new[0].target)


def _leaks(case: Case) -> str:
    """An address that is only read but may carry data: one from an untrusted text with a query, or one put together from parts."""
    if any(e.action is Action.SEND for e in case.links.out):
        return ""
    for effect in case.links.out:
        host, address = host_of(effect), effect.target.value
        if not host or ordinary(host, case.policy):
            continue
        rest = address.partition("://")[2].partition("/")[2]
        if HOLE in address or SOME in address or (("?" in rest or len(rest) > 60) and case.links.destinations):
            return host
    return ""


def _chain(case: Case) -> Iterator[Finding]:
    """Untrusted content came in, then private data was touched, now something goes out."""
    acts = case.does("external-action")
    leak = "" if acts else _leaks(case) if case.lost or facts.chain(case.state) else ""
    if acts is None and not leak:
        return
    if case.lost:
        reason = f"goes out to {_names(case)}, and what this session did before cannot be told: {case.lost}"
        yield from _finding(case, "suspicious-disclosure-chain", reason)
        return
    order = facts.chain(case.state)
    if order is None:
        return
    target = leak or (acts.target if acts else "")
    story = f"{facts.told(order[0])}; then private data: {facts.told(order[1])}; now {case.event.tool} {target}"
    data = _sensitive(case)
    if data:
        reason = f"untrusted content came in: {story}, carrying {data}"
        yield from _finding(case, "private-data-exfiltration-chain", reason, target=target)
    else:
        yield from _finding(case, "suspicious-disclosure-chain", f"untrusted content came in: {story}", target=target)


def _sensitive(case: Case) -> str:
    """What private data the call carries out, in words; empty for none."""
    links = case.links
    if not links.out:
        return ""
    foreign = [link for link in links.passages if link.sensitive]
    foreign = foreign if links.destinations else links.elsewhere(foreign)
    if foreign:
        return f"a passage of {merged(foreign)}"
    if values := links.elsewhere(links.values):
        return f"a value of {merged(values)}"
    if held := _in_files(case):
        return f"a file that holds private data: {held}"
    if any(effect.action is not Action.RECEIVE for effect in links.out) and (kind := personal(links.said)):
        return kind
    if row := formed(links.bodies, case.policy):
        return f"{row.label} of the form {row.name}"
    return ""


def _in_files(case: Case) -> str:
    """What private data lies in the files that the call reads and sends, in words."""
    if not any(effect.action in (Action.SEND, Action.CHANGE, Action.CREATE) for effect in case.links.out):
        return ""
    every = (*case.taken.read.values(), *case.taken.below.values())
    sent = [trail for each in every for trail in each if set(trail.labels) - UNTRUSTED]
    return sent[0].seen.target if sent else ""


def _disclosure(case: Case) -> Iterator[Finding]:
    """Private data goes to somebody else."""
    if data := _sensitive(case):
        yield from _finding(case, "sensitive-data-external-action", f"sends {data} to {_names(case)}")


_SSN = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
_CARD = re.compile(r"(?<![\d.-])(?:\d[ -]?){12,18}\d(?![\d.-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])")


def _luhn(digits: str) -> bool:
    doubled = [int(d) * (1 + at % 2) for at, d in enumerate(reversed(digits))]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0 and len(set(digits)) > 4


def _checks_out(iban: str) -> bool:
    plain = iban.replace(" ", "")
    return len(plain) >= 15 and int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def personal(text: str) -> str:
    """What in a text is a person's by its own form, in words: numbers that carry their own check."""
    text = text[:65_536]
    if _SSN.search(text):
        return "a social security number"
    cards = (re.sub(r"[ -]", "", match[0]) for match in _CARD.finditer(text))
    if any(13 <= len(card) <= 19 and card[0] in "23456" and _luhn(card) for card in cards):
        return "a payment card's number"
    return "a bank account's number" if any(_checks_out(match[0]) for match in _IBAN.finditer(text)) else ""


def _grave(case: Case) -> bool:
    """Whether the gates leave something open: they ask already, or they could not see all of it."""
    reading = case.reading
    unseen = bool(reading.unread) or (case.operation.kind != "command" and bool(reading.opaque))
    return unseen or any(bands.band_of(finding) is Band.ESCALATE for finding in case.findings)


def _execution(case: Case) -> Iterator[Finding]:
    """Code that stands in an untrusted text is run, and the gates do not know it to be harmless."""
    if not case.does("code-execution"):
        return
    for path, trail in case.ran:
        if not trail.told:
            continue
        if not UNTRUSTED.isdisjoint(trail.labels):
            reason = f"runs {path}, which strangers wrote: {facts.told(trail.seen)}; {trail.told}"
            yield from _finding(case, "untrusted-code-execution", reason, target=path)
        else:
            reason = f"runs {path}, which this session wrote: {trail.told}"
            yield Finding(rule="session.written-code", reason=reason, gate=GATE, axes=ESCALATES, target=path)
        return
    if case.quiet and not _grave(case):
        return
    found = [link for link in case.links.passages if link.untrusted]
    if found:
        yield from _finding(case, "untrusted-code-execution", f"runs code that repeats a passage of {merged(found)}")


def _mutation(case: Case) -> Iterator[Finding]:
    """Text from an untrusted source is stored where it acts by itself; anywhere at all in presets other than the default."""
    acting = {
        f.target for f in case.findings if f.gate == "file" and f.rule.endswith("-write") and f.rule not in _PLAIN
    }
    for effect in case.reading.effects:
        if effect.action not in (Action.WRITE, Action.APPEND, Action.CREATE) or not effect.content:
            continue
        if case.quiet and effect.target.value not in acting:
            continue
        found = [link for link in case.links.of_text(effect.content) if link.untrusted]
        if found:
            reason = f"stores a passage of {merged(found)} in {effect.target.value}"
            yield from _finding(case, "untrusted-local-mutation", reason, target=effect.target.value)
            return


_PLAIN = frozenset({"file.data-write"})


def _unlisted(case: Case) -> Iterator[Finding]:
    lists = [each for each in (case.policy.session.external, case.policy.project_session.external) if each]
    if not lists or case.does("external-action") is None:
        return
    named = filter(None, map(host_of, case.links.out))
    strange = [host for host in named if not all(listed(host, allowed) for allowed in lists)]
    if strange:
        yield from _finding(
            case, "unlisted-external-destination", f"{strange[0]} is not on the list of destinations", target=strange[0]
        )


def _rule_of_two(case: Case) -> Iterator[Finding]:
    """Two of: parameters from untrusted input, private data or sensitive systems, a change or a message out."""
    changing = [
        f for f in case.findings
        if f.gate != GATE and f.axes is not None and (f.axes.scope is not Scope.LOCAL or f.axes.reversibility is not Reversibility.REVERSIBLE)
        and not f.rule.endswith("-read") and not f.rule.endswith("read-outside")
    ]  # fmt: skip
    acts, links = case.does("external-action"), case.links
    changes = f"it acts outside ({acts.target})" if acts else changing[0].reason if changing else ""
    if links.suppliers:
        changes = changes or "it changes where code comes from or goes to"
    if not changes:
        return
    repeats = [] if links.quotes else links.elsewhere(links.passages)
    input_links = links.suppliers or links.destinations or [link for link in repeats if link.untrusted]
    untrusted = f"its parameters repeat {merged(input_links)}" if input_links else ""
    private = case.does(PRIVATE)
    production = next((f.reason for f in case.findings if f.rule == "context.production"), "")
    secret = "it carries a secret that was seen" if links.secrets else ""
    sensitive = f"it touches private data ({private.target})" if private else production or secret
    band = bands.rule_of_two(untrusted=bool(untrusted), sensitive=bool(sensitive), changes=True)
    if band is Band.ESCALATE and untrusted:
        told = "; ".join(filter(None, (untrusted, sensitive, changes)))
        yield Finding(rule="session.rule-of-two", reason=f"rule of two: {told}", gate=GATE, axes=ESCALATES)


RULES = (
    _judged_by_gates,
    _credentials,
    _access,
    _chain,
    _disclosure,
    _execution,
    _mutation,
    _unlisted,
    _rule_of_two,
)
