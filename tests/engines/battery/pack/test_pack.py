"""Packs as a whole: against a lumped cell, each other and the network's own equations."""

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.errors import InstabilityError, ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.cells.step.cells import CELLS
from engines.battery.engine import BatteryEngine
from engines.battery.pack.layout import grid_of, layout
from engines.battery.pack.wiring import Demand, shared
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.balance import balance, state_of_charge
from engines.battery.parameters import BatteryParameters
from engines.battery.parameters.pack import Pack
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.setup.cell import parameter_set_of
from engines.battery.setup.ensemble import sample
from engines.battery.step.cell_rows import Row

SMALL = {"cells_x": 2, "voxels_x": 2, "voxels_y": 4, "voxels_z": 4}
ENGINE = BatteryEngine()


def problem(
    pack=None, arrangement=SMALL, protocol=("Discharge at 1C until 2.5 V",), step=5.0, precision="fp64", **more
):
    values = {
        "model": "pack",
        "pack": {"arrangement": arrangement, **(pack or {})},
        "protocol": list(protocol),
        "numerics": {"step": step, "precision": precision},
        **more,
    }
    return Problem(BatteryParameters.model_validate(values))


def built(*args, backend=None, **kwargs):
    return ENGINE.build(problem(*args, **kwargs), backend or CpuBackend())


@pytest.mark.parametrize(
    ("arrangement", "sentence"),
    [
        ({"cells_z": 100, "voxels_z": 700, "cells_x": 1}, "voxels along z: use at most 65,535"),
        (
            {"cells_x": 1, "voxels_x": 1, "cells_y": 40, "cells_z": 40, "voxels_y": 700, "voxels_z": 700},
            "one voxel thick",
        ),
    ],
)
def test_a_pack_that_the_kernels_cannot_number_is_refused(arrangement, sentence):
    """65,535 blocks along z, and places with their ghosts below 2³¹, whatever the number of voxels is."""
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.geometry_of(problem(arrangement={**arrangement, "gap": 0.0}))


def lumped(step, times, coefficient, capacity, area):
    """(V, T − 298.15 K) of one cell with one temperature."""
    cells = CELLS.open(
        CpuBackend(), PARAMETER_SETS["Chen2020"], [Instruction(Kind.CURRENT, 10.0)], step,
        {
            "heat_capacity": capacity, "heat_transfer_coefficient": coefficient, "cooling_area": area,
            "contact_resistance": np.zeros(1),
        },
        thermal=True, precision="float64",
    )  # fmt: skip
    found = []
    with cells.backend.active():
        for number in range(round(times[-1] / step)):
            cells.advance(number, 1)
            if (number + 1) * step in times:
                found.append((float(cells.state[Row.VOLTAGE, 0]), float(cells.state[Row.WARMTH, 0])))
    return np.array(found)


def test_a_cell_that_conducts_well_is_a_lumped_cell():
    """k = 10⁵: the resistance inside is 1e-5 of that at the sides. Both take the heat of a step at the temperature of
    its start, and differ in how the cooling is stepped: 0.2 mK."""
    times, step, h = (300.0, 600.0, 1200.0), 5.0, 20.0
    size = np.array([5.0, 100.0, 60.0]) * 1e-3
    volume = float(size.prod())
    area = 2 * float(volume * (1 / size).sum())
    expected = lumped(step, times, h, 1.7e6 * volume, area)
    simulation = built(
        {
            "material": {"conductivity_in_plane": 1e5, "conductivity_through": 1e5},
            "cooling": {"ends": h, "sides": h, "top": h, "plate": h, "plate_temperature": 25.0},
        },
        {**SMALL, "cells_x": 1},
        ["Discharge at 2C until 2.5 V"],
        step,
    )
    got = []
    while simulation.time < times[-1]:
        simulation.advance(1)
        if simulation.time in times:
            values = simulation.observe()
            got.append((values["voltage"], values["mean"] - 25))
    got = np.array(got)
    assert expected[-1, 1] > 4
    np.testing.assert_allclose(got[:, 1], expected[:, 1], rtol=0, atol=5e-4)
    np.testing.assert_allclose(got[:, 0], expected[:, 0], rtol=0, atol=5e-6)


