"""One call: bytes in, an answer out, whatever happens in between.

Nothing here takes configuration from the caller: the files lie where the daemon's own environment says. The caller's
environment only tells where the call would run.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from checkrail import heartbeat
from checkrail.agents import AGENTS, answered, hear
from checkrail.audit import Log
from checkrail.audit.entries import outcome_entry, signed_body, verdict_entry
from checkrail.daemon.protocol import Answer
from checkrail.facts.host import RealHost
from checkrail.guidance import Memory
from checkrail.model import Asking, Band, Decision, Event, EventKind, Finding, Verdict
from checkrail.policy import Policy
from checkrail.policy.cache import PolicyCache
from checkrail.policy.layers import Loaded
from checkrail.session import began

if TYPE_CHECKING:
    from checkrail.approvals.desk import Desk
    from checkrail.session.acquaintance import Met
    from checkrail.session.ledger import Counter
    from checkrail.session.memory import Store as SessionStore
    from checkrail.session.remember import Recollection

Decide = Callable[..., Verdict]

INTERNAL = "internal"
PASS = Verdict(decision=Decision.ALLOW, band=Band.AUTO)


def _usual_decide(event: Event, **known: Any) -> Verdict:
    from checkrail.pipeline import decide

    return decide(event, **known)


def undecided(rule: str, reason: str, *, error: str = "") -> Verdict:
    """Checkrail could not judge, so a person has to."""
    finding = Finding(rule=rule, reason=reason, gate=INTERNAL, decision=Decision.ASK, hard=True)
    return Verdict(decision=Decision.ASK, band=Band.ESCALATE, findings=(finding,), errors=(error,) if error else ())


def late_verdict() -> Verdict:
    """Of a call that took too long to judge."""
    return undecided("internal.late", "Judging this call took too long, so nobody knows what it would do")


def unshown(told: Event, verdict: Verdict) -> Verdict:
    """A question that nobody will be shown is a denial."""
    if told.asking is not Asking.CANNOT:
        return verdict
    return msgspec.structs.replace(verdict, decision=Decision.DENY, judged=verdict.decision)


def unhooking(problem: str) -> Verdict:
    """A change of settings that would take Checkrail out of the agent's way."""
    finding = Finding(
        rule="floor.unhooked", reason=problem, gate="floor", decision=Decision.DENY, hard=True, floor=True
    )
    return Verdict(decision=Decision.DENY, band=Band.ESCALATE, findings=(finding,))


def real_host(environment: Mapping[str, str]) -> RealHost:
    """The machine as the caller sees it."""
    home = environment.get("HOME") or os.environ.get("HOME") or "/"  # some agents give their hooks no environment
    return RealHost(home if home.startswith("/") else "/", environment, folds_case=sys.platform == "darwin")


