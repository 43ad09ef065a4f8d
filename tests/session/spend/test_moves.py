"""Every example in ``spend.toml`` is read by the whole pipeline."""

import re
from decimal import Decimal

import pytest

from checkrail.knowledge.spend import Row, spend
from checkrail.model import Decision
from checkrail.session.spend.price import shown
from tests.session.spend.calls import judged, moved

ROWS: tuple[Row, ...] = (*spend().tools, *spend().commands, *spend().requests)
HITS = [tuple(hit.rsplit(" => ", 1)) for row in ROWS for hit in row.hits]
MISSES = [miss for row in ROWS for miss in row.misses]


def reading(call: str) -> str:
    """What is read from a call: the sum, "unread", "recurring", or nothing."""
    found = moved(call)
    if not found:
        return ""
    if any(move.recurring for move in found):
        return "recurring"
    prices = [move.price for move in found if move.price]
    if len(prices) != len(found):
        return "unread"
    assert len({price.currency for price in prices}) == 1
    return shown(sum((price.amount for price in prices), Decimal(0)), prices[0].currency)


@pytest.mark.parametrize(("call", "told"), HITS)
def test_a_hit_is_read_as_told(call: str, told: str) -> None:
    """And without a line it asks."""
    assert reading(call) == told, moved(call)
    assert judged(call).decision is Decision.ASK


@pytest.mark.parametrize("call", MISSES)
def test_a_miss_moves_no_money(call: str) -> None:
    """Reads, near words, test environments."""
    assert reading(call) == ""


def test_every_row_has_examples_on_both_sides() -> None:
    """And all of them are well formed."""
    assert [row for row in ROWS if not row.hits or not row.misses] == []
    assert [
        hit for hit in HITS if len(hit) != 2 or not re.fullmatch(r"unread|recurring|[0-9.]+ [A-Z]{3,}", hit[1])
    ] == []


