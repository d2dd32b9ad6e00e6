"""Parts of the steps on an NVIDIA GPU: poles, couplings of smoothed edges, absorbers, tables of waves' lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.dispersion import Dispersion
from engines.fdtd.media.smoothing.tensor import Coupling
from engines.fdtd.sources.currents import Sources

HERE = Path(__file__).parent
ABSORBER, COUPLE = HERE / "absorber.cu", HERE / "couple.cu"
THREADS = 256
SLOTS = 4
"""Places of ψ of x begin and end at a multiple of this: vectors of either precision."""


def slots_x(yee: Yee, axis: Axis) -> tuple[int, int]:
    """(low_x, high_x) of yee.cuh: the places before the first and from the second on have ψ of x."""
    low = -(-axis.low // SLOTS) * SLOTS
    high = (axis.n - axis.high) // SLOTS * SLOTS if axis.high else yee.row
    return low, max(low, high)


def psi_slots(yee: Yee, axes: Sequence[Axis], x: tuple[int, int]) -> tuple[tuple[int, ...], ...]:
    """Of ψ for x, y and z; those of y and z as in :func:`engines.fdtd.grid.boundaries.psi_shapes`."""
    nz, ny, row = yee.shape
    y, z = (axis.low + axis.high for axis in axes[1:])
    return (2, nz, ny, x[0] + row - x[1]), (2, nz, y, row), (2, z, ny, row)


class CudaPoles:
    """The states of the poles, (states, places), and what the kernels need of them: nothing where there is no pole."""

    def __init__(self, backend: Any, dispersion: Dispersion | None, dtype: Any) -> None:
        self.arguments: tuple[Any, ...] = ()
        if dispersion is None:
            self.states = backend.array(np.zeros((0, 0), dtype))
            return
        slots, beta = dispersion.slots, dispersion.beta
        self.states = backend.array(np.zeros((slots.states, dispersion.places), dtype))
        self.arguments = (
            backend.array(dispersion.spans), self.states, backend.array(slots.constants.astype(dtype)),
            backend.array(beta.astype(dtype)), np.int32(slots.count), np.int32(slots.seconds), np.int32(beta.shape[1]),
            np.int64(dispersion.places),
        )  # fmt: skip
        by_state = np.concatenate([beta, beta[: slots.seconds]])
        self.stored = backend.array(dispersion.energy_weights()), backend.array(by_state)


class CudaCoupling:
    """Off-diagonal terms of permittivities."""

    def __init__(self, backend: Any, coupling: Coupling, dtype: Any) -> None:
        self._kernel = backend.compile(COUPLE, [REAL[dtype.name]]).get_function("couple")
        self.weights = backend.array(coupling.weights.astype(dtype))
        width, self._count = coupling.weights.shape
        self._places = backend.array(coupling.targets), backend.array(coupling.places)
        self._numbers = np.int32(width), np.int32(self._count)

    def launch(self, electric: Any, magnetic: Any) -> None:
        self._kernel(
            (-(-self._count // THREADS),), (THREADS,), (electric, magnetic, *self._places, self.weights, *self._numbers)
        )  # fmt: skip


class Kernels:
    """Compiled when they are first asked for, for numbers of the type that the kernels call ``real``."""

    def __init__(self, backend: Any, real: str) -> None:
        self._backend, self._real = backend, real
        self._found: dict[tuple[Path, str, tuple[str, ...]], Any] = {}

    def __call__(self, source: Path, name: str, *macros: str) -> Any:
        key = source, name, macros
        if key not in self._found:
            self._found[key] = self._backend.compile(source, [self._real, *macros]).get_function(name)
        return self._found[key]


class Fader:
    """The absorbers of one axis."""

    def __init__(self, backend: Any, yee: Yee, along: int, axis: Axis, dtype: Any) -> None:
        self._kernel = backend.compile(ABSORBER, [REAL[dtype.name]]).get_function("fade")
        nz, ny, row = yee.shape
        layers = sum(axis.fading) + 2
        self._blocks = -(-(nz * ny * layers if along == 0 else row * layers * (nz if along == 1 else ny)) // THREADS)
        self._factors = [backend.array(factors.astype(dtype)) for factors in (axis.fade_nodes, axis.fade_halves)]
        self._numbers = [np.int32(n) for n in (along, axis.n, *axis.fading, nz, ny, row)]

    def launch(self, field: Any, magnetic: bool) -> None:
        self._kernel((self._blocks, 3), (THREADS,), (field, *self._factors, *self._numbers, np.int32(magnetic)))


def line_places(sources: Sources) -> list[tuple[int, int, int]]:
    """(first signal, nodes − 1, place in the table of lines) of each line."""
    found, place = [], 0
    for line in sources.lines:
        found.append((line.first, line.n, place))
        place += 4 * (line.n + 1) + 1
    return found


def line_table(sources: Sources, electric: bool, dtype: Any) -> Array:
    parts = [np.zeros(0)]
    for line in sources.lines:
        axis = line.axis
        if electric:
            parts += [axis.inverse_e, axis.b_e, axis.c_e, np.zeros(line.n + 1), np.array([line.cb])]
        else:
            parts += [axis.inverse_h, axis.b_h, axis.c_h, np.zeros(line.n + 1), np.array([line.db])]
    return np.concatenate(parts).astype(dtype)
