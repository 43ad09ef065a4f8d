"""Between a server and what was spent: the store itself is only opened for calls that concern money."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import Asking, Decision, Event, EventKind, Verdict
from checkrail.session.spend import Charge, Spent, surely_failed

if TYPE_CHECKING:
    from checkrail.session.store import Store


class Counter:
    """What was spent, counted in ``directory``; without ``counts`` it is only looked at."""

    def __init__(self, directory: str, *, counts: bool = True) -> None:
        self._directory = directory
        self._counts = counts

    def _store(self) -> "Store":
        from pathlib import Path

        from checkrail.session.store import Store

        return Store(Path(self._directory))

    def weigh(self, event: Event, charges: Sequence[Charge], *, hold: bool, sure: bool) -> Spent:
        """See :class:`~checkrail.session.spend.Ledger`."""
        look = not self._counts or event.asking is Asking.ASKING  # that call was weighed when it was announced
        return self._store().weigh(event, charges, hold=hold, sure=sure, look=look)

    def heard(self, event: Event, verdict: Verdict) -> Verdict:
        """Takes in that a call has finished, or that a person let it through; a failure to do so is told with the verdict."""
        if not os.path.isdir(self._directory):
            return verdict
        try:
            store = self._store()
            if not store.concerns(event):
                return verdict
            if event.kind is EventKind.POST:
                _finished(store, event)
            elif verdict.decision is Decision.ALLOW:
                store.approved(event)
        except OSError as error:
            return msgspec.structs.replace(
                verdict, errors=(*verdict.errors, f"what was spent could not be counted: {error}")
            )
        return verdict


def _finished(store: "Store", event: Event) -> None:
    """Tried twice, since what is missed here would be given back after a while."""
    failed = surely_failed(event)
    try:
        store.finished(event, failed=failed)
    except OSError:
        store.finished(event, failed=failed)
