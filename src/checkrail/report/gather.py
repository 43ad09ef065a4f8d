"""Reads a log once and counts what the report shows."""

import collections
from collections.abc import Iterable

import msgspec

from checkrail.audit.records import Record
from checkrail.report.questions import Question, Questions

DECISIONS = ("allow", "note", "ask", "deny")
MAX_LISTED = 40
MAX_ALIKE = 3
"""Entries listed of one rule, so that a noisy one does not hide the others."""
MAX_HOURS = 72
"""A log that spans more is shown by the day."""


class Session(msgspec.Struct, kw_only=True):
    """One session: how much it did, how often it asked."""

    name: str
    agent: str
    first: str = ""
    calls: int = 0
    prompts: int = 0
    questions: int = 0
    denied: int = 0


class Noise(msgspec.Struct, kw_only=True):
    """One rule: how often it asked, in how many questions, and what people said."""

    rule: str
    prompts: int = 0
    questions: int = 0
    yes: int = 0
    no: int = 0

    @property
    def share(self) -> float | None:
        """The share of yes among the questions that were answered."""
        answered = self.yes + self.no
        return self.yes / answered if answered else None


class Almost(msgspec.Struct, kw_only=True):
    """Something that agents wanted to do and that was stopped or asked about, alike calls counted together."""

    decision: str
    floor: bool
    agent: str
    summary: str
    cwd: str
    rule: str
    reason: str
    safer: str
    last: str = ""
    count: int = 0
    yes: int = 0
    no: int = 0


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that a person gave outside the agent."""

    time: str
    state: str
    who: str
    request: int
    summary: str


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds that judging took."""

    median: float = 0.0
    p90: float = 0.0
    p99: float = 0.0
    most: float = 0.0
    bins: tuple[tuple[str, int], ...] = ()


class Report(msgspec.Struct, kw_only=True):
    """All of it."""

    first: str
    last: str
    lines: int
    decisions: dict[str, int]
    floor: int
    over_time: list[tuple[str, dict[str, int]]]
    stopped: list[Almost]
    asked: list[Almost]
    sessions: list[Session]
    rules: list[Noise]
    latency: Latency
    approvals: list[Given]
    prompts: int
    questions: int
    host_yes: int
    approved: int
    agents: dict[str, int]


_EDGES = (0.5, 1, 2, 5, 10, 20, 50, 100, 500)


def latency(times: list[float]) -> Latency:
    """Percentiles and a histogram."""
    if not times:
        return Latency()
    ordered = sorted(times)

    def at(share: float) -> float:
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    names = [f"< {edge:g}" for edge in _EDGES] + [f"≥ {_EDGES[-1]:g}"]
    counts = collections.Counter(sum(taken >= edge for edge in _EDGES) for taken in ordered)
    bins = tuple((name, counts[number]) for number, name in enumerate(names))
    return Latency(median=at(0.5), p90=at(0.9), p99=at(0.99), most=ordered[-1], bins=bins)


class Gatherer:
    """Counts line by line."""

    def __init__(self) -> None:
        self.lines = self.floor = 0
        self.first = self.last = ""
        self.hours: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.times: list[float] = []
        self.sessions: dict[tuple[str, str], Session] = {}
        self.stopped: dict[tuple[str, str], Almost] = {}
        self.approvals: list[Given] = []
        self.questions = Questions()
        self.agents: collections.Counter[str] = collections.Counter()

    def add(self, found: Record) -> None:
        """Takes up one line."""
        self.lines += 1
        question = self.questions.add(found)
        if found.kind != "verdict":
            return
        self.first, self.last = self.first or found.time, found.time or self.last
        self.times.append(found.latency_ms)
        self.agents[found.agent] += 1
        decision = "ask" if found.asked else found.decision
        self.hours[found.time[:13]][decision] += 1
        self._session(found, decision)
        if decision == "deny":
            self._stopped(found)
        if question and found.approval and found.approval.state != "waiting":
            self._given(found)

    def _session(self, found: Record, decision: str) -> None:
        key = (found.agent, found.session)
        session = self.sessions.get(key)
        if session is None:
            session = self.sessions[key] = Session(name=found.session, agent=found.agent, first=found.time)
        session.calls += 1
        session.denied += decision == "deny"

    def _stopped(self, found: Record) -> None:
        key = (found.summary, ",".join(found.rules))
        entry = self.stopped.setdefault(key, almost(found))
        entry.count += 1
        entry.last = found.time
        self.floor += entry.floor

    def _given(self, found: Record) -> None:
        given = found.approval
        if given and not any(old.request == given.request and old.state == given.state for old in self.approvals[-50:]):
            who = f"{given.user or '?'} (uid {given.uid}) at {given.tty or '?'}"
            self.approvals.append(
                Given(
                    time=given.time or found.time,
                    state=given.state,
                    who=who,
                    request=given.request,
                    summary=found.summary,
                )
            )

    def report(self) -> Report:
        """The sums."""
        noise: dict[str, Noise] = {}
        asked: dict[tuple[str, str], Almost] = {}
        questions = list(self.questions)
        for question in questions:
            _hear(question, noise, asked)
            session = self.sessions[question.first.agent, question.first.session]
            session.questions += 1
            session.prompts += question.prompts
        decisions = sum(self.hours.values(), collections.Counter())
        return Report(
            first=self.first,
            last=self.last,
            lines=self.lines,
            decisions={name: decisions[name] for name in DECISIONS},
            floor=self.floor,
            over_time=over_time(self.hours),
            stopped=_worst(self.stopped.values()),
            asked=_worst(asked.values()),
            sessions=sorted(self.sessions.values(), key=lambda one: (-one.prompts, -one.calls))[:MAX_LISTED],
            rules=sorted(noise.values(), key=lambda one: -one.prompts)[:MAX_LISTED],
            latency=latency(self.times),
            approvals=self.approvals[-MAX_LISTED:][::-1],
            prompts=sum(question.prompts for question in questions),
            questions=len(questions),
            host_yes=sum(question.host_yes for question in questions),
            approved=sum(question.approved for question in questions),
            agents=dict(self.agents.most_common()),
        )


