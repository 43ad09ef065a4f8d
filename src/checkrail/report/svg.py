"""Charts as inline SVG, coloured by the page's style."""

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 720, 180
LEFT, TOP, BOTTOM = 44, 16, 28

Bar = tuple[str, Sequence[tuple[str, int]]]
"""A name, and its parts from the bottom up: class and number."""


def ceiling(most: int) -> int:
    """A round number that is not less: 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for step in (1, 2, 5):
            if step * power >= most:
                return step * power
        power *= 10


def short(number: int) -> str:
    """``1.2k`` for 1200."""
    return f"{number / 1000:.3g}k" if number >= 1000 else str(number)


def bars(found: Sequence[Bar], label: str, *, width: int = WIDTH, height: int = HEIGHT, names: bool = True) -> str:
    """Stacked bars with a scale; the names that have room are written below."""
    top = ceiling(max((sum(number for _, number in parts) for _, parts in found), default=1) or 1)
    bottom = height - (BOTTOM if names else 8)
    room, step = bottom - TOP, (width - LEFT) / max(1, len(found))
    shapes = [
        line
        for share in (0, 0.5, 1)
        if share * top == int(share * top)
        for line in _scale(bottom - share * room, short(int(share * top)), width)
    ]
    every = -(-len(found) // 6)
    for number, (name, parts) in enumerate(found):
        left = LEFT + number * step
        shapes += _bar(
            name, parts, left=left, wide=max(1.0, min(step * 0.78, 46)), step=step, bottom=bottom, unit=room / top
        )
        if names and number % every == 0:
            shapes.append(
                f'<text x="{left + step / 2:.1f}" y="{height - 8}" text-anchor="middle">{escape(_written(name))}</text>'
            )
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">{"".join(shapes)}</svg>'


def _written(name: str) -> str:
    """``11-29`` for a day, ``11-29 08h`` for an hour."""
    if len(name) == 13 and name[10] == "T":
        return f"{name[5:10]} {name[11:]}h"
    return name[5:] if len(name) == 10 and name[4] == "-" else name


def _scale(at: float, text: str, width: int) -> tuple[str, str]:
    return (
        f'<line class="grid" x1="{LEFT}" x2="{width}" y1="{at:.1f}" y2="{at:.1f}"/>',
        f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{text}</text>',
    )


def _bar(
    name: str, parts: Sequence[tuple[str, int]], *, left: float, wide: float, step: float, bottom: float, unit: float
) -> list[str]:
    told = ", ".join(f"{number} {kind}" for kind, number in parts)
    shapes, at = [], bottom
    for kind, number in parts:
        if number:
            size = max(1.5, number * unit)
            at -= size
            x = left + (step - wide) / 2
            shapes.append(
                f'<rect class="{kind}" x="{x:.1f}" y="{at:.1f}" width="{wide:.1f}" height="{size:.1f}" rx="1.5"/>'
            )
    title = f"<title>{escape(_written(name))}: {escape(told)}</title>"
    return [f"<g>{title}{''.join(shapes)}</g>"] if shapes else []
