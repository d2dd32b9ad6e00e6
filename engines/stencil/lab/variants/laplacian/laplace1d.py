"""The study of the one-dimensional Laplacian (guide, section 4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api.lab import Case, Shape, Study, Variant
from engines.backend.lab.variants import Launch, array_variant, kernel_variant
from engines.stencil.lab.variants.laplacian import cpu, expressions, textures
from engines.stencil.lab.variants.reference import laplacian, periodic_rows, uniform

BYTES, FLOPS = 8.0, 3.0
FILE = Path(__file__).with_name("laplace1d.cu")
TEXTURES = Path(__file__).with_name("textures.cu")
SHAPES: tuple[Shape, ...] = ((256,), (128,), (512,), (1024,))


class _Line:
    """A launch with ``per_thread`` points for each thread and ``rim`` points of shared memory beyond the block."""

    def __init__(self, per_thread: int = 1, tile: bool = False) -> None:
        self._per_thread, self._tile = per_thread, tile

    def __call__(self, case: Case, shape: Shape) -> Launch:
        (threads,) = shape
        shared = 4 * (threads + 2) if self._tile else 0
        return Launch((-(-case.points // (threads * self._per_thread)),), shape, (np.int32(case.points),), shared)


VARIANTS: tuple[Variant, ...] = (
    kernel_variant(
        "naive", "One point per thread", FILE, "laplace1d_naive", _Line(), bytes=BYTES, flops=FLOPS, shapes=SHAPES,
        note="The caches serve the neighbours.",
    ),
    kernel_variant(
        "ldg", "Read-only loads (__ldg)", FILE, "laplace1d_ldg", _Line(), bytes=BYTES, flops=FLOPS, shapes=SHAPES[:2],
        note="The compiler uses these loads by itself where it sees that nothing is written.",
    ),
    kernel_variant(
        "texture", "Texture object", TEXTURES, "laplace1d_texture", _Line(), bytes=BYTES, flops=FLOPS,
        shapes=SHAPES[:2], bind=textures.linear,
        note="The guide calls it obsolete but for interpolation, clamping and unstructured images.",
    ),
    kernel_variant(
        "shared", "Tile in shared memory", FILE, "laplace1d_shared", _Line(tile=True), bytes=BYTES, flops=FLOPS,
        shapes=SHAPES, note="Each point is loaded once per block; a barrier between load and use.",
    ),
    kernel_variant(
        "float4", "Four points per thread", FILE, "laplace1d_float4", _Line(4), bytes=BYTES, flops=FLOPS,
        shapes=SHAPES, note="16-byte accesses.",
    ),
    array_variant(
        "cupy", "Array expression", "CuPy", expressions.__file__, "laplace1d_rolled", expressions.laplace1d_rolled,
        bytes=BYTES, flops=FLOPS, note="Each operation is a kernel of its own that goes through memory.",
    ),
    array_variant(
        "numba", "Chunks", "Numba", cpu.__file__, "laplace1d_chunks", lambda backend, case: cpu.laplace1d_chunks,
        bytes=BYTES, flops=FLOPS, note="The ends are apart, so that the inner loop runs in vectors.",
    ),
    array_variant(
        "numpy", "Slices in place", "NumPy", cpu.__file__, "laplace1d_sliced",
        lambda backend, case: cpu.laplace1d_sliced, bytes=BYTES, flops=FLOPS, note="Three passes, one core.",
    ),
)  # fmt: skip

STUDY = Study(
    id="laplace1d",
    title="Laplacian in one dimension",
    summary="Three points, periodic: memory access without much arithmetic.",
    cases=tuple(Case(f"2^{power}", (1 << power,), 1 << power) for power in range(20, 28)),
    variants=VARIANTS,
    inputs=uniform,
    reference=lambda inputs, steps: laplacian(inputs["x"]),
    reference_rows=periodic_rows(lambda inputs, steps: laplacian(inputs["x"])),
    tolerance=1e-6,
    tolerance_note="Three float32 roundings of numbers up to 4, the largest answer near 4: 1.8e-7; five times that.",
)
