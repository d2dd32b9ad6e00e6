"""Bytes and operations of a sweep and of a V-cycle, counted from the algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import KernelTraffic
from engines.stencil.poisson.levels import Level


def method_traffic(method: str, levels: Sequence[Level], value_bytes: int, sweeps: int) -> KernelTraffic:
    """Each input read once, each output written once, per kernel (a sweep with both its colours is one):

    sweep      reads u, s and the faces' conductivities where they vary; writes u
    restrict   reads the same; writes residual and zero error of the coarser level
    prolong    reads u and the coarser error; writes u
    coarsest   reads inverse and residual; writes the error
    """
    read = written = flops = 0
    for number, level in enumerate(levels):
        cells, dimensions = level.cells, 3 if level.three else 2
        faces = 0 if level.faces is None else dimensions * cells
        # difference, product, sum and the diagonal's sum for each of the 2d neighbours; with faces two more products
        each = (8 if level.faces is None else 12) * dimensions
        if method != "multigrid":
            read, written, flops = 2 * cells + faces, cells, (each + 4) * cells
        elif number < len(levels) - 1:
            coarse = levels[number + 1].cells
            read += sweeps * (2 * cells + faces) + (2 * cells + faces) + (cells + coarse)
            written += sweeps * cells + 2 * coarse + cells
            flops += sweeps * (each + 4) * cells + (each + 2) * cells + 2 * 2**dimensions * cells
        else:
            read += cells * cells + cells
            written += cells
            flops += 2 * cells * cells
    return KernelTraffic(method, read * value_bytes, written * value_bytes, flops)
