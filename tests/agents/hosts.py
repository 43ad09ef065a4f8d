"""What each agent makes of a hook's answer, written from how it was seen or documented to behave: the tests' other side.

An outcome is ``stopped``, ``asked``, ``allowed`` (the agent's own prompt is skipped) or ``own`` (its own flow goes on, as
if there were no hook). What a hook did wrong is ``own`` wherever the agent fails open.
"""

import json
from collections.abc import Callable
from typing import Any

from checkrail.daemon.protocol import Answer

Host = Callable[[str, Answer], str]


def told(stdout: bytes) -> dict[str, Any] | None:
    """The one JSON object on stdout, None where something else stands there."""
    try:
        value = json.loads(stdout)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _claude_words(event: str, answer: Answer) -> str:
    found = (told(answer.stdout) or {}).get("hookSpecificOutput")
    if not isinstance(found, dict) or found.get("hookEventName") != event:
        return "own"
    return str(found.get("permissionDecision"))


def claude_like(*, asks: bool, allows: bool, needs_text: bool = False) -> Host:
    """Exit code 2 stops, else the JSON counts."""

    def host(event: str, answer: Answer) -> str:
        if answer.exit_code == 2 and (answer.stderr or not needs_text):
            return "stopped"
        if answer.exit_code != 0:
            return "own"
        word = _claude_words(event, answer)
        return {"deny": "stopped", "ask": "asked" if asks else "own", "allow": "allowed" if allows else "own"}.get(
            word, "own"
        )

    return host


def codex(event: str, answer: Answer) -> str:
    """Unknown keys, an ask, an allow and a denial without a reason make its hook fail, and the call runs."""
    if answer.exit_code == 2:
        return "stopped" if answer.stderr else "own"
    found = (told(answer.stdout) or {}).get("hookSpecificOutput") or {}
    denied = found.get("permissionDecision") == "deny" and found.get("permissionDecisionReason")
    return "stopped" if denied and _claude_words(event, answer) == "deny" and answer.exit_code == 0 else "own"


def copilot(_event: str, answer: Answer) -> str:
    """Any failure but a late answer blocks; only the top-level form counts."""
    if answer.exit_code != 0:
        return "stopped"
    word = (told(answer.stdout) or {}).get("permissionDecision")
    return {"deny": "stopped", "ask": "asked", "allow": "allowed"}.get(str(word), "own")


def cursor(event: str, answer: Answer) -> str:
    """With failClosed everything that is no answer blocks."""
    if answer.exit_code != 0:
        return "stopped"
    found = told(answer.stdout)
    word = found.get("permission") if found else None
    if word == "ask":
        return "asked" if event in ("beforeShellExecution", "beforeMCPExecution") else "own"
    return "own" if word == "allow" else "stopped"


def gemini(_event: str, answer: Answer) -> str:
    """JSON beats the exit code; an ask hangs."""
    found = told(answer.stdout)
    if found is not None and found.get("decision"):
        return {"deny": "stopped", "block": "stopped", "ask": "hangs"}.get(str(found["decision"]), "own")
    return "stopped" if answer.exit_code >= 2 and (answer.stderr or answer.stdout) else "own"


def exit_only(_event: str, answer: Answer) -> str:
    """Windsurf and Kiro."""
    return "stopped" if answer.exit_code == 2 else "own"


def crush(_event: str, answer: Answer) -> str:
    """An allow skips the prompt."""
    if answer.exit_code == 2:
        return "stopped"
    word = (told(answer.stdout) or {}).get("decision")
    return {"deny": "stopped", "allow": "allowed"}.get(str(word), "own")


def cline(_event: str, answer: Answer) -> str:
    """Only JSON counts, whatever the exit code."""
    return "stopped" if (told(answer.stdout) or {}).get("cancel") is True else "own"


def goose(_event: str, answer: Answer) -> str:
    """With on_failure: block, everything that is neither empty nor a decision blocks."""
    found = told(answer.stdout)
    if answer.exit_code == 2 or (found and found.get("decision") == "block"):
        return "stopped"
    if answer.exit_code != 0 or (answer.stdout and (found or {}).get("decision") != "allow"):
        return "stopped"
    return "allowed" if answer.stdout else "own"


def hermes(_event: str, answer: Answer) -> str:
    """With fail_closed."""
    found = told(answer.stdout) if answer.stdout else {}
    if answer.exit_code == 2 or found is None or found.get("action") == "block":
        return "stopped"
    return "asked" if found.get("action") == "approve" else "own"


def antigravity(_event: str, answer: Answer) -> str:
    """What is not an allow is a denial."""
    word = (told(answer.stdout) or {}).get("decision")
    if answer.exit_code != 0:
        return "stopped"
    return {"allow": "own", "ask": "asked", "force_ask": "asked"}.get(str(word), "stopped")


def grok(_event: str, answer: Answer) -> str:
    """Exit code 2, or its word."""
    denied = answer.exit_code == 0 and (told(answer.stdout) or {}).get("decision") == "deny"
    return "stopped" if answer.exit_code == 2 or denied else "own"


def vibe(_event: str, answer: Answer) -> str:
    """With strict, every failure is a denial."""
    found = told(answer.stdout) if answer.stdout else {}
    return "stopped" if answer.exit_code != 0 or found is None or found.get("decision") == "deny" else "own"


def openhands(_event: str, answer: Answer) -> str:
    """Its word counts on any exit code."""
    denied = (told(answer.stdout) or {}).get("decision") == "deny"
    return "stopped" if answer.exit_code == 2 or denied else "own"


def opencode(_event: str, answer: Answer) -> str:
    """Our plugin: whatever is not exit code 0 throws."""
    return "own" if answer.exit_code == 0 else "stopped"


HOSTS: dict[str, Host] = {
    "claude": claude_like(asks=True, allows=True),
    "codex": codex,
    "copilot": copilot,
    "vscode": claude_like(asks=True, allows=True),
    "cursor": cursor,
    "gemini": gemini,
    "qwen": claude_like(asks=True, allows=False, needs_text=True),
    "opencode": opencode,
    "windsurf": exit_only,
    "cline": cline,
    "kiro": exit_only,
    "droid": claude_like(asks=False, allows=True),
    "goose": goose,
    "augment": claude_like(asks=False, allows=False),
    "crush": crush,
    "hermes": hermes,
    "antigravity": antigravity,
    "grok": grok,
    "vibe": vibe,
    "openhands": openhands,
    "kimi": claude_like(asks=False, allows=False),
}
ASKING = frozenset({"claude", "vscode", "cursor", "qwen", "hermes", "antigravity"})
"""Those that can show a question of ours."""
