"""How a policy moves a finding, and that it never loosens what is hard."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.model import Axes, Decision, Finding, Reversibility, Scope, Trust
from checkrail.policy import BUILT_IN, Policy, Rule, host_of, target_matches

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY


def finding(
    rule: str = "git.push-force", *, target: str = "", axes: Axes | None = None, decision: Decision | None = None,
    hard: bool = False, floor: bool = False,
) -> Finding:  # fmt: skip
    """A finding with what matters to a policy."""
    return Finding(
        rule=rule, reason="r", gate="command", target=target, axes=axes, decision=decision, hard=hard, floor=floor
    )


def with_rows(*rows: Rule, project: tuple[Rule, ...] = ()) -> Policy:
    """A policy of these rows."""
    return Policy(rule=rows, project_rules=project)


def test_the_built_in_policy_moves_nothing() -> None:
    """What a finding says stands."""
    for base in Decision:
        assert BUILT_IN.adjusted(finding(), base) is base


def test_the_last_row_that_matches_decides() -> None:
    """As written, whatever stands before."""
    rows = with_rows(Rule(id="git.*", decision=DENY), Rule(id="git.push-*", decision=ALLOW))
    assert rows.adjusted(finding("git.push-force"), ASK) is ALLOW
    assert rows.adjusted(finding("git.clean"), ASK) is DENY
    assert rows.adjusted(finding("file.delete"), ASK) is ASK


@pytest.mark.parametrize(
    ("row", "target", "matches"),
    [
        (Rule(id="*", decision=ALLOW, path="/work/**"), "/work/app/x", True),
        (Rule(id="*", decision=ALLOW, path="/work/**"), "/work", True),
        (Rule(id="*", decision=ALLOW, path="/work/**"), "/workshop/x", False),
        (Rule(id="*", decision=ALLOW, path="/work/*.log"), "/work/a.log", True),
        (Rule(id="*", decision=ALLOW, host="*.internal"), "https://db.internal:5432/x", True),
        (Rule(id="*", decision=ALLOW, host="*.internal"), "https://db.internal.evil.example/", False),
        (Rule(id="*", decision=ALLOW, branch="main"), "origin/main", True),
        (Rule(id="*", decision=ALLOW, branch="dev/*"), "git push -f origin dev/me", True),
        (Rule(id="*", decision=ALLOW, branch="dev/*"), "git push origin +HEAD:refs/heads/dev/me --force", True),
        (Rule(id="*", decision=ALLOW, branch="dev/*"), "git push origin main", False),
        (Rule(id="*", decision=ALLOW, branch="dev/*"), "git push origin dev/me main", False),
        (Rule(id="*", decision=ALLOW, branch="dev/*"), "git push -f", False),
    ],
)
def test_every_condition_of_a_row_must_hold(row: Rule, target: str, matches: bool) -> None:
    """Path, host and branch are globs over the finding's target."""
    assert with_rows(row).adjusted(finding(target=target), ASK) is (ALLOW if matches else ASK)


@pytest.mark.parametrize(
    ("target", "moved"),
    [
        ("git push origin dev/me main", DENY),
        ("git push origin HEAD:main", DENY),
        ("git push", DENY),
        ("git push origin dev/me", ALLOW),
    ],
)
def test_a_row_that_tightens_holds_for_any_branch(target: str, moved: Decision) -> None:
    """And where none is named, since it could be that one."""
    assert (
        with_rows(Rule(id="git.push*", decision=DENY, branch="main")).adjusted(
            finding("git.push", target=target), ALLOW
        )
        is moved
    )


def test_a_row_without_an_id_moves_no_finding() -> None:
    """It makes findings of its own instead (see checkrail.policy.tools)."""
    assert with_rows(Rule(path="/**", decision=DENY)).adjusted(finding(target="/x"), ALLOW) is ALLOW


