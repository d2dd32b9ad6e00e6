"""The study of the seven-point Laplacian in three dimensions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api.lab import Case, Shape, Study, Variant
from engines.backend.lab.variants import Launch, array_variant, kernel_variant, over
from engines.stencil.lab.variants.grids import counts
from engines.stencil.lab.variants.laplacian import cpu
from engines.stencil.lab.variants.reference import laplacian, periodic_rows, uniform

BYTES, FLOPS = 8.0, 7.0
CUBES = tuple(Case(f"{n}³", (n, n, n), n**3) for n in (128, 256, 512, 1024))
FILE = Path(__file__).with_name("laplace3d.cu")


def _points(case: Case, shape: Shape) -> Launch:
    return Launch(over(case.size[::-1], shape), shape, counts(case))


class _March:
    """Shape: threads along x and y, then the planes that a block marches through."""

    def __init__(self, columns: int, tile: bool) -> None:
        self._columns, self._tile = columns, tile

    def __call__(self, case: Case, shape: Shape) -> Launch:
        nz, ny, nx = case.size
        bx, by, planes = shape
        grid = over((nx, ny, nz), (bx * self._columns, by, planes))
        shared = 4 * (bx + 2) * (by + 2) if self._tile else 0
        return Launch(grid, (bx, by), (*counts(case), np.int32(planes)), shared)


MARCHES: tuple[Shape, ...] = ((32, 8, 16), (32, 4, 16), (32, 8, 64), (32, 4, 64), (64, 4, 32))

VARIANTS: tuple[Variant, ...] = (
    kernel_variant(
        "naive", "One point per thread", FILE, "laplace3d_naive", _points, bytes=BYTES, flops=FLOPS,
        shapes=((32, 4, 2), (32, 8, 1), (32, 4, 1), (64, 2, 2), (128, 1, 1), (16, 8, 4)),
        note="Three planes must stay in the L2 for each point to be read once.",
    ),
    kernel_variant(
        "shared", "March through planes, plane in shared memory", FILE, "laplace3d_shared", _March(1, tile=True),
        bytes=BYTES, flops=FLOPS, shapes=MARCHES,
        note="The neighbours along z stay in registers; two barriers a plane.",
    ),
    kernel_variant(
        "march", "March through planes, four columns in registers", FILE, "laplace3d_march", _March(4, tile=False),
        bytes=BYTES, flops=FLOPS, shapes=MARCHES,
        note="16-byte accesses; the neighbours in the plane come from the caches, no barrier.",
    ),
    array_variant(
        "numba", "Rows", "Numba", cpu.__file__, "laplace3d_rows", lambda backend, case: cpu.laplace3d_rows,
        bytes=BYTES, flops=FLOPS, note="The inner loop runs in vectors.",
    ),
    array_variant(
        "numpy", "Slices in place", "NumPy", cpu.__file__, "laplace3d_sliced",
        lambda backend, case: cpu.laplace3d_sliced, bytes=BYTES, flops=FLOPS, note="Seven passes, one core.",
    ),
)  # fmt: skip

STUDY = Study(
    id="laplace3d",
    title="Laplacian in three dimensions",
    summary="Seven points, periodic.",
    cases=CUBES,
    variants=VARIANTS,
    inputs=uniform,
    reference=lambda inputs, steps: laplacian(inputs["x"]),
    reference_rows=periodic_rows(lambda inputs, steps: laplacian(inputs["x"])),
    tolerance=1e-6,
    tolerance_note="Seven float32 roundings of numbers up to 12, the largest answer near 10: at most 5e-7.",
)
