"""The diffusion half of the monodomain equation on tetrahedra."""

from engines.cardiac.diffusion.weights import DiffusionOperator, assemble
from engines.cardiac.diffusion.cpu import CpuDiffusion


def make_diffusion(backend, matrix, precision):
    return CpuDiffusion(matrix.astype(precision), 0)
