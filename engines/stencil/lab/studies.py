"""The stencil kernels in the ways that people write them, for the Kernel Lab."""

from __future__ import annotations

from engines.api.lab import Study


def studies() -> tuple[Study, ...]:
    """All studies of stencils; imported when they are asked for."""
    from engines.stencil.lab.variants.diffusion import diffusion2d, fusion, temporal
    from engines.stencil.lab.variants.laplacian import laplace1d, laplace2d, laplace3d
    from engines.stencil.lab.variants.layout import layout

    return (
        laplace1d.STUDY,
        laplace2d.STUDY,
        diffusion2d.STUDY,
        laplace3d.STUDY,
        layout.STUDY,
        fusion.STUDY,
        temporal.study2d(),
        temporal.study3d(),
    )
