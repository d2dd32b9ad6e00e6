"""The study of the two-dimensional Laplacian: every way to write it that the guide names, and its table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api.lab import Case, Published, Shape, Study, Variant
from engines.backend.lab.variants import HALF, Launch, array_variant, kernel_variant, over
from engines.stencil.lab.variants.grids import SQUARES, Points, counts
from engines.stencil.lab.variants.laplacian import expressions, laplace2d_cpu, textures
from engines.stencil.lab.variants.reference import laplacian, periodic_rows, uniform

BYTES, FLOPS = 8.0, 5.0
FILE = Path(__file__).with_name("laplace2d.cu")
TEXTURES = Path(__file__).with_name("textures.cu")
HALVES = Path(__file__).with_name("laplace2d_half.cu")

EPS_NOTE = (
    "Five float32 roundings of numbers up to 8 in size, of which the largest answer comes near 7: "
    "at most 5 x 2^-24 x 8 / 7 = 3.4e-7; three times that is allowed."
)
TOLERANCE = 1e-6
HALF_TOLERANCE = 3e-3
"""The input loses 2^-12 at each of 8 weights (2e-3 of 8), the sums up to 2^-9 each: together below 2e-2 of a largest
answer near 7.5, measured 1.3e-3."""

SHAPES: tuple[Shape, ...] = ((16, 16), (32, 16), (32, 8), (32, 4), (64, 4), (128, 2), (32, 32), (256, 1))
FEW: tuple[Shape, ...] = ((16, 16), (32, 8), (32, 4))


T4 = Published(
    source="CUDA for Scientific Computing: A Practical Guide, section 6 (blocks of 16x16)",
    device="Tesla T4",
    unit="ms",
    figures={
        "naive": {"1024²": 0.0398, "2048²": 0.1432, "4096²": 0.5662, "8192²": 2.2476},
        "ldg": {"1024²": 0.0397, "2048²": 0.1431, "4096²": 0.5656, "8192²": 2.2511},
        "texture": {"1024²": 0.0468, "2048²": 0.1644, "4096²": 0.6569, "8192²": 2.6381},
        "shared": {"1024²": 0.0674, "2048²": 0.2377, "4096²": 0.9082, "8192²": 3.6918},
    },
)


def _column_of_tiles(case: Case, shape: Shape) -> Launch:
    """Shape: threads along x and y, then the tiles that a block takes."""
    ny, nx = case.size
    bx, by, tiles = shape
    scalars = (*counts(case), np.int32(tiles))
    return Launch(over((nx, ny), (bx, by * tiles)), (bx, by), scalars, 2 * 4 * (bx + 2) * (by + 2))


VARIANTS: tuple[Variant, ...] = (
    kernel_variant(
        "naive", "One point per thread", FILE, "laplace2d_naive", Points(),
        bytes=BYTES, flops=FLOPS, shapes=SHAPES,
        note="The caches serve the neighbours. On the published T4 no other of its four forms is faster.",
    ),
    kernel_variant(
        "ldg", "Read-only loads (__ldg)", FILE, "laplace2d_ldg", Points(),
        bytes=BYTES, flops=FLOPS, shapes=FEW,
        note="The guide: equal to the naive form within 0.3 % on a T4.",
    ),
    kernel_variant(
        "texture", "Texture object", TEXTURES, "laplace2d_texture", Points(),
        bytes=BYTES, flops=FLOPS, shapes=FEW, bind=textures.rows,
        note="The guide: 15-18 % slower than naive on a T4; dendrite: no gain, the L2 already serves the neighbours.",
    ),
    kernel_variant(
        "shared", "Tile in shared memory", FILE, "laplace2d_shared", Points(tile=(1, 1)),
        bytes=BYTES, flops=FLOPS, shapes=((16, 16), (32, 8), (32, 16)),
        note="The guide: 1.6-1.7 times the naive time on a T4. The tile saves no memory traffic and costs a barrier.",
    ),
    kernel_variant(
        "coarse", "Four rows per thread (1x4)", FILE, "laplace2d_coarse", Points((1, 4)),
        bytes=BYTES, flops=FLOPS, shapes=((32, 4), (32, 8), (64, 2), (128, 1)),
        note="Six loads of the own column serve four points; four times fewer threads.",
    ),
    kernel_variant(
        "float4", "Four columns and four rows per thread", FILE, "laplace2d_float4", Points((4, 4)),
        bytes=BYTES, flops=FLOPS, shapes=((32, 4), (32, 8), (64, 2), (64, 4), (128, 1), (16, 16)),
        note="16-byte accesses, all loads on their way before the first is used.",
    ),
    kernel_variant(
        "async", "Tiles copied ahead (cp.async)", FILE, "laplace2d_async", _column_of_tiles,
        bytes=BYTES, flops=FLOPS, shapes=((32, 8, 4), (32, 8, 16), (32, 16, 8), (64, 4, 8)),
        note="Dendrite: no gain, there is hardly any arithmetic to hide the copies behind. Plain copies before sm_80.",
    ),
    kernel_variant(
        "half2", "Half precision, two points per thread", HALVES, "laplace2d_half2", Points((2, 1)),
        bytes=BYTES / 2, flops=FLOPS, shapes=FEW, layout=HALF, tolerance=HALF_TOLERANCE,
        note="Half the bytes. Dendrite: 64 % of peak against 89 % in float32, because pairs straddle the neighbours.",
    ),
    array_variant(
        "cupy", "Array expression", "CuPy", expressions.__file__, "laplace2d_rolled", expressions.laplace2d_rolled,
        bytes=BYTES, flops=FLOPS,
        note="Each operation is a kernel of its own that goes through memory; dendrite found such code behind NumPy.",
    ),
    array_variant(
        "numba", "Rows", "Numba", laplace2d_cpu.__file__, "laplace2d_rows",
        lambda backend, case: laplace2d_cpu.laplace2d_rows, bytes=BYTES, flops=FLOPS,
        note="The ends of a row are apart, so that its inner loop runs in vectors.",
    ),
    array_variant(
        "numba-points", "Point by point", "Numba", laplace2d_cpu.__file__, "laplace2d_points",
        lambda backend, case: laplace2d_cpu.laplace2d_points, bytes=BYTES, flops=FLOPS,
        note="The wrap in every index keeps the loop from running in vectors.",
    ),
    array_variant(
        "numpy", "Rolled copies", "NumPy", laplace2d_cpu.__file__, "laplace2d_rolled", laplace2d_cpu.laplace2d_rolled,
        bytes=BYTES, flops=FLOPS, note="Ten passes through memory on one core.",
    ),
    array_variant(
        "numpy-sliced", "Slices in place", "NumPy", laplace2d_cpu.__file__, "laplace2d_sliced",
        laplace2d_cpu.laplace2d_sliced, bytes=BYTES, flops=FLOPS, note="Five passes, no temporary arrays, one core.",
    ),
    array_variant(
        "scipy", "ndimage.convolve", "SciPy", laplace2d_cpu.__file__, "laplace2d_convolved",
        laplace2d_cpu.laplace2d_convolved, bytes=BYTES, flops=FLOPS, note="Any weights, one core, float64 inside.",
    ),
    array_variant(
        "scipy-sparse", "Sparse matrix", "SciPy", laplace2d_cpu.__file__, "laplace2d_sparse",
        laplace2d_cpu.laplace2d_sparse, bytes=BYTES, flops=FLOPS,
        note="Reads 40 bytes of matrix for each point, one core.",
    ),
)  # fmt: skip

STUDY = Study(
    id="laplace2d",
    title="Laplacian in two dimensions",
    summary="Five points, periodic: one read and one write per point if the caches serve the neighbours.",
    cases=SQUARES,
    variants=VARIANTS,
    inputs=uniform,
    reference=lambda inputs, steps: laplacian(inputs["x"]),
    reference_rows=periodic_rows(lambda inputs, steps: laplacian(inputs["x"])),
    tolerance=TOLERANCE,
    tolerance_note=EPS_NOTE,
    published=(T4,),
)
