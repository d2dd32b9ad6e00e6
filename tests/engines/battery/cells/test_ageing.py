"""Ageing on both backends: against its own ODE reference, lithium, cycles, precision, and what it must not cost."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.cells.ageing import Ageing
from engines.battery.cells.step import ageing_reference
from engines.battery.cells.step.cells import CELLS
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.step.cell_rows import AgeingRow, Coefficient, CycleRow, Row

OKANE = PARAMETER_SETS["OKane2022"]
EVERYTHING = Ageing("ec reaction limited", "irreversible")
LAWS = [
    Ageing("reaction limited"), Ageing("solvent-diffusion limited"), Ageing("ec reaction limited"),
    Ageing(plating="irreversible"), Ageing(plating="below 0 V"), EVERYTHING,
]  # fmt: skip


def cccv(cycles: int, dt: float) -> list[Instruction]:
    """1C down, 10 minutes of rest, C/3.3 up to 4.2 V, held to 50 mA."""
    rest = Instruction(Kind.CURRENT, 0.0, steps=round(600 / dt))
    up = [Instruction(Kind.CURRENT, -1.5, highest=4.2), Instruction(Kind.VOLTAGE, 4.2, least_current=0.05)]
    return [Instruction(Kind.CURRENT, 5.0, lowest=2.5), rest, *up, rest] * cycles


def aged(backend, cycles, dt=10.0, batch=1000, scalars=None, ageing=EVERYTHING, **options):
    """Cells after their cycles, at most 22,000 s each."""
    cells = CELLS.open(backend, OKANE, cccv(cycles, dt), dt, scalars, ageing=ageing, cycles=cycles, **options)
    with backend.active():
        for first in range(0, round(22_000 * cycles / dt), batch):
            cells.advance(first, batch)
    assert (np.array(cells.state)[Row.ENDED, : cells.n_cells] > 0).all()
    return cells


def recorded(cells) -> np.ndarray:
    return np.array(cells.record).astype(float)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.sei}, {law.plating}")
def test_against_the_ode_reference(backend, law):
    """Discharge, rest, charge at 2C (plating below 0 V too). A step takes the side reactions from before it: where the
    current jumps that is wrong for 0.25 s of 600 to 1,800, by up to 10 times. 40 shells leave 0.2 mV,
    and of plating 0.3 %."""
    dt = 0.25
    segments = [(5.0, 1800.0), (0.0, 600.0), (-10.0, 780.0)]
    voltages, sei, plated = ageing_reference.run(OKANE, law, segments)
    plan = [Instruction(Kind.CURRENT, current, steps=int(duration / dt)) for current, duration in segments]
    cells = CELLS.open(backend, OKANE, plan, dt, ageing=law, precision="float64")
    first = 0
    for k, (_, duration) in enumerate(segments):
        with backend.active():
            cells.advance(first, int(duration / dt))
        first += int(duration / dt)
        state = np.array(cells.state)[:, 0]
        assert state[Row.VOLTAGE] == pytest.approx(voltages[k], abs=5e-4)
        assert state[cells.aged + AgeingRow.SEI] == pytest.approx(sei[k], rel=2e-3, abs=1e-9)
        assert state[cells.aged + AgeingRow.PLATED] == pytest.approx(plated[k], rel=3e-3, abs=1e-6)
    if law.plating == "below 0 V":
        assert plated[1] == 0
        assert plated[2] > 0
        assert state[cells.aged + AgeingRow.LOWEST_ANODE] < 0


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-9), ("float32", 3e-5)])
def test_backends_agree_on_different_cells(precision, tolerance):
    """70 cells with everything on, of their own charge transfer, through a cycle. In float32 a cell may meet the 50 mA
    that end its held voltage a step sooner: 68 agree to 3e-5, all to such a step's share."""
    from tests.cuda_on_host.backend import HostCudaBackend
    from tests.cuda_on_host.loader import COMPILER

    if COMPILER is None:
        pytest.skip("no C++ compiler")
    rng, values = np.random.default_rng(3), OKANE.values()
    names = ("negative_particle_radius", "sei_ec_rate", "plating_rate", "sei_resistivity", "negative_thickness")
    scalars = {name: values[name] * rng.lognormal(0, 0.02, 70) for name in names}
    scalars["negative_transfer_coefficient"] = rng.uniform(0.3, 0.7, 70)
    scalars["positive_transfer_coefficient"] = rng.uniform(0.3, 0.7, 70)
    options = {"scalars": scalars, "electrolyte": True, "thermal": True, "precision": precision}
    one, two = (aged(each, 1, 20.0, **options) for each in (CpuBackend(), HostCudaBackend()))
    apart = np.abs(recorded(one)[0, :4] / recorded(two)[0, :4] - 1)
    assert (apart < tolerance).all(axis=0).sum() >= (70 if precision == "float64" else 68)
    assert apart.max() < 5e-3
    np.testing.assert_allclose(
        recorded(one)[:, CycleRow.LOWEST_ANODE], recorded(two)[:, CycleRow.LOWEST_ANODE], rtol=0, atol=tolerance
    )


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-11), ("float32", 1e-5)])
@pytest.mark.parametrize("electrolyte", [False, True], ids=["SPM", "SPMe"])
def test_lithium_is_kept(backend, precision, tolerance, electrolyte):
    """Both electrodes, SEI and plated lithium together, after ten cycles; the particles lost a tenth of theirs."""
    cells = CELLS.open(
        backend, OKANE, cccv(10, 20.0), 20.0, ageing=EVERYTHING, precision=precision, electrolyte=electrolyte
    )
    before = cells.lithium()
    with backend.active():
        cells.advance(0, 11_000)
    after = cells.lithium()
    assert after[:2].sum() < 0.9 * before[:2].sum()
    assert after.sum(axis=0) == pytest.approx(before.sum(axis=0), rel=tolerance)
    assert cells.balance()[0] <= 100 * tolerance


