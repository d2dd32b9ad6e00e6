"""Gray-Scott on an NVIDIA GPU: launches ``gray_scott.cu``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import KernelTraffic
from engines.backend.compile.variants import declared
from engines.backend.precision import REAL
from engines.stencil.setup.sides import Ghosts, sides_for_kernels
from engines.stencil.step.launch_shapes import Shape, best_shape, split

SOURCE = Path(__file__).with_name("gray_scott.cu")
LANES = 32
DEPTHS = (2, 4)
FUSED_WARPS = 4
"""Warps per block that the fused kernel is compiled for, at most."""


class CudaGrayScott:
    """Forward Euler steps of Gray and Scott's model; the equations are at the top of ``gray_scott.cu``.

    shape:            (ny, nx) or (nz, ny, nx), any sizes from 1 on
    rates_u, rates_v: (D dt/dx², D dt/dy²[, D dt/dz²]) of both substances
    ghosts:           what lies beyond the sides, for x, y (and z), the same for both substances
    feed, kill:       the rates F and k [1/time]; may be set between steps

    depth:            steps that one launch takes; measured once per device and size of grid
    traffic:          bytes and operations per step: both substances are read and written once per launch
    """

    def __init__(
        self,
        backend: Any,
        shape: tuple[int, ...],
        rates_u: Sequence[float],
        rates_v: Sequence[float],
        ghosts: Ghosts,
        dt: float,
        feed: float,
        kill: float,
        precision: str,
    ) -> None:
        self.feed, self.kill = feed, kill
        self._backend, self._shape = backend, shape
        self.dtype = np.dtype(precision)
        number = self.dtype.type
        self._dt = number(dt)
        # A grid of two dimensions has no rate along z.
        self._rates = [number(rate) for rates in (rates_u, rates_v) for rate in (*rates, 0.0)[:3]]
        self._wraps, host_sides = sides_for_kernels(ghosts, self.dtype)
        self._sides = backend.array(host_sides)
        self._macros: tuple[str, ...] = (REAL[precision], f"-DDIMENSIONS={len(shape)}")
        if all(len({number(rate) for rate in rates}) == 1 for rates in (rates_u, rates_v)):
            self._macros += ("-DEQUAL",)
        self._kernels: dict[int, Any] = {}
        variants = declared(SOURCE.read_text(encoding="utf-8")).variants
        self._depths = [depth for depth in DEPTHS if (*self._macros, f"-DDEPTH={depth}") in variants]
        singles = self._single_shapes()
        self._single = self._best("single", singles)
        self._chosen = self._best("all", singles + [shape for depth in self._depths for shape in fused_shapes(depth)])
        self.depth = self._chosen[0]

    def _best(self, kind: str, candidates: list[Shape]) -> Shape:
        return best_shape(
            self._backend, f"gray_scott {kind}", SOURCE, self._macros, self._shape, self.dtype, candidates,
            lambda a, shape: self._launch(a[0], a[1], a[2], a[3], shape), arrays=4,
        )  # fmt: skip

    def _single_shapes(self) -> list[Shape]:
        """(1, warps per block, rows of a warp) in 2D, (1, warps per block, planes of a part) in 3D."""
        spans = (16, 8, 32) if len(self._shape) == 2 else (64, 32, 16)
        return [(1, warps, span) for span in spans for warps in (8, 4)]

    def _launch(self, u: Any, v: Any, u_out: Any, v_out: Any, shape: Shape) -> None:
        depth, warps, span = shape
        nz, ny, nx = (1, *self._shape)[-3:]
        packed = 16 // self.dtype.itemsize
        if depth == 1:
            columns = LANES * packed
            grid = (-(-nx // columns), -(-ny // (warps * span)), 1)
            if len(self._shape) == 3:
                grid = (grid[0], -(-ny // warps), -(-nz // span))
        else:
            halo = -(-depth // packed) * packed
            grid = (-(-nx // (warps * (LANES * packed - 2 * halo))), -(-ny // span), 1)
        if depth not in self._kernels:
            macros = self._macros if depth == 1 else (*self._macros, f"-DDEPTH={depth}")
            name = "single" if depth == 1 else "fused"
            self._kernels[depth] = self._backend.compile(SOURCE, macros).get_function(name)
        number = self.dtype.type
        self._kernels[depth](
            grid,
            (LANES, warps),
            (
                u, v, u_out, v_out, np.int32(nx), np.int32(ny), np.int32(nz), np.int32(span), self._wraps, self._sides,
                *self._rates, number(self.feed), number(self.feed + self.kill), self._dt,
            ),
        )  # fmt: skip

    def _plan(self) -> list[Shape]:
        fused = [(depth, *self._chosen[1:]) for depth in self._depths[::-1] if depth <= self.depth]
        return [*fused, self._single]

    @property
    def traffic(self) -> KernelTraffic:
        cells = math.prod(self._shape)
        moved = round(2 * cells * self.dtype.itemsize / self.depth)
        axes = len(self._shape)
        diffusion = (7 if axes == 2 else 11) if "-DEQUAL" in self._macros else 5 * axes
        flops = cells * (2 * diffusion + 12)
        return KernelTraffic("gray_scott", bytes_read=moved, bytes_written=moved, flops=flops, fused=self.depth)

    def launches(self, steps: int) -> list[Shape]:
        """The shapes of the launches that ``steps`` steps are split into."""
        return split(steps, self._plan())

    def advance(self, u: Any, v: Any, spare_u: Any, spare_v: Any, steps: int) -> tuple[Any, Any, Any, Any]:
        """Take exactly ``steps`` steps from (u, v); (u, v, spare_u, spare_v) afterwards, the same four arrays.

        Different device arrays of the grid's shape, C order. Called inside ``backend.timed`` or ``backend.active()``.
        """
        for shape in self.launches(steps):
            self._launch(u, v, spare_u, spare_v, shape)
            u, v, spare_u, spare_v = spare_u, spare_v, u, v
        return u, v, spare_u, spare_v


def fused_shapes(depth: int) -> list[Shape]:
    """(steps, warps per block, rows of the part that a strip is cut into)."""
    return [(depth, warps, rows) for rows in (128, 64, 32) for warps in (FUSED_WARPS, 2)]
