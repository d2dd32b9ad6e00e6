"""How a step is taken: as one launch or many, and in parts."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.cardiac.parameters.multirate import Multirate
from engines.cardiac.step import graphs, stepping
from engines.cardiac.tissue.operator import tissue_operator
from engines.geometry.meshes.box import box_mesh
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER
from tests.engines.cardiac.problems import ENGINE, SMALL, assert_same_state, problem
from tests.engines.cardiac.traffic import bytes_of_a_step


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize(
    "numerics",
    [
        {},
        {"precision": "fp64", "diffusion_substeps": 2, "reaction_substeps": 3},
        {"multirate": Multirate(on=True, hold=0.3)},
    ],
    ids=["plain", "substeps", "multirate"],
)
def test_graphs_change_no_bit(few, monkeypatch, numerics, own_cache):
    """Pulses switch on and off between graphs, which begin at odd and even steps; cells are activated in them.

    Runs of five steps come often, and so get graphs of their own from the third time on.
    """
    device, simulations, launched = HostCudaBackend(), [], []
    launch = graphs.StepGraphs.launch
    monkeypatch.setattr(graphs.StepGraphs, "launch", lambda *a: (launched.append(a[3]), launch(*a)))
    monkeypatch.setattr(graphs, "LONGEST", 16)
    monkeypatch.setattr(graphs, "SHORT", 4)
    monkeypatch.setattr(stepping, "TIMED_SECONDS", 1e9)  # the first step alone
    for alone in (False, True):
        if alone:
            monkeypatch.setattr(graphs.StepGraphs, "size", lambda self, steps: 1)
        simulation = ENGINE.build(problem(few, SMALL, observed=False, step=0.05, **numerics), device)
        for steps in (3, 37, 1, 22, *[5] * 6):
            simulation.advance(steps)
        simulation.set_control("conductivity_scale", 0.8)
        simulation.advance(6)
        simulations.append(simulation)
    assert {16, 5, 4} <= set(launched)
    assert (simulations[1].field("activation") >= 0).any()
    assert_same_state(*simulations)


def test_a_step_in_parts_is_those_parts(mesh, backend):
    """Twelve steps against diffusion, diffusion, reaction, reaction, reaction launched by hand."""
    case = problem(mesh, step=0.06, diffusion_substeps=2, reaction_substeps=3)
    simulation, other = ENGINE.build(case, backend), ENGINE.build(case, backend)
    stepper, tissue = other._stepper, other._tissue
    start, middle, end = (tissue.new_voltage() for _ in range(3))
    for step in range(12):
        currents = np.array([50.0 / 1.4]) if step >= 5 else None
        with backend.active():
            stepper._diffusion.step(start, middle)
            stepper._diffusion.step(middle, end)
            for part in range(3):
                before = start if part == 0 else end
                tissue.step(end, before, 3 * step + part, 0.02, currents)
        start, end = end, start
    simulation.advance(12)
    assert stepper._diffusion.dt == 0.03
    order = tissue_operator(mesh, case.parameters).order
    np.testing.assert_array_equal(simulation.field("voltage")[order], start[: mesh.n_cells])
    assert start.max() > -75  # the stimulus was felt
    plain = ENGINE.estimate(problem(mesh, step=0.06), backend)
    parts = ENGINE.estimate(case, backend)
    assert plain.bytes_per_step < 2 * plain.bytes_per_step < parts.bytes_per_step < 3 * plain.bytes_per_step
    assert parts.bytes_per_step == bytes_of_a_step(simulation, case)


def test_substeps_of_diffusion_raise_the_stable_step(backend):
    fine = box_mesh((5, 5, 5), (0.5, 0.5, 0.5), jitter=0.2)
    with pytest.raises(ProblemError, match="above the stable limit"):
        ENGINE.build(problem(fine, step=0.02), backend)
    whole = ENGINE.estimate(problem(fine, step=0.02), backend).stable_step
    parts = ENGINE.estimate(problem(fine, step=0.02, diffusion_substeps=10), backend).stable_step
    assert parts == pytest.approx(10 * whole)
    simulation = ENGINE.build(problem(fine, step=0.02, diffusion_substeps=10), backend)
    simulation.advance(500)
    assert np.abs(simulation.field("voltage")).max() < 150
