"""What the report counts, and that the page is one page that nothing in the log can act on."""

import io
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from rich.console import Console

from checkrail.report import svg
from checkrail.report.gather import Report, gather, latency
from checkrail.report.html import page
from checkrail.report.terminal import bar, show, spark
from tests.audit.lines import outcome, verdict, weighed
from tests.report.logs import as_record, asked

EVIL = "<script>alert(1)</script>\"'&\x1b[2K\u202e[bold red]x[/] </style>"


def report(text: str = "ls") -> Report:
    """A report on a log with one of everything, where every text is the one given."""
    finding = weighed("r.x", text, reason=text, safer=text)
    usual: dict[str, Any] = {
        "summary": text,
        "cwd": text,
        "agent": text,
        "session": text,
        "findings": [finding],
        "rules": [text],
    }
    denied = verdict(decision="deny", judged="deny", **usual)
    floor = verdict(
        **usual
        | {
            "decision": "deny",
            "judged": "deny",
            "authority": "floor",
            "rules": ["floor.x"],
            "findings": [weighed("floor.x", text, floor=True, reason=text)],
        }
    )
    approval = {"state": "used", "request": 3, "uid": 1000, "user": text, "tty": text, "time": text}
    used = verdict(**usual | {"decision": "allow", "judged": "ask", "approval": approval, "id": "c9", "signature": "z"})
    lines = [
        denied,
        denied,
        floor,
        used,
        verdict(decision="allow"),
        verdict(decision="note", time="2026-11-29T09:30:00.000Z"),
    ]
    return gather(
        [*map(as_record, lines), *asked(), *asked(said="no"), as_record(verdict(kind="check")), as_record(outcome("?"))]
    )


def test_sums() -> None:
    """Decisions, prompts, who said yes."""
    found = report()
    assert found.decisions == {"allow": 1, "note": 1, "ask": 3, "deny": 3}
    assert (found.prompts, found.questions, found.host_yes, found.approved, found.floor) == (3, 3, 1, 1, 1)
    assert [(one.floor, one.count) for one in found.stopped] == [(True, 1), (False, 2)]
    assert [name for name, _ in found.over_time] == ["2026-11-29T08", "2026-11-29T09"]
    (given,) = found.approvals
    assert (given.state, given.who, given.request) == ("used", "ls (uid 1000) at ls", 3)
    noise = {one.rule: (one.prompts, one.yes, one.no, one.share) for one in found.rules}
    assert noise["file.write-outside"] == (2, 1, 1, 0.5)
    assert sum(one.calls for one in found.sessions) == 8


def test_the_floor_is_counted_by_call() -> None:
    """Not by kind."""
    line = verdict(decision="deny", judged="deny", authority="floor")
    assert gather([as_record(line), as_record(line)]).floor == 2


def test_a_noisy_rule_does_not_hide_the_others() -> None:
    """A few examples of each are listed."""
    many = [line for number in range(9) for line in asked(weighed(target=f"/srv/{number}"))]
    found = gather([*many, *asked(weighed("other"))])
    assert len([one for one in found.asked if one.rule == "file.write-outside"]) == 3
    assert any(one.rule == "other" for one in found.asked)


def test_long_logs_are_shown_by_the_day() -> None:
    """Days without calls are there too; damaged times are passed over."""
    times = ("2026-11-01T08:00:00.000Z", "2026-11-05T08:00:00.000Z")
    found = gather(as_record(verdict(time=time)) for time in times)
    assert [name for name, _ in found.over_time] == [f"2026-11-0{day}" for day in range(1, 6)]
    assert gather([as_record(verdict(time="nonsense"))]).over_time == []


def test_percentiles() -> None:
    """By rank."""
    found = latency([float(number) for number in range(1, 101)])
    assert (found.median, found.p90, found.p99, found.most) == (51.0, 91.0, 100.0, 100.0)
    assert sum(count for _, count in found.bins) == 100
    assert latency([]).bins == ()


class Reader(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Tags, and whatever would load something or run."""
        self.tags.append(tag)
        self.links += [
            f"{name}={value}"
            for name, value in attrs
            if name in ("src", "href", "action", "data") or name.startswith("on")
        ]

    def handle_data(self, data: str) -> None:
        """Texts."""
        self.words.append(data)


def test_the_page_stands_alone_and_escapes_everything() -> None:
    """No script, no link, no image, nothing fetched; what an agent wrote is text."""
    text = page(report(EVIL))
    reader = Reader()
    reader.feed(text)
    assert not {"script", "img", "link", "iframe", "object", "a", "form"} & set(reader.tags)
    assert reader.links == []
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r"https?://", text)
    assert "<script" not in text
    assert text.count("</style>") == 1
    assert all(
        character == "\n" or character.isprintable() or character == "\u2009" or character == "\u00a0"
        for character in text
    )
    assert any("<script>alert(1)</script>" in word for word in reader.words)
    assert "default-src 'none'" in text


def test_the_page_shows_every_part() -> None:
    """Also where there is nothing to show."""
    for found in (report(), gather([])):
        text = page(found)
        for title in (
            "Stopped",
            "Asked about",
            "Over time",
            "Noisiest rules",
            "Prompts per session",
            "Approvals",
            "How long",
        ):
            assert title in text
        assert "prefers-color-scheme: dark" in text
        assert "max-width: 34rem" in text


def test_tags_are_balanced() -> None:
    """Each that opens closes."""
    text = re.sub(r"<(?:!doctype|meta)[^>]*>|<(?:rect|line)[^>]*/>", "", page(report(EVIL)))
    for tag in (
        "div",
        "section",
        "svg",
        "g",
        "table",
        "tr",
        "td",
        "th",
        "ul",
        "li",
        "p",
        "span",
        "code",
        "main",
        "title",
    ):
        assert len(re.findall(rf"<{tag}[ >]", text)) == text.count(f"</{tag}>"), tag


def test_the_terminal_shows_texts_as_they_are() -> None:
    """No markup is read from them, and no control character gets through."""
    out = io.StringIO()
    show(report(EVIL), Console(file=out, width=200, highlight=False))
    text = out.getvalue()
    assert "[bold red]x[/]" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    for title in ("Stopped", "Asked about", "Noisiest rules", "Prompts per session", "Approvals"):
        assert title in text
    show(gather([]), Console(file=out))


@pytest.mark.parametrize(("most", "top"), [(0, 1), (1, 1), (3, 5), (7, 10), (10, 10), (11, 20), (2001, 5000)])
def test_scales_are_round(most: int, top: int) -> None:
    """1, 2 or 5 times a power of ten."""
    assert svg.ceiling(most) == top


def test_charts() -> None:
    """Bars have a size that fits their number, and say it."""
    chart = svg.bars([("2026-11-29", [("ask", 2), ("deny", 8)]), ("<x>", [("ask", 0)])], "a <b>")
    assert "11-29: 2 ask, 8 deny" in chart
    assert "&lt;x&gt;" in chart
    assert "<b>" not in chart
    asked_height, denied_height = (float(found) for found in re.findall(r'<rect[^>]* height="([\d.]+)"', chart))
    assert denied_height == pytest.approx(4 * asked_height, rel=0.02)
    assert svg.bars([], "nothing").startswith("<svg")
    assert (spark([0, 1, 10]), bar(1.0, 4), bar(0.0, 4)) == (" ▁█", "████", "")
