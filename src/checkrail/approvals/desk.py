"""Where a question goes that the agent cannot show: it becomes a request, and an approval of exactly this call lets it through once.

INVARIANT: only a verdict that asks comes here, and nothing here turns a denial or a finding of the floor into anything else.
"""

import contextlib
import json
import os
from collections.abc import Mapping

import msgspec

from checkrail.agents.reasons import by_weight, visible
from checkrail.approvals import keys
from checkrail.approvals.keys import Unbindable
from checkrail.approvals.rows import Asked, Request
from checkrail.approvals.store import Edited, Store, clock
from checkrail.audit.entries import stamp
from checkrail.model import Approval, Asking, Decision, Event, EventKind, Verdict
from checkrail.policy import Approvals
from checkrail.redaction import redact

_FAILURES = "failures"
MAX_SUMMARY = 300
MAX_FINDINGS = 10


def failures(directory: str) -> int:
    """How often the store could not be used."""
    try:
        with open(os.path.join(directory, _FAILURES)) as handle:
            return int(handle.read(20) or 0)
    except (OSError, ValueError):
        return 0


def _count_failure(directory: str) -> None:
    """Best effort: with a full disk an existing file can still be overwritten."""
    with contextlib.suppress(OSError):
        count = failures(directory) + 1
        handle = os.open(os.path.join(directory, _FAILURES), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.pwrite(handle, str(count).ljust(19).encode(), 0)
        finally:
            os.close(handle)


def closed(event: Event, verdict: Verdict, problem: str = "") -> Verdict:
    """A question without a request: shown where the agent can, else a denial."""
    if event.asking is not Asking.CANNOT or verdict.decision is not Decision.ASK:
        return _noted(verdict, problem)
    return _noted(msgspec.structs.replace(verdict, decision=Decision.DENY, judged=verdict.decision), problem)


def _noted(verdict: Verdict, problem: str) -> Verdict:
    return msgspec.structs.replace(verdict, errors=(*verdict.errors, problem)) if problem else verdict


def unapprovable(event: Event, verdict: Verdict) -> str:
    """Why no approval can be bound to a call; empty where one can."""
    if event.fault or verdict.operation is None:
        return "nobody can approve what could not be read"
    if verdict.decision is not Decision.ASK or any(finding.floor for finding in verdict.findings):
        return "no approval allows it"
    return ""


class Desk:
    """Settles the questions of one server by its store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def close(self) -> None:
        """Gives back what the store holds open."""
        self.store.close()

    def settle(self, event: Event, verdict: Verdict, environment: Mapping[str, str], rules: Approvals) -> Verdict:
        """The answer to a call that is to be asked about. Raises no Exception: what goes wrong stays a question or a denial."""
        if verdict.decision is not Decision.ASK or event.kind is not EventKind.PRE or event.asking is Asking.ASKING:
            return verdict
        problem = unapprovable(event, verdict)
        if problem:
            return closed(event, verdict, problem if event.asking is Asking.CANNOT else "")
        try:
            return self._settled(event, verdict, environment, rules)
        except Unbindable as error:
            return closed(event, verdict, str(error))
        except Exception as error:
            _count_failure(self.store.directory)
            return closed(event, verdict, f"no request could be made: {error}")

    def host_said_yes(self, event: Event) -> bool:
        """Whether a finished call is one about which the agent's own prompt had asked."""
        if not event.call or not self.store.exists():
            return False
        try:
            return self.store.was_shown(event.session, event.call)
        except OSError:
            _count_failure(self.store.directory)
            return False

    def _settled(self, event: Event, verdict: Verdict, environment: Mapping[str, str], rules: Approvals) -> Verdict:
        authorization = keys.authorization(self.store.key, event, verdict, environment)
        try:
            taken = self.store.take(authorization, now=clock())
        except Edited as error:
            taken, verdict = None, _noted(verdict, str(error))
        if taken is not None:
            return _let_through(verdict, taken)
        if event.asking is Asking.SHOWS:
            if event.call:
                self.store.shown(event.session, event.call, now=clock())
            return verdict
        return self._asked(event, verdict, authorization, rules)

    def _asked(self, event: Event, verdict: Verdict, authorization: str, rules: Approvals) -> Verdict:
        after = self.store.last_used(authorization)
        asked = self._question(event, verdict, authorization)
        request, new = self.store.ask(asked, now=clock(), lifetime=rules.expires)
        if request.state == "approved":  # a person was faster than this call
            taken = self.store.take(authorization, now=clock())
            if taken is not None:
                return _let_through(verdict, taken)
        if new and rules.notify:
            from checkrail.approvals import notify

            notify.tell(request)
        state = "refused" if request.state == "refused" else "waiting"
        return _denied(verdict, _approval(state, request, after))

    def _question(self, event: Event, verdict: Verdict, authorization: str) -> Asked:
        operation = verdict.operation
        summary = redact((operation.summary if operation else event.tool)[:4000])
        findings = [f"{redact(visible(found.reason))[:300]} [{found.rule}]" for found in by_weight(verdict)]
        return Asked(
            authorization=authorization,
            classification=keys.classification(self.store.key, event, verdict),
            agent=event.agent,
            subagent=event.subagent,
            session=event.session,
            cwd=event.cwd,
            tool=event.tool,
            summary=visible(summary)[:MAX_SUMMARY],
            whole=json.dumps(keys.arguments(event)),
            findings=tuple(findings[:MAX_FINDINGS]),
        )


def _approval(state: str, request: Request, after: int = 0) -> Approval:
    who = request.who if state != "waiting" else None
    told = {"uid": who.uid, "user": who.user, "tty": who.tty, "time": stamp(request.decided)} if who else {}
    return msgspec.convert({"state": state, "request": request.number, "after": after, **told}, Approval)


def _denied(verdict: Verdict, approval: Approval) -> Verdict:
    return msgspec.structs.replace(verdict, decision=Decision.DENY, judged=verdict.decision, approval=approval)


def _let_through(verdict: Verdict, request: Request) -> Verdict:
    return msgspec.structs.replace(
        verdict, decision=Decision.ALLOW, judged=verdict.decision, approval=_approval("used", request)
    )
