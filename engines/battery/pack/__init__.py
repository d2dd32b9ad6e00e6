"""Packs: cells in a box of voxels, wired in series and parallel, each with its own temperature, on either backend."""

from __future__ import annotations

from typing import Any

from engines.api.device import Backend
from engines.battery.pack.heat import Heat

__all__ = ["Heat", "make_heat"]


def make_heat(backend: Backend, *args: Any, **kwargs: Any) -> Heat:
    """Heat on the backend's device; arguments of :class:`Heat` after the backend."""
    if backend.id != "cpu":
        from engines.battery.pack.cuda import CudaHeat

        return CudaHeat(backend, *args, **kwargs)  # type: ignore[arg-type]  # not the CPU: a CudaBackend
    from engines.battery.pack.cpu import CpuHeat

    return CpuHeat(backend, *args, **kwargs)
