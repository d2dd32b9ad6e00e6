"""The Kernel Lab of the FDTD engine: kernels that exist for it alone, its studies, tables and benchmark problems."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.backend.lab import timing as lab_timing
from engines.backend.precision import FLOAT_TYPES
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import Yee
from engines.fdtd.lab import fused, launches
from engines.fdtd.lab.benchmarks import USUAL, WARM, BallProblem
from engines.fdtd.lab.fused import electric_registers
from engines.fdtd.lab.problems import make_scene
from engines.fdtd.lab.spectra import DECIMATED, GATHERED
from engines.fdtd.lab.studies import STEP, counts_of, psi_values, studies
from engines.fdtd.lab.tables import TABLES, ThroughputTable
from engines.fdtd.lab.variants.cpml import layered_axes
from engines.fdtd.lab.variants.forms import courant_factor
from engines.fdtd.step.cuda_parts import slots_x
from engines.fdtd.step.curl.one_pass import one_shapes, tiles_of
from engines.fdtd.step.traffic import layer_values
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.fdtd.lab_cases import SMALL_TABLES, check_fused, check_sums, check_table, check_variant
from tests.engines.lab_checks import variants_of
from workbench.bench.measure import measure

on_device = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(lab_timing, "BUDGET", {"cpu": 1e-4})


@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.device == "cpu"))
def test_a_cpu_variant_equals_the_reference(study, variant):
    check_variant(CpuBackend(), study, variant, variant.shapes)


@on_device
@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.device == "cuda"))
def test_a_cuda_variant_equals_the_reference(study, variant):
    """In its usual launch shape and the last; all of them in tests/gpu."""
    check_variant(HostCudaBackend(), study, variant, variant.shapes[:1] + variant.shapes[2:][-1:])


@on_device
@pytest.mark.parametrize(("precision", "shape"), [("float32", (4, 32, 4, 5)), ("float64", (2, 32, 8, 16))])
def test_layers_in_the_passes_equal_the_reference(precision, shape):
    check_fused(HostCudaBackend(), precision, shape)


def test_fourier_sums_are_the_same_in_each_way():
    check_sums(CpuBackend())


@on_device
def test_fourier_sums_are_the_same_in_each_way_in_cuda():
    check_sums(HostCudaBackend())


@pytest.mark.parametrize("table", [t for t in SMALL_TABLES if "cpu" in t.devices], ids=lambda table: table.id)
def test_a_table_on_a_cpu(table):
    check_table(table, CpuBackend())


@on_device
@pytest.mark.parametrize("table", SMALL_TABLES, ids=lambda table: table.id)
def test_a_table_in_cuda(table, monkeypatch):
    # launch shapes are the first of each: the emulator's times say nothing, and to try all takes minutes
    monkeypatch.setattr("engines.fdtd.step.cuda.tune", lambda key, candidates, seconds: candidates[0])
    monkeypatch.setattr(launches, "one_shapes", lambda dtype: one_shapes(dtype)[:1])
    monkeypatch.setattr(fused, "SHAPES", {precision: shapes[:1] for precision, shapes in fused.SHAPES.items()})
    check_table(table, HostCudaBackend())


def test_decimation_costs_an_eighth():
    (table,) = (table for table in SMALL_TABLES if table.id == "fdtd-fourier")
    times = {row[2]: row[3] for row in table.measure(CpuBackend())}
    assert times[DECIMATED] == pytest.approx(times[GATHERED] / 8)


def test_the_rate_the_share_of_copy_and_the_minutes_are_one_measurement():
    """36 + 36 + 3 bytes of each cell and ψ, 12,000 steps; the copy is the backend's own."""
    (table,) = (table for table in SMALL_TABLES if table.id == "fdtd-throughput")
    backend = CpuBackend()
    ((_, rate, _, _, _, share, minutes),) = table.measure(backend)
    seconds = 24**3 / (1e6 * rate)
    assert minutes == pytest.approx(12_000 * seconds / 60)
    scene = make_scene((24,) * 3, 10)
    moved = 75 * 24**3 + 2 * 2 * 4 * layer_values(scene.yee, scene.axes)
    assert share == pytest.approx(100 * moved / seconds / backend.ceilings().copy)


def test_the_guides_run_stands_beside_its_grid():
    (published,) = ThroughputTable.published
    ((grid, *rates, minutes),) = published.rows
    assert (grid, minutes, published.device) == ("600×600×200", 30.0, "NVIDIA T4")
    assert rates == [None] * 5
    for sizes in (*ThroughputTable.quick.values(), *ThroughputTable.thorough.values()):
        assert all(len(counts) == 3 for counts in sizes)
    assert (600, 600, 200) in ThroughputTable.thorough["cuda"]


