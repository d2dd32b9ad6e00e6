"""The battery engine as the application uses it."""

from __future__ import annotations

import json

import meshio
import numpy as np
import pytest
from pydantic import ValidationError

from engines.api import Problem, Selection
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.cells.step.reference import spm
from engines.battery.engine import MODELS, BatteryEngine
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters import BatteryParameters, DriveCycle, Ensemble, Numerics
from workbench.cli import main

ENGINE = BatteryEngine()
SPREAD = {"cells": 30, "distributions": [{"parameter": "negative_particle_radius", "spread": 0.1}]}


def problem(**changes) -> Problem:
    return Problem(BatteryParameters(**changes))


def simulation(backend, **changes):
    return ENGINE.build(problem(**changes), backend)


def test_one_cell_gives_the_published_voltage(backend):
    """0.005 mV: float32 of 4 V; see test_cells."""
    run = simulation(backend, numerics=Numerics(step=10.0))
    run.advance(90)
    seen = run.observe()
    assert set(seen) == {series.name for series in run.series}
    assert run.time == 900
    for name in ("voltage", "voltage_p05", "voltage_p95"):
        assert seen[name] == pytest.approx(3.805905, abs=5e-6)
    assert (seen["current"], seen["capacity"], seen["temperature"]) == pytest.approx((5.0, 1.25, 25.0), rel=1e-6)
    assert seen["balance"] <= 1e-6
    assert seen["running"] == 1


def test_fields_live_on_two_particles_a_cell(backend):
    run = simulation(backend, ensemble=SPREAD, numerics=Numerics(step=10.0, radial_points=24))
    run.advance(60)
    profile, surface = run.field("stoichiometry"), run.field("surface_stoichiometry")
    assert profile.shape == (60, 24)
    assert surface.shape == run.field("voltage").shape == (60,)
    # Discharge empties the negative particles from outside and fills the positive ones.
    assert (np.diff(profile[:30], axis=1) < 0).all()
    assert (np.diff(profile[30:], axis=1) > 0).all()
    assert surface == pytest.approx(1.5 * profile[:, -1] - 0.5 * profile[:, -2], abs=2e-3)
    assert (run.field("voltage")[:30] == run.field("voltage")[30:]).all()
    chosen = run.select(Selection(np.array([3, 33, 3], np.int32), np.array([0, 1, 3], np.int32)))
    means = run.gather("surface_stoichiometry", chosen)
    assert means == pytest.approx([surface[3], (surface[33] + surface[3]) / 2])
    assert run.gather("stoichiometry", chosen).shape == (2, 24)
    with pytest.raises(ValueError, match="outside"):
        run.select(Selection(np.array([60], np.int32)))


def test_geometry_has_the_particles_of_the_cells(backend):
    given = problem(ensemble=SPREAD)
    geometry = ENGINE.geometry_of(given)
    assert geometry.n_cells == 60
    assert len(set(geometry.radii[:30])) == 30
    assert geometry.radii[30:] == pytest.approx(5.22)
    assert ENGINE.build(given, backend).geometry.radii == pytest.approx(geometry.radii)


def test_surface_of_one_cell_is_that_of_the_series(backend):
    run = simulation(backend, numerics=Numerics(step=10.0, precision="fp64"))
    run.advance(90)
    _, c_n, c_p = spm(PARAMETER_SETS["Chen2020"], 5.0, 900.0)
    assert run.field("surface_stoichiometry") == pytest.approx([c_n / 33133, c_p / 63104], abs=1e-6)


def test_a_restored_run_goes_on_bit_for_bit(backend):
    options = {
        "model": "SPMe", "thermal": "lumped", "ensemble": SPREAD, "cycles": 2,
        "protocol": ["Discharge at 2C for 5 minutes", "Rest for 1 minute", "Charge at 1C until 4.1 V",
                     "Hold at 4.1 V until C/20"],
    }  # fmt: skip
    one, two = simulation(backend, **options), simulation(backend, **options)
    one.advance(40)
    one.set_control("current_factor", 1.2)
    one.advance(1)
    two.restore(one.state())
    one.advance(60)
    for _ in range(6):
        two.advance(10)
    assert one.step == two.step
    for name, values in one.state().items():
        assert (values == two.state()[name]).all(), name
    assert one.non_finite() is None


def test_the_current_can_be_changed_on_the_way(backend):
    run = simulation(backend)
    run.advance(5)
    run.set_control("current_factor", 2.0)
    run.advance(1)
    assert run.observe()["current"] == pytest.approx(10.0)
    with pytest.raises(ProblemError, match="reset, change it"):
        run.set_control("model", "SPMe")


def test_a_cell_that_is_no_number_is_found(backend):
    run = simulation(backend, ensemble=SPREAD)
    state = run.state()
    state["cells"][7, 11] = np.nan
    run.restore(state)
    found = run.non_finite()
    assert (found.field, found.element) == ("The voltage", 11)


