"""What a CPML adds to H in a step, by the engine's kernels and by slices of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.lab import Inputs
from engines.fdtd.grid.boundaries import Axis, Face, make_axes
from engines.fdtd.grid.yee import Yee
from engines.fdtd.lab.benchmarks import LAYER, Counts
from engines.fdtd.lab.problems import COURANT, make_lab_steps, make_scene
from engines.fdtd.lab.variants.forms import Form, courant_factor


@lru_cache(maxsize=8)
def layered_axes(counts: Counts) -> tuple[Axis, Axis, Axis]:
    """Axes with LAYER cells of CPML at both ends, as those of problems."""
    yee = Yee(counts, (1.0, 1.0, 1.0))
    return make_axes(yee, ((Face("CPML", LAYER),) * 2,) * 3, COURANT * yee.largest_step())


def layer_answer(inputs: Inputs, steps: int) -> Array:
    """``H ± s c ∂E`` in float64 on whole arrays, from ψ = 0; (nz + 1, 6, ny + 1, row) with E as it was."""
    counts: Counts = tuple(int(n) for n in inputs["counts"])  # type: ignore[assignment]  # three of them
    e, h = inputs["e"].astype(float), inputs["h"].astype(float)
    for d, axis in enumerate(layered_axes(counts)):
        c = axis.c_h[:-1].reshape([-1 if along == 2 - d else 1 for along in range(3)])
        low, high = [slice(None)] * 3, [slice(None)] * 3
        low[2 - d], high[2 - d] = slice(0, counts[d]), slice(1, counts[d] + 1)
        first, second = (d + 1) % 3, (d + 2) % 3
        h[first][tuple(low)] += courant_factor() * c * (e[second][tuple(high)] - e[second][tuple(low)])
        h[second][tuple(low)] -= courant_factor() * c * (e[first][tuple(high)] - e[first][tuple(low)])
    return np.moveaxis(np.concatenate([e, h]), 1, 0)


class LayersForm(Form):
    """The engine's kernels; ψ is zero at first."""

    def __init__(self, backend: Any, counts: Counts) -> None:
        self._backend = backend
        self._made = make_lab_steps(
            backend, make_scene(counts, LAYER, glass=False), "fp32", shape=(1, 32, 8, 16)
        )  # the passes are not launched
        self.bytes = self._made.electric.nbytes + self._made.magnetic.nbytes

    def put(self, electric: Array, magnetic: Array) -> None:
        with self._backend.active():
            self._made.electric[...] = self._backend.array(electric)
            self._made.magnetic[...] = self._backend.array(magnetic)
            for psi in self._made.psi:
                psi[...] = 0

    def launch(self) -> None:
        self._made.enqueue_layers_magnetic()

    def fields(self) -> tuple[Array, Array]:
        return self._backend.to_host(self._made.electric), self._backend.to_host(self._made.magnetic)


class LayerExpressions(Form):
    """NumPy on the halves that are in layers."""

    def __init__(self, backend: Any, counts: Counts) -> None:
        shape = (3, *Yee(counts, (1.0, 1.0, 1.0)).shape)
        self._electric, self._magnetic = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self._s = np.float32(courant_factor())
        self._tables, self._psi = [], []
        for d, axis in enumerate(layered_axes(counts)):
            halves = np.concatenate([np.arange(LAYER), np.arange(axis.n - LAYER, axis.n)])
            b, c = (table[halves].astype(np.float32)[:, None, None] for table in (axis.b_h, axis.c_h))
            self._tables.append((halves, b, c))
            others = [count for along, count in enumerate(shape[1:]) if along != 2 - d]
            self._psi.append([np.zeros((2 * LAYER, *others), np.float32) for _ in range(2)])
        self.bytes = 2 * self._electric.nbytes

    def put(self, electric: Array, magnetic: Array) -> None:
        self._electric[...], self._magnetic[...] = electric, magnetic
        for pair in self._psi:
            for psi in pair:
                psi[...] = 0

    def launch(self) -> None:
        add_layers(self._electric, self._magnetic, self._psi, self._tables, self._s)

    def fields(self) -> tuple[Array, Array]:
        return self._electric.copy(), self._magnetic.copy()


def add_layers(
    e: Array, h: Array, psi: Sequence[Sequence[Array]], tables: Sequence[tuple[Array, Array, Array]], s: np.float32
) -> None:
    """ψ ← bψ + c∂E, H ← H ± sψ; tables: (halves in the layers, b, c) of x, y, z."""
    for d, (halves, b, c) in enumerate(tables):
        for part, sign in enumerate((s, -s)):
            field = np.moveaxis(e[(d + 2 - part) % 3], 2 - d, 0)
            held = psi[d][part]
            held *= b
            held += c * (field[halves + 1] - field[halves])
            np.moveaxis(h[(d + 1 + part) % 3], 2 - d, 0)[halves] += sign * held
