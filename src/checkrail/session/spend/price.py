"""Amount and currency from the named values of a call. Decimal throughout; every doubt is :class:`Unclear`, never a guess.

Where a call may be read in two ways that differ, it is unclear; where a quantity stands beside an amount, the amount is
multiplied, which can only make it larger than it is.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec

from checkrail.knowledge.spend import Unit, spend
from checkrail.session.spend.fields import Field, Unclear

LARGEST = Decimal(10) ** 12
MICROS = Decimal(10) ** 6

_AMOUNT = re.compile(r"(?:([A-Za-z]{3,5})[ ]?|([€£$]))?([0-9]{1,15}(?:\.[0-9]{1,9})?)[ ]?(?:([A-Za-z]{3,5})|([€£$]))?")
_CURRENCY = re.compile(r"[A-Za-z][A-Za-z0-9]{2,9}")


class Price(msgspec.Struct, frozen=True):
    """So much, in whole units of the currency (euros, not cents)."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return shown(self.amount, self.currency)


def shown(amount: Decimal, currency: str) -> str:
    """``20.00 EUR``."""
    digits = spend().currencies.digits(currency)
    exact = amount.normalize()
    step = Decimal(1).scaleb(-(2 if digits is None else digits))
    return f"{exact if exact != exact.quantize(step) else exact.quantize(step):f} {currency}"


class _Found(msgspec.Struct, frozen=True):
    """A number under a name for amounts, in the unit of that name, and the currency written beside it."""

    way: tuple[str, ...]
    number: Decimal
    text: bool
    unit: str
    currency: str


def price(fields: Sequence[Field], *, unit: Unit, currency: str = "") -> Price:
    """What the call would move. ``unit`` and ``currency`` hold for bare numbers. Raises :class:`Unclear`."""
    found = [amount for field in fields if (amount := _amount(field, unit)) is not None]
    if not found:
        raise Unclear("no amount can be read from the call")
    named = _currency(fields, found) or currency
    if not named:
        raise Unclear("the call names no currency")
    total = _one([_whole(amount, named) for amount in found], found) * _quantity(fields)
    if not total:
        raise Unclear("an amount of nothing may mean all of it")
    if total >= LARGEST:
        raise Unclear("the amount is out of any bounds")
    return Price(total, named)


def _unit_of(field: Field, unit: Unit) -> str:
    """The unit in which a field counts, empty where it is no amount."""
    known = spend().fields
    key, parent = field.key, field.parent
    if key in known.micros:
        return "micros"
    if key in known.minor:
        return "minor"
    inner = key in known.inner and (parent in known.major or parent.endswith("money"))
    return unit if key in known.major or inner else ""


def _amount(field: Field, unit: Unit) -> _Found | None:
    counted = _unit_of(field, unit)
    if not counted or field.value is None or field.value == "":
        return None
    number, beside = _number(field.value)
    return _Found(field.way, number, isinstance(field.value, str), counted, beside)


def _number(value: Any) -> tuple[Decimal, str]:
    """A number and the currency written with it. Raises :class:`Unclear`."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise Unclear("the amount is no number")
    if not isinstance(value, str):
        # A float's shortest form is what was written, for any number that money needs.
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if not number.is_finite() or number < 0 or number >= LARGEST * MICROS:
            raise Unclear("the amount is out of any bounds")
        return number, ""
    match = _AMOUNT.fullmatch(value.strip())
    if match is None:
        raise Unclear("the amount is no plain number")
    before, sign, digits, after, last = match.groups()
    words = {word.upper() for word in (before, after) if word} | {
        spend().currencies.signs[mark] for mark in (sign, last) if mark in spend().currencies.signs
    }
    if len(words) > 1:
        raise Unclear("the call names several currencies")
    return Decimal(digits), words.pop() if words else ""


def _currency(fields: Sequence[Field], found: Sequence[_Found]) -> str:
    """The one currency that the call names; empty for none."""
    named = {amount.currency for amount in found if amount.currency}
    for field in fields:
        if field.key in spend().fields.currency and field.value not in (None, ""):
            if not isinstance(field.value, str) or not _CURRENCY.fullmatch(field.value):
                raise Unclear("the currency cannot be read")
            named.add(field.value.upper())
    if len(named) > 1:
        raise Unclear(f"the call names several currencies ({', '.join(sorted(named))})")
    return named.pop() if named else ""


def _whole(found: _Found, currency: str) -> Decimal:
    """The amount in whole units of its currency. Raises :class:`Unclear`."""
    digits = spend().currencies.digits(currency)
    if found.unit == "micros":
        return found.number / MICROS
    if found.unit == "minor":
        if digits is None or int(found.number.as_tuple().exponent) < 0:
            raise Unclear("an amount in minor units must be a whole number of a known currency")
        return found.number.scaleb(-digits)
    places = -int(found.number.as_tuple().exponent)
    if found.text and places == 3 and digits != 3:  # "1.234" may be a thousand
        raise Unclear("the amount may be read in two ways")
    return found.number


def _one(amounts: Sequence[Decimal], found: Sequence[_Found]) -> Decimal:
    """The sum over the entries of a list; several names must tell the same. Raises :class:`Unclear`."""
    written: dict[tuple[str, ...], set[Decimal]] = defaultdict(set)
    for amount, each in zip(amounts, found, strict=True):
        written[each.way].add(amount)
    sums: dict[tuple[str, ...], Decimal] = defaultdict(Decimal)
    for way, values in written.items():
        if len(values) > 1:
            raise Unclear("the amount stands there twice")
        sums[tuple("[]" if step[:1] == "[" else step for step in way)] += next(iter(values))
    if len(set(sums.values())) > 1:
        raise Unclear("the call names several amounts")
    return next(iter(sums.values()))


def _quantity(fields: Sequence[Field]) -> int:
    """How often the amount counts at most."""
    most: dict[str, int] = {}
    for field in fields:
        if field.key not in spend().fields.quantity or field.value in (None, ""):
            continue
        text = str(field.value)
        if isinstance(field.value, bool) or not re.fullmatch(r"[0-9]{1,6}", text):
            raise Unclear("the quantity cannot be read")
        most[field.key] = max(most.get(field.key, 1), int(text))
    product = 1
    for times in most.values():
        product *= times
    return product


def recurring(fields: Sequence[Field]) -> bool:
    """Whether a field says that it goes on."""
    known = spend().fields
    return any(
        not known.recurring.isdisjoint(field.way) and field.value and str(field.value).strip().lower() not in known.once
        for field in fields
    )
