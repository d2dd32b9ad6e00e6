"""Steps of diffusion and of Gray-Scott on a slab of a grid, as :mod:`engines.ranks.slabs` says: the bits are those of
the whole grid, for they are the same kernels on the same numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.api.simulation.ranks import Ranks
from engines.ranks.slabs import Held, Rounds, Slab, Widened
from engines.stencil.diffusion.forward_euler import DIFFUSION, DiffusionTwin
from engines.stencil.gray_scott.forward_euler import GRAY_SCOTT, GrayScottStep
from engines.stencil.setup.faces import Interfaces, face_coefficients
from engines.stencil.setup.sides import Ghost, Ghosts

CUT, JOINED = Ghost(False), Ghost(True)
"""What stands beyond an end that another slab lies beyond: it matters to no cell that is kept. Where both ends are such
they are joined, as kernels take planes that wrap around a tenth faster."""


class OnSlab(ABC):
    """What steps on a slab's own planes have in common."""

    def __init__(self, backend: Backend, ranks: Ranks, wide: Widened, held: Held) -> None:
        self._backend, self._ranks, self._wide = backend, ranks, wide
        self._rounds = Rounds(backend, ranks, wide, self._step, held)

    def arrays(self, start: Array) -> tuple[Any, Any]:
        """(these own planes on the device, as many others to write to) that steps need not copy before they begin."""
        own, spare = self._rounds.room(start), self._rounds.room(start)
        with self._backend.active():
            own[...] = self._backend.array(start)
        return own, spare

    @abstractmethod
    def _step(
        self, arrays: Sequence[Any], spares: Sequence[Any], steps: int, arrived: Callable[[], None]
    ) -> tuple[list[Any], list[Any]]:
        """As :data:`engines.ranks.slabs.Step`."""


class SlabDiffusion(OnSlab):
    """A :class:`~engines.stencil.diffusion.forward_euler.Diffusion` of a slab's own planes, in whose steps all ranks
    take part; arguments as of ``CpuDiffusion``, ``conductivity`` that of the whole grid.

    held: what the simulation's arrays lie in, the same list for all the steps that it has (a factor that changes makes
          others)
    """

    def __init__(
        self, backend: Backend, ranks: Ranks, slab: Slab, rates: Sequence[float], ghosts: Ghosts, dt: float,
        precision: str, conductivity: Array | Interfaces | None, held: Held,
    ) -> None:  # fmt: skip
        material = None if conductivity is None else _with_faces(conductivity, ghosts, precision)
        ends = _ends(ghosts, slab)

        def opened(shape: tuple[int, ...], planes: Array, depth: int | None = None) -> DiffusionTwin:
            there = None if material is None else _of_planes(material, planes)
            return DIFFUSION.open(backend, shape, rates, ends, dt, precision, there, depth)

        depth = opened(slab.own.shape, np.arange(slab.low, slab.high)).depth
        super().__init__(backend, ranks, Widened.of(slab, ranks, depth), held)
        self._whole = opened(self._wide.shape, self._wide.planes, depth)
        backend.release()  # what launches were measured on is as large as what follows, and not of its size
        self._source: Any = None
        self._nothing: Any = None

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
        # What was painted may lie on another rank alone, and may have changed since.
        if self._ranks.largest(int(source is not None)):
            self._source = self._rounds.shared(self._zeros(u) if source is None else source)
        else:
            self._source = None
        arrays, spares = self._rounds.advance([u], [spare], steps)
        return arrays[0], spares[0]

    def _zeros(self, like: Any) -> Any:
        if self._nothing is None:
            self._nothing = self._backend.array(np.zeros(like.shape, like.dtype))
        return self._nothing

    def _step(
        self, arrays: Sequence[Any], spares: Sequence[Any], steps: int, arrived: Callable[[], None]
    ) -> tuple[list[Any], list[Any]]:
        u, spare = self._whole.advance_around(
            arrays[0], spares[0], self._source, steps, self._wide.ends, arrived
        )  # fmt: skip
        return [u], [spare]


class SlabGrayScott(OnSlab):
    """A :class:`~engines.stencil.gray_scott.forward_euler.GrayScottStep` of a slab's own planes, in whose steps all
    ranks take part; arguments as of ``CpuGrayScott``."""

    def __init__(
        self, backend: Backend, ranks: Ranks, slab: Slab, rates: tuple[Sequence[float], Sequence[float]],
        ghosts: Ghosts, dt: float, feed: float, kill: float, precision: str,
    ) -> None:  # fmt: skip
        self.feed, self.kill = feed, kill
        numbers = (*rates, _ends(ghosts, slab), dt, feed, kill, precision)
        depth = GRAY_SCOTT.open(backend, slab.own.shape, *numbers).depth
        super().__init__(backend, ranks, Widened.of(slab, ranks, depth), [])
        self._whole: GrayScottStep = GRAY_SCOTT.open(backend, self._wide.shape, *numbers)
        backend.release()  # what launches were measured on is as large as what follows, and not of its size

    @property
    def depth(self) -> int:
        return self._whole.depth

    @property
    def traffic(self) -> KernelTraffic:
        return self._whole.traffic

    def advance(self, u: Any, v: Any, spare_u: Any, spare_v: Any, steps: int) -> tuple[Any, Any, Any, Any]:
        """Take exactly ``steps`` steps; all ranks with the same number."""
        (u, v), (spare_u, spare_v) = self._rounds.advance([u, v], [spare_u, spare_v], steps)
        return u, v, spare_u, spare_v

    def _step(
        self, arrays: Sequence[Any], spares: Sequence[Any], steps: int, arrived: Callable[[], None]
    ) -> tuple[list[Any], list[Any]]:
        arrived()
        self._whole.feed, self._whole.kill = self.feed, self.kill
        (u, v), (spare_u, spare_v) = arrays, spares
        found = self._whole.advance(u, v, spare_u, spare_v, steps)
        return list(found[:2]), list(found[2:])


def _ends(ghosts: Ghosts, slab: Slab) -> Ghosts:
    """The ghosts of its planes, with what stands for other slabs."""
    low, high = ghosts[-1]
    below, above = slab.below is not None, slab.above is not None
    ends = (JOINED, JOINED) if below and above else (CUT if below else low, CUT if above else high)
    return (*ghosts[:-1], ends)


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
