"""The Kernel Lab on a GPU: every variant's answer, what the curve shows, and that timings hold against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api.lab import Case
from engines.backend.ceilings import curve_cuda
from engines.backend.ceilings.curve import BandwidthPoint, Curve, ceiling_at, measured_curve
from engines.backend.timing import cache_bytes
from engines.stencil.lab.studies import studies
from tests.engines.lab_checks import check_on_the_gpu, variants_of
from workbench.bench.lab import Lab

pytestmark = pytest.mark.gpu

# Texture rows are multiples of 32 bytes, so x is one of 8; nothing is a multiple of a block.
SMALL = {
    1: [(24,), (1000,), (100_008,)],
    2: [(8, 8), (37, 56), (300, 1048)],
    3: [(5, 6, 8), (17, 13, 24), (70, 40, 64)],
}


@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.device == "cuda"))
def test_a_variant_equals_the_reference(gpu, study, variant):
    sizes = SMALL[len(study.cases[0].size)]
    check_on_the_gpu(gpu, study, variant, [Case("small", size, int(np.prod(size))) for size in sizes])


@pytest.fixture(scope="module")
def curve() -> Curve:
    from engines.backend import open_backend

    backend = open_backend("cuda:0")
    try:
        return measured_curve(backend)
    finally:
        backend.close()


def test_the_curve_has_a_knee_and_agrees_with_the_meters_ceilings(gpu, curve):
    """Large copies are those of the meters within 10 % (two measurements of one memory, 5 % each)."""
    ceilings = gpu.ceilings()
    largest = max(point.working_set for point in curve.points)
    assert abs(ceiling_at(curve.points, largest, ("copy",)) / ceilings.copy - 1) < 0.10
    assert abs(ceiling_at(curve.points, largest, ("triad",)) / ceilings.triad - 1) < 0.10
    # What fits the L2 twice over is read faster than what comes from memory.
    assert ceiling_at(curve.points, cache_bytes(gpu) / 2) > 1.05 * ceiling_at(curve.points, largest)
    assert 0.5e-6 < curve.launch_seconds < 100e-6
    assert 0.1e-6 < curve.graph_node_seconds < curve.launch_seconds * 2


@pytest.mark.keeps_time  # others on the card share its memory
def test_an_operation_in_a_graph_takes_as_long_as_launched_one_by_one(gpu, monkeypatch):
    """At 64 MB a launch outlasts the host's part of it; 10 % is the noise of short runs."""
    size = [64 << 20]
    captured = {point.operation: point for point in curve_cuda.measure(gpu, size, quick=True)}
    monkeypatch.setattr(curve_cuda, "CAPTURED_BYTES", 0)
    single: list[BandwidthPoint] = list(curve_cuda.measure(gpu, size, quick=True))
    for point in single:
        assert abs(point.bytes_per_second / captured[point.operation].bytes_per_second - 1) < 0.10


@pytest.mark.keeps_time  # beside busy processes the host takes longer to launch than the kernel runs
def test_a_session_gives_figures(gpu, curve):
    """The naive Laplacian at 4096², cold: below the ceiling, above a fifth of it on every card that is supported."""
    study = next(study for study in studies() if study.id == "laplace2d")
    one = replace(study, variants=[variant for variant in study.variants if variant.id in ("naive", "cupy")])
    naive, cupy = Lab(gpu, quick=True).run([one])
    assert naive.refused == ""
    assert naive.case == "4096²"
    assert 0.2 < naive.fraction <= 1.05
    assert naive.seconds_p5 <= naive.seconds <= naive.seconds_p95
    assert naive.working_set > 4 * cache_bytes(gpu)
    assert naive.host_seconds < naive.seconds  # the launches are queued, not waited for
    assert naive.registers
    assert cupy.refused == ""
    assert cupy.seconds > naive.seconds
    assert cupy.registers is None
