"""Voltages of many cells over a whole protocol in one launch, and when each ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engines.api import Array
from engines.api.device import Backend
from engines.battery.step.cell_rows import Row
from engines.battery.watch.bands import Bands, bands

if TYPE_CHECKING:
    from engines.battery.cells.step.cells import Cells


def traces(backend: Backend, cells: Cells, steps: int, points: int = 100) -> Any:
    """Take all ``steps`` in one launch; (points, n_padded) voltages on the device, evenly spaced, NaN after the end.

    ``steps`` is a multiple of ``points``.
    """
    if steps % points:
        raise ValueError(f"{steps} steps are no multiple of {points} points")
    trace = cells.new_trace(points)
    with backend.timed("cells"):
        cells.advance(0, steps, trace, steps // points)
    return trace


def voltage_bands(backend: Backend, cells: Cells, trace: Any) -> Bands:
    """Mean, 5th, 50th and 95th percentile of the voltages of each row of ``trace``."""
    return bands(backend, trace, cells.n_cells)


def end_times(backend: Backend, cells: Cells) -> Array:
    """(n_cells,) time at which each cell's protocol ended [s]; −1 where it goes on."""
    return backend.to_host(cells.state[int(Row.ENDED)])[: cells.n_cells].astype(float)
