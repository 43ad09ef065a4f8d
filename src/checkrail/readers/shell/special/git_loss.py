"""git commands that discard: free where the files of git say that nothing would be lost."""

from typing import TYPE_CHECKING

import msgspec

from checkrail.facts import git, git_safe
from checkrail.model import HOLE, SOME
from checkrail.readers.shell import effects
from checkrail.readers.shell.special.git_files import text_of
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

LOSSES = ("loses", "destroys")
_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE")
_ELSEWHERE = ("--git-dir", "--work-tree", "--namespace", "--bare", "core.worktree", "--config-env")
_SPARES = ("-e", "--exclude")
_HERE = ("HEAD", "@")


def git_loss(entry: "Entry", call: "Call", path: str) -> None:
    """``git restore``, ``reset``, ``clean``, ``branch``: their rules, less those about a loss that cannot happen."""
    held = [rule for rule in entry.rule if rule.effect in LOSSES and effects.holds(rule, call.parsed)]
    if (held or entry.effect in LOSSES) and _QUESTIONS[entry.names[0]](call):
        rules = tuple(rule for rule in entry.rule if rule not in held)
        effect = "local" if entry.names[0] == "restore" else "shared"
        entry = msgspec.structs.replace(
            entry, rule=rules, effect=effect, reason="discards only what git can bring back"
        )
    effects.apply(entry, call.parsed, call, path)


def nothing_lost(call: "Call", named: "Iterable[Field]", *, source: bool) -> bool:
    """Whether bringing back the named paths (none: all of them) takes nothing away.

    ``source``: from a commit, which replaces what is staged and what git does not know yet, too.
    """
    root = _root(call)
    paths = [root if _is_pattern(field) else call.path(field) for field in named] or [root]
    host = call.run.around.host
    return bool(root) and (git_safe.replaceable if source else git_safe.clean)(paths, host)


def _is_pattern(field: Field) -> bool:
    text = field.text
    return text.startswith(":") or any(char in text for char in (*"*?[", HOLE, SOME))


def _root(call: "Call") -> str:
    """The working tree that the command is about; empty where that is not plain, or this program has moved things."""
    run = call.run
    cwd = run.state.cwd
    if run.state.host or len(cwd) != 1 or not cwd[0].startswith("/"):
        return ""
    if any(
        name in call.environment or name in run.state.exported or run.around.host.variable(name) for name in _PLACES
    ):
        return ""
    if any(field.text.startswith(_ELSEWHERE) for field in call.arguments) or _brings_in(call):
        return ""
    found = git.repository(cwd[0], run.around.host)
    if found is None or "worktree" in text_of(f"{found.common}/config", call).lower():
        return ""  # the files may lie elsewhere
    return found.root


def _brings_in(call: "Call") -> bool:
    """Whether the program moves something here first that may exist nowhere else: a file, a stash."""
    found = call.run.found
    if any(effect.rule.endswith(".source") or effect.command in ("ln", "mount", "rsync") for effect in found.effects):
        return True
    return any(text.startswith("git") and " stash" in text for text in found.commands)


def _restore(call: "Call") -> bool:
    parsed = call.parsed
    if parsed.has(("--ours", "--theirs", "-m", "--merge", "--pathspec-from-file")):
        return False
    source = parsed.has(("-s", "--source", "--staged", "-S"))
    return nothing_lost(call, parsed.operands, source=source)


def _reset(call: "Call") -> bool:
    operands = call.parsed.operands
    here = not operands or (len(operands) == 1 and operands[0].text in _HERE)
    root = _root(call)
    if not root or call.parsed.has(("--merge",)):
        return False
    host = call.run.around.host
    return (
        git_safe.clean((root,), host) and git_safe.unstaged(root, host) if here else git_safe.replaceable((root,), host)
    )


def _clean(call: "Call") -> bool:
    operands = call.parsed.operands
    if operands and all(not _is_pattern(field) and git_safe.is_rebuilt(call.path(field)) for field in operands):
        return True
    root = _root(call)
    if not root or call.parsed.has(("-i", "--interactive")):
        return False
    named = [call.run.state.cwd[0] if _is_pattern(field) else call.path(field) for field in call.parsed.operands]
    kept = [given.value.text for given in call.parsed.options if given.name in _SPARES and given.value is not None]
    host = call.run.around.host
    return all(git_safe.only_rebuilt(path, host, spared=kept) for path in named or call.run.state.cwd)


def _move(call: "Call") -> bool:
    """``git mv -f``: nothing stands at the new name, or git has all of it, or it is the same name in other letters."""
    if len(call.parsed.operands) != 2:
        return False
    source, target = (call.path(field) for field in call.parsed.operands)
    host = call.run.around.host
    here, there = host.lstat(source), host.lstat(target)
    if there is None or (here is not None and here.inode and here.inode == there.inode):
        return source.lower() == target.lower() or (there is None and bool(_root(call)))
    return there.kind == "file" and bool(_root(call)) and git_safe.replaceable((target,), host)


def _branch(call: "Call") -> bool:
    operands = call.parsed.operands
    plain = call.parsed.has(("-D", "-d", "--delete")) and not call.parsed.has(("-M", "-C", "-r", "--remotes"))
    root = _root(call)
    if not root or not plain or not operands or any(_is_pattern(field) for field in operands):
        return False
    names = dict.fromkeys(field.text for field in operands)
    return len(names) == 1 and git_safe.kept_elsewhere(next(iter(names)), root, call.run.around.host)


_QUESTIONS = {"restore": _restore, "reset": _reset, "clean": _clean, "branch": _branch, "mv": _move}
