"""The currents of stimuli at one moment, as the kernels of cells want them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend

MAX_STIMULI = 32


def active_bits(currents: Array | None) -> int:
    """Bit k is set if stimulus k is on."""
    return 0 if currents is None else sum(1 << k for k, current in enumerate(currents) if current != 0.0)


class DeviceCurrents:
    """``values: (32,)`` of ``dtype`` [mV/ms] on a GPU: always the same array, which graphs of launches keep."""

    def __init__(self, backend: Backend, dtype: Any) -> None:
        self._backend = backend
        self._on_host = np.zeros(MAX_STIMULI, dtype)
        self.values = backend.array(self._on_host)

    def set(self, currents: Array | None) -> None:
        """Copy ``currents: (k,)`` to the device, in the order of the stream, if they are on and have changed."""
        if currents is None or not currents.any():
            return
        wanted = np.zeros_like(self._on_host)
        wanted[: len(currents)] = currents
        if not np.array_equal(wanted, self._on_host):
            self._on_host = wanted
            self.values[:] = self._backend.array(wanted)
