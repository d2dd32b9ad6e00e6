"""A simulation of cells as viewers see it: its end, its cycles, one particle, its temperature."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.cells.model import BUILDING
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters

ENGINE = BatteryEngine()
CCCV = ["Discharge at 1C until 2.5 V", "Rest for 10 minutes", "Charge at C/3 until 4.2 V", "Hold at 4.2 V until 50 mA"]
AGEING = {
    "parameter_set": "OKane2022", "protocol": CCCV, "cycles": 3, "numerics": {"step": 20.0},
    "ageing": {"sei": "ec reaction limited", "plating": "irreversible"},
    "ensemble": {"cells": 9, "distributions": [{"parameter": "sei_ec_rate", "kind": "lognormal", "spread": 0.3}]},
}  # fmt: skip


def simulation(backend, **changes):
    return ENGINE.build(Problem(BatteryParameters.model_validate(changes)), backend)


def test_it_ends_with_its_protocol(backend):
    run = simulation(backend, protocol=["Discharge at 1C for 10 minutes"], numerics={"step": 10.0})
    run.advance(59)
    run.observe()
    assert not run.finished
    run.advance(1)
    run.observe()
    assert run.finished


@pytest.mark.parametrize("model", ["SPM", "SPMe", "MPM"])
@pytest.mark.parametrize("asked", [1, 7])
@pytest.mark.parametrize(
    "step", ["Discharge at 5 A for 63 s", "Discharge at 20 W for 63 s", "Charge at 2 A until 4.19 V"]
)
def test_the_last_row_has_the_current_and_power_of_the_step_that_it_ended_in(backend, model, asked, step):
    """However long ago that was: with none, resistances of the last rows were infinite, and charges short of a half."""
    given = {"model": model, "protocol": [step], "numerics": {"step": 1.0}, "recording": {"cells": 1, "current": True}}
    given |= {"sizes": {"particles": 4}} if model == "MPM" else {}
    given |= {"initial_state_of_charge": 0.9} if "Charge" in step else {}
    run = simulation(backend, **given)
    while not run.finished:
        before = run.observe()
        run.advance(asked)
    seen = run.observe()
    assert seen["current"] == pytest.approx(before["current"], rel=0.05)
    assert abs(seen["current"]) > 1
    assert seen["voltage"] == pytest.approx(20 / seen["current"] if "W" in step else before["voltage"], rel=0.005)
    if "power" in seen:
        assert seen["power"] == pytest.approx(seen["current"] * seen["voltage"], rel=1e-6)


def test_cells_that_have_ended_before_have_no_part_in_the_mean_current(backend):
    """But in the step in which they end they have."""
    given = {"distributions": [{"parameter": "negative_thickness", "kind": "uniform", "spread": 0.3}], "cells": 40}
    run = simulation(
        backend, ensemble=given, protocol=["Discharge at 5 A until 3.4 V"], initial_state_of_charge=0.3,
        numerics={"step": 5.0}, recording={"cells": 40, "current": True},
    )  # fmt: skip
    parts, ends = [], 0
    while not run.finished:
        run.advance(1)
        currents, seen = run.cell_series()["current"], run.observe()
        assert seen["current"] == pytest.approx(np.nan_to_num(currents).mean(), rel=1e-6)
        assert set(currents[np.isfinite(currents)]) <= {5.0}
        ends += len(parts) > 0 and np.isfinite(currents).sum() < parts[-1]
        parts.append(np.isfinite(currents).sum())
    assert ends > 3
    assert parts[-1] > 0


@pytest.mark.parametrize("model", ["SPM", "MPM"])
@pytest.mark.parametrize("asked", [1, 2, 5])
def test_it_ends_at_the_same_step_whoever_asks_when(backend, model, asked):
    """At the next multiple of ``sample_steps``, however steps are batched and whether anybody observes; it says why."""
    given = {"model": model, "protocol": ["Discharge at 1C for 63 s"], "numerics": {"step": 1.0}}
    if model == "MPM":
        given["sizes"] = {"particles": 4}
    run = simulation(backend, **given)
    run.sample_steps = 10
    fresh = run.state()
    while not run.finished:
        assert run.ending == ""
        run.advance(min(asked, (run.step // 10 + 1) * 10 - run.step))  # as a run does it
        if asked == 2:
            run.observe()
    assert run.step == 70
    assert run.ending == "The cell is through its protocol after 63 s."
    over = run.state()
    run.restore(fresh)
    assert not run.finished
    run.restore(over)
    assert run.finished


def test_when_cells_ended_does_not_hang_on_batches(backend):
    """To the last bit: times of a batch are not added up in single precision."""
    spread = {"parameter": "negative_particle_radius", "kind": "lognormal", "spread": 0.1}
    given = {"protocol": ["Discharge at 1C until 2.5 V"], "numerics": {"step": 1.7}}
    found = []
    for batch in (7, 90, 1000):
        run = simulation(backend, **given, ensemble={"cells": 40, "distributions": [spread]})
        while not run.finished:
            run.advance(batch)
        found.append(run.cell_results()["end/time [s]"])
    assert np.ptp(found[0]) > 10
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_cycles_become_charts(backend):
    run = simulation(backend, **AGEING)
    assert [chart.name for chart in run.charts][:3] == ["cycle_capacity", "voltage", "cycle_lithium"]
    names = [chart.name for chart in run.charts if not chart.series]
    assert names == ["cycle_capacity", "cycle_lithium", "cycle_film", "cycle_anode"]
    assert len(run.chart("cycle_capacity").curves[0].x) == 0
    lengths = set()
    while not run.finished:
        run.advance(150)
        seen = run.observe()
        lengths.add(len(run.chart("cycle_film").curves[0].x))
    assert lengths == {0, 1, 2, 3}
    discharge, charge = run.chart("cycle_capacity").curves
    together, sei, plated = run.chart("cycle_lithium").curves
    (film,) = run.chart("cycle_film").curves
    assert discharge.x == pytest.approx([1, 2, 3])
    assert (np.diff(discharge.y) < 0).all()
    assert (np.diff(film.y) > 0).all()
    assert ((film.low < film.y) & (film.y < film.high)).all()
    assert together.y == pytest.approx(sei.y + plated.y)
    assert charge.y == pytest.approx(discharge.y, rel=0.05)
    # 3 cycles on, the readout over time and the chart over cycles say the same (the cells differ by 1 % in lithium)
    assert seen["lithium_lost"] == pytest.approx(together.y[-1] / 100 * 7.62, rel=0.02)
    assert seen["lowest_anode_potential"] < 0.1
    with pytest.raises(KeyError):
        run.chart("nothing")


def test_a_restored_run_has_its_cycles(backend):
    one, two = simulation(backend, **AGEING), simulation(backend, **AGEING)
    one.advance(1200)
    two.restore(one.state())
    for each in (one, two):
        each.advance(800)
    for name in ("cycle_capacity", "cycle_lithium", "cycle_film", "cycle_anode"):
        for a, b in zip(one.chart(name).curves, two.chart(name).curves, strict=True):
            assert (a.y == b.y).all()
            assert len(a.y) >= 1


def test_cells_that_do_not_age_have_no_cycles(backend):
    run = simulation(backend)
    assert not [chart for chart in run.charts if not chart.series]
    with pytest.raises(KeyError):
        run.chart("cycle_capacity")


@pytest.mark.parametrize(
    ("given", "first"),
    [
        ({"ensemble": {"cells": 1}}, ["voltage", "losses", "current", "power"]),
        ({"ensemble": {"cells": 3}}, ["voltage", "current", "power"]),
        ({"ensemble": {"cells": 3}, "thermal": "lumped"}, ["voltage", "temperature", "current"]),
        (
            {"ensemble": {"cells": 1}, "thermal": "lumped", "protocol": ["Run drive cycle"],
             "drive_cycle": {"times": [0, 100], "currents": [5, 5]}},
            ["voltage", "temperature", "current"],
        ),
    ],
)  # fmt: skip
def test_what_matters_is_plotted_first(given, first):
    run = simulation(CpuBackend(), **given)
    assert [chart.name for chart in run.charts][: len(first)] == first
    known = {series.name: series.title for series in run.series}
    assert all({*chart.series, *sum(chart.bands, ())} <= set(known) for chart in run.charts)
    assert ("mean" in known["voltage"]) == (given["ensemble"]["cells"] > 1)
    run.advance(2)
    seen = run.observe()
    assert seen["power"] == pytest.approx(seen["voltage"] * seen["current"], rel=1e-3)


def test_one_particle_is_known(backend):
    run = simulation(backend, **AGEING, thermal="lumped", model="SPMe")
    run.advance(60)
    found, beyond = run.inspect(4), run.inspect(13)
    assert found.title == "Cell 5, negative particle"
    assert beyond.title == "Cell 5, positive particle"
    facts = {fact.title: fact.value for fact in found.facts}
    assert facts["Radius"] == pytest.approx(5.86)
    # 5 A over 3 ε A L/R = 3.360 m², and what the side reactions take: some 0.08 A of a fresh film
    assert 5.02 < 3.360 * facts["Current density out of the surface"] < 5.2
    assert facts["Stoichiometry at the surface"] < facts["Stoichiometry, mean"]
    assert facts["Overpotential"] > 0
    assert facts["Potential against lithium"] == pytest.approx(
        facts["Open-circuit potential"] + facts["Overpotential"] / 1e3, abs=1e-4
    )
    assert facts["Thickness of the SEI"] > 5
    assert facts["Temperature"] == pytest.approx(run.field("temperature")[4], abs=1e-4)
    assert {fact.title: fact.value for fact in beyond.facts}["Overpotential"] < 0
    ((chart, data),) = found.profiles
    assert (chart.x_title, chart.x_unit) == ("Radius", "µm")
    assert data.curves[0].x[-1] == pytest.approx(5.86)
    assert data.curves[0].y[-1] == facts["Stoichiometry at the surface"]
    assert (np.diff(data.curves[0].y) < 0).all()


def test_the_losses_are_of_the_cell_that_was_looked_at(backend):
    radii = {"cells": 3, "distributions": [{"parameter": "negative_particle_radius", "spread": 0.2}]}
    run = simulation(backend, ensemble=radii, numerics={"step": 20.0})
    run.advance(60)
    first = run.observe()["loss_negative_kinetics"]
    run.inspect(1)
    assert run.observe()["loss_negative_kinetics"] != first


def test_there_is_a_temperature_where_it_changes(backend):
    warm, cold = simulation(backend, thermal="lumped"), simulation(backend)
    warm.advance(100)
    assert (warm.field("temperature") > 25.1).all()
    assert "temperature" not in [field.name for field in cold.fields]


def test_what_cannot_age_is_refused(backend):
    for ask in (ENGINE.estimate, ENGINE.build):
        with pytest.raises(ProblemError, match="Marquis2019 gives no sei lithium ratio"):
            ask(Problem(BatteryParameters(parameter_set="Marquis2019", ageing={"sei": "reaction limited"})), backend)
    distribution = {"parameter": "plating_rate", "spread": 0.1}
    with pytest.raises(ProblemError, match="Chen2020 gives no plating_rate"):
        simulation(backend, ensemble={"distributions": [distribution]})
    distribution = {"parameter": "negative_transfer_coefficient", "kind": "uniform", "spread": 1.0}
    with pytest.raises(ProblemError, match=r"between 0\.05 and 0\.95"):
        simulation(backend, ensemble={"cells": 100, "distributions": [distribution]})


def test_memory_counts_what_ageing_adds():
    from engines.backend.cpu import CpuBackend

    plain = ENGINE.estimate(Problem(BatteryParameters(ensemble={"cells": 1000})), CpuBackend())
    ageing = {**AGEING, "ensemble": {"cells": 1000}}
    more = ENGINE.estimate(Problem(BatteryParameters.model_validate(ageing)), CpuBackend())
    # 14 rows of state, 12 of coefficients, 5 numbers for each of 3 cycles
    assert more.memory_bytes - plain.memory_bytes == 1000 * BUILDING * (14 + 12) + 4000 * 15


def test_the_last_step_warms_as_the_step_before(backend):
    """Its heat is that of its end, as of every step; with the open circuit of the cut-off, half a step before, it was
    15 % more in the steep end of a discharge, with steps of 60 s."""

    def warming(protocol, steps):
        cool = [{"parameter": "heat_transfer_coefficient", "value": 0.0}]
        run = simulation(backend, thermal="lumped", protocol=[protocol], changes=cool, numerics={"step": 60.0})
        found = []
        while not run.finished and len(found) < steps:
            run.advance(1)
            found.append(run.observe()["temperature"])
        return found

    ended = warming("Discharge at 1C until 3.2 V", 80)
    going_on = warming("Discharge at 1C until 2.5 V", len(ended))
    assert ended == pytest.approx(going_on, abs=1e-5)
