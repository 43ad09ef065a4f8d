"""The report on a terminal, by rich."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from checkrail.agents.reasons import visible
from checkrail.report.gather import Almost, Report
from checkrail.report.svg import ceiling

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

STYLES = {"allow": "green", "note": "blue", "ask": "yellow", "deny": "red", "floor": "bold red"}
BLOCKS = " ▁▂▃▄▅▆▇█"
MAX_ROWS = 10


def text(value: object, style: str = "") -> "Text":
    """Any text as it stands: no markup is read from it, and nothing in it acts on the terminal."""
    from rich.text import Text

    return Text(visible(str(value)), style=style)


def bar(share: float, width: int = 12) -> str:
    """A bar of at most ``width`` characters."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")


def spark(numbers: Sequence[int]) -> str:
    """A line of little bars."""
    most = ceiling(max(numbers, default=0) or 1)
    return "".join(BLOCKS[-(-number * 8 // most)] for number in numbers)


def _table(*heads: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for head in heads:
        numeric = head in ("prompts", "questions", "yes", "calls", "denied", "times")
        table.add_column(head, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold")
    return table


def _almost(found: Sequence[Almost]) -> "Table":
    from rich.text import Text

    table = _table("", "times", "what and why")
    for one in found[:MAX_ROWS]:
        word = "floor" if one.floor else one.decision
        why = f"{one.reason[:300]} [{one.rule}]" if one.reason else f"[{one.rule}]"
        told = [text(one.summary[:300], "bold"), text(why, "dim")]
        if one.safer:
            told.append(text(f"Safer: {one.safer[:300]}", "green"))
        table.add_row(text(word, STYLES.get(word, "")), str(one.count), Text("\n").join(told))
    return table


def _rules(report: Report) -> "Table":
    table, most = (
        _table("rule", "prompts", "", "questions", "yes"),
        max((one.prompts for one in report.rules), default=1),
    )
    for one in report.rules[:MAX_ROWS]:
        share = "–" if one.share is None else f"{one.share:.0%}"
        table.add_row(
            text(one.rule), str(one.prompts), text(bar(one.prompts / (most or 1)), "yellow"), str(one.questions), share
        )
    return table


def _sessions(report: Report) -> "Table":
    table = _table("session", "calls", "prompts", "denied")
    for one in report.sessions[:MAX_ROWS]:
        table.add_row(text(f"{one.agent} {one.name[:12]}"), str(one.calls), str(one.prompts), str(one.denied))
    return table


def _approvals(report: Report) -> "Table":
    table = _table("when", "answer", "who", "what")
    for one in report.approvals[:MAX_ROWS]:
        table.add_row(text(one.time[:16].replace("T", " ")), text(one.state), text(one.who), text(one.summary[:120]))
    return table


def _head(report: Report) -> "list[Text]":
    calls = sum(report.decisions.values())
    share = 1000 * report.prompts / calls if calls else 0.0
    took = report.latency
    lines = [
        text(f"{report.first[:16]} to {report.last[:16]} UTC, {calls} calls", "bold"),
        text(f"{report.prompts} prompts ({share:.1f} per 1,000 calls), {report.questions} different questions"),
        text(f"{report.decisions['deny']} denied, {report.floor} of them by the floor"),
        text(f"{report.host_yes} yes at the agents' prompts, {report.approved} at Checkrail's"),
        text(
            f"judging: median {took.median:.2f} ms, 90 % {took.p90:.2f}, 99 % {took.p99:.2f}, longest {took.most:.0f}"
        ),
    ]
    if report.over_time:
        asked = [one["ask"] + one["deny"] for _, one in report.over_time]
        lines.append(text(f"asked and denied  {spark(asked[-72:])}"))
    return lines


def show(report: Report, console: "Console | None" = None) -> None:
    """Prints it."""
    from rich.console import Console

    out = console or Console(highlight=False)
    for line in _head(report):
        out.print(line, soft_wrap=True)
    parts = (
        ("Stopped", _almost(report.stopped)),
        ("Asked about", _almost(report.asked)),
        ("Noisiest rules", _rules(report)),
        ("Prompts per session", _sessions(report)),
        ("Approvals outside the agents", _approvals(report)),
    )
    for title, table in parts:
        if table.row_count:
            out.print()
            out.print(text(title, "bold"))
            out.print(table)
