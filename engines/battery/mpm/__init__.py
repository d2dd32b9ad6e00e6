"""The many-particle model (MPM): particles of different sizes at one potential per electrode, on either backend."""

from __future__ import annotations

from typing import Any

from engines.api.device import Backend
from engines.battery.mpm.many_particles import CellRow, ManyParticles, Row

__all__ = ["CellRow", "ManyParticles", "Row", "make_many_particles"]


def make_many_particles(backend: Backend, *args: Any, **kwargs: Any) -> ManyParticles:
    """Many particles on the backend's device; arguments of :class:`ManyParticles` after the backend."""
    if backend.id != "cpu":
        from engines.battery.mpm.cuda import CudaManyParticles

        return CudaManyParticles(backend, *args, **kwargs)  # type: ignore[arg-type]  # not the CPU: a CudaBackend
    from engines.battery.mpm.cpu import CpuManyParticles

    return CpuManyParticles(backend, *args, **kwargs)