def test_the_coupling_is_of_first_order_in_time():
    """Temperatures after 600 s at 2C with steps of 20, 10 and 5 s."""
    means = []
    for step in (20.0, 10.0, 5.0):
        simulation = built(protocol=["Discharge at 2C for 10 minutes"], step=step)
        simulation.advance(round(600 / step))
        means.append(simulation.observe()["mean"])
    order = np.log2((means[0] - means[1]) / (means[1] - means[2]))
    assert 0.8 < order < 1.3
    assert abs(means[1] - means[2]) < 0.05


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_a_symmetric_pack_stays_symmetric_and_keeps_its_energy(backend, precision):
    simulation = built(None, {**SMALL, "cells_x": 4}, precision=precision, backend=backend)
    simulation.advance(20)
    temperature = simulation.field("temperature").reshape(simulation.geometry.shape)
    np.testing.assert_array_equal(temperature, temperature[..., ::-1])
    np.testing.assert_array_equal(temperature, temperature[:, ::-1])
    assert np.ptp(temperature) > 0.5
    assert simulation.observe()["balance"] < (1e-5 if precision == "fp32" else 1e-11)


def test_both_backends_agree(backend):
    """float64: all but asinh and exp of the cells have the same bits."""
    pack = {"parallel": 2, "segments_z": 2, "cells": "SPMe"}
    one, two = (built(pack, backend=each) for each in (backend, CpuBackend()))
    for simulation in (one, two):
        simulation.advance(4)
    np.testing.assert_allclose(one.field("temperature"), two.field("temperature"), rtol=0, atol=1e-5)
    for name, value in two.observe().items():
        assert one.observe()[name] == pytest.approx(value, rel=1e-7, abs=1e-9), name


def test_a_network_of_lines_is_solved_exactly():
    rng = np.random.default_rng(1)
    a, r = rng.uniform(3, 4, (5, 3)), rng.uniform(0.01, 0.05, (5, 3))
    for demand in (Demand(Kind.CURRENT, 7.0), Demand(Kind.VOLTAGE, 17.0), Demand(Kind.POWER, 60.0)):
        current = shared(a, r, demand)
        voltage = a - r * current
        np.testing.assert_allclose(voltage, np.broadcast_to(voltage[:, :1], a.shape), rtol=1e-12)
        total = current.sum(axis=1)
        np.testing.assert_allclose(total, total[0], rtol=1e-12)
        pack = voltage[:, 0].sum()
        met = {Kind.CURRENT: total[0], Kind.VOLTAGE: pack, Kind.POWER: pack * total[0]}[demand.kind]
        assert met == pytest.approx(demand.value, rel=1e-12)


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_parallel_cells_that_differ_share_a_voltage(backend, precision):
    """Kirchhoff's laws at the end of each step, to the tolerance of the network."""
    spread = [{"parameter": "negative_thickness", "kind": "lognormal", "spread": 0.1}]
    simulation = built(
        {"parallel": 3, "segments_y": 2},
        {**SMALL, "cells_x": 6},
        ["Discharge at 1C for 30 seconds", "Hold at 4.0 V for 20 seconds", "Discharge at 18 W for 20 seconds"],
        precision=precision,
        backend=backend,
        ensemble={"distributions": spread},
    )
    pack = simulation._pack
    for number in range(14):
        simulation.advance(1)
        groups = pack.voltages.reshape(2, 6)
        tolerance = 8e-6 if precision == "fp32" else 2e-9
        assert np.ptp(groups, axis=1).max() < 2 * tolerance
        totals = pack.currents.reshape(2, 6).sum(axis=1)
        assert totals[0] == pytest.approx(totals[1], rel=1e-5 if precision == "fp32" else 1e-8)
        if number < 6:
            assert totals[0] == pytest.approx(15.0)  # 3 cells of 5 A
        elif number < 10:
            assert pack.voltage == pytest.approx(8.0, abs=4 * tolerance)
        else:
            assert pack.voltage * pack.current == pytest.approx(6 * 18.0, rel=1e-5)
        assert pack.passes < 8
    assert np.ptp(pack.currents[:6:2]) > 0.05
    assert simulation.finished


def test_a_divided_cell_of_one_temperature_is_the_whole_cell():
    """Without cooling all segments are alike, and together they are the cell."""
    cooling = {"ends": 0, "sides": 0, "top": 0, "plate": 0}
    whole, parts = (
        built({"cooling": cooling, **more}, {**SMALL, "cells_x": 1})
        for more in ({}, {"segments_y": 2, "segments_z": 4})
    )
    for simulation in (whole, parts):
        simulation.advance(50)
    for name, value in whole.observe().items():
        if name != "balance":
            assert parts.observe()[name] == pytest.approx(value, rel=1e-8, abs=1e-8), name


def test_the_weakest_cell_ends_a_discharge_and_the_protocol():
    spread = [{"parameter": "negative_thickness", "kind": "normal", "spread": 0.1}]
    simulation = built(protocol=["Discharge at 3C until 3 V"], ensemble={"distributions": spread}, step=20.0)
    while not simulation.finished:
        simulation.advance(1)
    values = simulation.observe()
    assert values["lowest_voltage"] <= 3.0 < values["highest_voltage"]
    before = values["hottest"]
    simulation.advance(10)
    assert simulation.observe()["heat"] == 0
    assert simulation.observe()["hottest"] < before


