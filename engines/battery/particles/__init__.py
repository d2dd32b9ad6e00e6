"""Lithium diffusion in spherical particles: finite volumes (explicit, implicit) and eigenmodes, on either backend."""

from __future__ import annotations

from typing import Any

from engines.api.device import Backend
from engines.battery.particles.step.diffusion import ModeDiffusion, ShellDiffusion


def make_shells(backend: Backend, *args: Any, **kwargs: Any) -> ShellDiffusion:
    """Finite volumes on the backend's device; arguments of :class:`ShellDiffusion` after the backend."""
    if backend.id != "cpu":
        from engines.battery.particles.step.cuda import CudaShellDiffusion

        return CudaShellDiffusion(backend, *args, **kwargs)  # type: ignore[arg-type]  # not the CPU: a CudaBackend
    from engines.battery.particles.step.cpu import CpuShellDiffusion

    return CpuShellDiffusion(backend, *args, **kwargs)


def make_modes(backend: Backend, *args: Any, **kwargs: Any) -> ModeDiffusion:
    """Eigenmodes on the backend's device; arguments of :class:`ModeDiffusion` after the backend."""
    if backend.id != "cpu":
        from engines.battery.particles.step.cuda import CudaModeDiffusion

        return CudaModeDiffusion(backend, *args, **kwargs)  # type: ignore[arg-type]  # not the CPU: a CudaBackend
    from engines.battery.particles.step.cpu import CpuModeDiffusion

    return CpuModeDiffusion(backend, *args, **kwargs)
