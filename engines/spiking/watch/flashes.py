"""The flash of a spike, which fades: of each neuron, and as means over several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.spiking.stimulate.brushes import SILENT

FADE = 12.0
"""Time in which the flash of a spike fades to 1/e [ms]: some frames at the usual pace."""
DARK = 1e-3
"""Below this a flash has faded."""


def flashes(last: Any, step: Any, dt: float) -> Any:
    """1 at a spike, then fading; 0 where there was none, or none that is seen any more. ``last``: float32 steps of the
    latest spikes, on either device; ``step``: that of the latest of all; ``dt`` [ms]."""
    found = np.exp((last - step) * np.float32(dt / FADE), dtype=np.float32)
    return np.where(found < DARK, np.float32(0), found)


def flashes_later(
    backend: Backend, last: Any, release: Any, lesioned: bool, handle: Any, step: int, dt: float
) -> Callable[[], Array]:
    """Of a selection of neurons, NaN where all of a mean are silent. ``last``, ``release``: (n,) int32 on the device;
    ``lesioned``: whether there are silent ones. What fades is no number of which a mean could be taken before."""
    if handle.offsets is not None:
        with backend.active():
            found = flashes(last.astype(np.float32), np.float32(step), dt)
            found[release > SILENT // 2] = np.nan
        return backend.gather_later(found, handle, np.nan)
    spiked = backend.gather_later(last, handle)
    if not lesioned:
        return lambda: np.asarray(flashes(spiked(), step, dt))
    released = backend.gather_later(release, handle)  # no data, where a lesion is
    return lambda: np.where(released() > SILENT // 2, np.float32(np.nan), flashes(spiked(), step, dt))