@pytest.mark.parametrize(
    "call",
    [
        "bash -c 'stripe charges create --amount 100 --currency usd'",
        "stripe charges create --amount 100 --currency usd & stripe charges create --amount 100 --currency usd $X",
        "alias x='stripe charges create --amount 100 --currency usd'; stripe charges create --amount 100 --currency usd",
        "trap 'stripe charges create --amount 100 --currency usd' EXIT; stripe charges create --amount 100 --currency usd",
        "S=stripe; $S charges create --amount 100 --currency usd; stripe charges create --amount 100 --currency usd",
        "stripe charges create --amount 100 --currency usd; xargs -n1 stripe charges create --amount 100 --currency usd < f",
        "stripe charges create --amount 100 --currency usd; find . -exec stripe charges create --amount 100 --currency usd \\;",
        "until stripe charges create --amount 100 --currency usd; do :; done",
        "timeout 5 stripe charges create --amount 100 --currency usd",
        'stripe charges create --amount "${A:-100}" --currency usd',
        'stripe charges create "$FLAG" --amount 100 --currency usd',
        "stripe charges create --amount 100 --currency usd -d \"$MORE\"",
        "stripe charges create --amount 1e9 --currency usd",
        "stripe charges create --amount 0x10 --currency usd",
        "stripe charges create --amount ١٠٠ --currency usd",
        "stripe charges create --amount -100 --currency usd",
        "stripe charges create --amount 100 --currency usd --currency eur",
        "stripe charges create --amount 100 -d amount=90000 --currency usd",
        "stripe charges create --amount 100 --description --help",
        "aws route53domains list-domains; stripe charges create --amount 100 --description 'x --help'",
        "stripe charges create --amount 100 --help; stripe charges create --amount $X",
        "curl -K c.txt https://api.stripe.com/v1/charges -d amount=100 -d currency=usd",
        "curl 'https://api.stripe.com/v1/charges?x=[1-100]' -d amount=100 -d currency=usd",
        "curl 'https://api.stripe.com/v1/charges?x={1,2}' -d amount=100 -d currency=usd",
        "curl -sK c.txt https://api.stripe.com/v1/charges -d amount=100 -d currency=usd",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d currency=usd -d @more.txt",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d currency=usd --data-binary @more.txt",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d currency=usd -d @- < more.txt",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d currency=usd -d@more.txt",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d currency=usd --data-urlencode amount@more.txt",
        "curl https://api.stripe.com/v1/charges -F amount=100 -F currency=usd -F 'amount=<more.txt'",
        "curl 'https://api.stripe.com/v1/charges?amount=90000' -d amount=100 -d currency=usd",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d 'amount[]=90000' -d currency=usd",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d 'transfer_data[amount]=90000' -d currency=usd",
        "curl https://api.stripe.com/v1/charges -d 'amount=100&Amount=90000' -d currency=usd",
        "curl https://api.stripe.com/v1/charges -d amount=0 -d currency=usd",
        "http POST https://api.stripe.com/v1/charges amount=100 currency=usd @more.txt",
        "make pay  # stripe charges create\nstripe charges create --amount 100 --currency usd $X",
        "U=https://api.stripe.com/v1/charges; curl $U -d amount=100 -d currency=usd; curl $U -d amount=100 -d currency=usd",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d currency=usd && curl https://api.stripe.com/v1/charges -d amount=100 -d currency=usd",
        "curl https://api.stripe.com/v1/charges -d amount=100 -d amount=900000 -d currency=usd",
        "curl https://api.stripe.com//v1/./charges -d amount=1.5 -d currency=usd",
        "curl https://API.stripe.com./v1/Charges -d amount=1.5 -d currency=usd",
        "curl https://api.stripe.com/v1/%63harges -d amount=1.5 -d currency=usd",
        'bank/make_payment {"amount": 1, "currency": "USD", "options": "{\\"amount\\": 5, \\"amount\\": 900}"}',
        'bank/make_payment {"amount": "1.234", "currency": "EUR"}',
        'bank/make_payment {"amount": "1,234.50", "currency": "EUR"}',
        'bank/make_payment {"amount": "NaN", "currency": "EUR"}',
        'bank/make_payment {"amount": 1e300, "currency": "EUR"}',
        'bank/make_payment {"amount": [5], "price": [6], "currency": "EUR"}',
        'bank/make_payment {"amount": {"value": 5}, "total": {"value": 6}, "currency": "EUR"}',
        'bank/make_payment {"amount": 5, "currency": ["EUR"], "currencyCode": "USD"}',
        'bank/make_payment {"amount": 5, "currency": 978}',
        'bank/make_payment {"payload": "amount=5&amount=6&currency=EUR"}',
        'stripe/create_payment_intent {"amount": 100, "currency": "doge"}',
        'bank/make_payment {"amount": "5$", "to": "x"}',
        'web/http_request {"method": "POST", "urls": ["https://api.stripe.com/v1/charges", "https://api.stripe.com/v1/charges"], "body": "amount=1&currency=usd"}',
    ],
)  # fmt: skip
def test_what_may_be_read_in_two_ways_is_not_read(call: str) -> None:
    """How often it runs, what an argument holds, which of several amounts counts."""
    assert reading(call) == "unread", moved(call)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ('bank/make_payment {"amount": 0.1, "currency": "EUR"}', "0.10 EUR"),
        ('bank/make_payment {"amount": 19.99, "currency": "eur"}', "19.99 EUR"),
        ('bank/make_payment {"amount": 10, "total": 10.0, "currency": "EUR"}', "10.00 EUR"),
        ('bank/make_payment {"amount_cents": 1999, "currency": "EUR"}', "19.99 EUR"),
        ('bank/make_payment {"amount": [5, 7], "currency": "EUR"}', "12.00 EUR"),
        ('bank/make_payment {"amount": 5, "amount_off": 3, "currency": "EUR", "id": 77}', "5.00 EUR"),
        ('bank/make_payment {"amount": 5, "quantity": 2, "months": 3, "currency": "EUR"}', "30.00 EUR"),
        ('bank/make_payment {"amount": 0.0000001, "currency": "BTC"}', "0.0000001 BTC"),
        ('stripe/create_payment_intent {"amount": 1999, "currency": "usd", "description": "amount=5"}', "19.99 USD"),
        ("if true; then stripe charges create --amount 100 --currency usd; fi", "1.00 USD"),
        ("(cd x && stripe charges create --amount 100 --currency usd | jq .id) > out", "1.00 USD"),
        ("/usr/bin/stripe charges create --amount 100 --currency usd", "1.00 USD"),
        ('stripe charges create --amount 100 --currency usd --description "$NOTE"', "1.00 USD"),
        ("curl 'https://api.stripe.com/v1/charges?amount=100&currency=usd' -X POST", "1.00 USD"),
        (
            "curl https://api.stripe.com/v1/charges -d amount=100 -d currency=usd -d receipt_email=a@example.com",
            "1.00 USD",
        ),
    ],
)
def test_what_can_be_read_is_read_exactly(call: str, told: str) -> None:
    """To the cent, never by a float."""
    assert reading(call) == told, moved(call)


@pytest.mark.parametrize(
    "call",
    [
        "cat > pay.sh <<'E'\nstripe charges create --amount 100 --currency usd\nE",
        "grep -rn 'stripe charges create' src",
        "echo curl https://api.stripe.com/v1/charges -d amount=100",
        'files/write_file {"path": "/work/app/a.py", "content": "stripe.charges.create(amount=100, currency=\'usd\', to=x)"}',
        'db/execute_sql {"sql": "select amount, currency from payments where customer = 7"}',
        'shop/list_orders {"amount": 5, "currency": "EUR", "customer": "x"}',
        'tickets/create_issue {"title": "amount and currency", "to": "x"}',
        'books/create_expense {"amount": 5, "currency": "EUR"}',
    ],
)
def test_talk_of_money_moves_none(call: str) -> None:
    """Text that is stored, shown or searched."""
    assert reading(call) == ""
