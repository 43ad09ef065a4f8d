"""Where data goes within one line: remote, decoded or unseen text into an interpreter, secrets into the network."""

import re
from typing import TYPE_CHECKING

from checkrail.facts.hosts import is_local
from checkrail.model import HOLE, Action, Axes, Reversibility, Scope, Span, TargetKind
from checkrail.readers.shell import nested
from checkrail.readers.shell.state import (
    DECODED,
    FILE,
    INPUT,
    NO_TAGS,
    PART,
    REMOTE,
    SECRET,
    UNKNOWN,
    VARIABLE,
    Field,
    Value,
    worked,
)
from checkrail.redaction import goes_astray

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

SCRIPT_CAP = 65_536
"""Bytes of a file that are read to judge what an interpreter would run."""

GONE = Axes(Reversibility.IRREVERSIBLE, Scope.EXTERNAL)
RISKY = Axes(Reversibility.HARD, Scope.LOCAL)


def standard_input(entry: "Entry", call: "Call") -> None:
    """Judge standard input as code where a command runs it (``sh``, ``psql`` …) and nothing else is named."""
    if entry.stdin != "data" and not call.parsed.operands and not call.reads:
        run_code(entry.stdin, call.run.stdin, call, f"standard input of {call.name}")


def run_code(
    language: str,
    value: Value,
    call: "Call",
    how: str,
    *,
    span: Span | None = None,
    here: bool = False,
    options: tuple[tuple[str, str], ...] = (),
) -> Value:
    """Judge text that an interpreter runs, by what is known of it; what it prints.

    ``language`` may carry a dialect (``sql:postgres``). Known text becomes a payload; text out of the network or
    out of a decoder, and text that the line does not show, become effects that ask.
    """
    printed = UNKNOWN
    name, _, dialect = language.partition(":")
    if name == "sql" and not options:
        options = (("dialect", dialect), ("client", call.name))
    # A part that is surely there but not known (SOME) is judged where it stands.
    text = value.text if HOLE not in value.text else from_file(value, call)
    if text is not None:
        printed = _followed(name, text, call, how, span or call.span, options, here=here, tags=value.tags)
        if not value.tags & {REMOTE, DECODED}:
            return printed
    if provenance(value, call, how, span=span):
        return printed
    if value.text == HOLE and INPUT in value.tags:
        _asks(call, "flow.unwatched", f"leaves {call.name} open for input that no check would see", RISKY, span)
    elif text is None:
        _asks(call, "flow.unknown-code", f"runs text that this line does not show ({how})", RISKY, span)
        if value.text.replace(HOLE, "").strip():
            printed = _followed(name, value.text, call, how, span or call.span, options, here=here, tags=value.tags)
    return printed


def _followed(
    language: str,
    text: str,
    call: "Call",
    how: str,
    span: Span,
    options: tuple[tuple[str, str], ...],
    *,
    here: bool,
    tags: frozenset[str] = NO_TAGS,
) -> Value:
    """Shell text is evaluated at once, in this shell (``here``) or one of its own; other languages have readers of their own."""
    if language != "shell":
        call.run.hand_on(language, text, span, how, options=options + worked(text, tags))
        return UNKNOWN
    return nested.here(text, call.run, span, how) if here else nested.child(text, call.run, span, how)


def provenance(value: Value, call: "Call", how: str, *, span: Span | None = None) -> bool:
    """Ask where a text that runs came over the network or out of a decoder; whether it did."""
    if REMOTE in value.tags:
        _asks(call, "flow.remote-code", f"runs text from the network ({how}) that nobody has read", GONE, span)
    elif DECODED in value.tags:
        _asks(call, "flow.decoded-code", f"runs text that comes out of a decoder ({how})", RISKY, span)
    else:
        return False
    return True


def from_file(value: Value, call: "Call") -> str | None:
    """The text of the one file that a value comes from, where it can be read."""
    paths = [tag[len(FILE) :] for tag in value.tags if tag.startswith(FILE)]
    if len(paths) != 1 or value.text != HOLE:
        return None
    held = call.run.around.host.read(paths[0], SCRIPT_CAP)
    return held.decode("utf-8", "replace") if held is not None else None


def _asks(call: "Call", rule: str, reason: str, axes: Axes, span: Span | None) -> None:
    call.effect(Action.EXECUTE, TargetKind.CODE, call.line, rule=rule, reason=reason, axes=axes, span=span)


NETWORK_COMMANDS = frozenset(
    [
        "curl",
        "wget",
        "nc",
        "ncat",
        "netcat",
        "socat",
        "telnet",
        "ssh",
        "scp",
        "sftp",
        "rsync",
        "ftp",
        "http",
        "https",
        "xh",
        "dig",
        "nslookup",
        "host",
        "ping",
        "mail",
        "sendmail",
        "mutt",
        "aws",
        "gsutil",
        "rclone",
        "gh",
        "drill",
        "openssl",
    ]
)
"""Programs that carry what they are given off the machine."""


