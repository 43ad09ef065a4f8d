"""git push: what is forced, deleted or mirrored, and where it goes."""

import fnmatch
import re
from typing import TYPE_CHECKING

from checkrail.knowledge import git_config
from checkrail.model import HOLE, SOME, Action, TargetKind
from checkrail.readers.shell import effects
from checkrail.readers.shell.special import git_remote
from checkrail.readers.shell.special.git_files import current_branch

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_SCP_LIKE = re.compile(r"[\w.-]+@[\w.-]+:")


def git_push(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``git push``: by force, deletion, mirror and where it goes."""
    parsed = call.parsed
    for given in parsed.options:
        if given.role != "text" and given.value is not None:
            effects.role(given.role, given.value, call, path)
            effects.named(
                "runs", call, rule=f"{path}.receive-pack", reason="runs a program in place of git's own receive-pack"
            )
    where = parsed.value("--repo") or (parsed.operands[0] if parsed.operands else None)
    changed = git_remote.pushed(where.text if where is not None else None, call, path)
    _address(changed or (where.text if where is not None else ""), call, path)
    if parsed.has(("-n", "--dry-run")):
        return
    refspecs = parsed.operands[0 if parsed.has(("--repo",)) else 1 :]
    for rule, reason, safer in _harms(call, tuple(field.text for field in refspecs)):
        effects.named("destroys-shared", call, rule=f"{path}.{rule}", reason=reason, safer=safer)
    effects.named("shared", call, rule=path, reason="changes a branch of the remote repository")


def _harms(call: "Call", refspecs: tuple[str, ...]) -> list[tuple[str, str, str]]:
    parsed = call.parsed
    found = []
    settings = [field.text.partition("=") for field in call.arguments if field.text.lower().startswith("remote.")]
    pushed = tuple(value for name, _, value in settings if name.lower().endswith(".push"))
    mirrors = any(name.lower().endswith(".mirror") and value not in ("false", "0", "no") for name, _, value in settings)
    refspecs = refspecs or pushed  # git -c remote.origin.push=+main push
    if parsed.has(("--mirror",)) or mirrors:
        found.append(
            (
                "mirror",
                "makes the remote a copy of this repository: what is missing here is deleted there",
                "push the branches by name",
            )
        )
    if parsed.has(("--prune",)):
        found.append(("prune", "deletes remote branches that do not exist here", "delete single branches by name"))
    if parsed.has(("-d", "--delete")) or any(spec.lstrip("+").startswith(":") and spec != ":" for spec in refspecs):
        found.append(("delete", "deletes a branch or tag of the remote repository", "leave the deletion to the merge"))
    forced = parsed.has(("-f", "--force")) or any(spec.startswith("+") for spec in refspecs)
    if forced:
        found.append(
            (
                "force",
                "overwrites the history of the remote branch",
                "git push --force-with-lease, on a branch of your own",
            )
        )
    elif parsed.has(("--force-with-lease",)) and not parsed.has(("--no-force-with-lease",)):
        branches = [_branch(spec, call) for spec in refspecs] or [current_branch(call)]
        shared = [branch for branch in branches if branch is None or protected(branch)]
        if shared or parsed.has(("--all", "--tags", "--branches")):
            name = shared[0] if shared and shared[0] else "of the remote repository"
            found.append(
                (
                    "lease",
                    f"overwrites the history of branch {name}, which others may work from",
                    "name your own branch: git push --force-with-lease origin <branch>",
                )
            )
    return found


def _address(text: str, call: "Call", path: str) -> None:
    if text.startswith(("ext::", "fd::", "-")) or "://-" in text:
        effects.named("runs", call, rule=f"{path}.transport", reason="the address starts a program")
    elif ("://" in text and not text.startswith("file://")) or _SCP_LIKE.match(text):
        call.effect(
            Action.SEND,
            TargetKind.REPOSITORY,
            text,
            rule=f"{path}.address",
            axes=effects.KINDS["external"][2],
            reason="pushes to an address on the line instead of a configured remote",
            safer="push to a remote that is set up",
        )


def protected(branch: str) -> bool:
    """Whether a branch has a name that others usually work from."""
    return any(fnmatch.fnmatchcase(branch.lower(), glob) for glob in git_config.keys().protected)


def _branch(spec: str, call: "Call") -> str | None:
    name = spec.lstrip("+").rpartition(":")[2].removeprefix("refs/heads/")
    if name in ("HEAD", "@", HOLE, SOME):  # an unknown name is mostly the output of git itself
        return current_branch(call)
    return None if HOLE in name or SOME in name or "*" in name or not name else name
