"""The plot of ratings by round, as self-contained SVG."""

from __future__ import annotations

from html import escape

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 170, 16, 36
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#7f3c8d",
    "#4b4b4b",
)  # safe for colour-blind readers
DASHES = ("", "6 3", "2 3", "8 3 2 3")
MAX_LABELS = 12  # players in the legend


def plot(series: list[tuple[int, dict[str, float]]], names: list[str]) -> str:
    """Return a plot with one line per player, or "" if there is nothing to plot. `names`: best player first."""
    values = [value for _, known in series for value in known.values()]
    if not values:
        return ""
    low, high = min(values), max(values)
    low, high = (low - 10, high + 10) if high - low < 20 else (low, high)

    def x(at: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (at / (len(series) - 1) if len(series) > 1 else 0.5)

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="ratings by round">']
    for value in ticks(low, high):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:+.0f}</text>')
    for at in sorted({0, len(series) // 2, len(series) - 1}):
        parts.append(f'<text x="{x(at):.1f}" y="{HEIGHT - 12}" text-anchor="middle">round {series[at][0]}</text>')
    for number, name in enumerate(names):
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
        points = [(x(at), y(known[name])) for at, (_, known) in enumerate(series)]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        style = f'stroke="{colour}" stroke-dasharray="{dash}"'
        parts.append(f'<polyline points="{line}" {style}><title>{escape(name)}</title></polyline>')
        parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.5" fill="{colour}"/>' for px, py in points]
        if number < MAX_LABELS:
            top = TOP + 12 + 18 * number
            parts.append(f'<line x1="{WIDTH - RIGHT + 12}" x2="{WIDTH - RIGHT + 32}" y1="{top}" y2="{top}" {style}/>')
            parts.append(f'<text x="{WIDTH - RIGHT + 38}" y="{top + 4}">{escape(name[:18])}</text>')
    return "\n".join([*parts, "</svg>"])


def ticks(low: float, high: float) -> list[float]:
    """Return a few round numbers in the range."""
    step = next(size for size in (5, 10, 20, 50, 100, 200, 500, 1000, 2000) if (high - low) / size <= 8)
    first = -(-low // step) * step
    found = []
    while first <= high:
        found.append(first + 0.0)
        first += step
    return found
