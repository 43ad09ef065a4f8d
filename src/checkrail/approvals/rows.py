"""One request, and the marks by which a row that somebody edited is told from one that Checkrail wrote."""

from typing import Literal

import msgspec

from checkrail.approvals.keys import canonical
from checkrail.audit.keys import derived, mac

State = Literal["waiting", "approved", "refused", "used", "expired", "void"]
"""``void``: its marks do not hold, so it counts for nothing."""


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """Who answered, and from where."""

    uid: int
    user: str
    tty: str


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked: the operation to show (``whole``), its short form without secrets, and the keys it is bound to."""

    authorization: str
    classification: str
    agent: str
    subagent: str
    session: str
    cwd: str
    tool: str
    summary: str
    whole: str
    findings: tuple[str, ...]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the store. ``mark`` covers what is asked, ``seal`` the approval."""

    number: int
    asked: Asked
    state: State
    created: float
    expires: float
    mark: str
    decided: float = 0.0
    who: Who | None = None
    seal: str = ""


def marked(key: bytes, number: int, asked: Asked, created: float) -> str:
    """The mark of what is asked: who shows another text or binds to another operation has no right one."""
    told = msgspec.to_builtins(asked)
    return mac(derived(key, "approvals.request"), canonical([number, told, created]))


def sealed(key: bytes, request: Request, *, decided: float, expires: float, who: Who) -> str:
    """The seal of an approval: only with it a row that says ``approved`` counts."""
    body = [request.number, request.mark, request.asked.authorization, decided, expires, msgspec.to_builtins(who)]
    return mac(derived(key, "approvals.approved"), canonical(body))


def genuine(key: bytes, request: Request) -> bool:
    """Whether a row is as it was written: the question, and of an approved one the approval."""
    if marked(key, request.number, request.asked, request.created) != request.mark:
        return False
    if request.state != "approved":
        return True
    return request.who is not None and request.seal == sealed(
        key, request, decided=request.decided, expires=request.expires, who=request.who
    )
