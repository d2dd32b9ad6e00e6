"""Gray-Scott reaction-diffusion on grids: two substances, one pass over both per step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from engines.api import KernelTraffic
from engines.stencil.setup.sides import Ghosts

if TYPE_CHECKING:
    from engines.api.device import Backend


class GrayScottStep(Protocol):
    """What the CPU's and the GPU's step have in common (:class:`engines.stencil.gray_scott.cpu.CpuGrayScott`)."""

    feed: float
    kill: float

    @property
    def depth(self) -> int:
        """Steps that one pass takes."""

    @property
    def traffic(self) -> KernelTraffic:
        """Bytes and operations per step."""

    def advance(self, u: Any, v: Any, spare_u: Any, spare_v: Any, steps: int) -> tuple[Any, Any, Any, Any]:
        """Take exactly ``steps`` steps; (u, v, spare u, spare v)."""


def make_gray_scott(
    backend: Backend,
    shape: tuple[int, ...],
    rates_u: Sequence[float],
    rates_v: Sequence[float],
    ghosts: Ghosts,
    dt: float,
    feed: float,
    kill: float,
    precision: str,
) -> GrayScottStep:
    """Steps of both substances on the device of ``backend``; arguments as in ``CpuGrayScott``."""
    if backend.id == "cpu":
        from engines.stencil.gray_scott.cpu import CpuGrayScott

        return CpuGrayScott(backend, shape, rates_u, rates_v, ghosts, dt, feed, kill, precision)
    from engines.stencil.gray_scott.cuda import CudaGrayScott

    return CudaGrayScott(backend, shape, rates_u, rates_v, ghosts, dt, feed, kill, precision)