def test_the_layout_of_cells_segments_and_gaps():
    pack = Pack.model_validate(
        {"arrangement": {**SMALL, "cells_x": 3, "cells_z": 2, "gap": 2.5}, "segments_y": 2, "segments_z": 2}
    )
    where = layout(pack)
    assert where.gap_voxels == (1, 0, 0)  # 2.5 mm wide voxels along x, 25 and 15 mm along y and z
    assert where.grid.shape == (8, 4, 8)
    assert where.n_elements == 24
    counts = np.bincount(where.owner.reshape(-1), minlength=25)
    assert (counts[:24] == 2 * 2 * 2).all()
    assert counts[24] == 2 * 4 * 8
    assert where.owner[0, 0, 0] == 0
    assert where.owner[0, 0, 3] == 4  # the second cell along x
    assert where.owner[4, 0, 0] == 12  # the first of the upper row
    assert grid_of(pack.arrangement)[0].shape == where.grid.shape


def test_fields_inspection_and_charts():
    simulation = built()
    simulation.advance(5)
    owner = layout(problem().parameters.pack).owner.reshape(-1)
    gap = int(np.flatnonzero(owner == 2)[0]) if (owner == 2).any() else None
    for info in simulation.fields:
        values = simulation.field(info.name)
        assert values.shape == (simulation.geometry.n_cells,)
        shown = values[values != info.missing]
        assert (shown >= info.range[0]).all()
        assert (shown <= info.range[1]).all()
        everything = simulation.select(Selection(np.arange(len(values), dtype=np.int32)))
        np.testing.assert_array_equal(simulation.gather(info.name, everything), values)
    found = simulation.inspect(int(np.flatnonzero(owner == 1)[0]))
    facts = {fact.title: fact.value for fact in found.facts}
    assert found.title == "Cell 2"
    assert facts["Current"] == 5.0
    of_set = PARAMETER_SETS["Chen2020"]
    given = 5.0 * 25 / 3600 / balance(of_set).usable
    assert facts["State of charge"] == pytest.approx(state_of_charge(of_set) - given, abs=1e-9)
    assert facts["Heat"] == pytest.approx(simulation.observe()["heat"] / 2)
    if gap is not None:
        assert simulation.inspect(gap).title == "Gap between cells"
    assert simulation.chart("cells").curves[0].y.sum() == 2
    names = {info.name for info in simulation.series}
    assert set(simulation.observe()) == names
    assert all(set(chart.series) <= names for chart in simulation.charts)


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize(
    ("protocol", "start", "temperature"), [("Rest for 1 hour", 0.5, 0.0), ("Discharge at 0.1C until 2.5 V", 0.1, 60.0)]
)
def test_small_currents_between_cells_agree_to_the_tolerance(protocol, start, temperature, precision):
    """Slopes were never found from changes below 0.1 mV: 20 passes, and 35 µV between cells side by side."""
    spread = {"parameter": "positive_diffusivity", "spread": 0.2}
    simulation = built(
        {"parallel": 3, "initial_temperature": temperature}, {**SMALL, "cells_x": 6}, (protocol,), precision=precision,
        initial_state_of_charge=start, ensemble={"distributions": [spread]}, parameter_set="OKane2022", step=60.0,
    )  # fmt: skip
    pack = simulation._pack
    for _ in range(6):
        simulation.advance(1)
        assert pack.passes < 12
        assert np.ptp(pack.voltages.reshape(2, 3), axis=1).max() < {"fp32": 1e-5, "fp64": 1e-8}[precision]


def test_cells_agree_where_surfaces_come_to_their_end_within_a_step():
    """Half full at 8C the voltage of a segment falls by 0.2 V within 0.1 A after 100 s, and bends at both ends of that:
    segments side by side were 0.48 V apart without a word."""
    simulation = built(
        {"segments_y": 2, "segments_z": 2},
        protocol=("Discharge at 8C until 2.5 V",),
        step=10.0,
        initial_state_of_charge=0.5,
    )
    pack = simulation._pack
    while not simulation.finished:
        simulation.advance(1)
        assert np.ptp(pack.voltages.reshape(2, 4), axis=1).max() < 1e-8
        np.testing.assert_allclose(pack.currents.reshape(2, 4).sum(axis=1), 40.0, rtol=1e-9)
    assert simulation.time == 130.0  # as of a cell in one piece


