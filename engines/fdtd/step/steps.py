"""The steps of either device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from engines.api import Array
from engines.api.device import Backend
from engines.backend.twins import pick
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.dimensions import ALL, Parts
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media
from engines.fdtd.sources.currents import Sources
from engines.fdtd.step.bloch.steps import BlochSteps
from engines.fdtd.step.leapfrog import LEAPFROG, LeapfrogSteps


class Fields(Protocol):
    """E and H, (3, nz + 1, ny + 1, row) each."""

    @property
    def electric(self) -> Any: ...

    @property
    def magnetic(self) -> Any: ...


class YeeSteps(Fields, Protocol):
    """What a run needs of its steps: :class:`LeapfrogSteps`, :class:`BlochSteps` of two of them, or those of a slab."""

    dtype: Any

    @property
    def passes(self) -> int:
        """How often a step reads the fields: twice, or once where E and H are stepped together."""

    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives)."""

    def energy(self) -> tuple[float, float]:
        """Σ ε_r E² with what poles hold, and Σ μ_r (η₀H)², over the cells."""

    def energy_later(self) -> Callable[[], tuple[float, float]]:
        """:meth:`energy` of now, which is asked for when a device has had time to find it."""

    def values(self, electric: bool, places: Any) -> Any:
        """Of E or H at places of the flat field, on the device."""

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        """Ids of ``media`` in a block along z, y, x have changed, and so may its tables. Inside ``active``."""

    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name."""


def make_steps(
    backend: Backend, yee: Yee, axes: Sequence[Axis], media: Media, sources: Sources, precision: str,
    parts: Parts = ALL,
) -> YeeSteps:  # fmt: skip
    """Fields at rest on the device of ``backend``; precision: ``"float32"`` or ``"float64"``."""
    if not any(axis.phase for axis in axes):
        return LEAPFROG.open(backend, yee, axes, media, sources, precision, parts=parts)

    def copy(walled: Sequence[Axis], driven: Sources) -> LeapfrogSteps:
        by_halves: dict[str, Any] = pick(backend, cpu={}, cuda={"room": 0.0})
        return LEAPFROG.open(backend, yee, walled, media, driven, precision, parts=parts, **by_halves)

    return BlochSteps(backend, yee, axes, sources, copy)
