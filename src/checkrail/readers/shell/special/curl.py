"""curl, wget and HTTPie: what is fetched or sent where, which files leave the machine, which files are written."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE, SOME
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import FILE, REMOTE, Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call
    from checkrail.readers.shell.options import Given

FETCHED = frozenset((REMOTE,))
_FILE_DATA = frozenset(("-d", "--data", "--data-ascii", "--data-binary", "--json"))
_NAMED_DATA = frozenset(("--data-urlencode",))
_FORMS = frozenset(("-F", "--form"))
_PLAIN = frozenset(("--data-raw", "--form-string"))
_HEADERS = frozenset(
    ("-H", "--header", "-b", "--cookie", "-A", "--user-agent", "-e", "--referer", "-u", "--user", "--oauth2-bearer")
)
_PROXIES = frozenset(
    ("-x", "--proxy", "--preproxy", "--doh-url", "--socks4", "--socks4a", "--socks5", "--socks5-hostname")
)
_ADDRESS_AT = {"--resolve": 2, "--connect-to": 2}
"""Options that name another address for a host, and which of their colon-separated parts it starts at."""


class Sent(msgspec.Struct):
    """What a request carries: ``kind`` is nothing, ``literal``, ``unknown`` or ``file``."""

    kind: str = ""
    body: str = ""
    headers: str = ""

    def add(self, kind: str, text: str = "") -> None:
        """Take in one more piece; a file counts most."""
        if kind == "file" or self.kind != "file":
            self.kind = kind
        self.body = f"{self.body}&{text}" if self.body else text

    def given(self, value: Field | Value) -> None:
        """Take in a text of the line; what a file of this machine holds counts as that file."""
        self.add("literal" if value.known else "file" if of_file(value) else "unknown", value.text)


def of_file(value: Field | Value) -> bool:
    """Whether a text that is not known comes out of a file of this machine."""
    return not value.known and any(tag.startswith(FILE) for tag in value.tags)


def curl(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``curl``, option by option in order."""
    parsed = call.parsed
    call.tags = FETCHED
    sent, urls, saved = Sent(), list(parsed.operands), 0
    for given in parsed.options:
        if given.value is None:
            continue
        _body(given, given.value, sent, call, path)
        _other(given, given.value, call, path)
        if given.name == "--url":
            urls.append(given.value)
        elif given.role != "text" and given.value.text != "-":
            field = (
                _under(parsed.value("--output-dir"), given.value) if given.name in ("-o", "--output") else given.value
            )
            effects.role(given.role, field, call, path)
        saved += given.name in ("-o", "--output") and given.value.text != "-"
    if parsed.has(("-O", "--remote-name", "--remote-name-all")):
        for url in urls:
            save(url, parsed.value("--output-dir"), call, path)
        saved = len(urls)
    upload = parsed.has(("-T", "--upload-file"))
    method = parsed.value("-X", "--request")
    verb = method.text if method is not None else "HEAD" if parsed.has(("-I", "--head")) else "PUT" if upload else ""
    if parsed.has(("-G", "--get")) and sent.kind != "file":
        sent = Sent(body=sent.body, headers=sent.headers)
    scheme = parsed.value("--proto-default")
    for url in urls:
        hand_on(url, verb or ("POST" if sent.kind else ""), sent, call, scheme.text if scheme is not None else "http")
    if saved < len(urls) or not urls:
        call.output = Value(HOLE, FETCHED)
    else:
        call.output = Value(SOME if parsed.has(("-w", "--write-out")) else "")


def hand_on(url: Field, method: str, sent: Sent, call: "Call", scheme: str = "http") -> None:
    """Hand a URL on to its reader."""
    carries = of_file(url) and not url.text.partition("?")[2].isascii()
    options = [("method", method), ("data", "file" if carries else sent.kind), ("scheme", scheme)]
    options += [(name, text[:10_000]) for name, text in (("body", sent.body), ("headers", sent.headers)) if text]
    call.run.hand_on("url", url.text, url.span, call.name, options=tuple(options))


