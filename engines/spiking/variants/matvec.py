"""The studies of W s for a dense W and binary s at densities of 1 % and 10 %, after a report on brainevent's kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from engines.api import Array
from engines.backend.base import Backend
from engines.errors import ProblemError
from engines.lab import Case, Inputs, Prepared, Published, Shape, Study, Variant
from engines.lab_variants import Launch, Layout, array_variant, kernel_variant, up_to
from engines.spiking.variants import expressions
from engines.spiking.variants.own import OwnPrepared

FILE = Path(__file__).with_name("matvec.cu")
EVENTS = Path(__file__).resolve().parent.parent / "events"
CASES = tuple(Case(f"{k}K", (1000 * k, 1000 * k), (1000 * k) ** 2) for k in (5, 10, 20))
LARGEST_SPARSE = CASES[1].points
"""Synapses of 12 bytes, with what is needed to make them."""
SCAN_SHAPES: tuple[Shape, ...] = ((256,), (512,), (128,))
ONE_BY_ONE = 5e-5
"""2,000 numbers of one sign added one after the other in float32: 2,000 × 6e-8 of the sum at worst, and random signs of
the roundings leave a fiftieth of that."""

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


def _scan(id: str, title: str, note: str, bytes: float, shapes: tuple[Shape, ...] = SCAN_SHAPES) -> Variant:
    def launch(case: Case, shape: Shape) -> Launch:
        return Launch((case.size[0],), shape, (np.int32(case.size[0]),))

    return kernel_variant(
        id, title, FILE, f"scan_{id}", launch, bytes=bytes, flops=bytes / 4, shapes=shapes, note=note, layout=BY_OUTPUT
    )  # fmt: skip


def _gather(bytes: float) -> Variant:
    def launch(case: Case, shape: Shape) -> Launch:
        return Launch((-(-case.size[0] // shape[0]),), shape, (np.int32(case.size[0]),))

    return kernel_variant(
        "gather", "Row gather, a column per thread", FILE, "gather", launch, bytes=bytes, flops=bytes / 4,
        shapes=((64,), (128,), (256,)), layout=BY_SENDER, tolerance=ONE_BY_ONE,
        note="Reads only what fired, but 20,000 threads are too few, and each walks through all events.",
    )  # fmt: skip


def _own(id: str, language: Literal["CUDA", "Numba"], kind: Literal["dense", "sparse"], bytes: float) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return OwnPrepared(backend, inputs, sets, kind)

    dense, cuda = kind == "dense", language == "CUDA"
    note = (
        "Events compacted inside the kernel; rows by 16-byte loads, eight on their way; stretches of rows over blocks, "
        "summed in a fixed order."
        if dense
        else "Every weight with its target, added by integer atomics: for matrices that are sparse, which this is not."
    )
    return Variant(
        id=id, title="The engine's" if dense else "As a sparse matrix (CSR)", language=language, bytes=bytes,
        flops=bytes / 4, source=EVENTS / (("dense.cu" if dense else "sparse.cu") if cuda else "cpu.py"),
        symbol="gather_rows" if dense else "scatter_rows", prepare=prepare, note=note,
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
            _scan("plain", "Plain scan", "Reads all of W; the report's baseline.", bytes),
            _scan("ballot", "Scan, ballot", "Skips groups of 32 senders of which none fired.", bytes),
            _scan(
                "predicated", "Scan, predicated", "No branch, unrolled, 512 threads; what the report kept.", bytes,
                ((512,), (256,)),
            ),
            _gather(bytes),
            _own("engine", "CUDA", "dense", bytes),
            up_to(LARGEST_SPARSE, _own("sparse", "CUDA", "sparse", bytes)),
            _expression("cublas", "CuPy, matrix product", "CuPy", "full_product", bytes, "cuBLAS: reads all of W."),
            _expression("cupy", "CuPy, chosen rows", "CuPy", "chosen_rows", bytes, "Copies the rows before it adds."),
            _own("numba-engine", "Numba", "dense", bytes),
            _expression("blas", "NumPy, matrix product", "NumPy", "full_product", bytes, "BLAS: reads all of W."),
            _expression("numpy", "NumPy, chosen rows", "NumPy", "chosen_rows", bytes, "Copies the rows, then adds."),
        ),
        inputs=inputs(percent),
        reference=reference,
        reference_rows=reference_rows,
        tolerance=1e-5,
        tolerance_note=(
            "Sums of up to 2,000 positive numbers in two stages of at most 512 events and 160 parts: under 100 "
            "roundings of 6e-8 where they were all of one sign and half full."
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