def test_single_precision_does_not_drift():
    """After 300 cycles the lost lithium is that of float64 to 1e-5: sums carry their errors. Plain sums: some 1e-3."""
    one, two = (
        recorded(aged(CpuBackend(), 300, 20.0, ageing=Ageing("reaction limited"), precision=precision))[:, :, 0]
        for precision in ("float64", "float32")
    )
    assert two[:, CycleRow.SEI] == pytest.approx(one[:, CycleRow.SEI], rel=2e-5)
    assert two[:, CycleRow.DISCHARGED] == pytest.approx(one[:, CycleRow.DISCHARGED], rel=2e-4)
    assert one[-1, CycleRow.DISCHARGED] < 0.97 * one[0, CycleRow.DISCHARGED]


def test_batches_are_one_run(backend):
    """Bit for bit, cycles included: one step at a time, and all in one launch."""
    options = {"electrolyte": True, "thermal": True}
    whole = aged(backend, 2, 60.0, batch=2000, **options)
    parts = aged(backend, 2, 60.0, batch=1, **options)
    assert (np.array(whole.state) == np.array(parts.state)).all()
    assert (recorded(whole) == recorded(parts)).all()


def test_a_hundred_cycles(backend):
    """The same record from batches of 1 and of 1,000 steps is above; here: each of 100 cycles is there, and capacity,
    which is counted to the cut-off, falls smoothly though a step moves 0.3 % of it."""
    cells = aged(backend, 100, 10.0, ageing=Ageing("solvent-diffusion limited"), precision="float64")
    capacity = recorded(cells)[:, CycleRow.DISCHARGED, 0]
    sei = recorded(cells)[:, CycleRow.SEI, 0]
    assert np.isfinite(recorded(cells)).all()
    assert np.abs(np.diff(capacity[1:])).max() < 1e-4 * capacity[1]
    # √t: the film thickens by the square of the time, so Q² + 2 Q Q0 grows by the same each cycle.
    given = np.array(cells.coefficients)[:, 0]
    start = given[Coefficient.FILM] / given[Coefficient.FILM_GROWTH]
    grown = np.diff(sei * (sei + 2 * start))
    assert grown == pytest.approx(grown.mean(), rel=0.02)
    assert np.array(cells.state)[cells.aged + AgeingRow.SEI, 0] == sei[-1]


