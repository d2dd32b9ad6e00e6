"""The steps of either device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.dimensions import ALL, Parts
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media
from engines.fdtd.sources.currents import Sources

if TYPE_CHECKING:
    from engines.api.device import Backend


class YeeSteps(Protocol):
    """What the CPU's and the GPU's steps have in common (:class:`engines.fdtd.step.cpu.CpuYee`)."""

    electric: Any
    magnetic: Any
    dtype: Any

    @property
    def passes(self) -> int:
        """How often a step reads the fields: twice, or once where E and H are stepped together."""

    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives)."""

    def energy(self) -> tuple[float, float]:
        """Σ ε_r E² with what poles hold, and Σ μ_r (η₀H)², over the cells."""

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        """Ids of ``media`` in a block along z, y, x have changed, and so may its tables. Inside ``active``."""

    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name."""


def make_steps(
    backend: Backend, yee: Yee, axes: Sequence[Axis], media: Media, sources: Sources, precision: str,
    parts: Parts = ALL,
) -> YeeSteps:  # fmt: skip
    """Fields at rest on the device of ``backend``; precision: ``"float32"`` or ``"float64"``."""
    if any(axis.phase for axis in axes):
        from engines.fdtd.step.bloch import BlochSteps

        def copy(walled: Sequence[Axis], driven: Sources) -> Any:
            return _copy(backend, yee, walled, media, driven, precision, parts, room=0.0)

        return BlochSteps(backend, yee, axes, sources, copy)
    return _copy(backend, yee, axes, media, sources, precision, parts)


def _copy(
    backend: Backend, yee: Yee, axes: Sequence[Axis], media: Media, sources: Sources, precision: str, parts: Parts,
    room: float | None = None,
) -> Any:  # fmt: skip
    if backend.id == "cpu":
        from engines.fdtd.step.cpu import CpuYee

        return CpuYee(backend, yee, axes, media, sources, precision, parts)
    from engines.fdtd.step.cuda import CudaYee

    return CudaYee(backend, yee, axes, media, sources, precision, parts=parts, room=room)
