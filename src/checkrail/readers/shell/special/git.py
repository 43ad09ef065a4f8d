"""git: settings, aliases of the repository and of the user, and commands run in each submodule."""

import shlex
from typing import TYPE_CHECKING

from checkrail.readers.shell import effects, redirects
from checkrail.readers.shell.special import git_remote
from checkrail.readers.shell.special.git_files import git_folder, text_of

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call


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
        effects.named(
            "host",
            call,
            rule=f"{path}.system",
            reason="changes git for everyone on this machine",
            safer="git config --global",
        )
    effects.named("local", call, rule=path, reason=entry.reason)
    if len(operands) > 1 and not parsed.has(_REMOVES) and verb not in ("unset", "rename-section", "remove-section"):
        git_remote.setting(operands[0].text, operands[1].text, call)
        call.run.hand_on("git-config", f"{operands[0].text}={operands[1].text}", operands[1].span, "git config")


_OVERVIEWS = (
    "--stat",
    "--name-only",
    "--name-status",
    "--numstat",
    "--shortstat",
    "--dirstat",
    "--summary",
    "--quiet",
    "-q",
    "-s",
    "--no-patch",
    "-t",
    "-e",
)
_PATCHES = ("-p", "-u", "--patch", "-U", "--unified", "-L", "--cc", "-c", "-m", "--patch-with-stat")


def git_show(entry: "Entry", call: "Call", path: str) -> None:
    """``git show``, ``diff``, ``log -p``, ``blame``: what a file of credentials held is shown like the file."""
    effects.apply(entry, call.parsed, call, path)
    parsed, run = call.parsed, call.run
    log = any(field.text in ("log", "whatchanged") for field in call.arguments[:6])
    if run.state.host or parsed.has(_OVERVIEWS) or (log and not parsed.has(_PATCHES)):
        return
    for field in parsed.operands:
        revision, colon, name = field.text.rpartition(":")
        inner = field.tail(len(revision) + 1) if colon and name else field
        if redirects.secret_path(call.path(inner), run):
            effects.path("read", inner, call, path)


def git_fetch(entry: "Entry", call: "Call", path: str) -> None:
    """``git fetch`` and ``git pull`` also change what is here; ``git ls-remote`` does not."""
    effects.apply(entry, call.parsed, call, path)
    if not any(field.text == "ls-remote" for field in call.arguments):
        effects.named("local", call, rule=f"{path}.changes", reason="changes branches or files here")


def git_foreach(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
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
    folder = git_folder(call)
    for file in (f"{folder}/config" if folder else "", f"{call.run.around.home}/.gitconfig"):
        value = _setting(text_of(file, call), "alias", name) if file and not call.run.state.host else None
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