class Server:
    """Answers calls with one policy cache and one log.

    ``own`` are Checkrail's places, which the floor protects; ``decide`` is the pipeline, tests put their own; ``approvals`` is
    the directory of the requests (empty: a question that the agent cannot show is a denial and nothing more); ``counted`` that
    of what was spent (empty: nothing is counted), ``remembered`` that of what sessions did (empty: nothing is remembered).
    With ``replays`` set, what is only judged is remembered, too.
    """

    def __init__(
        self,
        policies: PolicyCache,
        log: Log | None,
        *,
        own: tuple[str, ...] = (),
        decide: Decide = _usual_decide,
        approvals: str = "",
        counted: str = "",
        heard: str = "",
        remembered: str = "",
        replays: bool = False,
    ) -> None:
        self.policies = policies
        self._log = log
        self._own = own
        self._decide = decide
        self._approvals = approvals
        self._desk: Desk | None = None
        self._counted = counted
        self._memory = Memory()
        self._heard = heard
        self._remembered = remembered
        self._replays = replays
        self._store: SessionStore | None = None

    def answer(self, agent: str, event: str, cwd: str, raw: bytes, *, environment: Mapping[str, str]) -> Answer:
        """The answer to one hook call. Never raises an Exception."""
        started = time.perf_counter()
        told = _decoded(agent, raw, cwd=cwd, event=event, environment=environment)
        heartbeat.note(self._heard, told)
        told = began.placed(self._remembered, told)
        verdict, loaded = self._verdict(told, environment, counts=True)
        verdict = self._settled(told, verdict, loaded, environment)
        if self._remembered and (forgotten := self._met().settled(told, verdict)):
            verdict = msgspec.structs.replace(verdict, errors=(*verdict.errors, forgotten))
        if self._counted and (told.kind is EventKind.POST or verdict.judged is Decision.ASK):
            verdict = self._counter(counts=True).heard(told, verdict)
        verdict = self._told(told, verdict, loaded.policy)
        problem = self._logged(told, verdict, loaded, started)
        if problem and verdict.decision is not Decision.ALLOW:
            verdict = msgspec.structs.replace(verdict, errors=(*verdict.errors, problem))
        answer = _encoded(told, self._guided(told, verdict, loaded.policy), loaded.policy.explicit_allow)
        approval, seconds = verdict.approval, loaded.policy.approvals.wait
        if seconds and approval is not None and approval.state == "waiting":
            answer = msgspec.structs.replace(answer, wait=float(seconds), request=approval.request)
        return answer

    def _guided(self, told: Event, verdict: Verdict, policy: Policy) -> Verdict:
        """The verdict with what the agent is told; a failure here only leaves it untold."""
        if verdict.decision is not Decision.ALLOW or verdict.band is Band.ESCALATE or not verdict.findings:
            return verdict
        try:
            return msgspec.structs.replace(verdict, guidance=self._memory.news(told, verdict, policy))
        except Exception:
            return verdict

    def waits(self, number: int) -> bool:
        """Whether a request waits for an answer still. Raises OSError where that cannot be told."""
        return self._open_desk().store.waits(number)

    def judge(
        self, agent: str, event: str, cwd: str, raw: bytes, *, environment: Mapping[str, str]
    ) -> tuple[Event, Verdict]:
        """The event and the verdict on it, for who only asks; where there is a log, it is written as a ``check``."""
        started = time.perf_counter()
        told = _decoded(agent, raw, cwd=cwd, event=event, environment=environment)
        verdict, loaded = self._verdict(told, environment, remembers=self._replays)
        if self._replays:
            verdict = self._told(told, verdict, loaded.policy)
        problem = self._logged(told, verdict, loaded, started, kind="check")
        if problem:
            verdict = msgspec.structs.replace(verdict, errors=(*verdict.errors, problem))
        return told, verdict

    def verdict(self, told: Event, environment: Mapping[str, str]) -> Verdict:
        """The verdict on an event that is decoded already."""
        return self._verdict(told, environment)[0]

    def late(self, agent: str, event: str, raw: bytes) -> Answer:
        """The answer to a call that took too long to judge."""
        started = time.perf_counter()
        told = _decoded(agent, raw, cwd="/", event=event, environment={})
        verdict = unshown(told, late_verdict()) if _pending(told) else PASS
        loaded = Loaded()
        self._logged(told, verdict, loaded, started)
        return _encoded(told, verdict, loaded.policy.explicit_allow)

    def close(self) -> None:
        """Gives back what log, requests and sessions hold open."""
        if self._log is not None:
            self._log.close()
        if self._desk is not None:
            self._desk.close()
        if self._store is not None:
            self._store.close()

    def _settled(self, told: Event, verdict: Verdict, loaded: Loaded, environment: Mapping[str, str]) -> Verdict:
        """A question goes to the requests; everything else stays as it is, and costs nothing."""
        if verdict.decision is not Decision.ASK:
            return verdict
        if not self._approvals:
            return unshown(told, verdict)
        return self._open_desk().settle(told, verdict, environment, loaded.policy.approvals)

    def _open_desk(self) -> "Desk":
        if self._desk is None:
            from checkrail.approvals.desk import Desk
            from checkrail.approvals.store import Store

            self._desk = Desk(Store(self._approvals))
        return self._desk

    def _host_said_yes(self, told: Event) -> bool:
        """Whether the agent's own prompt showed our question about a call that is finished now."""
        return bool(self._approvals) and os.path.isdir(self._approvals) and self._open_desk().host_said_yes(told)

    def _counter(self, *, counts: bool) -> "Counter":
        """What is counted; made for each call, since it opens nothing before it is asked about money."""
        from checkrail.session.ledger import Counter

        return Counter(self._counted, counts=counts)

    def _recollection(self, told: Event, policy: Policy, *, counts: bool) -> "Recollection | None":
        """What the session of the event did before; None where nothing is remembered, or there is nothing that it could change."""
        if not self._remembered or not (
            told.session or policy.session.preset != "default" or policy.project_session.preset
        ):
            return None
        from checkrail.session.memory import Store as SessionStore
        from checkrail.session.remember import Recollection

        if self._store is None:
            self._store = SessionStore(Path(self._remembered))
        return Recollection(self._store, counts=counts, told_only=self._replays, policy=policy)

    def _met(self) -> "Met":
        """About which MCP servers a person was asked."""
        from checkrail.session.acquaintance import Met

        return Met(os.path.join(self._remembered, "met"))

    def _told(self, told: Event, verdict: Verdict, policy: Policy) -> Verdict:
        """Takes in a finished call, a session's start, or that a person let a call through; a failure is told with the verdict."""
        approved = verdict.judged is Decision.ASK and verdict.decision is Decision.ALLOW
        if told.kind not in (EventKind.POST, EventKind.SESSION) and not approved:
            return verdict
        memory = self._recollection(told, policy, counts=True)
        problem = (memory.approved(told) if approved else memory.heard(told)) if memory is not None else ""
        return msgspec.structs.replace(verdict, errors=(*verdict.errors, problem)) if problem else verdict

    def _verdict(
        self, told: Event, environment: Mapping[str, str], *, counts: bool = False, remembers: bool = False
    ) -> tuple[Verdict, Loaded]:
        loaded = Loaded()
        try:
            host = real_host(environment)
            loaded = self.policies.for_project(told.project, host)
            verdict = self._judged(told, host, loaded, counts=counts, remembers=counts or remembers)
        except Exception as error:
            told_error = f"{type(error).__name__}: {error}"
            reason = "Checkrail failed while judging this call, so nobody knows what it would do"
            verdict = undecided("internal.error", reason, error=told_error) if _pending(told) else PASS
        if loaded.faults and verdict.decision is not Decision.ALLOW:
            verdict = msgspec.structs.replace(verdict, errors=(*verdict.errors, *loaded.faults))
        return verdict, loaded

    def _judged(self, told: Event, host: RealHost, loaded: Loaded, *, counts: bool, remembers: bool) -> Verdict:
        if told.kind is EventKind.CONFIG:
            from checkrail.install.guard import config_change

            problem = config_change(told)
            return unhooking(problem) if problem else PASS
        if told.kind is not EventKind.PRE:
            return PASS
        known: dict[str, Any] = {}
        if loaded.policy.spend and self._counted:
            known["ledger"] = self._counter(counts=counts)
        if (memory := self._recollection(told, loaded.policy, counts=remembers)) is not None:
            known["memory"] = memory
        if self._remembered:
            known["met"] = self._met()
        return self._decide(told, host=host, policy=loaded.policy, own=self._own, **known)

    def _logged(self, told: Event, verdict: Verdict, loaded: Loaded, started: float, *, kind: str = "verdict") -> str:
        """Writes the line for this event; why it could not, or an empty string."""
        if self._log is None or told.kind in (EventKind.SESSION, EventKind.OTHER):
            return ""
        try:
            if told.kind is EventKind.POST:
                return self._log.append(outcome_entry(told, host_prompt=self._host_said_yes(told)))
            latency = (time.perf_counter() - started) * 1000
            signature = self._log.signature(signed_body(told))
            return self._log.append(
                verdict_entry(told, verdict, signature=signature, policy=loaded.digest, latency_ms=latency, kind=kind)
            )
        except Exception as error:
            return f"the audit log could not be written: {type(error).__name__}: {error}"


def _pending(told: Event) -> bool:
    return told.kind in (EventKind.PRE, EventKind.CONFIG)


def _decoded(agent: str, raw: bytes, *, cwd: str, event: str, environment: Mapping[str, str]) -> Event:
    try:
        return hear(agent, raw, cwd=cwd, event=event, environment=environment)
    except Exception as error:
        known = agent if agent in AGENTS else "generic"
        return Event(agent=known, kind=EventKind.PRE, name=event, cwd=cwd, fault=f"{type(error).__name__}: {error}")


def _encoded(told: Event, verdict: Verdict, explicit_allow: str) -> Answer:
    try:
        return answered(told, verdict, explicit_allow=explicit_allow)
    except Exception as error:
        text = f"Checkrail failed while answering: {type(error).__name__}: {error}\n"
        return Answer(exit_code=2, stderr=text.encode("utf-8", "replace"))
