"""The diffusion half of the monodomain equation: finite volumes on tetrahedra, one sparse product per step."""

from __future__ import annotations

from engines.backend.base import Backend
from engines.cardiac.diffusion.ell import EllMatrix
from engines.cardiac.diffusion.launcher import Diffusion
from engines.cardiac.diffusion.weights import DiffusionOperator, assemble

__all__ = ["Diffusion", "DiffusionOperator", "EllMatrix", "assemble", "make_diffusion"]


def make_diffusion(backend: Backend, matrix: EllMatrix, dt: float, precision: str = "float32") -> Diffusion:
    """The step ``out = v + dt L v`` on the device of ``backend``; precision is ``"float32"`` or ``"float64"``."""
    if backend.id == "cpu":
        from engines.cardiac.diffusion.cpu import CpuDiffusion

        return CpuDiffusion(backend, matrix, dt, precision)
    from engines.cardiac.diffusion.cuda import CudaDiffusion

    return CudaDiffusion(backend, matrix, dt, precision)
