"""The flash of a spike, which fades: of each neuron, and as means over several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engines.api import Array, Selection
from engines.api.device import Backend
from engines.spiking.stimulate.brushes import SILENT

FADE = 12.0
"""Time in which the flash of a spike fades to 1/e [ms]: some frames at the usual pace."""
DARK = 1e-3
"""Below this a flash has faded."""


def flashes(last: Array, step: Any, dt: float) -> Array:
    """1 at a spike, then fading; 0 where there was none, or none that is seen any more. ``last``: steps of the latest
    spikes; ``step``: the latest of all; ``dt`` [ms]."""
    found = np.exp((last - step) * np.float32(dt / FADE), dtype=np.float32)
    return np.asarray(np.where(found < DARK, np.float32(0), found))


def flashes_later(
    backend: Backend, last: Any, release: Any, lesioned: bool, handle: Any, step: int, dt: float
) -> Callable[[], Array]:
    """Of a selection of neurons, NaN where all of a mean are silent. ``last``, ``release``: (n,) int32 on the device;
    ``lesioned``: whether there are silent ones. A mean is of flashes: that of times is another."""
    if handle.offsets is not None:
        chosen = getattr(handle, "checked", handle)  # on the host, whatever the device
        each = backend.select(Selection(chosen.elements))
        of_each = flashes_later(backend, last, release, lesioned, each, step, dt)
        return lambda: _means(of_each(), chosen.offsets)
    spiked = backend.gather_later(last, handle)
    if not lesioned:
        return lambda: flashes(spiked(), step, dt)
    released = backend.gather_later(release, handle)  # no data, where a lesion is
    return lambda: np.where(released() > SILENT // 2, np.float32(np.nan), flashes(spiked(), step, dt))


def _means(values: Array, offsets: Array) -> Array:
    """(m,) of ``values[offsets[i]:offsets[i + 1]]``, NaN left out."""
    there = ~np.isnan(values)
    totals, counts = (np.append(0.0, np.cumsum(each, dtype=float)) for each in (np.where(there, values, 0.0), there))
    total, count = np.diff(totals[offsets]), np.diff(counts[offsets])
    return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0).astype(np.float32)
