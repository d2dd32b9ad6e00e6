"""A study, a plausible record of it, and a run that plays the record back from its own thread."""

from __future__ import annotations

import threading
from collections import deque
from pathlib import Path

import numpy as np

from engines.api.lab import Case, Published, Study, Variant
from tests.workbench.fake_tables import DIFFUSION_BLOCKS, STEP_TIMES
from workbench.bench.lab_run import Ceilings, Failed, Finished, Measured, MeasuredTable, Progress
from workbench.bench.record_files import kept_records, read_record, write_json
from workbench.bench.records import BandwidthPoint, LabRecord, MachineRecord, TableRecord, VariantRecord

MEMORY, CACHE = 4.3e12, 9.5e12
CACHE_BYTES = 48 << 20
SHAPES = tuple((x, y) for y in (4, 8, 16, 32) for x in (16, 32, 64, 128) if x * y <= 1024)
SIZES = (1024, 2048, 4096, 8192, 16384)
SOURCE = Path(__file__).resolve().parents[3] / "engines" / "backend" / "ceilings" / "ceilings.cu"
PYTHON_SOURCE = Path(__file__).resolve().parents[3] / "engines" / "backend" / "ceilings" / "curve_kernels.py"

#           id         title                       language  part of copy  registers  note
WAYS = (
    ("naive", "Naive, one point per thread", "CUDA", 0.55, 18, "Five reads; the cache does the rest."),
    ("ldg", "Read-only cache (__ldg)", "CUDA", 0.552, 18, "The compiler uses this path already."),
    ("texture", "Texture object", "CUDA", 0.43, 22, "The texture units deliver less than the L1 here."),
    ("tile", "Shared-memory tile", "CUDA", 0.47, 24, "Two barriers cost more than the cache would."),
    ("coarse", "Coarsened 1×4", "CUDA", 0.82, 30, "Four rows per thread reuse neighbours in registers."),
    ("float4", "float4 × 4 rows", "CUDA", 0.945, 40, "16-byte loads and four rows per thread."),
    ("async", "cp.async pipeline", "CUDA", 0.9, 44, "Copies ahead while it computes."),
    ("broken", "fp16, one sum", "CUDA", 0.9, 32, "Half precision needs a sum in float32."),
    ("cupy", "CuPy array expression", "CuPy", 0.14, None, "Each operator is a pass over memory."),
    ("temporal", "8 steps fused", "CUDA", 0.62, 96, "Eight steps in registers and shared memory."),
)  # fmt: skip


def nothing(*_):
    raise AssertionError("the double never measures")


def variants():
    return tuple(
        Variant(
            id=name,
            title=title,
            language=language,
            bytes=8.0,
            flops=6.0 * (8 if name == "temporal" else 1),
            source=PYTHON_SOURCE if language == "CuPy" else SOURCE,
            symbol="copy" if language == "CuPy" else "stream_triad",
            prepare=nothing,
            note=note,
            steps=8 if name == "temporal" else 1,
            shapes=SHAPES if language == "CUDA" else (),
        )
        for name, title, language, _, _, note in WAYS
    )


STUDY = Study(
    id="laplace_2d",
    title="2D Laplace, 5 points",
    summary="One explicit step of the heat equation on a square grid in float32.",
    cases=[Case(f"{n}²", (n, n), n * n) for n in SIZES],
    variants=variants(),
    inputs=nothing,
    reference=nothing,
    tolerance=1e-6,
    published=(
        Published(
            "Battery dendrites, table 1",
            "RTX 3090",
            "GB/s",
            {"naive": {"4096² 32x16": 787.0, "4096² 32x8": 815.0, "4096² 32x4": 836.0}, "tile": {"4096²": 340.0}},
        ),
    ),
)
SMALL = Study(
    id="laplace_1d",
    title="1D Laplace",
    summary="Three points; as small as a stencil can be.",
    cases=[Case("2²⁰", (1 << 20,), 1 << 20)],
    variants=variants()[:2],
    inputs=nothing,
    reference=nothing,
    tolerance=1e-6,
)


def ceiling(working_set, memory=MEMORY, cache=CACHE):
    """A cache that ends at CACHE_BYTES, a memory after a knee, and launch cost below 4 MB."""
    part = 1 / (1 + (working_set / (1.3 * CACHE_BYTES)) ** 6)
    return (memory + (cache - memory) * part) * working_set / (working_set + 1.5e6)


def machine(name="NVIDIA H200", date="2026-11-21", speed=1.0):
    factors = {"copy": 0.97, "mul": 0.965, "add": 0.99, "triad": 1.0, "read": 0.94}
    curve = tuple(
        BandwidthPoint(operation, 1 << power, speed * factor * ceiling(1 << power))
        for operation, factor in factors.items()
        for power in range(15, 33)
    )
    device = {"name": name, "kind": "cuda", "driver": "580.159", "versions": {"cupy": "14.2"}}
    return MachineRecord(date, device, curve, 3.4e-6, 0.5e-6, 60e12 * speed)


