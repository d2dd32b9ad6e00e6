"""Where the voltage goes: the losses add up to it."""

from __future__ import annotations

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.battery.cells.ageing import Ageing
from engines.battery.cells.step.cells import CELLS
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.step.cell_rows import Row
from engines.battery.watch import losses
from engines.battery.watch.cell_charts import charts

OKANE = PARAMETER_SETS["OKane2022"]
PLAN = [
    Instruction(Kind.CURRENT, 5.0, steps=60), Instruction(Kind.CURRENT, 0.0, steps=6),
    Instruction(Kind.CURRENT, -10.0, steps=30), Instruction(Kind.VOLTAGE, 4.0, steps=30),
]  # fmt: skip
SCALARS = {
    "negative_particle_radius": np.array([5e-6, 5.86e-6]), "contact_resistance": np.array([0.01, 0.02]),
    "negative_transfer_coefficient": np.array([0.35, 0.6]),
}  # fmt: skip


def unexplained(backend, steps: int, **options) -> float:
    """|OCV − losses − V| [V] of the second of two cells."""
    cells = CELLS.open(backend, OKANE, PLAN, 10.0, SCALARS, precision="float64", **options)
    with backend.active():
        cells.advance(0, steps)
    open_circuit, found = losses.decomposed(cells, 1)
    assert list(found) == list(losses.names(cells))
    return abs(open_circuit - sum(found.values()) - np.array(cells.state)[Row.VOLTAGE, 1])


@pytest.mark.parametrize("electrolyte", [False, True], ids=["SPM", "SPMe"])
@pytest.mark.parametrize("ageing", [None, Ageing("ec reaction limited", "irreversible")], ids=["fresh", "ageing"])
@pytest.mark.parametrize("steps", [1, 30, 63, 90])
def test_they_add_up_to_the_voltage(backend, electrolyte, ageing, steps):
    """In discharge, rest and charge, to 1e-6 V: the tables of the potentials and a step's growth of the film."""
    assert unexplained(backend, steps, electrolyte=electrolyte, ageing=ageing) < 1e-6


@pytest.mark.parametrize(
    ("options", "steps", "tolerance"),
    [({"electrolyte": True}, 110, 5e-4), ({"thermal": True}, 50, 5e-4), ({}, 110, 1e-6)],
    ids=["SPMe, held voltage", "lumped", "SPM, held voltage"],
)
def test_they_miss_what_a_step_changes_afterwards(backend, options, steps, tolerance):
    """The salt of a step of 10 s at a held voltage, and its warmth: see losses.py."""
    assert unexplained(backend, steps, **options) < tolerance


@pytest.mark.parametrize(
    ("current", "electrolyte", "tolerance"),
    [(5.0, False, 2e-9), (5.0, True, 2e-9), (25.0, False, 1e-9), (-25.0, False, 1e-9)],
    ids=["empty negative", "empty negative, SPMe", "full positive", "full negative"],
)
def test_they_add_up_where_a_particle_is_empty_or_full(backend, current, electrolyte, tolerance):
    """A step may take a surface past its edge, where kernels take the voltage of the edge."""
    plan = [Instruction(Kind.CURRENT, current, steps=2000)]
    cells = CELLS.open(backend, OKANE, plan, 2.0, SCALARS, precision="float64", electrolyte=electrolyte)
    for step in range(2000):
        with backend.active():
            cells.advance(step, 1)
        surfaces = [float(each[0]) for each in cells.surfaces_of(*cells.column(1))]
        if min(surfaces) < 0 or max(surfaces) > 1:
            break
    assert min(surfaces) < 0 or max(surfaces) > 1
    with np.errstate(all="raise"):
        open_circuit, found = losses.decomposed(cells, 1)
    assert abs(open_circuit - sum(found.values()) - np.array(cells.state)[Row.VOLTAGE, 1]) < tolerance


def test_they_count_positive_both_ways(backend):
    cells = CELLS.open(backend, OKANE, PLAN, 10.0, electrolyte=True, ageing=Ageing("reaction limited"))
    for steps, first in ((60, 0), (30, 66)):
        with backend.active():
            cells.advance(first, steps)
        seen = losses.observed(cells, 0)
        assert set(seen) == {each.name for each in losses.series(cells)}
        assert seen["loss_negative_kinetics"] > 0.01
        assert seen["loss_film"] > 0
        assert all(value > -0.01 for value in seen.values())
    assert losses.chart(cells).series == losses.names(cells)
    assert losses.chart(cells).kind == "area"


@pytest.mark.parametrize(("lumped", "third"), [(True, "temperature"), (False, "current")])
def test_who_gives_a_cell_its_heat_sees_its_temperature_among_the_first_three_charts(lumped, third):
    cells = CELLS.open(CpuBackend(), OKANE, PLAN, 10.0, thermal=lumped)
    assert [chart.name for chart in charts(cells, None, driven=False)][:3] == ["voltage", "losses", third]
