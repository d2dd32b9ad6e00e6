"""Typed synapses on the CPU: launches ``cpu_steps.py`` before and after each step of the neurons, then
``cpu_kernels.py``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array
from engines.spiking.connectivity.plastic import Joined
from engines.spiking.typed.synapses.cpu_kernels import arrived, kernel
from engines.spiking.typed.synapses.cpu_steps import kernels
from engines.spiking.typed.synapses.plan import TypedSynapse
from engines.spiking.typed.synapses.state import event_rows, neuron_rows, rows_of, sum_rows


class CpuSynapses:
    """Those of one connection. ``arrays`` of the network."""

    def __init__(self, block: Joined, typed: TypedSynapse, arrays: Mapping[str, Array]) -> None:
        k = block.connection
        self._block, self._arrays = block, arrays
        self._paths = [kernel(typed, which) if typed.model.paths[which] else None for which in range(2)]
        self._sent, self._came = arrays[f"sent_{k}"], arrays.get(f"came_{k}")
        variables = tuple(arrays[name] for name in rows_of(typed, k))
        self._state = [
            (block.words, arrays[f"events_{k}"], arrays[f"made_{k}"], variables, event_rows(typed, which, arrays),
             arrays["ring"], arrays[f"cut_{k}"]) for which in range(2)
        ]  # fmt: skip
        runs, (first, stop) = block.runs, block.target
        self._ends = (
            (np.ascontiguousarray(runs.who[:, 0]), runs.starts, np.zeros(0, np.int64)),
            (np.arange(first, stop, dtype=np.int32), block.into[first : stop + 1], block.listed),
        )
        self._due = np.zeros(len(runs.who), np.uint8)
        self._moving, self._summing = kernels(typed)
        self._moved = block.words, arrays[f"made_{k}"], variables, neuron_rows(typed, True, arrays)
        self._summed = (
            *block.target, block.into, block.listed, block.words, arrays[f"made_{k}"], variables,
            neuron_rows(typed, False, arrays), sum_rows(typed, arrays),
        )  # fmt: skip

    def sum_up(self, now: np.int32) -> None:
        """What neurons get from all of their synapses in the step that begins."""
        if self._summing is not None:
            self._summing(now, *self._summed)

    def step(self, now: np.int32, fired: Array) -> None:
        """A step of the synapses, and what its spikes do, those that arrive first. fired: (n,) uint8"""
        if self._moving is not None:
            self._moving(now, *self._moved)
        block, (on_pre, on_post) = self._block, self._paths
        first, stop = block.source
        if on_pre is not None:
            self._sent[now % len(self._sent)] = fired[first:stop]
            if arrived(now, block.runs.who, first, self._sent, self._due):
                self._arrays["events"][0] += on_pre(now, self._due, *self._ends[0], *self._state[0])
        if on_post is not None:
            first, stop = block.target
            heard = fired[first:stop] if self._came is None else _due(self._came, now, fired[first:stop])
            if heard.any():  # seldom in small networks, where a launch takes as long as a step
                on_post(now, heard, *self._ends[1], *self._state[1])


def _due(fired_lately: Array, now: np.int32, fired: Array) -> Array:
    """Whose spikes arrive now; fired_lately: (delay + 1, neurons)"""
    period = len(fired_lately)
    fired_lately[now % period] = fired
    return fired_lately[(now + 1) % period]
