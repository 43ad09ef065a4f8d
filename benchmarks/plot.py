"""Bar charts as SVG, without a library."""

from collections.abc import Sequence
from html import escape

WIDTH, LEFT, ROW, GAP = 720, 220, 26, 44
_STYLE = "text{font:13px system-ui,sans-serif;fill:#24292f}.t{font-weight:600}rect{fill:#3b6ea5}@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#79a9dc}}"


def bars(charts: Sequence[tuple[str, Sequence[tuple[str, float]]]]) -> str:
    """One group of bars for each title, each group with a scale of its own from zero."""
    parts, top = [], 0
    for title, values in charts:
        parts.append(f'<text class="t" x="8" y="{top + 24}">{escape(title)}</text>')
        most = max(value for _, value in values) or 1
        for number, (name, value) in enumerate(values):
            y = top + 36 + number * ROW
            width = max(2.0, value / most * (WIDTH - LEFT - 90))
            parts.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{escape(name)}</text>')
            parts.append(f'<rect x="{LEFT}" y="{y + 2}" width="{width:.1f}" height="18" rx="2"/>')
            parts.append(f'<text x="{LEFT + width + 8:.1f}" y="{y + 15}">{value:,.{0 if value >= 100 else 2}f}</text>')
        top += GAP + len(values) * ROW
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img" aria-label="Measured times and rates">'
    return f"{head}<style>{_STYLE}</style>{''.join(parts)}</svg>\n"
