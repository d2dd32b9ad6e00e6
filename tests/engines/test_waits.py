"""How often a sample waits for a GPU: each wait lets it run empty, and takes as long as many a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from engines.api import Engine, Problem, Simulation
from engines.api.device import Backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.parameters.recording import Recording
from engines.geometry.meshes.box import box_mesh
from tests.cuda_on_host.backend import HostCudaBackend, WaitingCudaBackend
from tests.cuda_on_host.loader import COMPILER
from workbench.project.presets import open_preset, preset_called
from workbench.run.frames import Sample
from workbench.run.meters import Meters

PROBES = [("P1", 3), ("P2", 0)]

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


def heart() -> tuple[Engine, Problem]:
    """With two fields at the probes, and all that is read of the whole tissue: electrogram, rhythm, singularities."""
    parameters = CardiacParameters(recording=Recording(phase=True))
    return CardiacEngine(), Problem(parameters, box_mesh((8, 2, 1), (4.0, 1.0, 0.5), fibre=(1.0, 0.0, 0.0)))


def ensemble() -> tuple[Engine, Problem]:
    """A thousand cells, of which a sample has fields at the probes, percentiles, losses, and whether all is finite."""
    document = open_preset(preset_called("thousand_cells"))
    return document.engine, document.complete_problem()


def sampled(backend: Backend, made: Callable[[], tuple[Engine, Problem]]) -> Iterator[tuple[Simulation, Sample]]:
    """After each of three samples."""
    engine, problem = made()
    simulation = engine.build(problem, backend)
    meters = Meters(simulation, 1.0, PROBES)
    for _ in range(3):
        simulation.advance(simulation.sample_steps)
        meters.collect(simulation)
        yield simulation, meters.sample(simulation, 1, 1.0, None)


@pytest.mark.parametrize("made", [heart, ensemble])
def test_a_sample_waits_once_for_the_gpu(made):
    backend, waits = WaitingCudaBackend(), []
    for _ in sampled(backend, made):
        waits.append(backend.stream.waits)
    assert np.diff(waits).tolist() == [1, 1]


def test_samples_of_a_heart_in_one_batch_are_waited_for_together_and_are_each_of_its_moment():
    """Small hearts have a thousand samples a second, and a wait lets the device run empty for longer than their steps
    take."""
    engine, problem = heart()
    backend = WaitingCudaBackend()
    simulation = engine.build(problem, backend)
    meters, before = Meters(simulation, 1.0, PROBES), backend.stream.waits
    for _ in range(3):
        simulation.advance(simulation.sample_steps)
        meters.collect(simulation)
    assert backend.stream.waits == before
    batch = meters.sample(simulation, 3 * simulation.sample_steps, 1.0, None)
    assert backend.stream.waits == before + 1
    one_by_one = [sample for _, sample in sampled(HostCudaBackend(), heart)]
    for kind in ("traces", "series"):
        found, alone = getattr(batch, kind), [getattr(sample, kind) for sample in one_by_one]
        assert found.keys() == alone[0].keys()
        for name, values in found.items():
            np.testing.assert_array_equal(values, np.concatenate([sample[name] for sample in alone]), err_msg=name)
    assert batch.trace_times.tolist() == [time for sample in one_by_one for time in sample.trace_times]


def test_a_row_of_every_cell_between_samples_waits_once_for_the_gpu():
    """``cells.h5`` has one every minute, and each ends a batch, after which it is looked whether all is finite."""
    backend = WaitingCudaBackend()
    engine, problem = ensemble()
    simulation, waits = engine.build(problem, backend), []
    for _ in range(3):
        simulation.advance(1)
        assert simulation.non_finite() is None
        assert np.isfinite(simulation.cell_series()["voltage"]).all()
        waits.append(backend.stream.waits)
    assert np.diff(waits).tolist() == [1, 1]


def test_of_cells_that_are_copied_as_a_whole_all_is_told_as_of_more(monkeypatch):
    """Whatever is looked at, also once another state has been put back at the same step."""

    def seen(simulation: Simulation) -> list[np.ndarray]:
        found = [simulation.field(info.name) for info in simulation.fields]
        found += simulation.cell_series().values()
        return [*found, np.array(list(simulation.observe().values())), np.array([simulation.non_finite() is None])]

    engine, problem = ensemble()
    few = engine.build(problem, HostCudaBackend())
    monkeypatch.setattr("engines.battery.cells.step.cells.COPIED", 0)
    many = engine.build(problem, HostCudaBackend())
    monkeypatch.undo()
    kept = few.state()
    for _ in range(2):
        for simulation in (few, many):
            simulation.advance(20)
        monkeypatch.setattr("engines.battery.cells.step.cells.COPIED", 0)
        expected = seen(many)
        monkeypatch.undo()
        for one, other in zip(seen(few), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12)
    begun = seen(engine.build(problem, HostCudaBackend()))
    few.restore({**kept, "step": np.array(few.step)})
    for one, other in zip(seen(few), begun, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_waited_for_together_is_what_came_one_by_one():
    both = (sampled(backend, heart) for backend in (WaitingCudaBackend(), HostCudaBackend()))
    for (_, together), (_, alone) in zip(*both, strict=True):
        assert together.traces.keys() == alone.traces.keys() >= {"voltage", "calcium", "phase"}
        for name, values in alone.traces.items():
            np.testing.assert_array_equal(together.traces[name], values, err_msg=name)
        for name, values in alone.series.items():
            np.testing.assert_array_equal(together.series[name], values, err_msg=name)
