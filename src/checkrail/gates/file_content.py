"""What is written into a file: nothing where there was much, secrets where git will keep them, characters nobody sees."""

import re
from collections.abc import Callable, Iterator

import msgspec

from checkrail.facts.paths import Place
from checkrail.gates.file_view import LOSES, NOTE, REVEALS, View, finding
from checkrail.knowledge import places
from checkrail.knowledge.patterns import fold
from checkrail.model import HOLE, SOME, Action, Axes, Finding, Reversibility, Scope
from checkrail.redaction import holds_secret

LARGE = 4_096
"""Bytes above which replacing a file that git cannot bring back by little is worth a question."""
HUGE = 32_768
"""The same for a file that git can bring back."""
LITTLE = 0.05
"""Share of the old size below which what is written is little."""
LIMIT = 1_000_000
"""Characters of content that are looked at."""

_PROSE = (".md", ".rst", ".txt", ".adoc", ".html", ".po", ".json", ".yml", ".yaml", ".csv", ".tex")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_OVERRIDE = re.compile("[\u202d\u202e]")
_TAGS = re.compile("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]")
_UNSEEN = re.compile(
    "(?<=[\\w.:/-])[\u200b\u2060-\u2064\ufeff\u180e\u00ad](?=\\w)|(?<=[A-Za-z])[\u200c\u200d](?=[A-Za-z])|[\u3164\uffa0\u115f\u1160]"
)
_STUFFED = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
"""Runs of variation selectors, which change no glyph and can hold any bytes."""
_PRIVILEGED = re.compile(
    r"pull_request_target|workflow_run|\bsecrets\b|permissions\s*:\s*write-all|:\s*write\b|self-hosted|runs-on\s*:\s*\{|id-token"
    r"|GITHUB_TOKEN|github\s*(?:\.\s*token|\[)|toJSON\s*\(\s*github\b|\.git/config|\$\{\{[^}]*github\.(?:event|head_ref)"
    r"|\|\s*(?:ba|z)?sh\b|base64\s+-d"
)


def _writes(view: View) -> bool:
    return view.effect.action in (Action.WRITE, Action.APPEND, Action.CREATE) and view.facts.place is not Place.STREAM


def _emptied(view: View) -> Iterator[Finding]:
    """An existing file loses all or nearly all of its content."""
    effect = view.effect
    if effect.action is not Action.WRITE or effect.previous is not None or effect.content is None or not _kept(view):
        return
    stat, size = view.stat(), len(effect.content.strip())
    if stat is None:
        if not view.absent and not size and not effect.target.host and _dear(view):
            yield _loss(view, "empties")
        return
    if stat.kind != "file" or not stat.size or view.facts.path.endswith(".ipynb"):
        return
    if not size:
        yield from _emptied_file(view, stat.size)
    elif stat.size >= LARGE and size < stat.size * LITTLE and (stat.size >= HUGE or view.restorable() is not True):
        yield _loss(view, f"replaces {stat.size:,} bytes by {size:,} in")


def _kept(view: View) -> bool:
    return view.facts.place is not Place.SCRATCH and not view.facts.build


def _emptied_file(view: View, size: int) -> Iterator[Finding]:
    if view.restorable() is not True or size >= LARGE:
        if not view.facts.path.lower().endswith((".log", ".tmp", ".out", ".pid")):
            yield _loss(view, "empties")
    else:
        yield finding(view, "emptied", f"empties {view.path}, which git can bring back", NOTE)


def _dear(view: View) -> bool:
    from checkrail.gates.file_pattern import named

    return named(view.facts, "documents") or any(
        places.path_class(entry).delete == "ask" for entry in view.facts.classes
    )


def _loss(view: View, verb: str) -> Finding:
    return finding(view, "emptied", f"{verb} {view.path}", LOSES, safer="keep a copy, or edit the part that changes")


_KEPT_APART = frozenset({"credentials", "history", "checkrail-state"})
"""Classes of files that are meant to hold secrets, and are asked about as such."""


def _secret(view: View) -> Iterator[Finding]:
    """A secret in a place that git keeps and shares."""
    added = _added(view)
    if not added or view.facts.place not in (Place.WORKSPACE, Place.ROOM) or view.facts.build:
        return
    if not _KEPT_APART.isdisjoint(view.facts.classes):
        return
    if holds_secret(added) and not _example(view.facts.path):
        yield finding(
            view,
            "secret-written",
            f"writes what looks like a secret into {view.path}",
            REVEALS,
            safer="read it from the environment",
        )


def _example(path: str) -> bool:
    return (
        re.search(
            r"(?:^|[/._-])(?:tests?|specs?|fixtures?|examples?|samples?|docs?|__snapshots__)(?:[/._-]|$)", path.lower()
        )
        is not None
    )


