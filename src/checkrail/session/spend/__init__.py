"""Spend lines: which calls move money, how much, and whether that lies within what the policy allows.

Without ``[[spend]]`` in the policy every move of money is asked about. With it, a call within the line and both ceilings is
noted; every other one is asked about, and so is each that goes on, and each whose amount cannot be read.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Protocol

import msgspec

from checkrail.knowledge.spend import spend
from checkrail.model import Axes, Decision, Event, Finding, Operation, Reading, Reversibility, Scope
from checkrail.policy import Policy, SpendLine, row_matches
from checkrail.session.spend.moves import Move, moves
from checkrail.session.spend.price import MICROS, shown

GATE = "spend"
DAY_S = 86_400
"""The window of the daily ceiling: any 24 hours."""


class Charge(msgspec.Struct, frozen=True, kw_only=True):
    """What one call moves in one currency, in millionths, and the ceilings it must stay below (None: none that matter)."""

    currency: str
    micros: int
    day: int
    lifetime: int


class Spent(msgspec.Struct, frozen=True):
    """What was spent before this call, in millionths; ``over`` names the first ceiling that the call would break."""

    day: Mapping[str, int] = {}
    lifetime: Mapping[str, int] = {}
    over: tuple[str, str] | None = None  # currency, and "day" or "lifetime"


class Ledger(Protocol):
    """Counts what ran."""

    def weigh(self, event: Event, charges: Sequence[Charge], *, hold: bool, sure: bool) -> Spent:
        """Whether the charges fit; with ``hold``, those that fit are reserved in the same breath, so that no two calls
        take the last of it. Without, the call is remembered as one that was asked about. Raises OSError."""


def micros(amount: Decimal) -> int:
    """An amount in millionths, rounded up."""
    return int((amount * MICROS).to_integral_value(ROUND_CEILING))


def settled(
    event: Event,
    operation: Operation,
    reading: Reading,
    findings: Sequence[Finding],
    *,
    policy: Policy,
    ledger: Ledger | None,
    decide: Callable[[Finding], Decision],
) -> list[Finding]:
    """``findings`` with what spend lines say: the plain "this moves money" gives way to it, everything else stays."""
    found = moves(event, operation, reading)
    if not found:
        return list(findings)
    if not policy.spend:
        return [*findings, *_unlimited(found, findings, decide)]
    kept = [finding for finding in findings if not any(_means(move, finding, policy) for move in found)]
    allowed = all(decide(finding) is Decision.ALLOW for finding in kept)
    return [*kept, *_judged(event, found, policy.spend, ledger, allowed=allowed)]


def _speaks(move: Move, finding: Finding) -> bool:
    return finding.target == move.target and finding.rule in move.rules


def _means(move: Move, finding: Finding, policy: Policy) -> bool:
    """Whether a finding says just that this money moves, and no row of the policy says more about it."""
    plain = finding.decision is None and not finding.hard and not finding.floor
    rows = (*policy.rule, *policy.project_rules)
    return plain and _speaks(move, finding) and not any(row_matches(row, finding) for row in rows)


def _unlimited(
    found: Sequence[Move], findings: Sequence[Finding], decide: Callable[[Finding], Decision]
) -> Iterator[Finding]:
    """A question about each move that no gate has raised above a note; where one has, a row of the policy may answer it."""
    for move in found:
        escalated = [f for f in findings if _speaks(move, f) and (f.axes in _GRAVE or decide(f) is not Decision.ALLOW)]
        if not escalated:
            yield _finding("spend.move", f"{move.what} moves money or commits to pay", move, axes=_EXTERNAL)


_EXTERNAL = Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL)
_GRAVE = tuple(
    Axes(reversibility, scope)
    for reversibility in Reversibility
    for scope in Scope
    if reversibility is not Reversibility.REVERSIBLE or scope is Scope.EXTERNAL
)


def _finding(rule: str, reason: str, move: Move, *, axes: Axes | None = None) -> Finding:
    decision = None if axes else Decision.ASK
    return Finding(
        rule=rule, reason=reason, gate=GATE, target=move.target, decision=decision, axes=axes, hard=axes is None
    )


def _judged(
    event: Event, found: Sequence[Move], lines: Sequence[SpendLine], ledger: Ledger | None, *, allowed: bool
) -> Iterator[Finding]:
    by_currency = {line.currency: line for line in lines}
    problems = [finding for move in found for finding in _alone(move, by_currency)]
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for move in found:
        if move.price is not None:
            sums[move.price.currency] += move.price.amount
    for currency, amount in sums.items():
        line = by_currency.get(currency)
        if line is not None and amount > line.per_call:
            told = f"{shown(amount, currency)} is more than the line of {shown(line.per_call, currency)} for a call"
            problems.append(_finding("spend.over-call", told, found[0]))
    yield from problems
    yield from _weighed(
        event, found, sums, by_currency, ledger, allowed=allowed and not problems, silent=bool(problems)
    )


def _alone(move: Move, lines: Mapping[str, SpendLine]) -> Iterator[Finding]:
    """What stands against a move whatever was spent before."""
    if move.recurring:
        yield _finding("spend.recurring", f"{move.what} commits to pay again and again", move)
    if move.price is None:
        yield _finding("spend.unreadable", f"{move.what} moves money, and how much cannot be read: {move.doubt}", move)
    elif move.price.currency not in lines:
        told = f"{move.what} moves {move.price}, and the policy has no line for {move.price.currency}"
        yield _finding("spend.no-line", told, move)


def _weighed(
    event: Event,
    found: Sequence[Move],
    sums: Mapping[str, Decimal],
    lines: Mapping[str, SpendLine],
    ledger: Ledger | None,
    *,
    allowed: bool,
    silent: bool,
) -> Iterator[Finding]:
    charges = [_charge(currency, amount, lines.get(currency)) for currency, amount in sums.items()]
    if not charges:
        return
    try:
        if ledger is None:
            raise OSError("nothing counts what was spent")
        spent = ledger.weigh(event, charges, hold=allowed, sure=all(move.sure for move in found))
    except OSError as error:
        yield _finding("spend.uncounted", f"what was spent so far cannot be told: {error}", found[0])
        return
    if spent.over is not None:
        yield _over(spent, sums, lines, found[0])
    elif not silent:
        yield Finding(
            rule="spend.within",
            reason="; ".join(_stand(currency, amount, lines[currency], spent) for currency, amount in sums.items()),
            gate=GATE,
            target=found[0].target,
            axes=Axes(scope=Scope.SHARED),
            decision=Decision.ALLOW,
        )


def _charge(currency: str, amount: Decimal, line: SpendLine | None) -> Charge:
    unbound = 2**80
    return Charge(
        currency=currency,
        micros=micros(amount),
        day=micros(line.per_day) if line else unbound,
        lifetime=micros(line.lifetime) if line else unbound,
    )


def _amount(spent: Mapping[str, int], currency: str) -> Decimal:
    return Decimal(spent.get(currency, 0)) / MICROS


def _stand(currency: str, amount: Decimal, line: SpendLine, spent: Spent) -> str:
    day, ever = _amount(spent.day, currency) + amount, _amount(spent.lifetime, currency) + amount
    return (
        f"moves {shown(amount, currency)}: {shown(day, currency)} of {shown(line.per_day, currency)} in 24 hours,"
        f" {shown(ever, currency)} of {shown(line.lifetime, currency)} in all"
    )


def _over(spent: Spent, sums: Mapping[str, Decimal], lines: Mapping[str, SpendLine], move: Move) -> Finding:
    currency, which = spent.over or ("", "")
    line, day = lines[currency], which == "day"
    before = shown(_amount(spent.day if day else spent.lifetime, currency), currency)
    ceiling = shown(line.per_day if day else line.lifetime, currency)
    told = (
        f"{shown(sums[currency], currency)} more would break the ceiling of {ceiling} {'for 24 hours' if day else 'in all'};"
        f" {before} is spent or reserved"
    )
    return _finding(f"spend.over-{which}", told, move)


def surely_failed(event: Event) -> bool:
    """Whether a finished call says that it failed, in words that leave no doubt that nothing came of it."""
    result = event.result
    told = event.name.endswith("Failure") or (isinstance(result, dict) and result.get("isError") is True)
    text = str(result or "")[:20_000].lower()
    return told and bool(text) and not any(word in text for word in spend().doubtful.words)


class Unspent:
    """A ledger of a machine on which nothing was ever spent, for replays."""

    def weigh(self, event: Event, charges: Sequence[Charge], *, hold: bool, sure: bool) -> Spent:  # noqa: ARG002
        """See :class:`Ledger`."""
        for charge in charges:
            for which, ceiling in (("day", charge.day), ("lifetime", charge.lifetime)):
                if charge.micros > ceiling:
                    return Spent(over=(charge.currency, which))
        return Spent()
