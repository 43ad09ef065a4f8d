"""Suggested rows as TOML for the policy file, each with what it would have done."""

import json
from collections.abc import Iterable, Iterator

from checkrail.agents.reasons import visible
from checkrail.policy import Rule
from checkrail.report.questions import Question
from checkrail.report.suggest import Effect, Suggestion

MAX_SHOWN = 5


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def row(given: Rule, why: str) -> str:
    """A row in TOML."""
    known = {"id": given.id, "path": given.path, "host": given.host, "branch": given.branch}
    lines = [f"{name} = {_quoted(value)}" for name, value in known.items() if value]
    return "\n".join(("[[rule]]", *lines, f'decision = "{given.decision}"', f"why = {_quoted(why)}"))


def counted(number: int, word: str) -> str:
    """A number with its noun."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def _examples(questions: Iterable[Question]) -> Iterator[str]:
    texts = list(dict.fromkeys(visible(one.first.summary)[:140] for one in questions))
    yield from (f"#   {text}" for text in texts[:MAX_SHOWN])
    if len(texts) > MAX_SHOWN:
        yield f"#   and {len(texts) - MAX_SHOWN} more"


def suggestion(found: Suggestion) -> str:
    """One row with what it rests on and what it would have changed."""
    sessions = len({(one.first.agent, one.first.session) for one in found.covered if one.yes})
    prompts = sum(one.prompts for one in found.spared)
    unanswered = sum(one.answer == "open" for one in found.spared)
    told = [
        f"# said yes to {counted(found.yes, 'question')} in {counted(sessions, 'session')}, never no",
        f"# alone it would have spared {counted(prompts, 'prompt')}"
        + (f"; {unanswered} of these questions nobody answered" if unanswered else ""),
        *_examples(found.covered),
    ]
    return "\n".join((*told, row(found.row, f"said yes {found.yes} times, never no")))


def together(found: Effect) -> str:
    """What all rows would have changed, and whatever they would have let through that was refused."""
    refused = [*found.answered("no"), *found.answered("both")]
    answers = (
        f"{len(found.answered('yes'))} that people said yes to, {len(found.answered('open'))} that nobody answered"
    )
    prompts = f"{counted(found.before, 'prompt')} before, {found.after} after"
    told = f"# together: {prompts}; let through: {answers}, {len(refused)} that were refused"
    return "\n".join((told, *_examples(refused)))
