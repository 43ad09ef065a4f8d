"""git: where a repository is pushed to, and which files of credentials go with it, as this very line sets it up."""

from typing import TYPE_CHECKING

from checkrail.facts.hosts import classify, is_local
from checkrail.readers.shell import addresses, effects, redirects
from checkrail.readers.url_parsing import readings

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

ANY = "remote *"
"""What a push without a remote's name goes to, where this line changed one."""


def git_remote(entry: "Entry", call: "Call", path: str) -> None:
    """``git remote add name url``: a later push in this line goes to an address that the line names."""
    effects.apply(entry, call.parsed, call, path)
    operands = call.parsed.operands
    if len(operands) > 1 and any(field.text in ("add", "set-url") for field in call.arguments):
        changed(operands[0].text, operands[1].text, call)


def git_clone(entry: "Entry", call: "Call", path: str) -> None:
    """``git clone url [folder]``: what is run out of it in the same line is code that nobody here has read. Of the places
    where projects keep their code that is everyday work."""
    effects.apply(entry, call.parsed, call, path)
    operands = call.parsed.operands
    address = addresses.of(operands[0].text, scp=True) if operands else ""
    host = readings(address)[0].host if address else ""
    if not host or is_local(host) or "code-host" in classify(host).classes:
        return
    name = operands[0].text.rstrip("/").removesuffix(".git").rpartition("/")[2]
    folder = redirects.resolve(operands[1].text if len(operands) > 1 else name, call.run)
    call.run.state.unpacked |= {folder}


def setting(key: str, value: str, call: "Call") -> None:
    """``git config remote.name.url url``."""
    section, _, rest = key.partition(".")
    name, _, last = rest.rpartition(".")
    if section.lower() == "remote" and last.lower() in ("url", "pushurl"):
        changed(name, value, call)


def changed(name: str, address: str, call: "Call") -> None:
    """Note the address that a remote has from now on."""
    git = call.run.state.git
    git[f"remote {name}"] = git[ANY] = address


def git_add(entry: "Entry", call: "Call", path: str) -> None:
    """``git add``: files of credentials, which a push in the same line would publish."""
    effects.apply(entry, call.parsed, call, path)
    for field in call.parsed.operands:
        if redirects.secret_path(call.path(field), call.run):
            call.run.state.git["staged"] = field.text


def pushed(named: str | None, call: "Call", path: str) -> str:
    """The address that this line gave the remote that is pushed to; a staged file of credentials is noted."""
    git = call.run.state.git
    if "staged" in git:
        effects.named(
            "external",
            call,
            rule=f"{path}.credentials",
            reason=f"publishes {git['staged']}, a credential file that this line adds",
            safer="leave it out, and name it in .gitignore",
        )
    return git.get(ANY if named is None else f"remote {named}", "")
