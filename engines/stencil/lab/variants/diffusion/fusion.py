"""The study of kernel fusion: three passes through memory against one (guide, section 8.II)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.lab import Case, Inputs, Shape, Study, Variant
from engines.backend.lab.variants import Launch, Layout, array_variant, kernel_variant
from engines.stencil.lab.variants.diffusion import cpu, expressions
from engines.stencil.lab.variants.grids import SQUARES, Points, counts
from engines.stencil.lab.variants.reference import uniform, walled_rows

BYTES, FLOPS = 8.0, 6.0
FILE = Path(__file__).with_name("fusion.cu")
R, BORDER = np.float32(0.2), np.float32(0.5)
SHAPES: tuple[Shape, ...] = ((32, 8), (32, 4), (64, 4))


def reference(inputs: Inputs, steps: int) -> Array:
    """One step in float64, the border at its value."""
    u = inputs["x"].astype(np.float64)
    out = np.full(u.shape, float(BORDER))
    c = u[1:-1, 1:-1]
    out[1:-1, 1:-1] = c + float(R) * (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4 * c)
    return out


def _border(case: Case, shape: Shape) -> Launch:
    ny, nx = case.size
    return Launch((-(-2 * (nx + ny) // 256),), (256,), (*counts(case), R, BORDER))


WITH_SCRATCH = Layout(
    lambda inputs: [inputs["x"], np.zeros_like(inputs["x"])], lambda inputs: (inputs["x"].shape, np.float32)
)
"""The Laplacian lies in memory between two passes."""
POINTS = Points(scalars=(R, BORDER))

VARIANTS: tuple[Variant, ...] = (
    kernel_variant(
        "fused", "One kernel", FILE, "fusion_fused", POINTS, bytes=BYTES, flops=FLOPS, shapes=SHAPES,
        note="The Laplacian stays in a register.",
    ),
    kernel_variant(
        "separate", "Three kernels", FILE, "fusion_laplacian", POINTS, bytes=BYTES, flops=FLOPS, shapes=SHAPES,
        layout=WITH_SCRATCH, after=(("fusion_update", POINTS), ("fusion_border", _border)),
        note="Laplacian, update, border: 20 bytes a point go through memory where 8 would do.",
    ),
    array_variant(
        "cupy", "Array expression", "CuPy", expressions.__file__, "fusion_sliced",
        expressions.fusion_sliced(R, BORDER), bytes=BYTES, flops=FLOPS,
        note="A kernel and a pass through memory for each operation.",
    ),
    array_variant(
        "numba-fused", "One loop", "Numba", cpu.__file__, "fusion_fused",
        lambda backend, case: lambda out, u: cpu.fusion_fused(out, u, R, BORDER), bytes=BYTES, flops=FLOPS,
        note="The Laplacian stays in a register.",
    ),
    array_variant(
        "numba-separate", "Three loops", "Numba", cpu.__file__, "fusion_separate",
        lambda backend, case: lambda out, u, lap: cpu.fusion_separate(out, u, lap, R, BORDER), bytes=BYTES,
        flops=FLOPS, layout=WITH_SCRATCH, note="The Laplacian goes through memory.",
    ),
)  # fmt: skip

STUDY = Study(
    id="fusion",
    title="Separate passes against one",
    summary="A diffusion step with its border: Laplacian, update and border in one kernel or in three.",
    cases=SQUARES,
    variants=VARIANTS,
    inputs=uniform,
    reference=reference,
    reference_rows=walled_rows(reference),
    tolerance=1e-6,
    tolerance_note="Seven float32 roundings of numbers up to 8 times 0.2, the largest answer near 1: below 7e-7.",
)