def _body(given: "Given", value: Field, sent: Sent, call: "Call", path: str) -> None:
    name, text = given.name, value.text
    if name in _FILE_DATA:
        if text.startswith("@"):
            send_file(value.tail(1), sent, call, path)
        else:
            sent.given(value)
    elif name in _NAMED_DATA:
        before, at, _ = text.partition("@")
        if at and "=" not in before:
            send_file(value.tail(len(before) + 1), sent, call, path)
        else:
            sent.given(value)
    elif name in _FORMS:
        _, _, content = text.partition("=")
        if content[:1] in ("@", "<"):
            start = len(text) - len(content) + 1
            for part in text[start:].split(";", 1)[0].split(","):
                send_file(msgspec.structs.replace(value, text=part.strip('"')), sent, call, path)
        else:
            sent.given(value)
    elif name in _PLAIN:
        sent.given(value)
    elif name in ("-T", "--upload-file"):
        send_file(value, sent, call, path)
    elif name in _HEADERS and not text.startswith("@"):
        sent.headers = f"{sent.headers}\n{text}".strip()


def send_file(field: Field, sent: Sent, call: "Call", path: str) -> None:
    """Note that a file, or the standard input, is sent."""
    if field.text in ("-", "."):
        held = call.run.stdin
        call.read(held)
        sent.add("literal" if held.known else "file" if of_file(held) else "unknown", held.text if held.known else "")
        return
    sent.add("file")
    effects.path("send", field, call, f"{path}.upload")


def _other(given: "Given", value: Field, call: "Call", path: str) -> None:
    """Options that read files, reach other hosts or run what the line does not show."""
    name, text = given.name, value.text
    if name in ("-K", "--config"):
        effects.named(
            "runs",
            call,
            rule=f"{path}.config",
            reason="takes further options, URLs and files from a file",
            safer="give the options on the line",
        )
    elif name in ("-H", "--header", "--proxy-header") and text.startswith("@"):
        effects.path("send", value.tail(1), call, f"{path}.upload")
    elif name in ("-b", "--cookie") and "=" not in text and text:
        effects.path("read", value, call, path)
    elif name == "--variable" and "@" in text:
        effects.path("send", value.tail(text.index("@") + 1), call, f"{path}.upload")
    elif name in ("-w", "--write-out"):
        _write_out(value, call, path)
    elif name in _PROXIES and text:
        call.run.hand_on("url", text if "://" in text else f"http://{text}", value.span, f"{call.name} {name}")
    elif name in _ADDRESS_AT:
        for address in _addresses(text, _ADDRESS_AT[name]):
            call.run.hand_on("url", f"http://{address}", value.span, f"{call.name} {name}")
    elif name in ("--unix-socket", "--abstract-unix-socket") and (
        "docker" in text or "containerd" in text or "podman" in text
    ):
        effects.named(
            "privilege",
            call,
            rule=f"{path}.socket",
            reason="talks to the container service, which owns this machine",
            safer="use its own command",
        )
    elif name in ("-Q", "--quote"):
        effects.named(
            "destroys-shared",
            call,
            rule=f"{path}.quote",
            reason="sends commands to a file server",
            safer="use a client that names them",
        )
    elif name == "--engine":
        effects.named("runs", call, rule=f"{path}.engine", reason="loads a library")


def _addresses(text: str, start: int) -> Iterator[str]:
    parts = text.split(":", start)
    if len(parts) > start:
        for address in parts[start].split(","):
            yield address if not address.count(":") > 1 or address.startswith("[") else f"[{address}]"


def _write_out(value: Field, call: "Call", path: str) -> None:
    rest = value.text
    if rest.startswith("@"):
        effects.path("read", value.tail(1), call, path)
    for piece in rest.split("%output{")[1:9]:
        name = piece.partition("}")[0]
        effects.path(
            "append" if name.startswith(">>") else "write",
            msgspec.structs.replace(value, text=name.lstrip(">")),
            call,
            path,
        )


def _under(folder: Field | None, field: Field) -> Field:
    if folder is None or field.text.startswith("/"):
        return field
    return msgspec.structs.replace(field, text=f"{folder.text.rstrip('/')}/{field.text}")


def save(url: Field, folder: Field | None, call: "Call", path: str) -> None:
    """Note the file that a download is saved as by its own name."""
    base = url.text.split("?", 1)[0].split("#", 1)[0].rstrip("/").rpartition("/")[2] or SOME
    effects.path("write", _under(folder, msgspec.structs.replace(url, text=base)), call, path)
