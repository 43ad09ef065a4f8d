"""wget and HTTPie: what is fetched or sent where, which files are written."""

from typing import TYPE_CHECKING

import msgspec

from checkrail.model import HOLE
from checkrail.readers.shell import effects
from checkrail.readers.shell.special.curl import FETCHED, Sent, hand_on, of_file, save, send_file
from checkrail.readers.shell.state import Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call


def wget(entry: "Entry", call: "Call", path: str) -> None:
    """``wget``, which saves what it fetches unless told otherwise."""
    parsed = call.parsed
    call.tags = FETCHED
    sent = Sent()
    for given in parsed.options:
        if given.value is None:
            continue
        if given.name in ("--post-data", "--body-data"):
            sent.given(given.value)
        elif given.name in ("--post-file", "--body-file"):
            send_file(given.value, sent, call, path)
        elif given.name in ("--header", "-U", "--user-agent", "--referer"):
            sent.headers = f"{sent.headers}\n{given.value.text}".strip()
        elif given.name in ("-i", "--input-file"):
            effects.path("read", given.value, call, path)
            call.run.opaque(f"fetches the addresses in {given.value.text}")
    quiet = msgspec.structs.replace(
        parsed, operands=(), options=tuple(g for g in parsed.options if g.value is None or g.value.text != "-")
    )
    effects.apply(entry, quiet, call, path)
    method = parsed.value("--method")
    verb = method.text if method is not None else "POST" if sent.kind else ""
    for url in parsed.operands:
        hand_on(url, verb, sent, call)
    document = parsed.value("-O", "--output-document")
    call.output = Value(HOLE, FETCHED) if document is not None and document.text == "-" else Value("")
    if document is None and not parsed.has(("--spider", "--delete-after")):
        for url in parsed.operands:
            save(url, parsed.value("-P", "--directory-prefix"), call, path)


_SEPARATORS = ((":=@", "file"), ("=@", "file"), (":=", "data"), ("==", ""), ("=", "data"), ("@", "file"), (":", ""))


def httpie(entry: "Entry", call: "Call", path: str) -> None:
    """HTTPie's ``[method] url [item ...]``."""
    parsed, operands = call.parsed, call.parsed.operands
    call.tags = FETCHED
    verb = call.name if call.name in ("GET", "HEAD", "POST") else ""
    if len(operands) > 1 and operands[0].text.isalpha() and operands[0].text.isupper():
        verb, operands = operands[0].text, operands[1:]
    sent = Sent()
    for item in operands[1:]:
        _item(item, sent, call, path)
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    method = parsed.value("-m")
    if call.name == "lwp-request" and method is not None:
        verb = method.text
    if len(operands) == 1 and verb not in ("GET", "HEAD") and of_file(call.run.stdin):
        sent.given(call.run.stdin)
    if operands:
        url = operands[0]
        if url.text.startswith(":"):
            url = msgspec.structs.replace(
                url, text=f"localhost{url.text}" if url.text[1:2].isdigit() else f"localhost{url.text[1:]}"
            )
        hand_on(
            url, verb or ("POST" if sent.kind else ""), sent, call, "https" if call.name in ("https", "xhs") else "http"
        )
    saved = parsed.value("-o", "--output") is not None or parsed.has(("-d", "--download"))
    call.output = Value("") if saved else Value(HOLE, FETCHED)


def _item(item: Field, sent: Sent, call: "Call", path: str) -> None:
    found = [
        (item.text.find(separator), -len(separator), separator, kind)
        for separator, kind in _SEPARATORS
        if separator in item.text
    ]
    if not found:
        return
    at, _, separator, kind = min(found)
    if kind == "file":
        send_file(item.tail(at + len(separator)), sent, call, path)
    elif kind == "data":
        sent.add("literal", item.text)
    elif separator == ":":
        sent.headers = f"{sent.headers}\n{item.text}".strip()
