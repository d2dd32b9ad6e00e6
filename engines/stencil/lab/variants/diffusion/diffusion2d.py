"""The study of one diffusion step in two dimensions, after dendrite: which block shape is fastest."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.lab import Inputs, Published, Shape, Study, Variant
from engines.backend.lab.variants import array_variant, kernel_variant
from engines.stencil.lab.variants.diffusion import cpu
from engines.stencil.lab.variants.grids import SQUARES, Points
from engines.stencil.lab.variants.reference import uniform, walled_rows

BYTES, FLOPS = 8.0, 10.0
FILE = Path(__file__).with_name("diffusion2d.cu")
RX, RY = np.float32(0.2), np.float32(0.15)
SHAPES: tuple[Shape, ...] = ((32, 4), (32, 8), (32, 16), (16, 16), (64, 4), (128, 2), (32, 32), (256, 1))

RTX_3090 = Published(
    source="Dendrite: 133x Faster Battery Simulation with Hand-Tuned CUDA, the occupancy trap",
    device="RTX 3090",
    unit="GB/s",
    figures={"naive": {"4096² 32x16": 787.0, "4096² 32x8": 815.0, "4096² 32x4": 836.0}},
)


def reference(inputs: Inputs, steps: int) -> Array:
    """One step in float64; the border stays."""
    u = inputs["x"].astype(np.float64)
    out = u.copy()
    c = u[1:-1, 1:-1]
    across = u[1:-1, :-2] - 2 * c + u[1:-1, 2:]
    along = u[:-2, 1:-1] - 2 * c + u[2:, 1:-1]
    out[1:-1, 1:-1] = c + float(RX) * across + float(RY) * along
    return out


VARIANTS: tuple[Variant, ...] = (
    kernel_variant(
        "naive", "One point per thread", FILE, "diffusion2d_naive", Points(scalars=(RX, RY)),
        bytes=BYTES, flops=FLOPS, shapes=SHAPES,
        note="Dendrite, RTX 3090: 32x4 is fastest at 8 % occupancy; tiles, cp.async and textures did not help.",
    ),
    kernel_variant(
        "float4", "Four columns and four rows per thread", FILE, "diffusion2d_float4", Points((4, 4), (RX, RY)),
        bytes=BYTES, flops=FLOPS, shapes=((32, 4), (32, 8), (64, 2), (128, 1)),
        note="16-byte accesses, all loads on their way before the first is used.",
    ),
    array_variant(
        "numba", "Rows", "Numba", cpu.__file__, "diffusion2d_rows",
        lambda backend, case: lambda out, u: cpu.diffusion2d_rows(out, u, RX, RY), bytes=BYTES, flops=FLOPS,
        note="The inner loop runs in vectors.",
    ),
    array_variant(
        "numpy", "Slices", "NumPy", cpu.__file__, "diffusion2d_sliced",
        lambda backend, case: lambda out, u: cpu.diffusion2d_sliced(out, u, RX, RY), bytes=BYTES, flops=FLOPS,
        note="A pass through memory for each operation, one core.",
    ),
)  # fmt: skip

STUDY = Study(
    id="diffusion2d",
    title="Diffusion step in two dimensions",
    summary="Five points inside a fixed border; dendrite's kernel over block shapes.",
    cases=SQUARES[1:],
    variants=VARIANTS,
    inputs=uniform,
    reference=reference,
    reference_rows=walled_rows(reference),
    tolerance=1e-6,
    tolerance_note="Ten float32 roundings of numbers up to 4 times 0.2, the largest answer near 1: below 6e-7.",
    published=(RTX_3090,),
)