@pytest.mark.parametrize("hold", [False, True], ids=["to the limits", "held"])
def test_charge_and_discharge_of_a_cycle_hang_on_no_step(backend, hold):
    """1C down and up, with rests: what a step goes beyond a cut-off counts for what follows. Both of cycles 2 and 3 at
    steps of 10 s are those of 1 s, to 3e-4 A h, and their difference to 1e-4 A h; a step moves 0.0139 A h. Held at the
    upper limit the cycles' net is what has flown, to 1e-4 A h."""
    found = []
    for dt in (10.0, 1.0):
        rest = Instruction(Kind.CURRENT, 0.0, steps=round(600 / dt))
        up = [Instruction(Kind.CURRENT, -5.0, highest=4.2)]
        up += [Instruction(Kind.VOLTAGE, 4.2, least_current=0.25)] if hold else []
        plan = [Instruction(Kind.CURRENT, 5.0, lowest=2.5), rest, *up, rest] * 3
        ageing = Ageing("solvent-diffusion limited")
        cells = CELLS.open(backend, OKANE, plan, dt, ageing=ageing, precision="float64", cycles=3)
        with backend.active():
            cells.advance(0, round(36_000 / dt))
        discharged, charged = recorded(cells)[:, [CycleRow.DISCHARGED, CycleRow.CHARGED], 0].T / 3600
        found.append((discharged[1:], charged[1:]))
        flown = float(np.array(cells.state)[Row.CHARGE, 0]) / 3600
        if hold:
            assert (discharged - charged).sum() == pytest.approx(flown, abs=1e-4)
    coarse, fine = np.array(found)
    np.testing.assert_allclose(coarse, fine, atol=3e-4)
    np.testing.assert_allclose(coarse[0] - coarse[1], fine[0] - fine[1], atol=1e-4)


def plating_currents(backend, dt: float, duration: float) -> np.ndarray:
    """[A] after each minute of a charge at 10C of an empty cell."""
    plan = [Instruction(Kind.CURRENT, 5.0, steps=round(3000 / dt)), Instruction(Kind.CURRENT, -50.0)]
    cells = CELLS.open(backend, OKANE, plan, dt, ageing=EVERYTHING)
    found = []
    with backend.active():
        cells.advance(0, round(3000 / dt))
        for step in range(round(3000 / dt), round((3000 + duration) / dt), round(60 / dt)):
            cells.advance(step, round(60 / dt))
            found.append(float(np.array(cells.state)[cells.aged + AgeingRow.PLATING_CURRENT, 0]))
    return np.array(found)


def test_strong_plating_is_stable(backend):
    """0.12 V below lithium 7 A are plated; steps of a minute find them to a tenth, where an explicit step would swing.
    A particle that is overfull plates no more than what is charged, and ten times the exchange current of 0.32 A."""
    fine, coarse = (plating_currents(backend, dt, 240.0) for dt in (2.0, 60.0))
    assert fine[-1] > 5.0
    assert coarse == pytest.approx(fine, rel=0.1)
    assert plating_currents(backend, 60.0, 900.0).max() < 50 + 3.3


def test_cells_that_do_not_age_have_no_more_rows(backend):
    cells = CELLS.open(backend, OKANE, cccv(1, 10.0), 10.0)
    assert cells.rows == Row.SALT
    assert len(cells.coefficients) == Coefficient.NEGATIVE_SKEW
    assert cells.record.size == 0


def test_a_set_without_the_numbers_is_refused():
    with pytest.raises(ProblemError, match="SEI growth: Marquis2019 gives no sei lithium ratio"):
        Ageing("reaction limited").check(PARAMETER_SETS["Marquis2019"])
    with pytest.raises(ProblemError, match="Lithium plating: Chen2020 gives no plating rate"):
        Ageing(plating="irreversible").check(PARAMETER_SETS["Chen2020"])
    Ageing("ec reaction limited").check(PARAMETER_SETS["Chen2020"])
