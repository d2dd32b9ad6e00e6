"""The study of data layouts: one array per field against one structure per point (guide, section 8.I)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.lab import Case, Inputs, Shape, Study, Variant
from engines.backend.lab.variants import Layout, array_variant, kernel_variant
from engines.stencil.lab.variants.grids import SQUARES, Points
from engines.stencil.lab.variants.layout import cpu
from engines.stencil.lab.variants.reference import periodic_rows

BYTES, FLOPS = 24.0, 30.0
FILE = Path(__file__).with_name("layout.cu")
R, S = np.float32(0.2), np.float32(0.1)
SHAPES: tuple[Shape, ...] = ((32, 8), (32, 4), (64, 4), (128, 2))


def inputs(case: Case, generator: np.random.Generator) -> Inputs:
    """``x``: (ny, nx, 3) numbers between -1 and 1."""
    return {"x": generator.random((*case.size, 3), np.float32) * np.float32(2) - np.float32(1)}


def reference(inputs: Inputs, steps: int) -> Array:
    """One update of the three fields in float64, (ny, nx, 3)."""
    f = inputs["x"].astype(np.float64)
    neighbours = sum(np.roll(f, shift, axis) for axis in (0, 1) for shift in (1, -1))
    ring = np.roll(f, -1, 2) - np.roll(f, -2, 2)
    return np.asarray(f + float(R) * (neighbours - 4 * f) + float(S) * ring)


STRUCTURES = Layout(lambda inputs: [inputs["x"]], lambda inputs: (inputs["x"].shape, np.float32))
ARRAYS = Layout(
    lambda inputs: [np.ascontiguousarray(np.moveaxis(inputs["x"], 2, 0))],
    lambda inputs: ((3, *inputs["x"].shape[:2]), np.float32),
    lambda output: np.moveaxis(output, 0, 2),
)
PADDED = Layout(
    lambda inputs: [np.pad(inputs["x"], ((0, 0), (0, 0), (0, 1)))],
    lambda inputs: ((*inputs["x"].shape[:2], 4), np.float32),
    lambda output: output[..., :3],
)

VARIANTS: tuple[Variant, ...] = (
    kernel_variant(
        "arrays", "Structure of arrays", FILE, "layout_arrays", Points(scalars=(R, S)),
        bytes=BYTES, flops=FLOPS, shapes=SHAPES, layout=ARRAYS,
        note="A warp reads 128 consecutive bytes of each field: coalesced.",
    ),
    kernel_variant(
        "structures", "Array of structures", FILE, "layout_structures", Points(scalars=(R, S)),
        bytes=BYTES, flops=FLOPS, shapes=SHAPES, layout=STRUCTURES,
        note="A warp's loads lie 12 bytes apart: three times the transactions, from the same lines.",
    ),
    kernel_variant(
        "padded", "Array of padded structures", FILE, "layout_padded", Points(scalars=(R, S)),
        bytes=BYTES, flops=FLOPS, shapes=SHAPES, layout=PADDED,
        note="One 16-byte access per point, a quarter of which is padding.",
    ),
    array_variant(
        "numba-arrays", "Structure of arrays", "Numba", cpu.__file__, "layout_arrays",
        lambda backend, case: lambda out, f: cpu.layout_arrays(out, f, R, S), bytes=BYTES, flops=FLOPS, layout=ARRAYS,
        note="Neighbouring points lie side by side: the inner loop runs in vectors.",
    ),
    array_variant(
        "numba-structures", "Array of structures", "Numba", cpu.__file__, "layout_structures",
        lambda backend, case: lambda out, f: cpu.layout_structures(out, f, R, S), bytes=BYTES, flops=FLOPS,
        layout=STRUCTURES, note="The fields of a point lie side by side: vectors would have to be gathered.",
    ),
    array_variant(
        "numpy", "Structure of arrays, rolled copies", "NumPy", cpu.__file__, "layout_rolled",
        lambda backend, case: lambda out, f: cpu.layout_rolled(out, f, R, S), bytes=BYTES, flops=FLOPS, layout=ARRAYS,
        note="Some twelve passes through memory for each field, one core.",
    ),
)  # fmt: skip

STUDY = Study(
    id="layout",
    title="Data layout of three fields",
    summary="Three fields that diffuse and feed each other, periodic; the same arithmetic on three layouts.",
    cases=SQUARES[:4],
    variants=VARIANTS,
    inputs=inputs,
    reference=reference,
    reference_rows=periodic_rows(reference),
    tolerance=1e-6,
    tolerance_note="Some ten float32 roundings of numbers up to 8 times 0.2, the largest answer near 1.2: below 8e-7.",
)