def test_a_project_can_only_tighten() -> None:
    """Its allow says nothing, its deny stands over the user's allow."""
    user = Rule(id="*", decision=ALLOW)
    assert with_rows(user, project=(Rule(id="*", decision=DENY),)).adjusted(finding(), ASK) is DENY
    assert with_rows(project=(Rule(id="*", decision=ALLOW),)).adjusted(finding(), ASK) is ASK


SOFT = Axes(Reversibility.REVERSIBLE, Scope.SHARED)
HARD_LOCAL = Axes(Reversibility.HARD, Scope.LOCAL)


@pytest.mark.parametrize(
    ("profile", "axes", "base", "moved"),
    [
        ("strict", SOFT, ALLOW, ASK),
        ("strict", Axes(trust=Trust.UNTRUSTED), ALLOW, ASK),
        ("strict", Axes(), ALLOW, ALLOW),
        ("strict", None, ALLOW, ALLOW),
        ("permissive", HARD_LOCAL, ASK, ALLOW),
        ("permissive", HARD_LOCAL, DENY, DENY),
        ("permissive", Axes(Reversibility.HARD, Scope.SHARED), ASK, ASK),
        ("permissive", Axes(Reversibility.HARD, trust=Trust.UNTRUSTED), ASK, ASK),
        ("permissive", Axes(Reversibility.IRREVERSIBLE), ASK, ASK),
        ("balanced", SOFT, ALLOW, ALLOW),
        ("balanced", HARD_LOCAL, ASK, ASK),
    ],
)
def test_profiles_move_the_configurable_rows(profile: str, axes: Axes | None, base: Decision, moved: Decision) -> None:
    """Strict asks about what would only be noted; permissive notes what stays here and can be mended."""
    policy = msgspec.convert({"profile": profile}, Policy)
    assert policy.adjusted(finding(axes=axes), base) is moved


def test_a_profile_does_not_move_a_stated_decision() -> None:
    """A rule that says ask itself is not weighed by its axes."""
    policy = Policy(profile="permissive")
    assert policy.adjusted(finding(axes=HARD_LOCAL, decision=ASK), ASK) is ASK


DECISIONS = st.sampled_from(list(Decision))
RULES = st.builds(
    Rule,
    decision=DECISIONS,
    id=st.sampled_from(["", "*", "git.*", "git.push-force"]),
    path=st.sampled_from(["", "/**", "*"]),
    host=st.sampled_from(["", "*"]),
)
AXES = st.builds(Axes, st.sampled_from(list(Reversibility)), st.sampled_from(list(Scope)), st.sampled_from(list(Trust)))
POLICIES = st.builds(
    Policy,
    profile=st.sampled_from(["permissive", "balanced", "strict"]),
    rule=st.lists(RULES, max_size=4).map(tuple),
    project_rules=st.lists(RULES, max_size=3).map(tuple),
)


@given(POLICIES, AXES, DECISIONS, st.booleans())
def test_no_policy_loosens_the_floor_or_a_hard_finding(policy: Policy, axes: Axes, base: Decision, floor: bool) -> None:
    """Whatever its rows and profile say."""
    one = finding(target="/x", axes=axes, floor=floor, hard=not floor)
    assert policy.adjusted(one, base).rank >= base.rank


@given(POLICIES, st.lists(RULES, max_size=3).map(tuple), AXES, DECISIONS)
def test_more_rows_of_a_project_never_loosen(
    policy: Policy, more: tuple[Rule, ...], axes: Axes, base: Decision
) -> None:
    """Adding to the project's file only tightens."""
    bare = msgspec.structs.replace(policy, project_rules=())
    one = finding(target="/x", axes=axes)
    assert msgspec.structs.replace(bare, project_rules=more).adjusted(one, base).rank >= bare.adjusted(one, base).rank


def test_helpers_read_targets() -> None:
    """Hosts and paths are found in the forms that targets have."""
    assert host_of("https://u@example.com:8443/x") == "example.com"
    assert host_of("git@github.com:o/r") == "github.com"
    assert host_of("[::1]:80").startswith("[")
    assert target_matches("/a/b", "/a/**")
    assert not target_matches("/ab", "/a/**")
