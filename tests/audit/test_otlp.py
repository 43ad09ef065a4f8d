"""What a collector receives: everything once, in order, and not a line again."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from checkrail.audit import Log, files, otlp
from checkrail.audit.otlp import Bookmark, Sent, exporter, send, target
from tests.audit.collectors import Collector
from tests.audit.lines import outcome, verdict


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A log of three lines."""
    log = Log(str(tmp_path / "audit"))
    for entry in (verdict(), outcome(), verdict(decision="deny", summary="rm -rf ~")):
        log.append(entry)
    return log


@pytest.fixture
def bookmark(tmp_path: Path) -> Bookmark:
    """Where the position is kept."""
    return Bookmark(str(tmp_path / "export"), "http://localhost:4318/v1/logs")


def numbers(to: Collector) -> list[Any]:
    """The lines that arrived."""
    return [(found.log_record.attributes or {})["checkrail.number"] for found in to.get_finished_logs()]


def test_each_line_is_sent_once(log: Log, bookmark: Bookmark) -> None:
    """A repeated run sends what is new."""
    to = Collector()
    assert send(log.directory, bookmark, to).sent == 3
    assert send(log.directory, bookmark, to).sent == 0
    log.append(verdict())
    assert send(log.directory, bookmark, to) == otlp.Result(1)
    assert numbers(to) == [1, 2, 3, 4]


def test_what_a_record_says(log: Log, bookmark: Bookmark) -> None:
    """Time, severity, text, and the entry as attributes."""
    to = Collector()
    send(log.directory, bookmark, to)
    asked, done, denied = (found.log_record for found in to.get_finished_logs())
    assert asked.timestamp == 1_795_939_200_000_000_000
    assert (asked.body, asked.severity_text, asked.event_name) == ("git push", "WARN", "checkrail.verdict")
    assert (denied.body, denied.severity_text) == ("rm -rf ~", "ERROR")
    assert (done.event_name, done.severity_text) == ("checkrail.outcome", "INFO")
    told = dict(asked.attributes or {})
    assert told["checkrail.rules"] == ("git.push",)
    assert told["checkrail.input"] == '{"command":"git push"}'
    assert told["checkrail.intact"] is True
    about = to.get_finished_logs()[0].resource
    assert about is not None
    assert about.attributes["service.name"] == "checkrail"


def test_a_collector_that_refuses_is_asked_again_from_there(
    log: Log, bookmark: Bookmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it took is not sent again."""
    monkeypatch.setattr(otlp, "BATCH", 2)
    to = Collector(1)
    assert send(log.directory, bookmark, to) == otlp.Result(2, otlp.FAILED)
    to.batches = 9
    assert send(log.directory, bookmark, to) == otlp.Result(1)
    assert numbers(to) == [1, 2, 3]


def test_an_edited_line_is_sent_as_such(log: Log, bookmark: Bookmark) -> None:
    """The collector sees that it was."""
    path = Path(files(log.directory)[0])
    path.write_text(path.read_text().replace("rm -rf ~", "rm -rf x") + "nonsense\n")
    to = Collector()
    assert send(log.directory, bookmark, to).sent == 3
    assert [(found.log_record.attributes or {})["checkrail.intact"] for found in to.get_finished_logs()] == [
        True,
        True,
        False,
    ]


def test_a_log_that_was_cut_after_it_was_sent_is_told(log: Log, bookmark: Bookmark, tmp_path: Path) -> None:
    """Even if head and key were made anew: the collector has what the log lost."""
    send(log.directory, bookmark, Collector())
    path = Path(files(log.directory)[0])
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
    assert "its end was cut off" in send(log.directory, bookmark, Collector()).problem
    other = Log(str(tmp_path / "other"))
    for _ in range(4):
        other.append(verdict())
    told = send(other.directory, bookmark, Collector())
    assert "line 3 is not the one that was sent" in told.problem
    assert told.sent == 0


def test_only_the_files_with_something_new_are_read(log: Log, bookmark: Bookmark) -> None:
    """And a position that cannot be read starts over."""
    for _ in range(3):
        log.append(verdict(), now=1_800_000_000.0)
    assert len(files(log.directory)) == 2
    bookmark.write(Sent(2, "?"))
    assert otlp._start(log.directory, 2).path == files(log.directory)[0]
    assert otlp._start(log.directory, 5).path == files(log.directory)[1]
    Path(bookmark._path).write_text("nonsense")
    assert bookmark.read() == Sent()


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("http://localhost:4318", "http://localhost:4318/v1/logs"),
        ("https://c.example/", "https://c.example/v1/logs"),
        ("https://c.example/otlp/v1/logs?x=1", "https://c.example/otlp/v1/logs?x=1"),
    ],
)
def test_endpoints(endpoint: str, url: str) -> None:
    """A bare one gets the usual path."""
    assert target(endpoint) == url


@pytest.mark.parametrize("endpoint", ["localhost:4318", "file:///etc/passwd", "grpc://x:4317", "", "http://"])
def test_endpoints_that_are_none(endpoint: str) -> None:
    """They are refused."""
    with pytest.raises(ValueError, match="no http"):
        target(endpoint)


@pytest.fixture
def collector() -> Iterator[tuple[str, list[ExportLogsServiceRequest]]]:
    """A receiver on the loopback interface, and what it received."""
    got: list[ExportLogsServiceRequest] = []

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/logs"
            got.append(ExportLogsServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    thread.join()
    server.server_close()


def test_over_the_wire(
    log: Log, bookmark: Bookmark, collector: tuple[str, list[ExportLogsServiceRequest]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As protobuf over HTTP."""
    monkeypatch.setenv("NO_PROXY", "*")
    endpoint, got = collector
    assert send(log.directory, bookmark, exporter(target(endpoint), 5.0)) == otlp.Result(3)
    found = [
        said
        for request in got
        for about in request.resource_logs
        for scope in about.scope_logs
        for said in scope.log_records
    ]
    assert [said.body.string_value for said in found] == ["git push", "outcome", "rm -rf ~"]


def test_nobody_there(log: Log, bookmark: Bookmark) -> None:
    """Nothing is marked as sent."""
    assert send(log.directory, bookmark, exporter("http://127.0.0.1:9/v1/logs", 0.2)).problem == otlp.FAILED
    assert bookmark.read() == Sent()
