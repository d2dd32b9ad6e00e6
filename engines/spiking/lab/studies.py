"""The studies of W s for a dense W and binary s at densities of 1 % and 10 %, after a report on brainevent's kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import Case, Inputs, Prepared, Published, Shape, Study, Variant
from engines.backend.lab.variants import Launch, Layout, array_variant, kernel_variant, up_to
from engines.spiking.events.weights import BYTES, Precision
from engines.spiking.lab.variants import expressions
from engines.spiking.lab.variants.products import Kind, PreparedProduct

FILE = Path(__file__).parent / "variants" / "matvec.cu"
EVENTS = Path(__file__).parents[1] / "events"
CASES = tuple(Case(f"{k}K", (1000 * k, 1000 * k), (1000 * k) ** 2) for k in (5, 10, 20))
LARGEST_SPARSE = CASES[1].points
"""Synapses of 12 bytes, with what is needed to make them."""
SCAN_SHAPES: tuple[Shape, ...] = ((256,), (512,), (128,))
ONE_BY_ONE = 5e-5
"""2,000 numbers of one sign added one after the other in float32: 2,000 × 6e-8 of the sum at worst, and random signs of
the roundings leave a fiftieth of that."""

TOLERANCE: dict[str, float | None] = {"float32": None, "float16": 5e-4, "int8": 6e-3}
"""float16 rounds each weight by 2^-11 of it; int8 by half of 1/127 of a sender's largest, 1.5, where the mean is 1."""

PUBLISHED: dict[int, dict[str, dict[str, float]]] = {
    1: {
        "plain": {"5K": 178.0, "10K": 1127.0, "20K": 1153.0},
        "ballot": {"5K": 203.0, "10K": 846.0},
        "predicated": {"5K": 220.0, "10K": 1154.0, "20K": 1126.0},
    },
    10: {
        "plain": {"5K": 290.0, "10K": 1153.0, "20K": 2342.0},
        "ballot": {"5K": 360.0, "10K": 1179.0},
        "predicated": {"5K": 350.0, "10K": 1132.0, "20K": 2262.0},
    },
}
"""[µs]: the report's baseline, its iteration 1 and its iteration 2."""


def inputs(percent: int) -> Callable[[Case, np.random.Generator], Inputs]:
    """``rows: (n, n)`` float32, row j what neuron j sends, in 0.5 … 1.5; ``events: (n,)`` uint8 of this density."""

    def make(case: Case, generator: np.random.Generator) -> Inputs:
        rows = generator.random(case.size, np.float32)
        rows += np.float32(0.5)
        return {"rows": rows, "events": (generator.random(case.size[0]) < percent / 100).astype(np.uint8)}

    return make


def reference_rows(inputs: Inputs, steps: int, first: int, stop: int) -> Array:
    """Outputs first … stop − 1 in float64."""
    active = np.flatnonzero(inputs["events"])
    return np.asarray(inputs["rows"][active, first:stop].sum(axis=0, dtype=np.float64))


def reference(inputs: Inputs, steps: int) -> Array:
    """(n,) in float64."""
    return reference_rows(inputs, steps, 0, inputs["rows"].shape[1])


def _output(inputs: Inputs) -> tuple[tuple[int, ...], type]:
    return (inputs["rows"].shape[1],), np.float32


BY_SENDER = Layout(lambda inputs: [inputs["rows"], inputs["events"]], _output)
BY_OUTPUT = Layout(lambda inputs: [np.ascontiguousarray(inputs["rows"].T), inputs["events"]], _output)
AS_BITS = Layout(lambda inputs: [np.ascontiguousarray(inputs["rows"].T), _bits(inputs["events"])], _output)


