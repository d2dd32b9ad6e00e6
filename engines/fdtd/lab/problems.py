"""The problems that tables step: glass and vacuum in equal layers, between walls or in a CPML, without sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.lab import Resources
from engines.backend.lab.timing import graph_seconds, launch_seconds
from engines.backend.lab.variants import kernel_resources
from engines.backend.precision import FLOAT_TYPES
from engines.backend.twins import pick
from engines.fdtd.grid.boundaries import Axis, Face, make_axes
from engines.fdtd.grid.yee import Yee
from engines.fdtd.lab.benchmarks import Counts
from engines.fdtd.media.materials import Media, Medium, make_media
from engines.fdtd.sources.currents import Sources, make_sources
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee, Shape

COURANT = 0.99
GLASS = Medium(permittivity=2.25)
PAIR, IN_A_GRAPH = 2, 16
"""Steps that are timed together: an even number, for one pass writes to a second pair of fields and then back."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A grid with its materials; the arrays of ids are shared by all who step it."""

    yee: Yee
    axes: Sequence[Axis]
    media: Media
    sources: Sources

    @property
    def cells(self) -> int:
        return self.yee.cells


def make_scene(counts: Counts, layer: int = 0, glass: bool = True) -> Scene:
    """Cubic cells between perfect conductors, before which ``layer`` cells are a CPML."""
    yee = Yee(counts, (1.0, 1.0, 1.0))
    dt = COURANT * yee.largest_step()
    face = Face("CPML", layer) if layer else Face("PEC")
    axes = make_axes(yee, ((face, face),) * 3, dt)
    cells = np.zeros(counts[::-1], np.uint8)
    materials = [Medium()]
    if glass:
        materials.append(GLASS)
        cells[: counts[2] // 4] = cells[counts[2] // 2 : 3 * counts[2] // 4] = 1
    media = make_media(yee, axes, cells, materials, dt)
    return Scene(yee, axes, media, make_sources(yee, axes, media, materials[0], dt, "um", (), ()))


class LabYee(CudaYee):
    """The engine's steps on a GPU, put on the stream one by one: who times them captures them."""

    def use(self, shape: Shape) -> None:
        """Launch both passes in this shape from now on."""
        self._shapes = {"electric": shape, "magnetic": shape}

    def enqueue(self, count: int) -> None:
        """``count`` steps as the engine takes them."""
        if self._many is None:
            self._launches(count)
        else:
            self._launch_many(self._many, count)

    def enqueue_layers_magnetic(self) -> None:
        """What a CPML adds to H."""
        for part in (0, 1):
            self._layers_magnetic(part)

    def resources(self, name: str) -> Resources:
        """Of one of the two passes."""
        packed, across, rows, _ = self._shapes[name]
        return kernel_resources(self._backend, self._kernel(packed, name), (across, rows), 0)


def make_lab_steps(backend: Backend, scene: Scene, precision: str, maker: type[LabYee] = LabYee, **options: Any) -> Any:
    """Steps of ``scene``, its fields set; options: those of CudaYee, of no account on a CPU."""
    arguments = (backend, scene.yee, scene.axes, scene.media, scene.sources, FLOAT_TYPES[precision])
    made: Any = pick(backend, cpu=CpuYee, cuda=maker)
    steps = made(*arguments, **pick(backend, cpu={}, cuda=options))
    start = _plane(scene.yee).astype(steps.dtype)
    with backend.active():
        for field in (steps.electric, steps.magnetic):
            field[:, :-1] = backend.array(start)
    return steps


def start_fields(counts: Counts) -> tuple[Array, Array]:
    """(electric, magnetic), (3, nz + 1, ny + 1, row) float32 of vacuum between walls, the same in each plane."""
    yee = Yee(counts, (1.0, 1.0, 1.0))
    plane = np.where(np.arange(counts[2] + 1)[:, None, None] < counts[2], _plane(yee), 0).astype(np.float32)
    magnetic = np.broadcast_to(plane, (3, *yee.shape))
    electric = magnetic.copy()
    electric[:, 0], electric[:, :, 0], electric[..., 0] = 0, 0, 0
    return electric, magnetic


def _plane(yee: Yee) -> Array:
    """(ny + 1, row) random numbers, 0 at places that may not exist: fields at rest take less power to move."""
    values = np.random.default_rng(1).uniform(-1, 1, yee.shape[1:])
    values[-1], values[:, yee.counts[0] :] = 0, 0
    return values


def step_seconds(backend: Backend, steps: Any) -> float:
    """Of one step without sources; on a GPU of one of many in a CUDA graph, as the engine runs them."""
    return pick(backend, cpu=_launched, cuda=_in_a_graph)(backend, steps)


def _launched(backend: Backend, steps: Any) -> float:
    one = np.zeros((1, 0))
    return launch_seconds(backend, lambda _: steps.advance(one))


def _in_a_graph(backend: Backend, steps: Any) -> float:
    count = IN_A_GRAPH if backend.info.kind == "cuda" else PAIR
    return graph_seconds(backend, lambda: steps.enqueue(count)) / count