def variant_record(way, n, shape, speed=1.0, study=STUDY.id, cache="cold", noise=1.0):
    name, title, language, part, registers, _ = way
    steps = 8 if name == "temporal" else 1
    size = 8 * n * n
    top = speed * ceiling(4 * size)
    # Narrow or very large blocks cost a little.
    cost = 1.0 if shape is None else float(1.0 - 0.04 * abs(np.log2(shape[0] / 32)) - 0.03 * abs(np.log2(shape[1] / 8)))
    fraction = part * cost * noise
    refused = {"broken": "wrong answer: the largest error is 3.1e-03, allowed is 1.0e-06"}.get(name, "")
    if name == "async" and shape == (16, 32):
        refused = "above the ceiling: 104 % of the bandwidth measured at this working set"
    seconds = 0.0 if refused else size / (fraction * top) + 1e-6
    return VariantRecord(
        study=study,
        variant=name,
        title=title,
        language=language,
        case=f"{n}²",
        points=n * n,
        shape=shape,
        steps=steps,
        cache=cache,
        seconds=seconds,
        seconds_p5=0.99 * seconds,
        seconds_p95=1.03 * seconds,
        host_seconds=3.4e-6,
        bytes=float(size),
        flops=6.0 * n * n * steps,
        working_set=4 * size,
        ceiling=top,
        error=3.1e-3 if name == "broken" else 1.2e-7,
        tolerance=1e-6,
        registers=registers,
        shared_bytes=0 if registers else None,
        occupancy=min(1.0, 32 / registers) if registers else None,
        refused=refused,
    )


def plausible_record(name="NVIDIA H200", date="2026-11-21", speed=1.0, seed=7):
    """Ten variants at five sizes; block shapes for all CUDA kernels."""
    noise = np.random.default_rng(seed)
    records = [
        variant_record(way, n, shape, speed, noise=1 + 0.01 * float(noise.standard_normal()))
        for way in WAYS
        for n in SIZES
        for shape in ((None,) if way[2] == "CuPy" else SHAPES)
    ]
    return LabRecord(machine(name, date, speed), tuple(records))


def table_record(table, thorough=False, speed=1.0):
    """What measuring a table of ``tests.workbench.fake_tables`` gives, ``speed`` times as fast."""
    return TableRecord(table.id, table.title, table.columns, table.rows(speed), thorough, 12.3, "", table.heat)


class PlayedRun:
    """Plays a record back as events; ``hold`` keeps it measuring until it is cancelled."""

    def __init__(self, record, failure="", hold=False):
        self.record, self.failure, self.hold = record, failure, hold
        self._events = deque()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._play, name="workbench-lab")

    def start(self):
        self._thread.start()

    def cancel(self):
        self._stop.set()

    @property
    def alive(self):
        return self._thread.is_alive()

    def poll(self):
        taken = []
        while self._events:
            taken.append(self._events.popleft())
        return taken

    def _play(self):
        self._events.append(Progress("Measuring the bandwidth", 0.0))
        self._events.append(Ceilings(self.record.machine))
        done = []
        for place, record in enumerate(self.record.variants):
            if self._stop.is_set():
                break
            self._events.append(Progress(f"{record.title} at {record.case}", place / len(self.record.variants)))
            self._events.append(Measured(record))
            done.append(record)
        tables = []
        for table in self.record.tables:
            self._events.append(Progress(table.title, 1.0))
            if self._stop.wait(0.05):
                break
            self._events.append(MeasuredTable(table))
            tables.append(table)
        if self.failure:
            self._events.append(Failed(self.failure))
            return
        if self.hold:
            self._stop.wait(30)
        self._events.append(Finished(LabRecord(self.record.machine, tuple(done), tuple(tables))))


class FakeLab:
    """The Lab's part of the window's services."""

    lab_folder: Path | None = None
    """Kept records are written to and read from here."""

    def __init__(self):
        self.lab_runs = []
        self.lab_asked = []
        self.lab_tables_asked = []
        self.lab_record = plausible_record()
        self.lab_failure = ""
        self.lab_hold = False

    def lab_studies(self):
        return [("Stencil", (STUDY, SMALL))]

    def lab_tables(self):
        return [("Stencil", (STEP_TIMES, DIFFUSION_BLOCKS))]

    def lab_run(
        self, device, studies, *, cases=None, variants=None, cache="cold", quick=False, tables=(), thorough=False
    ):
        self.lab_tables_asked.append(([table.id for table in tables], thorough))
        self.lab_asked.append((device, [study.id for study in studies], cases, variants, cache, quick))
        wanted = [
            record
            for record in self.lab_record.variants
            if record.study in (cases or {}) and record.case in cases[record.study]
            and (variants is None or record.variant in variants[record.study])
        ]  # fmt: skip
        found = tuple(table_record(table, thorough) for table in tables)
        run = PlayedRun(LabRecord(self.lab_record.machine, tuple(wanted), found), self.lab_failure, self.lab_hold)
        self.lab_runs.append(run)
        return run

    def lab_records(self):
        return [] if self.lab_folder is None else kept_records(self.lab_folder)

    def open_lab_record(self, path):
        return read_record(path)

    def keep_lab_record(self, record):
        if self.lab_folder is not None:
            write_json(record, self.lab_folder / "kept.json")
