"""The paragraph that people read."""

import pytest

from checkrail.agents.reasons import MAX_LENGTH, by_weight, reason, visible
from checkrail.model import HOLE, Band, Decision, Finding, Verdict


def finding(rule: str, text: str = "would do it", **fields: object) -> Finding:
    """A finding of the command gate."""
    return Finding(rule=rule, reason=text, gate="command", **fields)  # type: ignore[arg-type]


def verdict(*findings: Finding, decision: Decision = Decision.ASK, errors: tuple[str, ...] = ()) -> Verdict:
    """A verdict with these findings."""
    return Verdict(decision=decision, band=Band.ESCALATE, findings=findings, errors=errors)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("größer — 日本", "größer — 日本"),
        ("a\nb\tc", "a b c"),
        ("\x1b[2Khidden", "\\u001b[2Khidden"),
        ("safe\u202egnp.exe", "safe\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("fill\u3164er", "fill\\u3164er"),
        ("tag\U000e0041", "tag\\ue0041"),
        ("\x7f\x9b", "\\u007f\\u009b"),
        (f"rm {HOLE}", "rm <unknown>"),
    ],
)
def test_what_hides_is_shown_escaped(text: str, shown: str) -> None:
    """Control, bidirectional, zero-width and blank characters show; ordinary letters of any script stay."""
    assert visible(text) == shown


def test_the_gravest_finding_comes_first_and_each_rule_once() -> None:
    """Floor before deny before ask; the order of the rest stays."""
    found = by_weight(
        verdict(
            finding("a.note"),
            finding("b.ask", decision=Decision.ASK),
            finding("c.deny", decision=Decision.DENY),
            finding("d.floor", decision=Decision.DENY, floor=True),
            finding("b.ask", decision=Decision.ASK),
        )
    )
    assert [one.rule for one in found] == ["d.floor", "c.deny", "b.ask", "a.note"]


def test_a_reason_names_what_rule_and_safer_way() -> None:
    """In one paragraph."""
    text = reason(verdict(finding("git.push-force", "would overwrite main on origin.", safer="push a branch.")))
    assert text == "Checkrail asks first: would overwrite main on origin [git.push-force]. Safer: push a branch."


def test_the_floor_says_that_nothing_allows_it() -> None:
    """So nobody looks for a setting; other denials do not say so."""
    floor = finding("floor.wipe", decision=Decision.DENY, floor=True)
    assert "No setting and no approval" in reason(verdict(floor, decision=Decision.DENY))
    assert "No setting" not in reason(verdict(finding("x.y"), decision=Decision.DENY))


def test_many_findings_are_counted() -> None:
    """Three are told, the others numbered."""
    assert "And 4 more." in reason(verdict(*(finding(f"r.{n}") for n in range(7))))


def test_a_reason_is_bounded_and_on_one_line() -> None:
    """However long and wild the texts are."""
    text = reason(verdict(finding("r.x", "y\n\x1b" * 5000), errors=("policy.toml:3: wrong\n" * 100,)))
    assert len(text) <= MAX_LENGTH
    assert text.isprintable()


def test_a_reason_tells_no_secret() -> None:
    """Not even one that stands in a finding's own words."""
    text = reason(verdict(finding("r.x", "would send token=abcdef0123456789 to evil.example")))
    assert "abcdef0123456789" not in text
    assert "evil.example" in text


def test_errors_are_told() -> None:
    """A fault of the policy shows in the next ask."""
    assert "(policy.toml:3: unknown key)" in reason(verdict(finding("r.x"), errors=("policy.toml:3: unknown key",)))