def _raw(call: "Call") -> bool:
    """Whether the standard input goes out as it is, to another machine."""
    texts = [field.text for field in call.arguments]
    near = any(text.startswith(("localhost", "127.", "::1", "[::1]")) for text in texts)
    if call.name == "socat":
        return any(_CONNECTS.match(text) and not is_local(_CONNECTS.sub("", text).partition(":")[0]) for text in texts)
    return not near and (call.name == "telnet" or (call.name == "openssl" and "s_client" in texts))


_CONNECTS = re.compile(
    r"(?:tcp[46]?|udp[46]?|udp[46]?-(?:sendto|datagram)|openssl|ssl|sctp[46]?|socks4a?|proxy)(?:-connect)?:",
    re.IGNORECASE,
)


_LOGINS = frozenset(("rlogin", "rsh", "rexec", "finger", "whois"))
"""Programs that send a word of their arguments as it is to whichever server they are given."""


def _worded(call: "Call") -> bool:
    """Whether an argument out of a file goes to a server that the line names."""
    texts = [field.text for field in call.arguments]
    chosen = call.name != "whois" or any(text in ("-h", "--host") or text[:2] == "-h" for text in texts)
    return chosen and any(tag.startswith(FILE) for field in call.arguments for tag in field.tags)


def unwatched(call: "Call") -> None:
    """Ask where a program is left open for lines that no check would see."""
    if call.run.stdin.text == HOLE and INPUT in call.run.stdin.tags:
        reason = f"leaves {call.name} open for input that no check would see"
        _asks(call, "flow.unwatched", reason, RISKY, None)


def leaks(call: "Call", entry: "Entry | None" = None) -> None:
    """A secret in the arguments or on the standard input of a command that talks to the network."""
    if call.name not in NETWORK_COMMANDS and (entry is None or entry.effect not in ("network", "external")):
        return
    sent = _raw(call) and any(tag.startswith(FILE) for tag in call.run.stdin.tags)
    if sent or (call.name in _LOGINS and _worded(call)):
        reason = f"sends a file over a raw connection: {call.line[:80]}"
        call.effect(Action.SEND, TargetKind.HOST, call.line, rule="flow.file-sent", axes=GONE, reason=reason)
    taken = [*call.arguments, *call.reads, *(() if call.name in ("ssh", "host") else (call.run.stdin,))]
    tags = NO_TAGS.union(*(value.tags for value in taken))
    if tags & {SECRET, "history", "environment", PART}:
        _secret_sent(call, "a secret that was read in this line")
    for variable in sorted(tag.removeprefix(VARIABLE) for tag in tags if tag.startswith(VARIABLE)):
        if _astray(variable, call):
            _secret_sent(call, f"the value of {variable}")


PLAIN_CARRIERS = frozenset(
    ("nc", "ncat", "netcat", "socat", "telnet", "dig", "nslookup", "host", "ping", "drill", "mail")
)
"""Programs that log in nowhere: a secret that they carry is only a message."""

_WEB = frozenset(("git", "curl", "wget", "http", "https", "xh", "aria2c"))


def _astray(variable: str, call: "Call") -> bool:
    """Whether the secret of a variable goes where it does not belong."""
    if call.name in PLAIN_CARRIERS:
        return not any(field.text in ("localhost", "127.0.0.1", "::1") for field in call.arguments)
    hosts = [_host(field.text) for field in call.arguments] if call.name in _WEB else []
    return any(goes_astray(variable, host) for host in hosts if host and HOLE not in host and not is_local(host))


def _host(text: str) -> str:
    """The host of an argument that is an address."""
    _, scheme, rest = text.partition("://")
    return rest.split("/")[0].split("?")[0].rpartition("@")[2].partition(":")[0].lower() if scheme else ""


def _secret_sent(call: "Call", what: str) -> None:
    call.effect(
        Action.SEND,
        TargetKind.SECRET,
        call.line,
        rule="flow.secret-sent",
        axes=GONE,
        reason=f"hands {what} to {call.name}, which sends it over the network",
        safer="let the program read its own credentials, or name the file without reading it here",
    )


_LOOKS_DANGEROUS = frozenset(
    ("-rf", "-fr", "-r", "-R", "-Rf", "-fR", "--recursive", "--no-preserve-root", "/", "~", "-delete")
)


def suspicious(fields: tuple[Field, ...]) -> bool:
    """Whether a computed command word is worth a question: not where it is a plain unset variable with ordinary arguments."""
    first = fields[0]
    if first.pattern or first.text != HOLE or first.tags:
        return True
    return any(field.text in _LOOKS_DANGEROUS or field.tags & {REMOTE, DECODED} for field in fields[1:])
