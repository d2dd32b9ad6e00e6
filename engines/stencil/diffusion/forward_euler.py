"""Explicit diffusion on grids: forward Euler in time, second-order central differences in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from engines.api import Array, KernelTraffic
from engines.stencil.setup.sides import Ghosts

if TYPE_CHECKING:
    from engines.api.device import Backend


class Diffusion(Protocol):
    """What the CPU's and the GPU's diffusion have in common (:class:`engines.stencil.diffusion.cpu.CpuDiffusion`)."""

    @property
    def depth(self) -> int:
        """Steps that one pass takes."""

    @property
    def traffic(self) -> KernelTraffic:
        """Bytes and operations per step of whole passes, without a source."""

    def advance(self, u: Any, spare: Any, source: Any, steps: int) -> tuple[Any, Any]:
        """Take exactly ``steps`` steps from ``u``; (array with the result, the other one)."""


def make_diffusion(
    backend: Backend,
    shape: tuple[int, ...],
    rates: Sequence[float],
    ghosts: Ghosts,
    dt: float,
    precision: str,
    conductivity: Array | None = None,
) -> Diffusion:
    """Steps of du/dt = div(alpha grad u) + s on the device of ``backend``; arguments as in ``CpuDiffusion``."""
    if backend.id == "cpu":
        from engines.stencil.diffusion.cpu import CpuDiffusion

        return CpuDiffusion(backend, shape, rates, ghosts, dt, precision, conductivity)
    from engines.stencil.diffusion.cuda import CudaDiffusion

    return CudaDiffusion(backend, shape, rates, ghosts, dt, precision, conductivity)