def _bits(events: Array) -> Array:
    """(words,) uint32, bit c % 32 of word c // 32."""
    padded = np.zeros(-(-len(events) // 32) * 32, np.uint8)
    padded[: len(events)] = events
    return np.packbits(padded, bitorder="little").view(np.uint32)


def _scan(
    id: str, title: str, note: str, bytes: float, shapes: tuple[Shape, ...] = SCAN_SHAPES, layout: Layout = BY_OUTPUT
) -> Variant:
    def launch(case: Case, shape: Shape) -> Launch:
        return Launch((case.size[0],), shape, (np.int32(case.size[0]),))

    return kernel_variant(
        id, title, FILE, f"scan_{id}", launch, bytes=bytes, flops=bytes / 4, shapes=shapes, note=note, layout=layout
    )  # fmt: skip


def _gather(bytes: float) -> Variant:
    def launch(case: Case, shape: Shape) -> Launch:
        return Launch((-(-case.size[0] // shape[0]),), shape, (np.int32(case.size[0]),))

    return kernel_variant(
        "gather", "Row gather, a column per thread", FILE, "gather", launch, bytes=bytes, flops=bytes / 4,
        shapes=((64,), (128,), (256,)), layout=BY_SENDER, tolerance=ONE_BY_ONE,
        note="Reads only what fired, but 20,000 threads are too few, and each walks through all events.",
    )  # fmt: skip


NOTES: dict[Kind, str] = {
    "dense": "Events compacted inside the kernel; rows by 16-byte loads, eight on their way; shares of the events over "
    "blocks, summed in a fixed order.",
    "list": "A kernel of one block compacts first; the gather has nothing to look for, but waits for a second launch.",
    "sparse": "Every weight with its target, added by integer atomics: for sparse matrices, which this is not.",
}


def _own(
    id: str,
    title: str,
    language: Literal["CUDA", "Numba"],
    kind: Kind,
    bytes: float,
    precision: Precision = "float32",
    note: str = "",
) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return PreparedProduct(backend, inputs, sets, kind, precision)

    file = "cpu_kernels.py" if language == "Numba" else ("sparse/sparse.cu" if kind == "sparse" else "dense/dense.cu")
    return Variant(
        id=id, title=title, language=language, bytes=bytes * BYTES[precision] / 4, flops=bytes / 4,
        source=EVENTS / file, symbol="push" if kind == "sparse" else "gather_rows", prepare=prepare,
        note=note or NOTES[kind], tolerance=TOLERANCE[precision],
    )  # fmt: skip


def _expression(
    id: str, title: str, language: Literal["CuPy", "NumPy"], symbol: str, bytes: float, note: str
) -> Variant:
    def compute(backend: Backend, case: Case) -> Callable[..., None]:
        if language == "CuPy" and symbol == "full_product":
            _need_cublas(backend)
        function: Callable[..., None] = getattr(expressions, symbol)
        return function

    return array_variant(
        id, title, language, str(expressions.__file__), symbol, compute, bytes=bytes, flops=bytes / 4, note=note,
        layout=BY_SENDER, tolerance=ONE_BY_ONE,
    )  # fmt: skip


def _need_cublas(backend: Backend) -> None:
    """Raises ProblemError where the library is not installed, as it need not be."""
    try:
        with backend.active():
            ones = backend.array(np.ones((2, 2), np.float32))
            ones[0] @ ones
    except Exception as error:  # whatever loading a library raises
        raise ProblemError("cuBLAS is not installed beside CuPy here.") from error


def study(percent: int) -> Study:
    """At a density of so many percent. Bytes are those of the weights that fired, for all variants alike."""
    bytes = 4 * percent / 100
    return Study(
        id=f"event-matvec-{percent}",
        title=f"Weights times spikes, {percent} % firing",
        summary=f"y = W s for a dense W and a binary s of which {percent} % are 1; bytes are those of their weights.",
        cases=CASES,
        variants=(
            _scan("plain", "Plain scan", "Reads all of W; the published baseline.", bytes),
            _scan("ballot", "Scan, ballot", "Skips groups of 32 senders of which none fired.", bytes),
            _scan(
                "predicated", "Scan, predicated", "No branch, unrolled, 512 threads; what was published.", bytes,
                ((512,), (256,)),
            ),
            _gather(bytes),
            _scan(
                "bits", "Scan, bit-packed spikes", "32 spikes in a word; spikes were never what takes the time.", bytes,
                layout=AS_BITS,
            ),
            _own("engine", "The engine's", "CUDA", "dense", bytes),
            _own("compacted", "The engine's, from a list", "CUDA", "list", bytes),
            _own("fp16", "The engine's, fp16", "CUDA", "dense", bytes, "float16", "Half the bytes; sums in float32."),
            _own("int8", "The engine's, int8", "CUDA", "dense", bytes, "int8", "A quarter; a scale for each sender."),
            up_to(LARGEST_SPARSE, _own("sparse", "As a sparse matrix (CSR)", "CUDA", "sparse", bytes)),
            _expression("cublas", "CuPy, matrix product", "CuPy", "full_product", bytes, "cuBLAS: reads all of W."),
            _expression("cupy", "CuPy, chosen rows", "CuPy", "chosen_rows", bytes, "Copies the rows before it adds."),
            _own("numba-engine", "The engine's", "Numba", "dense", bytes),
            _expression("blas", "NumPy, matrix product", "NumPy", "full_product", bytes, "BLAS: reads all of W."),
            _expression("numpy", "NumPy, chosen rows", "NumPy", "chosen_rows", bytes, "Copies the rows, then adds."),
        ),
        inputs=inputs(percent),
        reference=reference,
        reference_rows=reference_rows,
        tolerance=1e-5,
        tolerance_note=(
            "Sums of up to 2,000 positive numbers in stages (a thread's, a block's, those of blocks): under 160 "
            "roundings of 6e-8 one after the other, and random signs of the roundings leave a tenth of that."
        ),
        published=(
            Published(
                source="Binary Dense Matrix-Vector CUDA Kernel Optimization Report, brainevent, 2026-02-21",
                device="RTX 3080 Ti",
                unit="us",
                figures=PUBLISHED[percent],
            ),
        ),
    )  # fmt: skip


STUDIES = tuple(study(percent) for percent in (1, 10))
