"""git: push forms, checkout of paths, settings and the repository's own aliases.

Only files are read, never through git: ``.git/HEAD`` and the two configuration files, each at most 64 KiB, at most
12 folders up.
"""

import fnmatch
import posixpath
import shlex
from typing import TYPE_CHECKING

from checkrail.model import HOLE, Action, TargetKind
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

PROTECTED = ("main", "master", "trunk", "develop", "dev", "prod*", "release*", "stable*", "staging", "live", "gh-pages")
"""Branches that others work from."""

FILE_NAMES = frozenset("Makefile Dockerfile Gemfile Rakefile Procfile LICENSE README CHANGELOG Jenkinsfile Vagrantfile".split())
SUFFIXES = frozenset(
    "py pyi js mjs cjs ts tsx jsx go rs c h cc cpp hpp java kt rb php md rst txt json toml yaml yml lock html css scss less sh bash sql xml cfg ini env"
    " csv vue svelte swift cs ipynb proto gradle tf mod sum svg png lua pl ex exs scala dart conf".split()
)
"""What makes a word without ``--`` look like a file rather than a branch."""

READ_CAP = 65_536
LEVELS = 12


# Push --------------------------------------------------------------------------------------


def git_push(entry: "Entry", call: "Call", path: str) -> None:
    """``git push``: by force, deletion, mirror and where it goes."""
    parsed = call.parsed
    for given in parsed.options:
        if given.role != "text" and given.value is not None:
            effects.role(given.role, given.value, call, path)
            effects.named("runs", call, rule=f"{path}.receive-pack", reason="runs a program in place of git's own receive-pack")
    where = parsed.value("--repo") or (parsed.operands[0] if parsed.operands else None)
    if where is not None:
        _address(where.text, call, path)
    if parsed.has(("-n", "--dry-run")):
        return
    refspecs = parsed.operands[0 if parsed.has(("--repo",)) else 1 :]
    for rule, reason, safer in _harms(call, tuple(field.text for field in refspecs)):
        effects.named("destroys-shared", call, rule=f"{path}.{rule}", reason=reason, safer=safer)
    effects.named("shared", call, rule=path, reason="changes a branch of the remote repository")


def _harms(call: "Call", refspecs: tuple[str, ...]) -> list[tuple[str, str, str]]:
    parsed = call.parsed
    found = []
    if parsed.has(("--mirror",)):
        found.append(("mirror", "makes the remote a copy of this repository: what is missing here is deleted there", "push the branches by name"))
    if parsed.has(("--prune",)):
        found.append(("prune", "deletes remote branches that do not exist here", "delete single branches by name"))
    if parsed.has(("-d", "--delete")) or any(spec.lstrip("+").startswith(":") and spec != ":" for spec in refspecs):
        found.append(("delete", "deletes a branch or tag of the remote repository", "leave the deletion to the merge"))
    forced = parsed.has(("-f", "--force")) or any(spec.startswith("+") for spec in refspecs)
    if forced:
        found.append(("force", "overwrites the history of the remote branch", "git push --force-with-lease, on a branch of your own"))
    elif parsed.has(("--force-with-lease",)) and not parsed.has(("--no-force-with-lease",)):
        branches = [_branch(spec, call) for spec in refspecs] or [current_branch(call)]
        shared = [branch for branch in branches if branch is None or protected(branch)]
        if shared or parsed.has(("--all", "--tags", "--branches")):
            name = shared[0] if shared and shared[0] else "of the remote repository"
            found.append(("lease", f"overwrites the history of branch {name}, which others may work from", "name your own branch: git push --force-with-lease origin <branch>"))
    return found


def _address(text: str, call: "Call", path: str) -> None:
    if text.startswith(("ext::", "fd::", "-")) or "://-" in text:
        effects.named("runs", call, rule=f"{path}.transport", reason="the address starts a program")
    elif "://" in text and not text.startswith("file://"):
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
    return any(fnmatch.fnmatchcase(branch.lower(), glob) for glob in PROTECTED)


def _branch(spec: str, call: "Call") -> str | None:
    name = spec.lstrip("+").rpartition(":")[2].removeprefix("refs/heads/")
    if name in ("HEAD", "@"):
        return current_branch(call)
    return None if HOLE in name or "*" in name or not name else name


def current_branch(call: "Call") -> str | None:
    """The branch that is checked out, where ``.git/HEAD`` tells."""
    folder = _git_folder(call)
    text = _text(f"{folder}/HEAD", call) if folder else ""
    return text[16:].strip() if text.startswith("ref: refs/heads/") else None


def _git_folder(call: "Call") -> str:
    place = call.run.state.cwd[0]
    host = call.run.around.host
    if call.run.state.host or not place.startswith("/"):
        return ""
    for _ in range(LEVELS):
        found = host.lstat(f"{place}/.git".replace("//", "/"))
        if found is not None and found.kind == "directory":
            return f"{place}/.git"
        if found is not None and found.kind == "file":
            link = _text(f"{place}/.git", call)
            return posixpath.normpath(posixpath.join(place, link[8:].strip())) if link.startswith("gitdir: ") else ""
        if place == "/":
            break
        place = posixpath.dirname(place)
    return ""