def _added(view: View) -> str:
    """What the effect adds to the file; lines that were there before do not count."""
    content = view.effect.content
    if content is None or not _writes(view):
        return ""
    if not view.effect.previous:
        return content[:LIMIT]
    before = set(view.effect.previous[:LIMIT].splitlines())
    return "\n".join(line for line in content[:LIMIT].splitlines() if line not in before)


def _hidden(view: View) -> Iterator[Finding]:
    """Characters that a person reading the file would not see."""
    added = _added(view)
    if not added or added.isascii():
        return
    prose = view.facts.path.lower().endswith(_PROSE)
    unseen = _TAGS.search(added) or _OVERRIDE.search(added) or _STUFFED.search(added)
    if unseen or (not prose and (_BIDI.search(added) or _UNSEEN.search(added))):
        yield finding(
            view, "hidden-characters", f"writes characters into {view.path} that nobody sees but programs read", LOSES
        )


def _benign_ci(view: View) -> bool:
    """Whether what a workflow gains touches none of its credentials."""
    added = _added(view)
    if view.effect.content is None or _PRIVILEGED.search(added):
        return False
    return view.effect.previous is not None or _plain_workflow(view, added)


def _plain_workflow(view: View, text: str) -> bool:
    """Whether a new workflow of GitHub names no credentials: it can do what a build of any fork can."""
    if view.stat() is not None or "jobs:" not in text:
        return False
    workflow = "/.github/workflows/" in fold(view.facts.path) and view.facts.place in (Place.WORKSPACE, Place.ROOM)
    return workflow and bool(text.strip()) and HOLE not in text and SOME not in text and len(text) < LIMIT


def softened(view: View, identifier: str) -> bool:
    """Whether what is written makes the file's class less grave: an ordinary edit of a CI definition is a note."""
    looks = {"ci": _benign_ci, "package-config": _benign_settings, "editor-config": _benign_editor}
    return identifier in looks and looks[identifier](view)


_SHOWN = re.compile(
    r"(?:editor|files|search|diffEditor|workbench\.colorTheme|workbench\.tree|explorer|prettier|html\.format|css\.format|json\.format)(?:\.\w+)*|\[[\w-]+\](?:\[[\w-]+\])*"
)
_STARTS = re.compile(r"(?i)path|command|exec|runtime|shell|args|plugin|module|tsdk|script|server|interpreter")


def _benign_editor(view: View) -> bool:
    """Whether settings of the project for VS Code are about how text looks and is saved, by every name in them."""
    effect = view.effect
    if (
        not fold(view.facts.path).endswith("/.vscode/settings.json")
        or effect.content is None
        or effect.previous is not None
    ):
        return False
    try:
        settings = msgspec.json.decode(effect.content[:LIMIT], type=dict[str, object])
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
    return all(
        _SHOWN.fullmatch(name) and not _STARTS.search(name) and _only_shows(value) for name, value in settings.items()
    )


def _only_shows(value: object) -> bool:
    if isinstance(value, dict):
        return all(not _STARTS.search(str(name)) and _only_shows(held) for name, held in value.items())
    return not isinstance(value, list)


_SETTINGS = re.compile(
    r"\s*(?:[#;].*|(?:audit|audit-level|color|engine-strict|fund|hoist|legacy-peer-deps|lockfile|loglevel|node-linker|prefer-offline|progress|resolution-mode"
    r"|save-exact|save-prefix|shamefully-hoist|strict-peer-dependencies|auto-install-peers|package-lock|prefer-workspace-packages|link-workspace-packages)\s*=\s*[\w.^~-]*|)\s*"
)


def _benign_settings(view: View) -> bool:
    """Whether settings of a package manager in the project are about how it installs, not from where or what runs then."""
    effect = view.effect
    if (
        view.facts.place is not Place.WORKSPACE
        or effect.content is None
        or not effect.content.strip()
        or HOLE in effect.content
    ):
        return False
    if not view.facts.path.endswith("/.npmrc") or (
        effect.action is Action.WRITE and effect.previous is None and view.stat() is not None
    ):
        return False
    return all(_SETTINGS.fullmatch(line) for line in _added(view).splitlines())


def _agent_hooks(view: View) -> Iterator[Finding]:
    """Agents run the hooks that the front matter of their notes names."""
    if "agent-notes" in view.facts.classes and re.search(
        r"(?m)^\s*(?:hooks|allowed-tools\s*:.*\bBash\(\*\))\s*:?", _added(view)
    ):
        yield finding(
            view,
            "agent-notes-hooks",
            f"writes hooks or a free hand into {view.path}, which an agent obeys",
            Axes(Reversibility.HARD, Scope.LOCAL),
        )


CONTENT_RULES: tuple[Callable[[View], Iterator[Finding]], ...] = (_emptied, _secret, _hidden, _agent_hooks)
