"""The one paragraph an agent and its user read: what would happen, to what, which rules, and a safer way."""

import re
import unicodedata

from checkrail.model import HOLE, SOME, Decision, Finding, Verdict
from checkrail.redaction import redact

MAX_FINDINGS = 3
MAX_LENGTH = 900

_OPENING = {
    Decision.ALLOW: "Checkrail: nothing to object.",
    Decision.ASK: "Checkrail asks first:",
    Decision.DENY: "Checkrail stopped this:",
}
_SPACES = re.compile(r"\s+")
_BLANK = re.compile(
    "[\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)  # letters and marks that show nothing


def _shown(character: str) -> str:
    if character in (HOLE, SOME):
        return "<unknown>"
    if character.isspace():
        return " "
    hidden = unicodedata.category(character)[0] == "C" or _BLANK.match(character)
    return f"\\u{ord(character):04x}" if hidden else character


def visible(text: str) -> str:
    """``text`` on one line, with control, format (bidirectional, zero-width) and private characters escaped."""
    if text.isascii() and text.isprintable():
        return text
    return _SPACES.sub(" ", "".join(map(_shown, text))).strip()


def by_weight(verdict: Verdict) -> list[Finding]:
    """The findings, the gravest first, each rule once."""
    first = {finding.rule: finding for finding in reversed(verdict.findings)}
    order = sorted(first.values(), key=lambda f: verdict.findings.index(f))
    return sorted(order, key=lambda f: (not f.floor, -(f.decision or Decision.ALLOW).rank))


def _sentence(finding: Finding) -> str:
    reason = visible(finding.reason).rstrip(".")
    safer = f" Safer: {visible(finding.safer).rstrip('.')}." if finding.safer else ""
    return f"{reason} [{finding.rule}].{safer}"


def _opening(verdict: Verdict) -> str:
    """How it ends stands first, so that no cut takes it away. Nothing here approves anything: a number is only a name."""
    approval = verdict.approval
    if approval is None:
        return _OPENING[verdict.decision]
    number = approval.request
    if approval.state == "used":
        return f"Checkrail: a person approved exactly this call (request {number}), once."
    if approval.state == "refused":
        return f"Checkrail stopped this: a person refused it (request {number}). Do not try it again in another way."
    return (
        f"Checkrail stopped this until a person agrees (request {number}). The person runs `checkrail approve {number}` in a"
        " terminal of their own; then the same call passes once. Tell them, and do not run it yourself."
    )


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def guidance(verdict: Verdict) -> str:
    """What the agent is told to judge by; empty where there is nothing to say."""
    if not verdict.guidance:
        return ""
    return _cut(f"Checkrail lets this pass and leaves the judgement to you. {visible(' '.join(verdict.guidance))}")


def reason(verdict: Verdict) -> str:
    """One paragraph without line breaks, control characters or secrets, at most MAX_LENGTH characters long."""
    findings = by_weight(verdict)
    if findings and findings[0].floor:
        findings = findings[:1]  # the one thing that cannot be argued with says enough
    first, *others = [*map(_sentence, findings[:MAX_FINDINGS]), ""]
    parts = [_opening(verdict), *filter(None, (first, *(text[:1].upper() + text[1:] for text in others)))]
    if len(findings) > MAX_FINDINGS:
        parts.append(f"And {len(findings) - MAX_FINDINGS} more.")
    parts += [f"{visible(text[:1].upper() + text[1:])}." for text in verdict.stakes[:2]]
    parts += [f"({visible(error)})" for error in verdict.errors[:2]]
    if any(finding.floor for finding in findings):
        parts.append("No setting and no approval allows it.")
    return _cut(redact(" ".join(parts)))
