"""Steps of diffusion and of Gray-Scott on a slab of a grid, as :mod:`engines.ranks.slabs` says: the bits are those of
the whole grid, for they are the same kernels on the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.api.simulation.ranks import Ranks
from engines.ranks.slabs import Edge, Rounds, Slab, Step
from engines.stencil.diffusion.forward_euler import DIFFUSION, Diffusion
from engines.stencil.gray_scott.forward_euler import GRAY_SCOTT, GrayScottStep
from engines.stencil.setup.faces import Interfaces, face_coefficients
from engines.stencil.setup.sides import Ghost, Ghosts

CUT = Ghost(False)
"""What stands beyond an end that another slab lies beyond: it matters to no cell that is kept."""


class SlabDiffusion:
    """A :class:`~engines.stencil.diffusion.forward_euler.Diffusion` of a slab's own planes, in whose steps all ranks
    take part; arguments as of ``CpuDiffusion``, ``conductivity`` that of the whole grid."""

    def __init__(
        self, backend: Backend, ranks: Ranks, slab: Slab, rates: Sequence[float], ghosts: Ghosts, dt: float,
        precision: str, conductivity: Array | Interfaces | None,
    ) -> None:  # fmt: skip
        self._backend, self._ranks, self._slab = backend, ranks, slab
        self._numbers = (rates, dt, precision)
        self._ghosts = ghosts
        self._material = None if conductivity is None else _with_faces(conductivity, ghosts, precision)
        own = None if self._material is None else _of_planes(self._material, np.arange(slab.low, slab.high))
        self._whole = self._open(slab.own.shape, _ends(ghosts, slab.below is not None, slab.above is not None), own)
        self._rounds: Rounds | None = None
        self._source: Any = None
        self._nothing: Any = None
        self._edge_sources: list[Any] = []

    def _open(
        self, shape: tuple[int, ...], ghosts: Ghosts, material: Interfaces | None, depth: int | None = None
    ) -> Diffusion:
        rates, dt, precision = self._numbers
        return DIFFUSION.open(self._backend, shape, rates, ghosts, dt, precision, material, depth)

    @property
    def depth(self) -> int:
        return self._whole.depth

    @property
    def traffic(self) -> KernelTraffic:
        return self._whole.traffic

    def traffic_with(self, source: bool) -> KernelTraffic:
        return self._whole.traffic_with(source)

    def advance(self, u: Any, spare: Any, source: Any, steps: int) -> tuple[Any, Any]:
        """Take exactly ``steps`` steps; all ranks with the same number, and with a source if one has one."""
        if self._rounds is None:
            self._rounds = Rounds(
                self._backend, self._ranks, self._slab, self._whole.depth, self._step_of(self._whole, None),
                self._edge_step, [u.dtype],
            )  # fmt: skip
        # What was painted may lie on another rank alone, and may have changed since.
        if self._ranks.largest(int(source is not None)):
            source = self._zeros(u) if source is None else source
        self._source = source
        if source is not None:
            self._edge_sources = [shared[0] for shared in self._rounds.shared([source])]
        arrays, spares = self._rounds.advance([u], [spare], steps)
        return arrays[0], spares[0]

    def _zeros(self, like: Any) -> Any:
        if self._nothing is None:
            self._nothing = self._backend.array(np.zeros(like.shape, like.dtype))
        return self._nothing

    def _edge_step(self, edge: Edge) -> Step:
        material = None if self._material is None else _of_planes(self._material, edge.planes)
        diffusion = self._open(edge.shape, _ends(self._ghosts, True, True), material, self._whole.depth)
        return self._step_of(diffusion, 0 if edge.lower or self._slab.below is None else 1)

    def _step_of(self, diffusion: Diffusion, number: int | None) -> Step:
        """``number``: of the edge; None: the slab's own planes."""

        def step(arrays: Sequence[Any], spares: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
            source = self._source
            if source is not None and number is not None:
                source = self._edge_sources[number]
            u, spare = diffusion.advance(arrays[0], spares[0], source, steps)
            return [u], [spare]

        return step


class SlabGrayScott:
    """A :class:`~engines.stencil.gray_scott.forward_euler.GrayScottStep` of a slab's own planes, in whose steps all
    ranks take part; arguments as of ``CpuGrayScott``."""

    def __init__(
        self, backend: Backend, ranks: Ranks, slab: Slab, rates: tuple[Sequence[float], Sequence[float]],
        ghosts: Ghosts, dt: float, feed: float, kill: float, precision: str,
    ) -> None:  # fmt: skip
        self.feed, self.kill = feed, kill
        self._backend, self._ranks, self._slab, self._ghosts = backend, ranks, slab, ghosts
        self._numbers = (*rates, dt, precision)
        self._whole = self._open(slab.own.shape, _ends(ghosts, slab.below is not None, slab.above is not None))
        self._rounds: Rounds | None = None

    def _open(self, shape: tuple[int, ...], ghosts: Ghosts) -> GrayScottStep:
        rates_u, rates_v, dt, precision = self._numbers
        return GRAY_SCOTT.open(
            self._backend, shape, rates_u, rates_v, ghosts, dt, self.feed, self.kill, precision
        )  # fmt: skip

    @property
    def depth(self) -> int:
        return self._whole.depth

    @property
    def traffic(self) -> KernelTraffic:
        return self._whole.traffic

    def advance(self, u: Any, v: Any, spare_u: Any, spare_v: Any, steps: int) -> tuple[Any, Any, Any, Any]:
        """Take exactly ``steps`` steps; all ranks with the same number."""
        if self._rounds is None:
            self._rounds = Rounds(
                self._backend, self._ranks, self._slab, self._whole.depth, self._step_of(self._whole),
                lambda edge: self._step_of(self._open(edge.shape, _ends(self._ghosts, True, True))), [u.dtype, v.dtype],
            )  # fmt: skip
        (u, v), (spare_u, spare_v) = self._rounds.advance([u, v], [spare_u, spare_v], steps)
        return u, v, spare_u, spare_v

    def _step_of(self, part: GrayScottStep) -> Step:
        def step(arrays: Sequence[Any], spares: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
            part.feed, part.kill = self.feed, self.kill
            (u, v), (spare_u, spare_v) = arrays, spares
            found = part.advance(u, v, spare_u, spare_v, steps)
            return list(found[:2]), list(found[2:])

        return step


def _ends(ghosts: Ghosts, below: bool, above: bool) -> Ghosts:
    """The ghosts of planes that another slab lies below, or above."""
    low, high = ghosts[-1]
    return (*ghosts[:-1], (CUT if below else low, CUT if above else high))


def _with_faces(conductivity: Array | Interfaces, ghosts: Ghosts, precision: str) -> Interfaces:
    """As a step on the whole grid has them, to the bit."""
    cells = conductivity.cells if isinstance(conductivity, Interfaces) else conductivity
    given = conductivity if isinstance(conductivity, Interfaces) else conductivity.astype(precision)
    faces = tuple(face.astype(precision) for face in face_coefficients(given, ghosts))
    return Interfaces(cells.astype(precision), faces)


def _of_planes(material: Interfaces, planes: Array) -> Interfaces:
    """Of planes that follow each other, across periodic sides too."""
    walls = np.append(planes, planes[-1] + 1)
    *within, across = material.faces
    faces = (*(face[planes] for face in within), across[walls])
    return Interfaces(material.cells[planes], tuple(np.ascontiguousarray(face) for face in faces))
