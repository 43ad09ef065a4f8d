"""Axes to band to decision: a table, and monotony for every input."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail import bands
from checkrail.model import Axes, Band, Decision, Finding, Reversibility, Scope, Trust
from checkrail.policy import Policy

R, S, T = Reversibility, Scope, Trust

AXES = st.builds(Axes, st.sampled_from(R), st.sampled_from(S), st.sampled_from(T))
FINDINGS = st.builds(
    Finding,
    rule=st.sampled_from(("a.b", "c", "flow.x")),
    reason=st.just("r"),
    gate=st.just("command"),
    axes=st.none() | AXES,
    decision=st.none() | st.sampled_from(Decision),
)


@pytest.mark.parametrize(
    ("axes", "band"),
    [
        (Axes(), Band.AUTO),
        (Axes(R.REVERSIBLE, S.SHARED), Band.SOFT_ACK),
        (Axes(R.REVERSIBLE, S.LOCAL, T.UNTRUSTED), Band.SOFT_ACK),
        (Axes(R.REVERSIBLE, S.EXTERNAL), Band.ESCALATE),
        (Axes(R.HARD, S.LOCAL), Band.ESCALATE),
        (Axes(R.IRREVERSIBLE, S.LOCAL), Band.ESCALATE),
        (Axes(R.IRREVERSIBLE, S.SHARED, T.UNTRUSTED), Band.ESCALATE),
    ],
)
def test_the_band_of_axes(axes: Axes, band: Band) -> None:
    """The vocabulary's derivation, with hard-to-reverse on the safe side."""
    assert bands.band(axes) is band


@given(AXES, AXES)
def test_a_worse_axis_never_gives_a_lower_band(one: Axes, other: Axes) -> None:
    """The band is monotone in each axis."""
    worse = Axes(
        max(one.reversibility, other.reversibility, key=lambda held: held.rank),
        max(one.scope, other.scope, key=lambda held: held.rank),
        max(one.trust, other.trust, key=lambda held: held.rank),
    )
    assert bands.band(worse).rank >= max(bands.band(one).rank, bands.band(other).rank)


@given(FINDINGS)
def test_a_decision_of_its_own_is_never_loosened_by_the_band(finding: Finding) -> None:
    """What a rule states stands at least."""
    assert bands.base_decision(finding).rank >= (finding.decision or Decision.ALLOW).rank


@given(st.lists(FINDINGS, max_size=5), FINDINGS, st.sampled_from(("permissive", "balanced", "strict")))
def test_adding_a_finding_never_loosens(findings: list[Finding], more: Finding, profile: str) -> None:
    """For every policy profile."""
    policy = Policy(profile=profile)  # type: ignore[arg-type]

    def merged(held: list[Finding]) -> Decision:
        return bands.strictest(policy.adjusted(finding, bands.base_decision(finding)) for finding in held)

    assert merged([*findings, more]).rank >= merged(findings).rank


def test_the_rule_of_two() -> None:
    """Two of three escalate."""
    for untrusted, sensitive, changes in itertools.product((False, True), repeat=3):
        expected = Band.ESCALATE if untrusted + sensitive + changes >= 2 else Band.AUTO
        assert bands.rule_of_two(untrusted=untrusted, sensitive=sensitive, changes=changes) is expected
