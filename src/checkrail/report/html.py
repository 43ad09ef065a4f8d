"""The report as one page that needs nothing else: no script, no network, every text escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from checkrail import __version__
from checkrail.agents.reasons import visible
from checkrail.report import svg
from checkrail.report.gather import Almost, Given, Noise, Report, Session

MAX_CODE = 400


def text(value: object, most: int = MAX_CODE) -> str:
    """Any text, escaped, with what would hide or reorder it written out."""
    shown = visible(str(value))
    return escape(shown if len(shown) <= most else shown[: most - 1] + "…")


def when(stamp: str) -> str:
    """To the minute."""
    return text(stamp[:16].replace("T", " "))


def number(value: float) -> str:
    """With thin spaces between thousands."""
    return f"{value:,.0f}".replace(",", "\u2009")


def _tile(value: str, label: str, kind: str = "") -> str:
    return f'<div class="tile {kind}"><b>{value}</b><span>{label}</span></div>'


def _section(title: str, about: str, *parts: str) -> str:
    return f'<section><h2>{title}</h2><p class="soft">{about}</p>{"".join(parts)}</section>'


def _empty(word: str) -> str:
    return f'<p class="empty">{word}</p>'


def _table(heads: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:
    """``heads`` are titles with the class of their column."""
    top = "".join(f'<th class="{kind}">{title}</th>' for title, kind in heads)
    body = "".join(_row([kind for _, kind in heads], row) for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _row(kinds: Sequence[str], cells: Sequence[str]) -> str:
    return (
        "<tr>" + "".join(f'<td class="{kind}">{cell}</td>' for kind, cell in zip(kinds, cells, strict=True)) + "</tr>"
    )


def _meter(share: float, kind: str = "") -> str:
    return f'<span class="meter {kind}"><i style="width:{min(1.0, share) * 100:.0f}%"></i></span>'


def _answers(one: Almost) -> str:
    told = [f"{one.yes}\u00a0×\u00a0yes"] * bool(one.yes) + [f"{one.no}\u00a0×\u00a0no"] * bool(one.no)
    return f" · {', '.join(told)}" if told else ""


def _almost(one: Almost) -> str:
    kind, word = ("floor", "floor") if one.floor else (one.decision, one.decision)
    times = f"{one.count} × · " if one.count > 1 else ""
    safer = f'<p class="safer">Safer: {text(one.safer)}</p>' if one.safer else ""
    why = f"{text(one.reason)} " if one.reason else ""
    return (
        f'<li><div class="what"><span class="badge {kind}">{word}</span><code>{text(one.summary)}</code>'
        f'<span class="when">{times}{when(one.last)}</span></div>'
        f'<p class="why">{why}<span class="soft">[{text(one.rule)}] · {text(one.agent)} in <code>{text(one.cwd, 80)}</code>'
        f"{_answers(one)}</span></p>{safer}</li>"
    )


def _list(found: Sequence[Almost], nothing: str) -> str:
    return f'<ul class="almost">{"".join(map(_almost, found))}</ul>' if found else _empty(nothing)


def _over_time(report: Report) -> str:
    if not report.over_time:
        return _empty("No calls yet.")
    legend = (
        '<div class="legend"><span class="ask"><i></i>asked</span><span class="deny"><i></i>denied</span></div>',
        '<div class="legend"><span class="allow"><i></i>all calls</span></div>',
    )
    stopped = [(name, [("ask", one["ask"]), ("deny", one["deny"])]) for name, one in report.over_time]
    calls = [(name, [("allow", sum(one.values()))]) for name, one in report.over_time]
    return (
        f"{legend[0]}{svg.bars(stopped, 'asked and denied calls over time', names=False)}"
        f"{legend[1]}{svg.bars(calls, 'all calls over time', height=120)}"
    )


def _rules(found: Sequence[Noise]) -> str:
    if not found:
        return _empty("No rule asked anything.")
    most = found[0].prompts or 1
    heads = (
        ("rule", ""),
        ("prompts", "number"),
        ("", "minor"),
        ("questions", "number minor"),
        ("said yes", "number"),
        ("", "minor"),
    )
    rows = (
        (
            f"<code>{text(one.rule)}</code>", number(one.prompts), _meter(one.prompts / most), number(one.questions),
            "–" if one.share is None else f"{one.share:.0%}", "" if one.share is None else _meter(one.share, "yes"),
        )
        for one in found
    )  # fmt: skip
    return _table(heads, rows)


def _sessions(found: Sequence[Session]) -> str:
    heads = (("session", ""), ("since", "minor"), ("calls", "number"), ("prompts", "number"), ("denied", "number"))
    rows = (
        (f"{text(one.agent)} <code>{text(one.name[:12] or '–')}</code>", when(one.first), number(one.calls),
         number(one.prompts), number(one.denied))
        for one in found[:10]
    )  # fmt: skip
    return _table(heads, rows) if found else _empty("No sessions yet.")


def _approvals(report: Report) -> str:
    host = f"{counted(report.host_yes, 'yes', 'yes')} at the agents' own prompts, {report.approved} at Checkrail's."
    words = {"used": "approved", "refused": "refused"}

    def item(one: Given) -> str:
        kind = one.state if one.state in words else ""
        return (
            f'<li><div class="what"><span class="badge {kind}">{text(words.get(one.state, one.state))}</span>'
            f'<code>{text(one.summary)}</code><span class="when">{when(one.time)}</span></div>'
            f'<p class="safer">by {text(one.who)}, request {one.request}</p></li>'
        )

    found = "".join(map(item, report.approvals))
    return _section(
        "Approvals", host, f'<ul class="almost">{found}</ul>' if found else _empty("None outside an agent.")
    )


def counted(value: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number(value)} {one if value == 1 else many}"


def _tiles(report: Report) -> str:
    calls = sum(report.decisions.values())
    share = 1000 * report.prompts / calls if calls else 0.0
    return "".join(
        (
            _tile(number(calls), "calls"),
            _tile(number(report.prompts), f"prompts, {share:.1f} per 1,000 calls", "ask"),
            _tile(number(report.questions), "different questions"),
            _tile(number(report.decisions["deny"]), "denied", "deny"),
            _tile(number(report.floor), "of them by the floor", "deny"),
            _tile(f"{report.latency.median:.1f} ms", f"median, {report.latency.p99:.1f} ms for 99 %"),
        )
    )


def _latency(report: Report) -> str:
    found = report.latency
    about = f"Half within {found.median:.2f} ms, 90 % within {found.p90:.2f} ms, 99 % within {found.p99:.2f} ms, at most {found.most:.0f} ms."
    chart = svg.bars(
        [(name, [("note", count)]) for name, count in found.bins], "calls by milliseconds", width=440, height=190
    )
    return _section("How long judging took", about, chart if found.bins else _empty("No calls yet."))


def page(report: Report) -> str:
    """The whole page."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    agents = ", ".join(f"{text(name)} {number(count)}" for name, count in list(report.agents.items())[:8])
    span = f"{when(report.first)} to {when(report.last)} UTC" if report.first else "nothing yet"
    span += f" · {agents}" if agents else ""
    body = (
        f'<header><h1>What the agents almost did</h1><p class="soft">{span}</p></header>',
        f'<div class="tiles">{_tiles(report)}</div>',
        _section("Stopped", "What agents wanted and did not get: the floor first, then what was tried most.",
                 _list(report.stopped, "Nothing was denied.")),
        _section("Asked about", "What needed a yes, and a safer way where there is one.",
                 _list(report.asked, "Nothing was asked.")),
        _section("Over time", "By the day where the log is long, else by the hour (UTC).", _over_time(report)),
        _section("Noisiest rules", "A rule that asks often and always hears yes is a candidate for <code>checkrail suggest</code>.",
                 _rules(report.rules)),
        f'<div class="pair">{_section("Prompts per session", "Those that asked most.", _sessions(report.sessions))}{_latency(report)}</div>',
        _approvals(report),
        f"<footer>Checkrail {__version__}, from {number(report.lines)} lines of the log. Secrets were taken out before they were written.</footer>",
    )  # fmt: skip
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Checkrail report</title>'
        f"<style>{style}</style></head><body><main>{''.join(body)}</main></body></html>\n"
    )
