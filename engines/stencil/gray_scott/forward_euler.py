"""Gray-Scott reaction-diffusion on grids: two substances, one pass over both per step."""

from __future__ import annotations

from typing import Any, Protocol

from engines.api import KernelTraffic
from engines.backend.twins import Twins


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


GRAY_SCOTT = Twins[GrayScottStep](__package__, cpu="cpu:CpuGrayScott", cuda="cuda:CudaGrayScott")
"""Steps of both substances; arguments as in ``CpuGrayScott``."""
