"""Curves as a drawing for a notebook's page: SVG, in the colour of the page's own text, with nothing to install."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array
from workbench.words.numbers import printed

if TYPE_CHECKING:
    from workbench.api.runs.curves import Curve

WIDTH, HEIGHT = 640, 280
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 12, 44
LEGEND = 18
"""px: the page's, the margins around the axes, a row of the legend."""
LABEL = 8
"""Characters for which there is room between the ordinate and its title; longer numbers are set smaller."""
COLOURS = ("#2f7ed8", "#e0763a", "#3aa655", "#b8529e", "#8a6d3b", "#1aa5a5", "#d04545", "#7a68c9")
MOST_DRAWN = 1200
"""Points of a curve; of more the lowest and the highest of each stretch are drawn."""


MOST_DOTS = 5000
"""Of a raster; of more every second, third, …"""


def drawn(curves: Sequence[Curve]) -> str:
    """As HTML: those of one unit over one abscissa together, others below them, and then what is to be known of them;
    nothing where none has two numbers that can be drawn."""
    lines = [
        (curve, *_line(curve)) for curve in curves if len(curve) and curve.across is None and curve.marks != "none"
    ]
    lines = [(curve, x, y) for curve, x, y in lines if (np.isfinite(x) & np.isfinite(y)).sum() > 1]
    groups: dict[tuple[str, ...], list[tuple[Curve, Array, Array]]] = {}
    for line in lines:
        groups.setdefault((line[0].unit, line[0].x.name, line[0].x.unit), []).append(line)
    parts = list(map(_drawing, groups.values()))
    parts += [f"<p>{escape(note)}</p>" for note in dict.fromkeys(curve.note for curve, _, _ in lines) if note]
    return "".join(parts) if len(parts) < 2 else f"<div>{''.join(parts)}</div>"


def _drawing(lines: Sequence[tuple[Curve, Array, Array]]) -> str:
    """Curves of one unit with their points."""
    x_axis = _Axis(np.concatenate([x for _, x, _ in lines]), LEFT, WIDTH - RIGHT)
    y_axis = _Axis(np.concatenate([_with_band(curve, y) for curve, _, y in lines]), HEIGHT - BOTTOM, TOP, 0.04)
    parts = [*_frame(lines[0][0], len(lines) > 1, x_axis, y_axis)]
    for place, (curve, x, y) in enumerate(lines):
        colour = COLOURS[place % len(COLOURS)]
        if curve.low is not None and curve.high is not None and len(curve.x) == len(curve):
            band = _path(np.r_[x, x[::-1]], np.r_[curve.low, curve.high[::-1]], x_axis, y_axis)
            parts.append(f'<path d="{band}" fill="{colour}" opacity="0.2"/>')
        if curve.marks == "dots":
            every = slice(None, None, max(1, math.ceil(len(x) / MOST_DOTS)))
            dots = _path(x[every], y[every], x_axis, y_axis).replace("L", "M").replace("M", "h0M").removeprefix("h0")
            parts.append(f'<path d="{dots}h0" stroke="{colour}" stroke-width="2" stroke-linecap="round"/>')
            continue
        path = _path(*_thinned(x, y), x_axis, y_axis)
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-linejoin="round"/>')
    legend = _legend([curve for curve, _, _ in lines]) if len(lines) > 1 else []
    height = HEIGHT + LEGEND * math.ceil(len(legend) / 2)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" style="max-width:100%" fill="currentColor" '
        f'font-family="sans-serif" font-size="12" role="img">{"".join((*parts, *legend))}</svg>'
    )


