"""How often a sample waits for a GPU: each wait lets it run empty, and takes as long as many a step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from engines.api import Problem, Simulation
from engines.api.device import Backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.parameters.recording import Recording
from engines.geometry.meshes.box import box_mesh
from tests.cuda_on_host.backend import HostCudaBackend, WaitingCudaBackend
from tests.cuda_on_host.loader import COMPILER
from workbench.run.frames import Sample
from workbench.run.meters import Meters

PROBES = [("P1", 3), ("P2", 0)]

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


def heart() -> tuple[CardiacEngine, Problem]:
    """With two fields at the probes, and all that is read of the whole tissue: electrogram, rhythm, singularities."""
    parameters = CardiacParameters(recording=Recording(phase=True))
    return CardiacEngine(), Problem(parameters, box_mesh((8, 2, 1), (4.0, 1.0, 0.5), fibre=(1.0, 0.0, 0.0)))


def sampled(backend: Backend) -> Iterator[tuple[Simulation, Sample]]:
    """After each of three samples."""
    engine, problem = heart()
    simulation = engine.build(problem, backend)
    meters = Meters(simulation, 1.0, PROBES)
    for _ in range(3):
        simulation.advance(simulation.sample_steps)
        meters.collect(simulation)
        yield simulation, meters.sample(simulation, 1, 1.0, None)


def test_a_sample_of_a_heart_waits_once_for_the_gpu():
    backend, waits = WaitingCudaBackend(), []
    for _ in sampled(backend):
        waits.append(backend.stream.waits)
    assert np.diff(waits).tolist() == [1, 1]


def test_what_is_waited_for_together_is_what_came_one_by_one():
    for (_, together), (_, alone) in zip(sampled(WaitingCudaBackend()), sampled(HostCudaBackend()), strict=True):
        assert together.traces.keys() == alone.traces.keys() >= {"voltage", "calcium", "phase"}
        for name, values in alone.traces.items():
            np.testing.assert_array_equal(together.traces[name], values, err_msg=name)
        for name, values in alone.series.items():
            np.testing.assert_array_equal(together.series[name], values, err_msg=name)
