"""The diffusion half of the monodomain equation: finite volumes on tetrahedra, one sparse product per step."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from engines.api.device import Backend
from engines.cardiac.diffusion.forward_euler import Diffusion
from engines.cardiac.diffusion.sliced import SlicedMatrix
from engines.cardiac.diffusion.weights import DiffusionOperator, assemble

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

__all__ = ["Diffusion", "DiffusionOperator", "SlicedMatrix", "assemble", "make_diffusion"]


def make_diffusion(backend: Backend, matrix: SlicedMatrix, dt: float, precision: str = "float32") -> Diffusion:
    """The step ``out = v + dt L v`` on the device of ``backend``.

    precision: ``"float32"``, ``"float64"``, or ``"mixed"`` (float32 weights, all else float64).
    """
    if backend.id == "cpu":
        from engines.cardiac.diffusion.cpu import CpuDiffusion

        return CpuDiffusion(backend, matrix, dt, precision)
    from engines.cardiac.diffusion.cuda import CudaDiffusion

    return CudaDiffusion(cast("CudaBackend", backend), matrix, dt, precision)
