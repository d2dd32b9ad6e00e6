"""A figure of curves, saved where matplotlib is installed; without it the examples print their numbers alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def save(name: str, curves: Mapping[str, tuple[Any, Any]], x: str, y: str, points: str = "") -> None:
    """``name.png`` with each (abscissa, ordinate) of ``curves`` by its legend; ``x``, ``y``: titles of the axes;
    ``points``: matplotlib's mark for what was computed, lines without it (a legend with "formula" is a line always)."""
    try:
        import matplotlib
    except ImportError:
        print(f"{name}.png is left out: pip install matplotlib.")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    for legend, (abscissa, ordinate) in curves.items():
        mark = points if points and "formula" not in legend else "-"
        axes.plot(abscissa, ordinate, mark, markersize=1 if mark == "." else None, label=legend)
    axes.set(xlabel=x, ylabel=y)
    axes.legend(markerscale=8 if points == "." else 1)
    figure.savefig(f"{name}.png", dpi=120)
    pyplot.close(figure)
    print(f"Saved {name}.png.")
