"""What the CPU's and the GPU's diffusion step have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.precision import FLOAT_TYPES
from engines.backend.twins import Twins, pick
from engines.cardiac.diffusion.packing import SEGMENTS
from engines.cardiac.diffusion.sliced import SlicedMatrix

DIFFUSION_TYPES: dict[str, str] = {**FLOAT_TYPES, "mixed": "mixed"}
"""What each precision of a problem is here."""
VALUE_TYPES = {"float32": "float32", "float64": "float64", "mixed": "float64"}
"""Of voltage, differences and sums, by precision."""
WEIGHT_TYPES = {"float32": "float32", "float64": "float64", "mixed": "float32"}
"""Of the weights as they are stored. ``mixed`` rounds each weight once: constants stay exact, and the columns' sums of
volume-weighted weights, which are what is conserved, are zero to the round-off of float32."""


class Diffusion(ABC):
    """``out = v + dt L v`` with columns and weights on the device.

    ``precision`` is ``"float32"``, ``"float64"`` or ``"mixed"``; ``dtype`` is the type of the voltage.
    ``dt`` [ms] is not folded into the weights and may change between steps.
    """

    alone = True
    """Whether a step is this device's alone, which a CUDA graph may keep."""
    ghosts = 0
    """Values behind the voltage's own ``n_padded`` that a step reads."""

    def __init__(self, backend: Backend, matrix: SlicedMatrix, dt: float, precision: str = "float32") -> None:
        self.dt = dt
        self.n_rows = matrix.n_rows
        self.dtype = np.dtype(VALUE_TYPES[precision])
        self.weight_type = np.dtype(WEIGHT_TYPES[precision])
        self._backend = backend

    def step(self, v: Any, out: Any) -> None:
        """v, out: different device arrays of ``dtype``, at least ``n_rows`` long; the rest of ``out`` stays."""
        self.step_rows(v, out, 0, self.n_rows)

    @abstractmethod
    def step_rows(self, v: Any, out: Any, first: int, end: int) -> None:
        """Only rows ``first`` to ``end`` (exclusive), each a multiple of 32 or ``n_rows``."""

    @abstractmethod
    def update_rows(self, rows: Array, columns: Array, weights: Array) -> None:
        """Replace the weights of ``rows: (m,)`` from the next step on; the arrays on the device stay where they are.

        columns, weights: (m, any), unused entries with the row itself as column and weight 0. The columns are among
        those that the row had at first.
        """

    @property
    @abstractmethod
    def traffic(self) -> KernelTraffic: ...


DIFFUSION = Twins[Diffusion](__package__, cpu="cpu:CpuDiffusion", cuda="cuda:CudaDiffusion")


def diffusion_traffic(matrix: SlicedMatrix, precision: str, column_bytes: int | None = None) -> KernelTraffic:
    """Columns, weights and the old voltage are read once, the new voltage is written once.

    ``column_bytes``: what a step reads to know the columns; four bytes per entry and the starts where it is not given.
    An entry costs a difference and an FMA, a row one FMA.
    """
    value, weight = (np.dtype(types[precision]).itemsize for types in (VALUE_TYPES, WEIGHT_TYPES))
    entries = len(matrix.columns)
    if column_bytes is None:
        column_bytes = matrix.columns.nbytes + matrix.starts.nbytes
    return KernelTraffic(
        kernel="diffusion",
        bytes_read=column_bytes + entries * weight + matrix.n_rows * value,
        bytes_written=matrix.n_rows * value,
        flops=3 * entries + 2 * matrix.n_rows,
    )


def expected_traffic(backend: Backend, matrix: SlicedMatrix, precision: str) -> KernelTraffic:
    """That of a :class:`Diffusion` on ``backend``, as far as it is known before it is made."""
    slice_bytes = 4 * (1 + SEGMENTS)
    packed = 2 * len(matrix.columns) + slice_bytes * len(matrix.starts)
    return diffusion_traffic(matrix, precision, pick(backend, cpu=None, cuda=packed))
