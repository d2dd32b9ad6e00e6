"""Explicit diffusion on an NVIDIA GPU: launches ``diffusion2d.cu`` and ``diffusion3d.cu``, as deep as pays here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from engines.api import Array, KernelTraffic
from engines.stencil.diffusion.launches.base import Call, Launches, Planes
from engines.stencil.diffusion.launches.box import Launches3D
from engines.stencil.diffusion.launches.conductivity import LaunchesConductivity
from engines.stencil.diffusion.launches.plane import Launches2D
from engines.stencil.setup.faces import Interfaces
from engines.stencil.setup.sides import Ghosts
from engines.stencil.step.launch_shapes import Shape, best_shape, split


class CudaDiffusion:
    """Forward Euler steps of du/dt = div(alpha grad u) + s.

    shape:        (ny, nx) or (nz, ny, nx), any sizes from 1 on
    rates:        (alpha dt/dx², alpha dt/dy²[, alpha dt/dz²])
    ghosts:       what lies beyond the sides, for x, y (and z)
    dt:           time step, which multiplies the source
    precision:    ``"float32"`` or ``"float64"``
    conductivity: None, or alpha in units of that in ``rates``: a positive host array of ``shape``, or with its faces
    depth:        steps of a launch, one of those that there are kernels for; None: the best, measured once per device
                  and size of grid

    traffic:      bytes and operations per step without a source: each value is read and written once per launch
    """

    def __init__(
        self,
        backend: Any,
        shape: tuple[int, ...],
        rates: Sequence[float],
        ghosts: Ghosts,
        dt: float,
        precision: str,
        conductivity: Array | Interfaces | None = None,
        depth: int | None = None,
        sourced: bool = False,  # one kernel takes steps with and without
    ) -> None:
        self._launches = make_launches(backend, shape, rates, ghosts, dt, precision, conductivity)
        self._backend = backend
        self._cells = math.prod(shape)
        self._single, self._best = self._tuned(depth)
        self.depth = self._best[0]
        self.traffic = self.traffic_with(source=False)

    def _tuned(self, depth: int | None) -> tuple[Shape, Shape]:
        """The best shape of one step per launch, and the best by the time of a step: of all, or of this depth."""
        launches = self._launches
        singles = launches.single_shapes()
        single = self._fastest("single", singles)
        if depth is None:
            depths = launches.depths(source=False)[1:]
            fused = [shape for deeper in depths for shape in launches.fused_shapes(deeper)]
            return single, self._fastest("all", singles + fused)
        return single, single if depth == 1 else self._fastest(f"depth {depth}", launches.fused_shapes(depth))

    def _fastest(self, kind: str, candidates: list[Shape]) -> Shape:
        launches = self._launches
        return best_shape(
            self._backend, f"{launches.source.stem} {kind}", launches.source, launches.macros,
            launches.shape, launches.dtype, candidates,
            lambda arrays, shape: launches.launch(arrays[0], arrays[1], None, shape), arrays=2,
        )  # fmt: skip

    def call(self, u: Any, out: Any, source: Any = None) -> Call:
        """One launch of ``depth`` steps from ``u`` to ``out``, ready to be made."""
        return self._launches.call(u, out, source, self._best)

    def traffic_with(self, source: bool) -> KernelTraffic:
        """Bytes and operations per step; a source is read at each launch."""
        launches = self._launches
        depth = self._plan(source)[0][0]
        arrays_read = launches.arrays_read + source
        bytes_each = self._cells * launches.dtype.itemsize
        return KernelTraffic(
            "diffusion",
            bytes_read=round(bytes_each * arrays_read / depth),
            bytes_written=round(bytes_each / depth),
            flops=self._cells * (launches.flops + 2 * source),
            fused=depth,
        )

    def _plan(self, source: bool) -> list[Shape]:
        """One shape for each depth that is used, the deepest first; the last takes one step."""
        plan = [self._single]
        if self.depth > 1:
            depths = self._launches.depths(source)[1:]
            plan += [self._launches.with_depth(self._best, depth) for depth in depths if depth <= self.depth]
        return plan[::-1]

    def launches(self, steps: int, source: bool = False) -> list[Shape]:
        """The shapes of the launches that ``steps`` steps are split into."""
        return split(steps, self._plan(source))

    def advance(self, u: Any, spare: Any, source: Any, steps: int) -> tuple[Any, Any]:
        """Take exactly ``steps`` steps from ``u``; (array with the result, the other one).

        u, spare: different device arrays of ``shape``, C order. source: None, or one that is added times dt in each
        step. Called inside ``backend.timed`` or ``backend.active()``.
        """
        for shape in self.launches(steps, source is not None):
            self._launches.launch(u, spare, source, shape)
            u, spare = spare, u
        return u, spare

    def advance_around(
        self, u: Any, spare: Any, source: Any, steps: int, ends: tuple[int, int], arrived: Callable[[], None]
    ) -> tuple[Any, Any]:
        """The same where so many planes at either end of ``u`` are there once ``arrived`` was called: a launch that can
        do planes by themselves does those first that need none of them. In the result the planes at the ends are any.
        """
        shapes, planes = self.launches(steps, source is not None), self._launches.shape[0]
        first, last = (end and end + steps for end in ends)
        if len(shapes) != 1 or not self._launches.by_planes(shapes[0]) or first + last >= planes:
            arrived()
            return self.advance(u, spare, source, steps)
        self._launches.launch(u, spare, source, shapes[0], Planes(first, planes - last))
        arrived()
        at = [ends[0]] * bool(first) + [planes - last] * bool(last)
        if at:
            self._launches.launch(u, spare, source, shapes[0], Planes(at[0], at[-1] + steps, steps, at[-1] - at[0]))
        return spare, u


def make_launches(
    backend: Any,
    shape: tuple[int, ...],
    rates: Sequence[float],
    ghosts: Ghosts,
    dt: float,
    precision: str,
    conductivity: Array | Interfaces | None = None,
) -> Launches:
    """The launches for a grid of two or three dimensions; arguments as in :class:`CudaDiffusion`."""
    if conductivity is not None:
        return LaunchesConductivity(backend, shape, rates, ghosts, dt, precision, conductivity)
    kind = Launches2D if len(shape) == 2 else Launches3D
    return kind(backend, shape, rates, ghosts, dt, precision)
