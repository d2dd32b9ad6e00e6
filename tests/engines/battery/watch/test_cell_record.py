"""What is written of single cells: their values, what differs among them, how they ended, what their cycles took."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.abilities import Cells
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters

SPREAD = {"parameter": "negative_particle_radius", "spread": 0.1}
GIVEN = {
    "protocol": ["Discharge at 2C for 5 minutes", "Rest for 1 minute"], "numerics": {"step": 10.0},
    "thermal": "lumped", "ensemble": {"cells": 7, "distributions": [SPREAD]},
}  # fmt: skip


def built(backend, **changes):
    return BatteryEngine().build(Problem(BatteryParameters.model_validate(GIVEN | changes)), backend)


def test_each_cell_by_itself(backend):
    """Values are those of fields and of the mean; nothing is told of a cell that is through; the draw is the problem's
    own."""
    run = built(backend, recording={"cells": 5, "interval": 31.0})
    assert isinstance(run, Cells)
    assert [(each.name, each.unit) for each in run.cell_quantities] == [
        ("voltage", "V"), ("current", "A"), ("temperature", "°C")
    ]  # fmt: skip
    assert run.cell_steps == 3
    run.advance(6)
    row, seen = run.cell_series(), run.observe()
    assert {name: values.shape for name, values in row.items()} == dict.fromkeys(row, (5,))
    for name in ("voltage", "temperature"):
        np.testing.assert_array_equal(row[name], run.field(name)[:5])
    np.testing.assert_allclose(row["current"], seen["current"], rtol=1e-6)
    assert row["temperature"].min() > 25
    (title, radii), *others = run.drawn_parameters().items()
    assert title == "negative_particle_radius [m]"
    assert not others
    np.testing.assert_allclose(radii * 1e6, run.geometry.radii[:5], rtol=1e-6)
    run.advance(30)
    assert np.isfinite(run.cell_series()["voltage"]).all()  # at its end
    run.advance(1)
    assert all(np.isnan(values).all() for values in run.cell_series().values())
    results = run.cell_results()
    np.testing.assert_allclose(results["end/time [s]"], 360.0)
    np.testing.assert_allclose(results["end/charge given [A h]"], 10.0 * 300 / 3600, rtol=1e-6)
    assert len(results["end/voltage [V]"]) == 5


def test_capacities_by_cycle():
    run = built(
        CpuBackend(), thermal="isothermal", parameter_set="OKane2022", ageing={"sei": "reaction limited"}, cycles=3,
        protocol=["Discharge at 2C for 5 minutes", "Charge at C/2 for 4 minutes"], recording={"temperature": False},
    )  # fmt: skip
    assert [each.name for each in run.cell_quantities] == ["voltage", "current"]
    run.advance(70)
    results = run.cell_results()
    assert results["cycles/discharge capacity [A h]"].shape == (1, 7)
    run.advance(100)
    results = run.cell_results()
    np.testing.assert_allclose(results["cycles/discharge capacity [A h]"], np.full((3, 7), 10 * 300 / 3600), rtol=1e-4)
    np.testing.assert_allclose(results["cycles/charge capacity [A h]"], np.full((3, 7), 2.5 * 240 / 3600), rtol=1e-4)
    assert (np.diff(results["cycles/charge in the SEI [A h]"], axis=0) > 0).all()


def test_how_much_is_written_is_told_before():
    """4 bytes for each value of each cell."""
    engine, backend = BatteryEngine(), CpuBackend()

    def facts(**recording):
        given = BatteryParameters.model_validate(GIVEN | {"recording": recording})
        return engine.estimate(Problem(given), backend).facts

    (fact,) = facts(interval=60.0)
    assert (fact.title, fact.unit) == ("Cells on disk at most, per hour", "MB")
    assert fact.value == pytest.approx(7 * 3 * 4 * 60 / 1e6)
    assert facts(cells=2, interval=20.0, current=False)[0].value == pytest.approx(2 * 2 * 4 * 180 / 1e6)
    assert not facts(cells=0)


@pytest.mark.parametrize("step", [1.0, 5.0, 60.0])
@pytest.mark.parametrize(
    ("protocol", "begin", "voltage"),
    [
        (["Discharge at 1C until 2.5 V"], 0.5, 2.5),
        (["Rest for 7 minutes", "Charge at C/2 until 4.1 V"], 0.6, 4.1),
    ],
)
def test_the_end_is_one_moment_whatever_the_step(backend, step, protocol, begin, voltage):
    """Charge and voltage are those of the time that is told, at which the limit was met; steps go on beyond it."""
    run = built(
        backend, protocol=protocol, initial_state_of_charge=begin, thermal="isothermal", numerics={"step": step}
    )  # fmt: skip
    run.advance(int(6000 / step))
    results = run.cell_results()
    current, rest = (5.0, 0.0) if begin == 0.5 else (-2.5, 420.0)
    np.testing.assert_allclose(
        results["end/charge given [A h]"], current * (results["end/time [s]"] - rest) / 3600, rtol=2e-5
    )
    np.testing.assert_array_equal(results["end/voltage [V]"], voltage)
    assert run.finished
    assert ("charts count all of the last step of 60 s (" in run.ending) == (step == 60.0)


def test_a_limit_that_is_met_before_the_first_step_takes_no_charge(backend):
    run = built(backend, protocol=["Charge at 1C until 3 V"], initial_state_of_charge=0.5, numerics={"step": 60.0})
    run.advance(3)
    results = run.cell_results()
    np.testing.assert_array_equal(results["end/time [s]"], 0.0)
    np.testing.assert_allclose(results["end/charge given [A h]"], 0.0, atol=1e-6)
    assert (results["end/voltage [V]"] > 3.5).all()
