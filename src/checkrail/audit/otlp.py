"""Sends a log to an OpenTelemetry collector, in the order in which it was written, and each line once.

The position is stored after each batch that the collector took. Who is killed in between sends that batch again:
``checkrail.number`` and ``checkrail.mark`` tell a line from its copy.
"""

import hashlib
import os
import socket
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from checkrail import __version__
from checkrail.audit import keys
from checkrail.audit.chain import first_number, opened
from checkrail.audit.names import files
from checkrail.audit.tail import Position, after

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import ReadableLogRecord
    from opentelemetry.sdk._logs.export import LogRecordExporter

BATCH = 500
FAILED = "the collector did not take it"


class Missing(Exception):
    """The optional dependency is not installed; the text says how to get it."""


class Sent(msgspec.Struct, frozen=True):
    """Up to which line a collector has the log."""

    number: int = 0
    mark: str = ""


class Result(msgspec.Struct, frozen=True):
    """How many lines were sent, and what is wrong, or an empty string."""

    sent: int
    problem: str = ""


def target(endpoint: str) -> str:
    """The URL for logs: the endpoint itself where it has a path, else its ``/v1/logs``. Raises ValueError."""
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{endpoint!r} is no http or https URL")
    return urlunsplit(parts._replace(path=parts.path if parts.path.strip("/") else "/v1/logs", fragment=""))


def exporter(url: str, seconds: float) -> "LogRecordExporter":
    """The library's exporter over HTTP. Headers, certificates and compression are its ``OTEL_EXPORTER_OTLP_*`` variables."""
    try:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    except ImportError:
        raise Missing("this needs the OpenTelemetry library; run: pip install 'checkrail[otlp]'") from None
    return OTLPLogExporter(endpoint=url, timeout=seconds)


class Bookmark:
    """Where it is written down, for each collector, how far the log was sent."""

    def __init__(self, directory: str, url: str) -> None:
        self._path = os.path.join(directory, f"otlp-{hashlib.sha256(url.encode()).hexdigest()[:16]}.json")

    def read(self) -> Sent:
        """What was stored last; nothing where there is nothing to be read."""
        try:
            with open(self._path, "rb") as handle:
                return msgspec.json.decode(handle.read(1000), type=Sent)
        except (OSError, msgspec.DecodeError):
            return Sent()

    def write(self, sent: Sent) -> None:
        """Stores it in one step."""
        os.makedirs(os.path.dirname(self._path), 0o700, exist_ok=True)
        temporary = f"{self._path}.{os.getpid()}"
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as handle:
            handle.write(msgspec.json.encode(sent))
        os.replace(temporary, self._path)


def _start(directory: str, number: int) -> Position:
    """The last file that starts at or before a line."""
    known = [path for path in files(directory) if 0 < first_number(path) <= number]
    return Position(known[-1], 0) if known else Position()


def _new(directory: str, key: bytes, sent: Sent) -> Iterator[tuple[dict[str, Any], bool]]:
    """The entries after those that were sent, each with whether its mark is right.

    Raises ValueError where the log no longer holds the line that was sent last, or holds another in its place.
    """
    seen = 0
    for line, _ in after(directory, _start(directory, sent.number)):
        found = opened(key, line)
        if found is None or not isinstance(found[0].get("number"), int):
            continue
        number = seen = int(found[0]["number"])
        if number == sent.number and found[0]["mark"] != sent.mark:
            raise ValueError(f"line {number} is not the one that was sent: the log was changed or begun anew")
        if number > sent.number:
            yield found
    if seen < sent.number:
        raise ValueError(f"{sent.number} lines were sent, but the log ends at {seen}: its end was cut off")


def send(directory: str, bookmark: Bookmark, to: "LogRecordExporter") -> Result:
    """Sends what is new. Raises OSError where the log or its key cannot be read, :class:`Missing`."""
    from opentelemetry.sdk._logs.export import LogRecordExportResult

    key, count = keys.derived(keys.read(os.path.join(directory, "audit.key")), "chain"), 0
    source = _new(directory, key, bookmark.read())
    try:
        while batch := list(islice(source, BATCH)):
            if to.export([_record(entry, right) for entry, right in batch]) is not LogRecordExportResult.SUCCESS:
                return Result(count, FAILED)
            count += len(batch)
            bookmark.write(Sent(batch[-1][0]["number"], batch[-1][0]["mark"]))
    except ValueError as error:
        return Result(count, str(error))
    return Result(count)


_LEVELS = {"deny": ("ERROR", 17), "ask": ("WARN", 13), "note": ("INFO2", 10)}


def attributes(entry: dict[str, Any], right: bool) -> dict[str, Any]:
    """An entry as flat attributes; what is nested is JSON."""
    flat = {name: value for name, value in entry.items() if value not in (None, "", [], {})}
    told = {f"checkrail.{name}": _flat(value) for name, value in flat.items()}
    return {**told, "checkrail.intact": right}


def _flat(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


def _nanoseconds(text: Any) -> int | None:
    try:
        return int(datetime.fromisoformat(str(text)).timestamp() * 1000) * 1_000_000
    except ValueError:
        return None


def _record(entry: dict[str, Any], right: bool) -> "ReadableLogRecord":
    from opentelemetry._logs import LogRecord, SeverityNumber
    from opentelemetry.sdk._logs import ReadableLogRecord
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    name, number = _LEVELS.get(str(entry.get("decision")), ("INFO", 9))
    said = LogRecord(
        timestamp=_nanoseconds(entry.get("time")),
        severity_text=name,
        severity_number=SeverityNumber(number),
        body=str(entry.get("summary") or entry.get("kind")),
        attributes=attributes(entry, right),
        event_name=f"checkrail.{entry.get('kind')}",
    )
    about = Resource.create(
        {"service.name": "checkrail", "service.version": __version__, "host.name": socket.gethostname()}
    )
    return ReadableLogRecord(said, resource=about, instrumentation_scope=InstrumentationScope("checkrail", __version__))