def _text(path: str, call: "Call") -> str:
    content = call.run.around.host.read(path, READ_CAP)
    return content.decode("utf-8", "replace") if content is not None else ""


# Checkout ----------------------------------------------------------------------------------


def git_checkout(entry: "Entry", call: "Call", path: str) -> None:
    """``git checkout``: another branch keeps uncommitted work, paths and force lose it."""
    parsed = call.parsed
    for option, rule, reason, safer in (
        (("-f", "--force"), "force", "discards all uncommitted changes in the working tree", "git stash first"),
        (("-B",), "recreate", "moves an existing branch away from the commits it names", "git checkout -b makes a new one"),
        (("-p", "--patch", "--pathspec-from-file"), "paths", "discards uncommitted changes in the chosen files", "git stash first"),
    ):
        if parsed.has(option):
            effects.named("loses", call, rule=f"{path}.{rule}", reason=reason, safer=safer)
    named = _paths(call)
    if named:
        what = " ".join(field.text for field in named)[:80]
        effects.named("loses", call, rule=f"{path}.paths", reason=f"discards uncommitted changes in {what}", safer="git stash first, or git diff to see what would go")
    effects.named(entry.effect, call, rule=path, reason=entry.reason)


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
    if text in (".", "..") or text.startswith(("./", "../", "/", "~", ":")) or text.endswith("/") or any(c in text for c in "*?["):
        return True
    folder = _git_folder(call)
    host = call.run.around.host
    if folder and host.lstat(f"{folder}/refs/heads/{text}") is not None:
        return False
    if host.lstat(call.path(field)) is not None:
        return True
    base = posixpath.basename(text)
    return base in FILE_NAMES or base.rpartition(".")[2] in SUFFIXES and "." in base or base.startswith(".")


# Settings and aliases ----------------------------------------------------------------------

_SHOWS = ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "-l", "--list")
_SETS = ("--add", "--replace-all")
_REMOVES = ("--unset", "--unset-all", "--rename-section", "--remove-section")


def git_config(entry: "Entry", call: "Call", path: str) -> None:
    """``git config``: shows, or changes what later git commands do."""
    parsed, operands = call.parsed, call.parsed.operands
    verb = operands[0].text if operands else ""
    file = parsed.value("-f", "--file")
    if parsed.has(_SHOWS) or verb in ("get", "list"):
        if file is not None:
            effects.role("read", file, call, path)
        return
    if verb in ("set", "unset", "edit", "rename-section", "remove-section") and (len(operands) > 1 or verb == "edit"):
        operands = operands[1:]
    elif len(operands) < 2 and not parsed.has((*_SETS, *_REMOVES, "-e", "--edit")):
        return
    if file is not None:
        effects.role("edit", file, call, path)
    if parsed.has(("--system",)):
        effects.named("host", call, rule=f"{path}.system", reason="changes git for everyone on this machine", safer="git config --global")
    effects.named("local", call, rule=path, reason=entry.reason)
    if len(operands) > 1 and not parsed.has(_REMOVES) and verb not in ("unset", "rename-section", "remove-section"):
        call.run.hand_on("git-config", f"{operands[0].text}={operands[1].text}", operands[1].span, "git config")


def git_foreach(entry: "Entry", call: "Call", path: str) -> None:
    """``git submodule foreach``: one word is a shell line, several are a command."""
    operands = call.parsed.operands
    if len(operands) == 1:
        call.run.shell(operands[0].text, operands[0].span, "git submodule foreach")
    elif operands:
        call.invoke(operands)


def git(entry: "Entry", call: "Call", path: str) -> None:
    """A subcommand that git does not have: an alias of the repository or of the user, else a plugin."""
    operands = call.parsed.operands
    if not operands:
        effects.apply(entry, call.parsed, call, path)
        return
    name, rest = operands[0].text, "".join(f" {shlex.quote(field.text)}" for field in operands[1:])
    value = _alias(name, call)
    if value is None:
        call.run.opaque(f"unknown subcommand git {name[:40]}")
    elif value.startswith("!"):
        call.run.shell(value[1:] + rest, operands[0].span, f"git alias {name}")
    else:
        call.run.shell(f"git {value}{rest}", operands[0].span, f"git alias {name}")


def _alias(name: str, call: "Call") -> str | None:
    folder = _git_folder(call)
    for file in (f"{folder}/config" if folder else "", f"{call.run.around.home}/.gitconfig"):
        value = _setting(_text(file, call), "alias", name) if file and not call.run.state.host else None
        if value is not None:
            return value
    return None


def _setting(text: str, section: str, name: str) -> str | None:
    """A value out of a configuration file; continued lines and comments after values are left as they are."""
    inside, found = False, None
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            inside = stripped[1:].partition("]")[0].strip().lower() == section
        elif inside and "=" in stripped:
            key, _, value = stripped.partition("=")
            if key.strip().lower() == name.lower():
                found = value.strip().strip('"').replace('\\"', '"').replace("\\\\", "\\")
    return found
