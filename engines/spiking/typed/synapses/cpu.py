"""Typed synapses on the CPU: launches ``cpu_kernels.py`` after each step of the neurons."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array
from engines.spiking.connectivity.plastic import Joined
from engines.spiking.typed.synapses.cpu_kernels import kernel
from engines.spiking.typed.synapses.plan import TypedSynapse
from engines.spiking.typed.synapses.state import rows_of


class CpuSynapses:
    """Those of one connection. ``arrays`` of the network."""

    def __init__(self, block: Joined, typed: TypedSynapse, arrays: Mapping[str, Array]) -> None:
        k = block.connection
        self._block, self._arrays = block, arrays
        self._paths = [kernel(typed, which) if typed.model.paths[which] else None for which in range(2)]
        self._sent = arrays[f"sent_{k}"]
        self._state = (
            block.words, arrays[f"events_{k}"], arrays[f"made_{k}"],
            tuple(arrays[name] for name in rows_of(typed, k)), arrays["ring"], arrays[f"cut_{k}"],
        )  # fmt: skip
        self._everywhere = np.zeros(0, np.int64)

    def step(self, now: np.int32, fired: Array) -> None:
        """What the spikes of a step do: ``fired: (n,)`` uint8, those that arrive ``delay`` steps later first."""
        block, (on_pre, on_post) = self._block, self._paths
        first, stop = block.source
        period = len(self._sent)
        self._sent[now % period] = fired[first:stop]
        if on_pre is not None:
            due = self._sent[(now + 1) % period]
            if due.any():
                self._arrays["events"][0] += on_pre(now, due, first, block.starts, self._everywhere, *self._state)
        if on_post is not None:
            first, stop = block.target
            heard = fired[first:stop]
            if heard.any():  # seldom in small networks, where a launch takes as long as a step
                on_post(now, heard, first, block.into, block.listed, *self._state)
