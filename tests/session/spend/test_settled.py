"""What spend lines make of a call that moves money."""

from collections.abc import Sequence
from decimal import Decimal

import msgspec
import pytest

from checkrail.model import Decision, Event, EventKind
from checkrail.policy import BUILT_IN, Policy, Rule, SpendLine, ToolRow
from checkrail.session.spend import Charge, Spent, Unspent, surely_failed
from checkrail.verdicts import outcome, rules
from tests.session.spend.calls import judged


def line(currency: str, call: str = "20", day: str = "50", ever: str = "500") -> SpendLine:
    """A line of the policy."""
    return SpendLine(currency=currency, per_call=Decimal(call), per_day=Decimal(day), lifetime=Decimal(ever))


LINES = Policy(spend=(line("EUR"), line("USD"), line("JPY", "2000", "5000", "50000")))


def pay(amount: object, currency: str = "EUR", more: str = "") -> str:
    """A payment through a tool."""
    return f'bank/make_payment {{"amount": {amount}, "currency": "{currency}"{more}}}'


class Book:
    """A ledger on which so much stands, in millionths; it keeps what it was asked."""

    def __init__(self, day: int = 0, lifetime: int = 0) -> None:
        self.before = {"EUR": day * 1_000_000}, {"EUR": (lifetime or day) * 1_000_000}
        self.held: list[tuple[Charge, ...]] = []
        self.asked: list[tuple[Charge, ...]] = []

    def weigh(self, event: Event, charges: Sequence[Charge], *, hold: bool, sure: bool) -> Spent:  # noqa: ARG002
        """See Ledger."""
        day, ever = self.before
        over = [(c.currency, "day") for c in charges if day.get(c.currency, 0) + c.micros > c.day]
        over += [(c.currency, "lifetime") for c in charges if ever.get(c.currency, 0) + c.micros > c.lifetime]
        (self.held if hold and not over else self.asked).append(tuple(charges))
        return Spent(day, ever, over[0] if over else None)


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (pay(20), "spend.within"),
        (pay("20.000001"), "spend.over-call"),
        (pay('"20.00"'), "spend.within"),
        (pay(0), "spend.unreadable"),
        (pay("0.01"), "spend.within"),
        (pay(2000, "JPY"), "spend.within"),
        (pay(2001, "JPY"), "spend.over-call"),
        (pay(1, "GBP"), "spend.no-line"),
        (pay(1, "EUR", ', "interval": "month"'), "spend.recurring"),
        (pay('"about 5"'), "spend.unreadable"),
        ('bank/make_payment {"to": "x"}', "spend.unreadable"),
        ('stripe/create_payment_intent {"amount": 2000, "currency": "eur"}', "spend.within"),
        ('stripe/create_payment_intent {"amount": 2001, "currency": "eur"}', "spend.over-call"),
        ("stripe charges create --amount 2000 --currency eur", "spend.within"),
        ("stripe charges create --amount 2001 --currency eur", "spend.over-call"),
        ("stripe charges create --amount 1500 --currency eur; stripe charges create --amount 1500 --currency eur", "spend.over-call"),
        ("stripe charges create --amount 1500 --currency eur; stripe charges create --amount 1500 --currency usd", "spend.within"),
        ("curl https://api.stripe.com/v1/charges -u \"$K:\" -d amount=500 -d currency=eur", "spend.within"),
        ("curl https://api.stripe.com/v1/charges -d amount=5000 -d currency=eur", "spend.over-call"),
        ("aws ec2 purchase-reserved-instances-offering --reserved-instances-offering-id x --instance-count 1", "spend.recurring"),
        ('namecheap/register_domain {"domain": "a.com", "price": 9.5, "currency": "EUR"}', "spend.within"),
        ('namecheap/register_domain {"domain": "a.com"}', "spend.unreadable"),
        ('google-ads/update_campaign_budget {"amount_micros": 5000000, "currency": "EUR"}', "spend.within"),
    ],
)  # fmt: skip
def test_a_call_meets_its_line(call: str, rule: str) -> None:
    """Within it is a note and no explicit allow; everything else asks, whatever the profile and rows say."""
    verdict = judged(call, LINES, Unspent())
    assert rule in rules(verdict), verdict.findings
    assert outcome(verdict) == ("note" if rule == "spend.within" else "ask")
    assert not verdict.reads_only
    if rule != "spend.within":
        loose = msgspec.structs.replace(
            LINES, profile="permissive", rule=(Rule(id="spend.*", decision=Decision.ALLOW),)
        )
        assert judged(call, loose, Unspent()).decision is Decision.ASK
    strict = msgspec.structs.replace(LINES, profile="strict")
    assert outcome(judged(call, strict, Unspent())) == outcome(verdict)


@pytest.mark.parametrize(
    ("book", "amount", "rule"),
    [
        (Book(day=30), 20, "spend.within"),
        (Book(day=31), 20, "spend.over-day"),
        (Book(day=50), 1, "spend.over-day"),
        (Book(day=0, lifetime=480), 20, "spend.within"),
        (Book(day=0, lifetime=481), 20, "spend.over-lifetime"),
    ],
)
def test_ceilings_count_what_was_spent(book: Book, amount: int, rule: str) -> None:
    """To the cent."""
    verdict = judged(pay(amount), LINES, book)
    assert rule in rules(verdict)
    assert bool(book.held) is (rule == "spend.within")


