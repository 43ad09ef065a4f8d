"""What the user, the administrator and the project want: frozen data, and how it moves a finding.

The whole of the semantics: the last rule row that matches decides, user rows before managed rows; then the project's
rows can only make it stricter; a finding of the floor or a hard one is never loosened by anything.
"""

from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from checkrail.model import Axes, Decision, Finding, Reversibility, Scope, Trust
from checkrail.policy.sessions import Form as Form
from checkrail.policy.sessions import Keep as Keep
from checkrail.policy.sessions import Labelled as Labelled
from checkrail.policy.sessions import Override as Override
from checkrail.policy.sessions import ProjectSession as ProjectSession
from checkrail.policy.sessions import Session as Session
from checkrail.policy.table import Table as Table

Profile = Literal["permissive", "balanced", "strict"]
ExplicitAllow = Literal["off", "reads", "auto"]


class Rule(Table, frozen=True, kw_only=True):
    """One row: where every condition that is given matches, ``decision`` stands.

    ``id`` is a glob over rule ids. A row without ``id`` says something about commands and targets themselves and
    can only ask or deny. ``command`` is a glob over command lines; a plain program name covers its arguments.
    """

    decision: Decision
    id: str = ""
    command: str = ""
    path: str = ""
    host: str = ""
    branch: str = ""
    why: str = ""


class Hosts(Table, frozen=True, kw_only=True):
    """Globs of host names: ``allow`` is ordinary to talk to, ``block`` is never."""

    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()


class AgentRow(Table, frozen=True, kw_only=True):
    """What an agent or sub-agent (a glob over its name) may call. A list of allowed tools forbids all others."""

    name: str
    tier: Literal["T1", "T2", "T3"] = "T1"
    allowed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


class ToolRow(Table, frozen=True, kw_only=True):
    """How much a tool (a glob over its name) can do: ``high`` is asked about each time."""

    glob: str
    risk: Literal["low", "medium", "high"]


class Audit(Table, frozen=True, kw_only=True):
    """How long and how much the audit log keeps."""

    keep_days: int = 90
    max_bytes: int = 50_000_000


class SpendLine(Table, frozen=True, kw_only=True):
    """What may be spent in one currency without a question, in whole units: by one call, in any 24 hours, and in all."""

    currency: str
    per_call: Decimal
    per_day: Decimal
    lifetime: Decimal


class Approvals(Table, frozen=True, kw_only=True):
    """Questions that are answered outside the agent, in seconds.

    ``wait`` is how long a call may wait for the answer (0: not at all), ``expires`` how long a request waits and an approval
    holds; ``notify`` shows a notification on the desktop.
    """

    wait: int = 0
    expires: int = 1800
    notify: bool = False


class Policy(Table, frozen=True, kw_only=True):
    """All layers merged. ``project_rules`` and ``project_session`` are the project's own wishes, which only tighten."""

    profile: Profile = "balanced"
    explicit_allow: ExplicitAllow = "reads"
    rule: tuple[Rule, ...] = ()
    scratch: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    hosts: Hosts = Hosts()
    agent: tuple[AgentRow, ...] = ()
    tool: tuple[ToolRow, ...] = ()
    audit: Audit = Audit()
    approvals: Approvals = Approvals()
    spend: tuple[SpendLine, ...] = ()
    session: Session = Session()
    guidance: dict[str, str] = msgspec.field(default_factory=dict)
    project_rules: tuple[Rule, ...] = ()
    project_session: ProjectSession = ProjectSession()

    def adjusted(self, finding: Finding, base: Decision) -> Decision:
        """The decision on one finding; ``base`` is what its axes or its rule say. See :func:`adjusted`."""
        return adjusted(self, finding, base)


BUILT_IN = Policy()


def _strictest(*decisions: Decision) -> Decision:
    return max(decisions, key=lambda decision: decision.rank)


def target_matches(target: str, pattern: str) -> bool:
    """Globs over a path: ``dir/**`` covers the directory and all below it."""
    if pattern.endswith("/**"):
        return target == pattern[:-3] or target.startswith(pattern[:-2])
    return fnmatchcase(target, pattern)


def host_of(target: str) -> str:
    """The host in a URL or in ``user@host:port``."""
    rest = target.split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]
    return rest if rest.startswith("[") else rest.split(":", 1)[0]


def branches_of(target: str) -> list[str]:
    """The branches that a target such as ``origin/main`` or ``git push -f origin main HEAD:dev`` writes to."""
    words = [word for word in target.split() if not word.startswith("-")]
    refs = words[3:] if words[:2] == ["git", "push"] else words[-1:]
    names = [ref.rpartition(":")[2].removeprefix("+").removeprefix("refs/heads/") for ref in refs]
    return names if words[:2] == ["git", "push"] else [name.removeprefix("origin/") for name in names]


def _branch_matches(target: str, pattern: str, decision: Decision) -> bool:
    """A row that allows must cover every branch; one that asks or denies holds for any, and where none is named."""
    hits = [fnmatchcase(branch, pattern) for branch in branches_of(target)]
    return bool(hits) and all(hits) if decision is Decision.ALLOW else not hits or any(hits)


def row_matches(row: Rule, finding: Finding) -> bool:
    """Whether every condition of a row about findings holds."""
    return (
        bool(row.id)
        and fnmatchcase(finding.rule, row.id)
        and (not row.path or target_matches(finding.target, row.path))
        and (not row.host or fnmatchcase(host_of(finding.target), row.host))
        and (not row.branch or _branch_matches(finding.target, row.branch, row.decision))
    )


def _by_profile(profile: Profile, axes: Axes | None, base: Decision) -> Decision:
    """``strict`` asks about what would only be noted; ``permissive`` notes what is local and can be undone with help."""
    if axes is None:
        return base
    reversible = axes.reversibility is Reversibility.REVERSIBLE
    if profile == "strict" and reversible and (axes.scope is Scope.SHARED or axes.trust is Trust.UNTRUSTED):
        return _strictest(base, Decision.ASK)
    mendable = axes.reversibility is Reversibility.HARD and axes.scope is Scope.LOCAL and axes.trust is Trust.TRUSTED
    return Decision.ALLOW if profile == "permissive" and mendable and base is Decision.ASK else base


def _by_rows(rows: tuple[Rule, ...], finding: Finding, base: Decision) -> Decision:
    return next((row.decision for row in reversed(rows) if row_matches(row, finding)), base)


def adjusted(policy: Policy, finding: Finding, base: Decision) -> Decision:
    """``base`` moved by profile and rule rows.

    INVARIANT: for a finding of the floor or a hard one the answer is never looser than ``base``.
    """
    axes = finding.axes if finding.decision is None else None
    moved = _by_rows(policy.rule, finding, _by_profile(policy.profile, axes, base))
    if finding.floor or finding.hard:
        moved = _strictest(base, moved)
    return _strictest(moved, _by_rows(policy.project_rules, finding, Decision.ALLOW))