def test_a_step_without_an_answer_ends_the_run_with_that():
    """60 W of a cell of 0.68 A h: in the second minute it has no such power any more."""
    simulation = built(
        protocol=("Discharge at 60 W until 3.105 V",),
        parameter_set="Marquis2019",
        step=60.0,
        initial_state_of_charge=0.9,
    )
    simulation.advance(1)
    before = simulation.observe()
    with pytest.raises(InstabilityError, match="use a smaller time step or a smaller current"):
        simulation.advance(1)
    assert simulation.step == 1
    assert simulation.observe() == before


def test_a_set_that_says_nothing_of_its_cooling_makes_a_pack():
    """Prada2013 has no area of a cell's surface and no heat capacity: a pack has its own."""
    simulation = built(parameter_set="Prada2013", protocol=("Discharge at 1C until 2.0 V",))
    simulation.advance(20)
    assert simulation.non_finite() is None
    seen = simulation.observe()
    assert 3.2 < seen["voltage"] / 2 < 3.4
    assert seen["balance"] < 1e-9


def test_the_state_of_charge_is_that_between_the_cut_offs_of_each_cell():
    """Half full at the start, and 0.5 A h less after six minutes at 1C; cells that begin at
    different concentrations differ by as much."""
    simulation = built(initial_state_of_charge=0.5)
    charges = simulation.field("charge")
    assert charges[charges > -1] == pytest.approx(0.5, abs=1e-6)
    simulation.advance(72)
    charges = simulation.field("charge")
    usable = balance(PARAMETER_SETS["Chen2020"]).usable
    assert charges[charges > -1] == pytest.approx(0.5 - 0.5 / usable, abs=1e-6)

    spread = {"parameter": "negative_initial_concentration", "kind": "uniform", "spread": 0.1}
    mixed = built(pack={"segments_y": 2}, ensemble={"distributions": [spread]}, initial_state_of_charge=0.5)
    parameters = problem(
        pack={"segments_y": 2}, ensemble={"distributions": [spread]}, initial_state_of_charge=0.5
    ).parameters
    of_set = parameter_set_of(parameters)
    (drawn,) = sample(of_set, parameters.ensemble.distributions, 2, parameters.ensemble.seed).values()
    for cell, concentration in enumerate(drawn):
        alone = of_set.changed({"negative_initial_concentration": concentration}, "drawn")
        element = int(np.flatnonzero(layout(parameters.pack).owner.reshape(-1) == 2 * cell)[0])
        facts = {fact.title: fact.value for fact in mixed.inspect(element).facts}
        assert facts["State of charge"] == pytest.approx(state_of_charge(alone), abs=1e-9)


def test_live_controls_and_a_checkpoint():
    one, two = built({"parallel": 2}), built({"parallel": 2})
    one.advance(3)
    one.set_control("current_factor", 2.0)
    one.set_control("pack.cooling.plate_temperature", 5.0)
    two.restore(one.state())
    for simulation in (one, two):
        simulation.advance(3)
    assert one.observe() == two.observe()
    assert one.observe()["current"] == pytest.approx(20.0)
    assert one.observe()["coldest"] < 23
    with pytest.raises(ProblemError, match="cannot change during a run"):
        one.set_control("pack.parallel", 1)


@pytest.mark.parametrize(
    ("pack", "arrangement", "message"),
    [
        ({"parallel": 3}, SMALL, "do not make groups of 3"),
        ({"segments_y": 3}, SMALL, "use a multiple of 3 voxels"),
        (None, {"cells_x": 1000, "voxels_x": 1000, "voxels_y": 1000, "voxels_z": 10}, "use at most 1,000,000,000"),
        ({"material": {"conductivity_in_plane": 1e6}}, {"voxels_y": 1000, "voxels_z": 1000}, "use a shorter step"),
    ],
)
def test_bad_packs_get_a_sentence(pack, arrangement, message):
    with pytest.raises(ProblemError, match=message):
        ENGINE.estimate(problem(pack, arrangement), CpuBackend())


def test_an_estimate_tells_voxels_and_stages():
    backend = CpuBackend()
    given = problem(None, {**SMALL, "gap": 1.0})
    estimate = ENGINE.estimate(given, backend)
    simulation = ENGINE.build(given, backend)
    stages = f"{simulation._pack.heat.stages.count} stages"
    assert any(stages in finding.message for finding in estimate.findings)
    assert any("use more voxels" in finding.message for finding in estimate.findings)
    assert estimate.seconds_per_simulated_unit > 0
    assert ENGINE.geometry_of(given) is ENGINE.geometry_of(problem(None, {**SMALL, "gap": 1.0}))
