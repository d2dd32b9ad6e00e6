"""The stencil kernels in the ways that people write them, for the Kernel Lab."""

from __future__ import annotations

from engines.lab import Study


def studies() -> tuple[Study, ...]:
    """All studies of stencils; imported when they are asked for."""
    from engines.stencil.variants import laplace2d

    return (laplace2d.STUDY,)