def test_cycles_repeat_the_protocol(backend):
    """Three times 20 minutes at 2.5 A and back 10 minutes at 0.25 A, and not a step more."""
    run = simulation(
        backend, cycles=3, protocol=["Discharge at C/2 for 20 minutes", "Charge at C/20 for 10 minutes"],
        numerics=Numerics(step=10.0, precision="fp64"),
    )  # fmt: skip
    run.advance(539)
    assert run.observe()["running"] == 1
    run.advance(1)
    assert run.observe()["running"] == 0
    assert run.observe()["capacity"] == pytest.approx(3 * (2.5 * 1200 - 0.25 * 600) / 3600, rel=1e-12)


def test_estimate_before_a_run():
    backend = CpuBackend()
    counts = 100, 10_000
    of_cells = [MODELS["SPM"].estimate(problem(ensemble=Ensemble(cells=n)), backend) for n in counts]
    assert of_cells[1].seconds_per_simulated_unit == pytest.approx(100 * of_cells[0].seconds_per_simulated_unit)
    small, large = (ENGINE.estimate(problem(ensemble=Ensemble(cells=n)), backend) for n in counts)
    assert large.memory_bytes == 100 * small.memory_bytes
    assert 1e-9 < large.seconds_per_simulated_unit * 5 / 10_000 < 1e-4  # seconds per cell and step
    assert [finding.severity for finding in small.findings] == ["info", "info"]  # the lithium balance
    for protocol, charge, sentence in (
        ("Discharge at 20C", None, "empty after some 180 s"),
        ("Charge at 1C", None, "starts full"),
        ("Charge at 1C", 0.5, None),
        ("Discharge at 1C", 0.01, "starts empty"),
    ):
        findings = ENGINE.estimate(problem(protocol=[protocol], initial_state_of_charge=charge), backend).findings
        warnings = [finding.message for finding in findings if finding.severity == "warning"]
        assert len(warnings) == (sentence is not None)
        assert all(sentence in warning for warning in warnings)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"protocol": ["Discharge at 1C untill 3 V"]}, "'untill' is not understood"),
        ({"protocol": []}, "has no step"),
        ({"protocol": ["Run drive cycle"]}, "has no drive cycle"),
        ({"drive_cycle": DriveCycle(times=[0.0, 1.0], currents=[1.0])}, "two columns"),
    ],
)
def test_bad_input_gets_a_sentence(changes, sentence):
    backend = CpuBackend()
    for ask in (ENGINE.estimate, ENGINE.build):
        with pytest.raises(ProblemError, match=sentence):
            ask(problem(**changes), backend)


def test_numbers_out_of_bounds_are_refused():
    mood = {"ensemble": {"cells": 5, "distributions": [{"parameter": "mood"}]}}
    for changes in ({"numerics": {"radial_points": 7}}, {"current_factor": 0}, {"ensemble": {"cells": 0}}, mood):
        with pytest.raises(ValidationError):
            BatteryParameters(**changes)


def test_benchmarks_run():
    for bench in ENGINE.benchmarks([20]):
        run = ENGINE.build(bench.problem(), CpuBackend())
        run.advance(3)
        assert bench.elements == 20
        assert [timing.kernel for timing in run.drain_timings()] == [run.traffic[0].kernel]


def test_it_runs_without_a_window(tmp_path, capsys):
    project = {
        "schema_version": 1, "title": "cells", "engine": "battery", "run": {"until": 300},
        "parameters": {"ensemble": SPREAD, "numerics": {"step": 10}},
    }  # fmt: skip
    (tmp_path / "project.json").write_text(json.dumps(project))
    assert main(["run", str(tmp_path), "--device", "cpu", "--out", str(tmp_path / "out"), "--pictures", "0"]) == 0
    rows = (tmp_path / "out" / "series.csv").read_text().splitlines()
    assert rows[0].startswith("time [s],voltage [V],voltage_p05 [V]")
    assert float(rows[-1].split(",")[0]) == 300
    (written,) = (tmp_path / "out" / "fields").glob("*.vtu")
    fields = meshio.read(written).point_data
    assert fields["stoichiometry [1]"].shape == (60, 16)
    assert fields["radius [um]"].shape == (60,)


@pytest.mark.parametrize("model", ["SPM", "MPM", "pack"])
def test_a_charge_of_a_full_cell_is_warned_of_and_not_that_of_another(model):
    backend, small = CpuBackend(), {"cells_x": 1, "voxels_x": 2, "voxels_y": 2, "voxels_z": 2}
    for charge, warned in ((1.0, True), (0.5, False)):
        chosen = {
            "model": model, "initial_state_of_charge": charge, "protocol": ["Charge at 1C"],
            "sizes": {"particles": 20}, "pack": {"arrangement": small}, "numerics": {"precision": "fp64"},
        }  # fmt: skip
        findings = ENGINE.estimate(Problem(BatteryParameters.model_validate(chosen)), backend).findings
        assert any("starts full" in finding.message for finding in findings) is warned


@pytest.mark.parametrize("model", MODELS)
def test_a_run_of_each_model_ends_by_itself(model):
    """So that the command line needs no --until: protocols end, and a flux fills or empties particles."""
    assert ENGINE.ends(Problem(BatteryParameters.model_validate({"model": model})))


def test_particles_without_a_flux_never_end():
    still = {"model": "particles", "particles": {"flux_factor": 0.0}}
    assert not ENGINE.ends(Problem(BatteryParameters.model_validate(still)))
