"""Answers as data: a template per decision, filled with the event's name and the reason."""

from typing import Any

import msgspec

from checkrail.agents.reasons import reason
from checkrail.daemon.protocol import Answer
from checkrail.model import Asking, Band, Decision, Event, EventKind, Verdict

REASON, EVENT = "\0reason", "\0event"
"""Stand in a template for the reason and for the event in the agent's own words."""

Template = dict[str, Any]

SILENT = Answer(exit_code=0, stdout=b"", stderr=b"")

MAX_REASON = 1200

HELD = "This agent has no way to ask you, so the call is held back: to let it happen, run it yourself in a terminal."
"""Follows a question that had to become a denial."""


def flat(word: str, *, key: str = "decision") -> Template:
    """``{"decision": word, "reason": …}``."""
    return {key: word, "reason": REASON}


def claude_form(word: str) -> Template:
    """The form of Claude Code's PreToolUse, which several agents share."""
    inner = {"hookEventName": EVENT, "permissionDecision": word, "permissionDecisionReason": REASON}
    return {"hookSpecificOutput": inner}


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent wants to be answered. None: nothing is printed for it; without ``ask``, an ask becomes a denial."""

    deny: Template | None
    exit_code: int = 2  # of a denial
    stderr: bool = True  # whether a denial says its reason there too
    ask: Template | None = None
    ask_on: frozenset[str] = frozenset()  # events that can ask; empty: all
    allow: Template | None = None  # skips the agent's own prompt, so it needs understanding
    quiet: Template | None = None  # no opinion, and anything that is no pending call
    deny_on: dict[str, Template] = msgspec.field(
        default_factory=dict
    )  # events that take a denial in another form, and where nothing else is said


def fill(template: Any, event: str, text: str) -> Any:
    """A template with its two words put in."""
    if isinstance(template, dict):
        return {key: fill(value, event, text) for key, value in template.items()}
    return {REASON: text, EVENT: event}.get(template, template) if isinstance(template, str) else template


def _body(template: Template | None, event: Event, text: str = "") -> bytes:
    return b"" if template is None else msgspec.json.encode(fill(template, event.name, text))


def explicit(verdict: Verdict, setting: str) -> bool:
    """Whether an allow may be said aloud, which on several agents skips their own prompt."""
    if verdict.approval is not None:  # a person said yes to exactly this call
        return True
    if setting == "off" or not verdict.understood or verdict.band is not Band.AUTO:
        return False
    return setting == "auto" or (setting == "reads" and verdict.reads_only)


def can_ask(answers: Answers, event: str) -> bool:
    """Whether an event can put a question to a person."""
    return answers.ask is not None and (not answers.ask_on or event in answers.ask_on)


def held_reason(verdict: Verdict) -> str:
    """The reason of an ask that has to be a denial: it tells the person what to do, unless the verdict does already."""
    text = reason(verdict)
    return text if "checkrail approve" in text else f"{text} {HELD}"[:MAX_REASON]


def answer(answers: Answers, event: Event, verdict: Verdict, *, explicit_allow: str) -> Answer:
    """The verdict in the form that ``answers`` tells."""
    if event.kind not in (EventKind.PRE, EventKind.CONFIG):
        return Answer(0, _body(answers.quiet, event))
    if event.name in answers.deny_on and verdict.decision is not Decision.DENY:
        return SILENT
    asks = can_ask(answers, event.name) and event.asking is not Asking.CANNOT
    if verdict.decision is Decision.ALLOW:
        aloud = answers.allow is not None and explicit(verdict, explicit_allow)
        return Answer(0, _body(answers.allow if aloud else answers.quiet, event, reason(verdict)))
    if verdict.decision is Decision.ASK and asks:
        return Answer(0, _body(answers.ask, event, reason(verdict)))
    text = reason(verdict) if verdict.decision is Decision.DENY else held_reason(verdict)
    stderr = text.encode() + b"\n" if answers.stderr else b""
    return Answer(answers.exit_code, _body(answers.deny_on.get(event.name, answers.deny), event, text), stderr)


def _says(told: Any, template: Any) -> bool:
    """Whether what was said holds every fixed word of a template."""
    if isinstance(template, dict):
        return isinstance(told, dict) and all(
            key in told and _says(told[key], value) for key, value in template.items()
        )
    return template in (REASON, EVENT) or bool(told == template)


def meaning(answers: Answers, code: int, stdout: bytes) -> str:
    """What the agent would make of an answer: allow, none (its own flow goes on), ask, deny or broken."""
    if code == 2:
        return "deny"
    if code != 0:
        return "broken"
    if not stdout:
        return "none" if answers.quiet is None else "broken"
    try:
        told = msgspec.json.decode(stdout)
    except msgspec.MsgspecError:
        return "broken"
    rows = (("deny", answers.deny), ("ask", answers.ask), ("allow", answers.allow), ("none", answers.quiet))
    return next((word for word, template in rows if template is not None and _says(told, template)), "broken")
