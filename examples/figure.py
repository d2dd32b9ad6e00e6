"""A figure of curves, saved where matplotlib is installed; without it the examples print their numbers alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def save(name: str, curves: Mapping[str, tuple[Any, Any]], x: str, y: str, points: bool = False) -> None:
    """``name.png`` with each (abscissa, ordinate) of ``curves`` by its legend; ``x``, ``y``: titles of the axes."""
    try:
        import matplotlib
    except ImportError:
        print(f"{name}.png is left out: pip install matplotlib.")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    for legend, (abscissa, ordinate) in curves.items():
        axes.plot(abscissa, ordinate, "o" if points and "formula" not in legend else "-", label=legend)
    axes.set(xlabel=x, ylabel=y)
    axes.legend()
    figure.savefig(f"{name}.png", dpi=150)
    pyplot.close(figure)
    print(f"Saved {name}.png.")