def test_the_reason_tells_how_it_stands() -> None:
    """Before and after."""
    assert [f.reason for f in judged(pay(5), LINES, Book(day=30)).findings] == [
        "moves 5.00 EUR: 35.00 EUR of 50.00 EUR in 24 hours, 35.00 EUR of 500.00 EUR in all"
    ]
    assert "5.00 EUR more would break the ceiling of 50.00 EUR for 24 hours; 48.00 EUR is spent" in (
        judged(pay(5), LINES, Book(day=48)).findings[0].reason
    )


def test_without_a_line_every_move_asks() -> None:
    """As a row of the policy about the tool's own rule still may answer."""
    assert judged(pay(1)).decision is Decision.ASK
    loose = Policy(rule=(Rule(id="mcp.pay", decision=Decision.ALLOW),))
    assert judged(pay(1), loose).decision is Decision.ALLOW
    assert judged("vercel domains buy a.com").decision is Decision.ASK
    assert (
        judged("vercel domains buy a.com", Policy(rule=(Rule(id="spend.move", decision=Decision.ALLOW),))).decision
        is Decision.ALLOW
    )


@pytest.mark.parametrize(
    "policy",
    [
        msgspec.structs.replace(LINES, rule=(Rule(id="mcp.pay", decision=Decision.DENY),)),
        msgspec.structs.replace(LINES, project_rules=(Rule(id="mcp.*", decision=Decision.ASK),)),
        msgspec.structs.replace(LINES, tool=(ToolRow(glob="mcp__bank__*", risk="high"),)),
        msgspec.structs.replace(LINES, forbid=("mcp__bank__*",)),
    ],
)
def test_a_line_takes_no_other_finding_away(policy: Policy) -> None:
    """Rows about the same rule, declared risk; and what is asked about is not reserved."""
    book = Book()
    assert judged(pay(1), policy, book).decision is not Decision.ALLOW
    assert book.held == []
    assert len(book.asked) == 1


@pytest.mark.parametrize(
    "call",
    [
        "stripe charges create --amount 100 --currency eur && rm -rf ~/work",
        "stripe charges create --amount 100 --currency eur --api-key sk_live_" + "a1B2c3D4" * 4 + " > ~/.bashrc",
        'bank/pay {"amount": 1, "currency": "EUR", "command": "rm -rf ~/work"}',
    ],
)
def test_what_else_a_call_does_still_counts(call: str) -> None:
    """Money within the line buys nothing else."""
    book = Book()
    assert judged(call, LINES, book).decision is not Decision.ALLOW
    assert book.held == []


def test_without_a_ledger_it_asks() -> None:
    """And so where it fails."""

    class Broken:
        """A disk that is full."""

        def weigh(self, event: Event, charges: Sequence[Charge], *, hold: bool, sure: bool) -> Spent:  # noqa: ARG002
            """See Ledger."""
            raise OSError("no space left")

    for ledger in (None, Broken()):
        verdict = judged(pay(1), LINES, ledger)
        assert verdict.decision is Decision.ASK
        assert rules(verdict) == ["spend.uncounted"]


@pytest.mark.parametrize("call", ["ls -la", "git status", "npm test", 'github/list_issues {"state": "open"}'])
def test_a_call_without_money_asks_no_ledger(call: str) -> None:
    """It would cost time."""
    book = Book()
    assert judged(call, LINES, book) == judged(call, BUILT_IN)
    assert book.held == book.asked == []


def test_amounts_of_a_call_are_kept_apart_by_currency() -> None:
    """In millionths, rounded up."""
    book = Book()
    judged(
        "stripe charges create --amount 1501 --currency eur; stripe charges create --amount 150 --currency usd",
        LINES,
        book,
    )
    assert [(charge.currency, charge.micros, charge.day) for charge in book.held[0]] == [
        ("EUR", 15_010_000, 50_000_000),
        ("USD", 1_500_000, 50_000_000),
    ]


@pytest.mark.parametrize(
    ("name", "result", "failed"),
    [
        ("PostToolUseFailure", "card declined", True),
        ("PostToolUseFailure", "request timed out", False),
        ("PostToolUseFailure", "HTTP 504 from the gateway", False),
        ("PostToolUseFailure", None, False),
        ("PostToolUse", {"isError": True, "content": "insufficient funds"}, True),
        ("PostToolUse", {"isError": False, "content": "declined"}, False),
        ("PostToolUse", {"id": "ch_1"}, False),
        ("PostToolUse", "failure", False),
    ],
)
def test_only_a_sure_failure_counts_as_one(name: str, result: object, failed: bool) -> None:
    """Doubt counts as spent."""
    assert surely_failed(Event(agent="claude", kind=EventKind.POST, name=name, result=result)) is failed