def test_ids_are_unique():
    ids = [each.id for each in (*TABLES, *FdtdEngine().studies())]
    assert len(set(ids)) == len(ids)


def test_rows_of_the_reference_are_those_of_the_whole():
    case = STEP.cases[0]
    assert counts_of(case) == (64, 64, 64)
    small = type(case)("small", (14, 9, 11), 14 * 9 * 11)
    inputs = STEP.inputs(small, np.random.default_rng(5))
    for steps in (1, 2):
        whole = STEP.reference(inputs, steps)
        for first, stop in ((0, 2), (6, 8), (12, 14)):
            np.testing.assert_array_equal(STEP.reference_rows(inputs, steps, first, stop), whole[first:stop])


def test_points_of_the_layers_are_values_of_psi():
    """Those of whole rows and of nodes that do not exist are not counted."""
    scene = make_scene((40, 40, 40), 10)
    assert psi_values((40, 40, 40)) == 2 * 2 * 10 * 3 * 40**2
    assert psi_values((40, 40, 40)) < layer_values(scene.yee, scene.axes)
    assert [axis.low for axis in layered_axes((40, 40, 40))] == [10, 10, 10]
    assert courant_factor() == pytest.approx(0.99 / 3**0.5)
    assert courant_factor() == pytest.approx(float(scene.media.db[0]))


def test_registers_are_known_where_nvrtc_is():
    own, within = electric_registers("fp32")
    if own is None:
        pytest.skip("NVRTC is not installed")
    assert 32 < own < within <= 255, "layers in the pass take registers"


def test_benchmarks_are_of_the_usual_sizes_in_both_precisions():
    found = FdtdEngine().benchmarks()
    assert [each.name for each in found[-2:]] == ["600×600×200 CPML-10 fp32", "600×600×200 CPML-10 fp64"]
    assert len(found) == 2 * len(USUAL)
    assert found[-1].elements == 72_000_000
    (one, _) = FdtdEngine().benchmarks((1e5,))
    assert (one.name, one.elements) == ("46³ CPML-10 fp32", 46**3)
    parameters = BallProblem(USUAL[-1], "fp64")().parameters
    assert parameters.grid.cells_z == 200
    assert parameters.faces.pairs() == [("CPML", "CPML")] * 3


def test_a_benchmark_is_measured(monkeypatch):
    """One record of the steps as they are timed and one of whole steps, of the same bytes."""
    monkeypatch.setattr("workbench.bench.measure.MINIMUM_SECONDS", 0.01)
    monkeypatch.setattr("workbench.bench.measure.MOST_SECONDS", 0.01)
    monkeypatch.setattr("workbench.bench.measure.fits_caches", lambda *_: False)  # the curve takes ten seconds
    backend = CpuBackend()
    yee, whole = measure(FdtdEngine(), FdtdEngine().benchmarks((100,))[0], backend)
    assert (yee.kernel, whole.kernel) == ("yee", "step")
    assert yee.bytes == whole.bytes > 75 * 32**3
    assert yee.seconds > 0
    assert Yee((32,) * 3, (1.0,) * 3).cells == yee.elements


def test_the_warming_problem_has_a_middle():
    """Where one pass has tiles without layers, of both precisions."""
    for precision, dtype in FLOAT_TYPES.items():
        problem = BallProblem(WARM, precision)
        scene = make_scene(problem.counts, problem().parameters.faces.layer)
        for packed, *block, _, span in one_shapes(np.dtype(dtype)):
            _, layered = tiles_of(scene.yee, scene.axes, slots_x(scene.yee, scene.axes[0]), packed, block, span)
            assert layered.any()
            assert not layered.all()


def test_many_launches_are_timed_as_one_graph(monkeypatch):
    """On a GPU: captured once after a first run that loads the kernels; the time is that of one call."""

    class Device(HostCudaBackend):
        info = replace(HostCudaBackend().info, kind="cuda")
        asked: ClassVar[list[int]] = []

        def elapsed(self, launch, times=1):
            self.asked.append(times)
            return 2e-3

    monkeypatch.setattr(lab_timing, "BUDGET", {"cuda": 0.1})
    calls = []
    assert lab_timing.graph_seconds(Device(), lambda: calls.append(1)) == 2e-3
    assert len(calls) == 2
    assert Device.asked == [1] + [10] * lab_timing.TRIES
