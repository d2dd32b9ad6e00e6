"""Explicit diffusion on grids: forward Euler in time, second-order central differences in space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from engines.api import KernelTraffic
from engines.backend.twins import Twins


class Diffusion(Protocol):
    """What the CPU's and the GPU's diffusion have in common (:class:`engines.stencil.diffusion.cpu.CpuDiffusion`)."""

    @property
    def depth(self) -> int:
        """Steps that one pass takes."""

    @property
    def traffic(self) -> KernelTraffic:
        """Bytes and operations per step of whole passes, without a source."""

    def traffic_with(self, source: bool) -> KernelTraffic:
        """The same where a source is read, too."""

    def advance(self, u: Any, spare: Any, source: Any, steps: int) -> tuple[Any, Any]:
        """Take exactly ``steps`` steps from ``u``; (array with the result, the other one)."""


class DiffusionTwin(Diffusion, Protocol):
    """What each of them has besides."""

    def advance_around(
        self, u: Any, spare: Any, source: Any, steps: int, ends: tuple[int, int], arrived: Callable[[], None]
    ) -> tuple[Any, Any]:
        """As ``advance`` where so many planes at either end of ``u`` are there once ``arrived`` was called, and may be
        any in the result."""


DIFFUSION = Twins[DiffusionTwin](__package__, cpu="cpu:CpuDiffusion", cuda="cuda:CudaDiffusion")
"""Steps of du/dt = div(alpha grad u) + s; arguments as in ``CpuDiffusion``."""