def almost(found: Record) -> Almost:
    """What a line says an agent wanted, with the gravest finding's reason."""
    gravest = max(found.findings, key=lambda one: (one.floor, one.decision == "deny"), default=None)
    return Almost(
        decision="ask" if found.asked else found.decision,
        floor=found.authority == "floor",
        agent=found.agent,
        summary=found.summary or found.tool,
        cwd=found.cwd,
        rule=gravest.rule if gravest else ", ".join(found.rules[:1]),
        reason=gravest.reason if gravest else "",
        safer=gravest.safer if gravest else "",
    )


def _hear(question: Question, noise: dict[str, Noise], asked: dict[tuple[str, str], Almost]) -> None:
    """Counts one question for its rules, and with those of other sessions that are alike."""
    for rule in dict.fromkeys([one.rule for one in question.asking] or question.first.rules):
        heard = noise.setdefault(rule, Noise(rule=rule))
        heard.prompts += question.prompts
        heard.questions += 1
        heard.yes += question.yes > 0
        heard.no += question.no > 0
    entry = asked.setdefault((question.first.summary, ",".join(question.first.rules)), almost(question.first))
    entry.count += question.prompts
    entry.last = max(entry.last, question.last)
    entry.yes += question.yes
    entry.no += question.no


def _worst(found: Iterable[Almost]) -> list[Almost]:
    """The floor first, then what was tried most, then what is newest; a few of each rule."""
    newest = sorted(found, key=lambda one: one.last, reverse=True)
    listed: list[Almost] = []
    alike: collections.Counter[str] = collections.Counter()
    for one in sorted(newest, key=lambda one: (not one.floor, -one.count)):
        alike[one.rule] += 1
        if alike[one.rule] <= MAX_ALIKE:
            listed.append(one)
    return listed[:MAX_LISTED]


def over_time(hours: dict[str, collections.Counter[str]]) -> list[tuple[str, dict[str, int]]]:
    """Decisions by the hour, or by the day where the log is long; hours and days without any are there too."""
    from datetime import datetime, timedelta

    known = sorted(filter(None, hours))
    if not known:
        return []
    try:
        start, end = (datetime.fromisoformat(f"{stamp}:00") for stamp in (known[0], known[-1]))
    except ValueError:
        return []
    daily = end - start > timedelta(hours=MAX_HOURS)
    length, step = (10, timedelta(days=1)) if daily else (13, timedelta(hours=1))
    sums: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for stamp in known:
        sums[stamp[:length]].update(hours[stamp])
    found: list[tuple[str, dict[str, int]]] = []
    at = start
    while at.isoformat()[:length] <= end.isoformat()[:length] and len(found) < 400:
        name = at.isoformat()[:length]
        found.append((name, {decision: sums[name][decision] for decision in DECISIONS}))
        at += step
    return found


def gather(lines: Iterable[Record]) -> Report:
    """The report on a log."""
    gatherer = Gatherer()
    for line in lines:
        gatherer.add(line)
    return gatherer.report()
