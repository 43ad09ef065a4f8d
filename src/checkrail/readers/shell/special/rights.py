"""``sudo``, ``su`` and their like. What they run is judged as if it stood alone; the rights count where it does more than look."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from checkrail.readers import rights
from checkrail.readers.shell import effects, flow
from checkrail.readers.shell.special.wrappers import assignments

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call
    from checkrail.readers.shell.state import Field

PLAIN = {
    "sudo": frozenset(
        (
            *(
                "-n",
                "--non-interactive",
                "-E",
                "-H",
                "--set-home",
                "-P",
                "--preserve-groups",
                "-k",
                "--reset-timestamp",
            ),
            *("-u", "--user", "-g", "--group", "-p", "--prompt", "-T", "--command-timeout", "--disable-internal-agent"),
            *("-i", "--login", "-s", "--shell"),
        )
    ),
    "su": frozenset(
        (
            *("-c", "--command", "-", "-l", "--login", "-m", "-p", "--preserve-environment", "-u", "--user", "-P"),
            *("-f", "--fast", "-g", "--group", "-G", "--supp-group", "-s", "--shell", "--pty"),
        )
    ),
}
"""Options that only choose whose rights and which environment. Any other may change what runs or where, so it is a question."""

ALIKE = frozenset(("sudo", "doas", "pkexec", "run0", "dzdo", "gosu", "su-exec"))
"""Programs that take a command line as ``sudo`` does; of the others nobody can be sure what they would run."""

CONTAINED = frozenset(("docker", "docker-compose", "podman", "nerdctl"))
"""Programs whose server has root's rights by itself: what they may do there is judged without ``sudo``, too."""

PROBES = frozenset(("id", "whoami", "true", ":"))
"""Programs that with other rights tell only whether one may have them."""

USER_FIRST = frozenset(("gosu", "su-exec"))
"""Programs whose first operand is the user."""

SHELLS = ("sh", "bash", "dash", "zsh", "ksh")


def sudo(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``sudo`` and its like: a question where what runs does more than look, or where nothing tells what will run."""
    parsed = call.parsed
    if parsed.has(("-V", "-K", "-k", "--remove-timestamp", "--reset-timestamp")) and not parsed.operands:
        return
    rest = assignments(parsed.operands, call)
    if call.name in USER_FIRST:
        rest = rest[1:]
    effects.folder(parsed, call)
    if call.name == "sudoedit" or parsed.has(("-e", "--edit")):
        _asks(call, path, "edits a file")
        for field in rest:
            effects.path("edit", field, call, path)
        return
    login = parsed.has(("-s", "-i", "--shell", "--login"))
    plain = bool(rest) and call.name in ALIKE and _plain(call, "sudo") and not _probes(rest)
    contained = plain and rest[0].text.rpartition("/")[2] in CONTAINED
    what = f"runs {rest[0].text[:60]}" if rest else "opens a shell"
    with _with_rights(call, path, what, plain=plain, contained=contained):
        if login:
            _shell(rest, call)
        elif rest:
            call.invoke(rest)


def _shell(rest: "tuple[Field, ...]", call: "Call") -> None:
    if rest:
        call.run.shell(" ".join(field.text for field in rest), rest[0].span, call.name)
    elif call.run.stdin.known:
        flow.run_code("shell", call.run.stdin, call, f"standard input of {call.name}")


def su(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``su``, ``runuser``: a shell line with ``-c``, a command after ``-u user``, else a shell."""
    parsed = call.parsed
    operands = tuple(field for field in parsed.operands if field.text not in ("-", "--"))
    line = parsed.value("-c", "--command", "--session-command")
    command = operands if parsed.has(("-u", "--user")) else ()
    shell = parsed.value("-s", "--shell")
    usual = shell is None or shell.text.removeprefix("/usr").removeprefix("/bin/") in SHELLS
    told = not _probes(command) and line is None if command else line is not None and len(operands) < 2
    plain = usual and told and _plain(call, "su")
    with _with_rights(call, path, "runs a command or a shell", plain=plain):
        if line is not None:
            call.run.shell(line.text, line.span, call.name)
        if command:
            call.invoke(command)
        elif line is None and call.run.stdin.known:
            flow.run_code("shell", call.run.stdin, call, f"standard input of {call.name}")


def _plain(call: "Call", like: str) -> bool:
    return not call.parsed.strange and all(option.name in PLAIN[like] for option in call.parsed.options)


def _probes(command: "tuple[Field, ...]") -> bool:
    return command[0].text.rpartition("/")[2] in PROBES


@contextmanager
def _with_rights(call: "Call", path: str, what: str, *, plain: bool, contained: bool = False) -> Iterator[None]:
    """Weigh what is found inside: texts that run are marked, anything but looking is one effect more.

    ``contained``: what runs does so in a container, with the same rights whoever asks for it.
    """
    run = call.run
    outer, run.found = run.found, type(run.found)()
    kept, run.state.privileged = run.state.privileged, True
    try:
        yield
    finally:
        run.state.privileged = kept
        inner, run.found = run.found, outer
        if (
            plain
            and (contained or not inner.opaque)
            and not inner.unread
            and rights.only_looks(inner.effects, run.around)
        ):
            inner.payloads = [rights.marked(payload, path) for payload in inner.payloads]
            inner.opaque.append(f"runs with another user's rights ({call.name})")
        else:
            _asks(call, path, what)
        for name in inner.__struct_fields__:
            held, more = getattr(outer, name), getattr(inner, name)
            held.update(more) if isinstance(held, dict) else held.extend(more)


def _asks(call: "Call", path: str, what: str) -> None:
    effects.named(
        "privilege",
        call,
        rule=path,
        reason=f"{what} with another user's rights ({call.name})",
        safer=rights.SAFER,
    )
