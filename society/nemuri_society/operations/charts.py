"""Charts as inline SVG, without scripts."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

WIDTH: Final = 640
HEIGHT: Final = 200
LEFT: Final = 48
BOTTOM: Final = 24
COLOURS: Final = ("#1f5fa8", "#b3471d", "#2d7d46", "#7a3f9d", "#8a6d00", "#0e7c86")
BAR: Final = 18


def line_chart(title: str, curves: Mapping[str, Sequence[tuple[float, float]]], end: float) -> str:
    """Return a chart of curves from second 0 to `end`, by their names; an empty string if they have no points.

    A curve that has its last point before keeps its value.
    """
    points = [point for curve in curves.values() for point in curve]
    if not points:
        return ""
    last, top = max(end, *(x for x, _ in points)) or 1.0, max(y for _, y in points) or 1.0

    def place(x: float, y: float) -> str:
        right = LEFT + x / last * (WIDTH - LEFT - 8)
        return f"{right:.1f},{8 + (1 - y / top) * (HEIGHT - BOTTOM - 8):.1f}"

    lines = [
        f'<polyline fill="none" stroke-width="2" stroke="{COLOURS[nth % len(COLOURS)]}" '
        f'points="{" ".join(place(x, y) for x, y in (*curve, (last, curve[-1][1])))}">'
        f"<title>{escape(name)}</title></polyline>"
        for nth, (name, curve) in enumerate(curves.items())
        if curve
    ]
    legend = "".join(
        f'<span style="color:{COLOURS[nth % len(COLOURS)]}">■ {escape(name)}</span> ' for nth, name in enumerate(curves)
    )
    low, axis = HEIGHT - BOTTOM, f'<line x1="{LEFT}" y1="{HEIGHT - BOTTOM}" x2="{WIDTH - 8}" y2="{HEIGHT - BOTTOM}" '
    texts = (
        f'<text x="{LEFT - 6}" y="16" text-anchor="end">{_number(top)}</text>'
        f'<text x="{LEFT - 6}" y="{low}" text-anchor="end">0</text>'
        f'<text x="{LEFT}" y="{HEIGHT - 6}">0 s</text>'
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 6}" text-anchor="end">{last:.0f} s</text>'
    )
    image = _svg(title, HEIGHT, f'{axis}stroke="#999"/>{texts}{"".join(lines)}')
    return f"<figure><figcaption>{escape(title)}</figcaption>{image}<p>{legend}</p></figure>"


def bar_chart(title: str, values: Mapping[str, float]) -> str:
    """Return a chart of horizontal bars by their names; an empty string without values."""
    if not values:
        return ""
    top, left = max(values.values()) or 1.0, WIDTH // 3
    bars = [
        f'<text x="{left - 6}" y="{nth * BAR + 13}" text-anchor="end">{escape(name)}</text>'
        f'<rect x="{left}" y="{nth * BAR + 2}" height="{BAR - 4}" fill="{COLOURS[0]}" '
        f'width="{value / top * (WIDTH - left - 64):.1f}"/>'
        f'<text x="{left + value / top * (WIDTH - left - 64) + 6:.1f}" y="{nth * BAR + 13}">{value:.4g}</text>'
        for nth, (name, value) in enumerate(values.items())
    ]
    image = _svg(title, len(values) * BAR + 4, "".join(bars))
    return f"<figure><figcaption>{escape(title)}</figcaption>{image}</figure>"


def _number(value: float) -> str:
    """Return a number with at least three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _svg(title: str, height: int, content: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{content}</svg>'
    )
