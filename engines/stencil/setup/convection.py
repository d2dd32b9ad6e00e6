"""What is told of fields that a flow carries: by which differences, and what these do on the cells that there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from engines.api import Array, Finding
from engines.formulas.graph import ordered
from engines.quantities import rounded_down
from engines.stencil.equations.language import System
from engines.stencil.equations.stability import Linear


def carried(
    linear: Linear, system: System, spacing: Sequence[float], states: Mapping[str, Array], given: Mapping[str, float],
) -> Iterator[Finding]:  # fmt: skip
    """Of each field that is carried in these states: by central differences where v h > 2 D, from where on they take a
    cell below its neighbours; by upwind, what that spreads."""
    for name in system.fields:
        upwind = any(node.op == "upwind" for node in ordered([system.rates[name]]))
        pairs = linear.carried(name, states, given)
        place = ("equation", "lines", system.lines[name])
        if upwind:
            blur = max(
                h**2 / 2 * float(np.abs(speed).max(initial=0.0)) for h, (speed, _) in zip(spacing, pairs, strict=True)
            )
            if blur > 0:
                yield Finding(
                    f"Differences against the flow spread '{name}' as a diffusivity of up to {blur:.2g} mm²/s would, "
                    "in proportion to the size of the cells.", "info", place,
                )  # fmt: skip
            continue
        h, times = max(zip(spacing, (_excess(*pair) for pair in pairs), strict=True), key=lambda each: each[1])
        if times <= 1 + 1e-9:
            continue
        how = f"v h/2D = {times:.2g}" if np.isfinite(times) else "no D"
        cells = f"take cells of {rounded_down(h / times, 2):g} mm, or " if times < 100 else ""
        yield Finding(
            f"A flow carries '{name}' by central differences ({how}): where it changes within a few cells it swings "
            f"over and under. If it does so, {cells}differences against the flow, upwind(v, u) or div(upwind(v*u)), "
            "which blur instead.", "info", place,
        )  # fmt: skip


def _excess(speed: Array, spread: Array) -> float:
    """The largest v h/2D, where there is no negative diffusion."""
    speed, spread = np.abs(speed), np.where(spread >= -1e-9 * np.abs(speed), np.maximum(spread, 0.0), np.inf)
    moving = speed > 0
    with np.errstate(divide="ignore"):
        return float((speed[moving] / spread[moving]).max(initial=0.0))
