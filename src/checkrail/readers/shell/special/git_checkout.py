"""git checkout: another branch keeps uncommitted work, paths and force lose it."""

import posixpath
from typing import TYPE_CHECKING

from checkrail.knowledge import git_config, places
from checkrail.model import HOLE
from checkrail.readers.shell import effects
from checkrail.readers.shell.special.git_files import git_folder
from checkrail.readers.shell.special.git_loss import nothing_lost
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call


def git_checkout(entry: "Entry", call: "Call", path: str) -> None:
    """``git checkout``: another branch keeps uncommitted work, paths and force lose it."""
    parsed = call.parsed
    named = _paths(call)
    safe = _safe(named, call)
    for option, rule, reason, safer in (
        (("-f", "--force"), "force", "discards all uncommitted changes in the working tree", "git stash first"),
        (
            ("-B",),
            "recreate",
            "moves an existing branch away from the commits it names",
            "git checkout -b makes a new one",
        ),
        (
            ("-p", "--patch", "--pathspec-from-file"),
            "paths",
            "discards uncommitted changes in the chosen files",
            "git stash first",
        ),
    ):
        if parsed.has(option) and not (safe and rule == "force"):
            effects.named("loses", call, rule=f"{path}.{rule}", reason=reason, safer=safer)
    if named and not safe:
        what = " ".join(field.text for field in named)[:80]
        effects.named(
            "loses",
            call,
            rule=f"{path}.paths",
            reason=f"discards uncommitted changes in {what}",
            safer="git stash first, or git diff to see what would go",
        )
    effects.named(entry.effect, call, rule=path, reason=entry.reason)


def _safe(named: tuple[Field, ...], call: "Call") -> bool:
    """Whether git's files say that nothing would be lost."""
    parsed = call.parsed
    if (
        named
        and all(_is_lock(field.text) for field in named)
        and not parsed.has(("-f", "--force", "-B", "-p", "--patch", "--pathspec-from-file"))
    ):
        return True
    if parsed.has(("--ours", "--theirs", "-m", "--merge", "-B", "-p", "--patch", "--pathspec-from-file")):
        return False
    force = parsed.has(("-f", "--force"))
    if not named and not force:
        return True
    before = [field for field in parsed.operands if field not in named]
    return nothing_lost(call, () if force else named, source=force or bool(before))


def _is_lock(path: str) -> bool:
    """Whether a package manager writes the file anew from the project file beside it."""
    return posixpath.basename(path).lower() in places.paths().locks


def _paths(call: "Call") -> tuple[Field, ...]:
    operands = call.parsed.operands
    texts = [field.text for field in call.arguments]
    if "--" in texts:
        return call.arguments[texts.index("--") + 1 :]
    if call.parsed.has(("-b", "-B", "--orphan", "-d", "--detach", "-t", "--track")):
        return ()
    if len(operands) > 1:
        return operands if _is_path(operands[0], call) else operands[1:]
    if call.parsed.has(("--ours", "--theirs")):
        return operands
    return tuple(field for field in operands if _is_path(field, call))


def _is_path(field: Field, call: "Call") -> bool:
    text = field.text
    if text in ("-", "@", "HEAD") or text == HOLE:
        return False
    if (
        text in (".", "..")
        or text.startswith(("./", "../", "/", "~", ":"))
        or text.endswith("/")
        or any(c in text for c in "*?[")
    ):
        return True
    folder = git_folder(call)
    host = call.run.around.host
    if folder and host.lstat(f"{folder}/refs/heads/{text}") is not None:
        return False
    if host.lstat(call.path(field)) is not None:
        return True
    base, known = posixpath.basename(text), git_config.keys()
    return base in known.files or (base.rpartition(".")[2] in known.suffixes and "." in base) or base.startswith(".")
