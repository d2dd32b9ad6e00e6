"""The order of kernels in time: graphs of steps, parts of steps, and cells that react less often."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.api.errors import ProblemError
from engines.cardiac.parameters import CardiacParameters, Numerics
from engines.cardiac.parameters.multirate import Multirate
from engines.cardiac.setup.cells import check_quiet_step
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER
from tests.engines.cardiac.problems import ENGINE, PULSES, SMALL, TT06, assert_same_state, problem
from tests.engines.cardiac.traffic import bytes_of_a_step


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_both_devices_react_in_the_same_groups(few, backend, own_cache):
    """fp64: 1e-9 of what is stored, for exponentials of another library; what is decided is the same."""
    late = PULSES.model_copy(update={"start": 0.8})
    case = problem(few, SMALL, step=0.05, precision="fp64", multirate=Multirate(on=True, hold=0.3))
    case.parameters.stimuli = [late]
    simulations = [ENGINE.build(case, device) for device in (HostCudaBackend(), backend)]
    for steps, some_wait in ((14, True), (26, False)):
        for simulation in simulations:
            simulation.advance(steps)
        one, other = (simulation.state() for simulation in simulations)
        for name in ("groups_hold", "groups_waiting"):
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)
        assert one["groups_waiting"].any() == some_wait
        for name in ("voltage", "cells", "activation", "groups_low", "groups_high"):
            np.testing.assert_allclose(one[name], other[name], rtol=1e-9, atol=1e-12)


def test_waiting_for_one_step_is_not_waiting(mesh, backend):
    simulations = [
        ENGINE.build(problem(mesh, step=0.02, multirate=Multirate(on=on, slow_step=0.02)), backend)
        for on in (False, True)
    ]
    for simulation in simulations:
        simulation.advance(400)
    plain = simulations[0].state()
    assert (plain["activation"] >= 0).any()
    for name, value in plain.items():
        np.testing.assert_array_equal(value, simulations[1].state()[name], err_msg=name)


def test_a_checkpoint_keeps_who_waits(mesh, backend):
    case = problem(mesh, step=0.02, multirate=Multirate(on=True, hold=0.4))
    simulation, again = ENGINE.build(case, backend), ENGINE.build(case, backend)
    simulation.advance(203)
    assert simulation.state()["groups_waiting"].any()
    again.restore(simulation.state())
    for each in (simulation, again):
        each.advance(200)
    assert_same_state(simulation, again)


def test_a_state_without_groups_wakes_all(mesh, backend):
    simulation = ENGINE.build(problem(mesh, step=0.02), backend)
    simulation.advance(100)
    again = ENGINE.build(problem(mesh, step=0.02, multirate=Multirate(on=True)), backend)
    again.advance(150)
    again.restore(simulation.state())
    for each in (simulation, again):
        each.advance(50)  # 1 ms, and groups are held for 2
    np.testing.assert_array_equal(again.field("voltage"), simulation.field("voltage"))


def clicked(mesh: TetMesh, backend, multirate: Multirate, scar: bool) -> np.ndarray:
    """Activation [ms] after a click on tissue that was quiet for 4 ms; ``scar``: painted across it 2 ms later."""
    parameters = CardiacParameters(numerics=Numerics(step=0.02, multirate=multirate))
    simulation = ENGINE.build(Problem(parameters, mesh), backend)
    simulation.advance(203)
    if multirate.on:
        assert simulation.state()["groups_waiting"].any()
    simulation.paint(Dab("stimulus", (0.3, 1.0, 0.75), 1.0, 50_000.0))
    simulation.advance(100)
    if scar:
        simulation.paint(Dab("scar", (3.0, 2.0, 1.5), 1.0, 0.0))
    simulation.advance(700)
    return simulation.field("activation")


@pytest.mark.parametrize("scar", [False, True])
def test_a_click_wakes_quiet_cells(backend, scar):
    """Activation within 0.02 ms of reaction at each step, by a wave around a scar painted in front of it as well."""
    mesh = box_mesh((10, 4, 3), (5.0, 2.0, 1.5), fibre=(1.0, 0.0, 0.0))
    plain, found = (clicked(mesh, backend, Multirate(on=on), scar) for on in (False, True))
    reached = plain >= 0
    assert plain[reached].min() > 4.06
    assert reached.all() != scar
    np.testing.assert_array_equal(found >= 0, reached)
    assert np.abs(found - plain)[reached].max() < 0.02


def test_what_is_touched_reacts_at_once(backend):
    """Cells under a brush, before anything has changed their voltage."""
    mesh = box_mesh((10, 4, 3), (5.0, 2.0, 1.5), fibre=(1.0, 0.0, 0.0))
    case = Problem(CardiacParameters(numerics=Numerics(step=0.02, multirate=Multirate(on=True))), mesh)
    for brush, amount in (("stimulus", 50_000.0), ("scar", 0.0)):
        simulation = ENGINE.build(case, backend)
        simulation.advance(203)
        assert not simulation.state()["groups_hold"].any()
        simulation.paint(Dab(brush, (0.3, 1.0, 0.75), 1.0, amount))
        held = simulation.state()["groups_hold"] > 0
        assert held.any()
        assert not held.all()


def test_quiet_cells_wait_no_longer_than_their_model_bears(backend, mesh):
    """Courtemanche by forward Euler: stable up to 0.016 ms."""
    parameters = {"cell_model": "Courtemanche 1998", "cells": {"scheme": "FE"}, "numerics": {"step": 0.01}}
    for multirate, refused in (({"on": True}, True), ({"on": True, "slow_step": 0.01}, False), ({}, False)):
        parameters["numerics"] = {"step": 0.01, "multirate": multirate}
        if refused:
            with pytest.raises(ProblemError, match="Quiet cells react every"):
                check_quiet_step(CardiacParameters.model_validate(parameters))
        else:
            check_quiet_step(CardiacParameters.model_validate(parameters))


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("cell_model", [TT06, SMALL])
def test_groups_of_cells_that_differ(few, backend, cell_model, own_cache):
    """Groups that wait for no step, of cells with a spread of a parameter: as all cells reacting at each step."""
    name = "g_Kr" if cell_model == TT06 else "tau_open"
    region = {"region": next(iter(few.region_names.values())), "changes": [{"parameter": name, "spread": 20.0}]}
    states = []
    on_a_gpu = ((HostCudaBackend(), True),) if cell_model == SMALL else ()  # TT06: test_tt06_cuda_on_host.py
    for device, on in ((backend, False), (backend, True), *on_a_gpu):
        numerics = {"step": 0.05, "precision": "fp64", "multirate": {"on": on, "slow_step": 0.05}}
        parameters = {"cell_model": cell_model, "stimuli": [PULSES], "numerics": numerics, "regions": [region]}
        simulation = ENGINE.build(Problem(CardiacParameters.model_validate(parameters), few), device)
        simulation.advance(12)
        states.append(simulation.state())
    for found, tolerance in zip(states[1:], (0.0, 1e-9), strict=False):
        for field in ("voltage", "cells"):
            np.testing.assert_allclose(found[field], states[0][field], rtol=tolerance, atol=1e-3 * tolerance)


def beat(mesh: TetMesh, backend, milliseconds: float, **numerics: object) -> tuple[np.ndarray, np.ndarray, float]:
    """Activation [ms], APD90 [ms] (NaN where it has not ended) and the part of the groups that reacted, on average."""
    simulation = ENGINE.build(problem(mesh, step=0.02, **numerics), backend)
    before = rest = peak = simulation.field("voltage")
    duration, due = np.full(mesh.n_cells, np.nan), []
    groups, every = simulation._stepper._groups, 25
    while simulation.time < milliseconds:
        simulation.advance(every)
        voltage = simulation.field("voltage")
        peak = np.maximum(peak, voltage)
        level = rest + 0.1 * (peak - rest)
        ends = (before >= level) & (voltage < level) & np.isnan(duration) & (peak > 0)
        share = (before - level)[ends] / (before - voltage)[ends]
        duration[ends] = simulation.time - every * 0.02 * (1 - share)
        before = voltage
        if groups is not None:
            due.append(groups.due_now() / groups.n_groups)
    activation = simulation.field("activation")
    return activation, duration - activation, float(np.mean(due)) if due else 1.0


@pytest.mark.parametrize("threshold", [0.0, -80.0])
def test_multirate_moves_activation_by_less_than_a_step(backend, threshold):
    """Activation within 0.02 ms (measured: 0.005), at a threshold that cells cross while they wait as well."""
    mesh = box_mesh((10, 4, 3), (5.0, 2.0, 1.5), fibre=(1.0, 0.0, 0.0))
    numerics = {"activation_threshold": threshold}
    plain, _, _ = beat(mesh, backend, 25.0, **numerics)
    activation, _, share = beat(mesh, backend, 25.0, multirate=Multirate(on=True), **numerics)
    assert (plain >= 0).all()
    assert np.abs(activation - plain).max() < 0.02
    assert share < 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("dx", "size", "lasts"), [(0.5, (10.0, 3.0, 2.0), 400.0), (0.2, (8.0, 2.0, 1.0), 360.0)])
def test_multirate_saves_eight_cell_steps_of_nine_over_a_beat(backend, dx, size, lasts):
    """APD90 within 0.2 ms (measured: 0.17), activation within 0.03 ms (0.02), and 9 times fewer cell steps (8.97).

    Those are counted over 1000 ms, the rest of which is quiet.
    """
    mesh = box_mesh(tuple(round(length / dx) for length in size), size, fibre=(1.0, 0.0, 0.0))
    plain, duration, _ = beat(mesh, backend, lasts)
    settings = Multirate(on=True)
    activation, durations, share = beat(mesh, backend, lasts, multirate=settings)
    assert np.isfinite(duration).all()
    assert np.abs(activation - plain).max() < 0.03
    assert np.abs(durations - duration).max() < 0.2
    whole = (share * lasts + 0.1 * (1000.0 - lasts)) / 1000.0
    assert 1.0 / whole > 8.8
    assert whole == pytest.approx(settings.expected_share(0.02), rel=0.05)


def test_the_estimate_and_the_meters_know_who_reacts(mesh, backend):
    case = problem(mesh, step=0.02, multirate=Multirate(on=True))
    simulation = ENGINE.build(case, backend)
    estimate = ENGINE.estimate(case, backend)
    assert estimate.bytes_per_step == bytes_of_a_step(simulation, case)
    whole = ENGINE.estimate(problem(mesh, step=0.02), backend)
    assert estimate.bytes_per_step < 0.7 * whole.bytes_per_step
    assert estimate.seconds_per_simulated_unit < whole.seconds_per_simulated_unit
    simulation.advance(1)  # all are awake
    simulation.drain_timings()
    assert bytes_of_a_step(simulation, case) == whole.bytes_per_step + 4 * mesh.n_cells


def test_multirate_and_parts_of_the_reaction_are_refused_in_one_sentence(mesh, backend):
    both = problem(mesh, reaction_substeps=2, multirate=Multirate(on=True))
    for ask in (ENGINE.estimate, ENGINE.build):
        with pytest.raises(ProblemError, match="set the reaction's substeps to 1"):
            ask(both, backend)
