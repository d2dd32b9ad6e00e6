"""The study of several steps per launch: memory is read and written once for all of them.

The engine's own kernels stand beside simpler ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.lab import Inputs, Shape, Study, Variant
from engines.backend.lab.variants import array_variant, kernel_variant
from engines.stencil.lab.variants.diffusion import cpu
from engines.stencil.lab.variants.diffusion.engine_kernels import own_kernels
from engines.stencil.lab.variants.grids import SQUARES, Points
from engines.stencil.lab.variants.laplacian.laplace3d import CUBES
from engines.stencil.lab.variants.reference import laplacian, periodic_rows, uniform

BYTES, FLOPS_PER_STEP = 8.0, 7.0
FILE = Path(__file__).with_name("temporal2d.cu")
R = np.float32(0.2)
R3, FLOPS_PER_STEP_3D = np.float32(0.15), 11.0
SHAPES: tuple[Shape, ...] = ((32, 16), (32, 8), (32, 32), (64, 8))
BAND_ROWS = 32
"""Rows of a band on a CPU: two buffers of 40 rows of 8192 floats are 2.6 MB."""


def _diffusion(rate: np.float32) -> Callable[[Inputs, int], Array]:
    """(inputs, steps) -> so many periodic diffusion steps in float64."""

    def reference(inputs: Inputs, steps: int) -> Array:
        u = inputs["x"].astype(np.float64)
        for _ in range(steps):
            u = u + float(rate) * laplacian(u)
        return u

    return reference


def _cuda(depth: int) -> Variant:
    return kernel_variant(
        f"tile-{depth}", f"Overlapped tile, {depth} step{'s' * (depth > 1)}", FILE, "temporal2d",
        Points(scalars=(R,), tile=(depth, 2)), bytes=BYTES, flops=FLOPS_PER_STEP * depth, steps=depth, shapes=SHAPES,
        macros=(f"-DDEPTH={depth}",),
        note="A block computes the rim of its neighbours too: the deeper, the more is computed twice.",
    )  # fmt: skip


def _numba(depth: int) -> Variant:
    return array_variant(
        f"numba-{depth}", f"Bands of {BAND_ROWS} rows, {depth} step{'s' * (depth > 1)}", "Numba", cpu.__file__,
        "temporal2d_bands",
        lambda backend, case: lambda out, u: cpu.temporal2d_bands(out, u, R, depth, BAND_ROWS),
        bytes=BYTES, flops=FLOPS_PER_STEP * depth, steps=depth,
        note="A band stays in a core's cache between its steps.",
    )  # fmt: skip


def study2d() -> Study:
    return Study(
        id="temporal2d",
        title="Several steps per launch in two dimensions",
        summary="Periodic diffusion; bytes are those of one pass, so time per launch tells what depth costs.",
        cases=SQUARES,
        variants=(
            *map(_cuda, range(1, 5)), *map(_numba, range(1, 5)), *own_kernels(2, R, FLOPS_PER_STEP)
        ),
        inputs=uniform,
        reference=_diffusion(R),
        reference_rows=periodic_rows(_diffusion(R)),
        tolerance=1e-5,
        tolerance_note=(
            "Seven float32 roundings a step of numbers up to 1.6, at most 4e-7; a step does not amplify them, and "
            "sixteen steps leave a largest answer near 0.7."
        ),
    )  # fmt: skip


def study3d() -> Study:
    return Study(
        id="temporal3d",
        title="Several steps per launch in three dimensions",
        summary="Periodic diffusion; bytes are those of one pass, so time per launch tells what depth costs.",
        cases=CUBES,
        variants=own_kernels(3, R3, FLOPS_PER_STEP_3D),
        inputs=uniform,
        reference=_diffusion(R3),
        reference_rows=periodic_rows(_diffusion(R3)),
        tolerance=5e-6,
        tolerance_note=(
            "Eleven float32 roundings a step of numbers up to 1.7, at most 7e-7; three steps leave a largest answer "
            "near 0.6."
        ),
    )