class _Axis:
    """From numbers to pixels, with ticks at round numbers."""

    def __init__(self, values: Array, start: float, end: float, margin: float = 0.0) -> None:
        found = values[np.isfinite(values)]
        low, high = float(found.min()), float(found.max())
        if high - low <= 1e-9 * max(abs(low), abs(high)):
            reach = 0.5 * abs(high) or 1.0
            low, high = low - reach, high + reach
        low, high = low - margin * (high - low), high + margin * (high - low)
        self.low, self._scale, self._start = low, (end - start) / (high - low), start
        spacing = 10.0 ** math.floor(math.log10((high - low) / 4))
        spacing *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (factor * spacing) <= 6)
        self.ticks = spacing * np.arange(math.ceil(low / spacing), math.floor(high / spacing) + 1)
        self._digits = max(6, 1 + math.ceil(math.log10(max(abs(low), abs(high)) / spacing)))

    def label(self, value: float) -> str:
        """A tick, with as many digits as tell it from its neighbours."""
        return printed(f"{0.0 if abs(value) < 1e-300 else value:.{self._digits}g}")

    def __call__(self, values: Array) -> Array:
        return self._start + (values - self.low) * self._scale


def _line(curve: Curve) -> tuple[Array, Array]:
    """(n,), (n,) float64; the bars of a histogram as their outline."""
    x, y = np.asarray(curve.x, float), np.asarray(curve.values, float)
    return (np.repeat(x, 2)[1:-1], np.repeat(y, 2)) if len(x) == len(y) + 1 else (x, y)


def _with_band(curve: Curve, y: Array) -> Array:
    return np.concatenate([y, *(np.asarray(end, float) for end in (curve.low, curve.high) if end is not None)])


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """A curve of many points by the lowest and the highest of each stretch, in their order."""
    if len(x) <= MOST_DRAWN:
        return x, y
    kept = {0, len(x) - 1}
    for stretch in np.array_split(np.arange(len(x)), MOST_DRAWN // 2):
        values = y[stretch]
        if np.isfinite(values).all():
            kept |= {stretch[values.argmin()], stretch[values.argmax()]}
        else:
            kept |= set(stretch.tolist())
    places = sorted(kept)
    return x[places], y[places]


def _path(x: Array, y: Array, x_axis: _Axis, y_axis: _Axis) -> str:
    """Interrupted where a number is missing."""
    words, pen = [], "M"
    for across, up in zip(x_axis(x).tolist(), y_axis(np.asarray(y, float)).tolist(), strict=True):
        if math.isfinite(across) and math.isfinite(up):
            words.append(f"{pen}{across:.1f} {up:.1f}")
            pen = "L"
        else:
            pen = "M"
    return "".join(words)


def _frame(curve: Curve, several: bool, x_axis: _Axis, y_axis: _Axis) -> list[str]:
    """Axes, ticks and what they are of."""
    right, low = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [f'<path d="M{LEFT} {TOP}V{low}H{right}" fill="none" stroke="currentColor" opacity="0.5"/>']
    for value, at in zip(x_axis.ticks, x_axis(x_axis.ticks), strict=True):
        parts.append(f'<path d="M{at:.1f} {low}v4" stroke="currentColor" opacity="0.5"/>')
        parts.append(f'<text x="{at:.1f}" y="{low + 17}" text-anchor="middle">{x_axis.label(value)}</text>')
    for value, at in zip(y_axis.ticks, y_axis(y_axis.ticks), strict=True):
        parts.append(f'<path d="M{LEFT} {at:.1f}H{right}" stroke="currentColor" opacity="0.12"/>')
        label = y_axis.label(value)
        size = f'font-size="{12 * LABEL / len(label):.1f}" ' if len(label) > LABEL else ""
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" {size}text-anchor="end">{label}</text>')
    middle = (TOP + low) / 2
    y_title = f"[{curve.unit}]" if several and curve.unit else "" if several else _titled(curve.title, curve.unit)
    parts.append(
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
        f"{_titled(curve.x.name or 'x', curve.x.unit)}</text>"
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">{y_title}</text>'
    )
    return parts


def _legend(curves: Sequence[Curve]) -> list[str]:
    """Two in a row, below."""
    parts = []
    for place, curve in enumerate(curves):
        x, y = LEFT + (place % 2) * (WIDTH - LEFT - RIGHT) // 2, HEIGHT + LEGEND * (place // 2) + 8
        colour = COLOURS[place % len(COLOURS)]
        parts.append(
            f'<path d="M{x} {y}h18" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x + 24}" y="{y + 4}">{escape(curve.title)}</text>'
        )
    return parts


def _titled(title: str, unit: str) -> str:
    return escape(f"{title} [{unit}]" if unit else title)
