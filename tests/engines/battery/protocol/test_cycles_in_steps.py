"""A drive cycle in time steps: what is drawn at a step's end belongs to that moment, and converges with the step."""

from functools import cache

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters
from engines.battery.protocol.plan import step_of

ROWS = np.arange(61.0)
CURRENTS = 5 * np.clip(np.random.default_rng(1).normal(0.7, 1.0, 61), -1.5, 3)
TIMES = (20.0, 40.0, 60.0)


def parameters(step=None, *, power=False, path=None, **given):
    cycle = {"times": ROWS.tolist(), "currents": CURRENTS.tolist()}
    if power:
        lines = [f"{t:g},{3.7 * i:.17g}" for t, i in zip(ROWS, CURRENTS, strict=True)]
        path.write_text("\n".join(["time [s],power [W]", *lines]), "utf-8")
        cycle = {"file": str(path)}
    values = {
        "protocol": ["Run drive cycle"], "drive_cycle": cycle, "initial_state_of_charge": 0.7,
        "sizes": {"particles": 8}, "numerics": {"step": step, "precision": "fp64"}, **given,
    }  # fmt: skip
    return BatteryParameters.model_validate(values)


def seen(backend, step, **given):
    """Voltages at TIMES, and the charge at the last."""
    run = BatteryEngine().build(Problem(parameters(step, **given)), backend)
    found = []
    for time in TIMES:
        run.advance(round(time / step) - run.step)
        found.append(run.observe())
    return np.array([each["voltage"] for each in found]), found[-1]["capacity"]


@cache
def fine(model, power, path):
    return seen(CpuBackend(), 0.02, model=model, power=power, path=path)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("cycle") / "power.csv"


# Of voltages at steps of 1 s and 5 s [V], of the charge at 1 s as a share. At 1 s the voltage of the step's mean
# current was up to 190 mV away, at 5 s 230 mV. In the SPM straight lines between steps are exact; the salt, and how
# particles of several sizes share a change, are of first order; a power's mean current within a step is an estimate.
WITHIN = {
    ("SPM", False): (1e-9, 4e-3, 1e-12), ("SPMe", False): (2e-4, 5e-3, 1e-12), ("MPM", False): (2e-4, 5e-3, 1e-12),
    ("SPM", True): (1e-3, 5e-3, 5e-3), ("MPM", True): (1.5e-3, 5e-3, 1e-2),
}  # fmt: skip


@pytest.mark.parametrize(("model", "power"), list(WITHIN))
def test_the_voltage_is_of_the_current_at_that_moment(backend, path, model, power):
    expected, charge = fine(model, power, path)
    at_rows, coarse, of_charge = WITHIN[model, power]
    found, flown = seen(backend, 1.0, model=model, power=power, path=path)
    assert found == pytest.approx(expected, abs=at_rows)
    assert flown == pytest.approx(charge, rel=of_charge)
    assert seen(backend, 5.0, model=model, power=power, path=path)[0] == pytest.approx(expected, abs=coarse)


def test_first_order_where_it_is_not_exact(backend, path):
    expected, _ = fine("SPMe", False, path)
    errors = [np.abs(seen(backend, step, model="SPMe")[0] - expected).max() for step in (1.0, 0.5, 0.25)]
    assert errors[0] / errors[1] > 1.7
    assert errors[1] / errors[2] > 1.7


def test_current_and_charge_are_the_files(backend):
    run = BatteryEngine().build(Problem(parameters(4.0)), backend)
    run.advance(5)
    assert run.observe()["current"] == pytest.approx(CURRENTS[20])
    assert run.observe()["capacity"] * 3600 == pytest.approx(np.trapezoid(CURRENTS[:21]), rel=1e-9)


def test_a_pack_follows_it_too(backend):
    """The currents of two cells side by side add up to the file's, and the charge is the file's."""
    small = {"cells_x": 2, "voxels_x": 2, "voxels_y": 4, "voxels_z": 4}
    given = {"model": "pack", "pack": {"parallel": 2, "arrangement": small}}

    def at_twenty_seconds(where, step):
        run = BatteryEngine().build(Problem(parameters(step, **given)), where)
        run.advance(round(20 / step))
        return run.observe()

    found = at_twenty_seconds(backend, 2.0)
    assert found["current"] == pytest.approx(2 * CURRENTS[20], rel=1e-6)
    assert found["capacity"] * 3600 == pytest.approx(2 * np.trapezoid(CURRENTS[:21]), rel=1e-6)
    assert found["voltage"] == pytest.approx(at_twenty_seconds(CpuBackend(), 0.25)["voltage"], abs=3e-4)


def test_the_heat_of_a_step_is_that_of_its_currents(backend):
    """Within a row the current is a line: its square has the mean m² + δ²/3. Steps of a row are 4 % of the warming away
    from fine ones; the voltage of the mean current alone made a seventh less of it."""

    def warming(where, step):
        run = BatteryEngine().build(Problem(parameters(step, thermal="lumped")), where)
        run.advance(round(60 / step))
        return run.observe()["temperature"] - 25

    assert warming(backend, 1.0) == pytest.approx(warming(CpuBackend(), 0.02), rel=0.04)


def test_the_step_follows_from_the_rows():
    assert step_of(parameters()) == 1.0
    assert step_of(parameters(2.5)) == 2.5
    assert step_of(parameters(protocol=["Discharge at 1C"])) == 5.0
    assert step_of(parameters(drive_cycle={"times": [0, 12, 24, 36], "currents": [1, 2, 3, 4]})) == 4.0


@pytest.mark.parametrize("model", ["SPM", "MPM", "pack"])
def test_a_step_over_rows_is_said(model):
    def said(step):
        findings = BatteryEngine().estimate(Problem(parameters(step, model=model)), CpuBackend()).findings
        return [each for each in findings if "rows of the drive cycle" in each.message]

    (told,) = said(5.0)
    assert told.place == ("numerics", "step")
    assert told.remedy.changes == {("numerics", "step"): None}
    assert not said(1.0)
    assert not said(None)
