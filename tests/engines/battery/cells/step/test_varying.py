"""Cells whose diffusivity depends on the stoichiometry, on both backends: an independent answer, orders, protocols."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.battery.cells.ageing import Ageing
from engines.battery.cells.step import ageing_reference
from engines.battery.cells.step.cells import CELLS
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.step.cell_rows import AgeingRow, CycleRow, Row
from engines.battery.verification import collocation
from engines.battery.watch.losses import decomposed

CHEN = PARAMETER_SETS["Chen2020"]
P = CHEN.values()
LAWS = {"negative": lambda x: 10 ** (-15 + 2 * (1 - x) ** 2), "positive": lambda x: 10 ** (-13.8 - 1.5 * x)}
"""[m²/s]: two decades, and one and a half."""
VARIED = replace(
    CHEN,
    negative_diffusivity_law=lambda x: LAWS["negative"](x) / P["negative_diffusivity"],
    positive_diffusivity_law=lambda x: LAWS["positive"](x) / P["positive_diffusivity"],
)
UNIT = replace(CHEN, negative_diffusivity_law=np.ones_like)
TIMES = np.array([20.0, 60.0, 300.0, 900.0, 1800.0, 2400.0])


def run(backend, instructions, dt, steps, parameters=VARIED, **options):
    cells = CELLS.open(backend, parameters, instructions, dt, **{"precision": "float64", **options})
    trace = cells.new_trace(steps)
    with backend.active():
        cells.advance(0, steps, trace)
    return cells, np.array(trace)[:, 0].astype(float)


def test_against_an_independent_answer(backend):
    """0.15 mV with steps of 10 s: the 24 shells."""
    cells, voltages = run(backend, [Instruction(Kind.CURRENT, 5.0)], 10.0, 240)
    expected = collocation.voltage(CHEN, LAWS, 5.0, TIMES, electrolyte=False)
    assert voltages[(TIMES / 10).astype(int) - 1] == pytest.approx(expected, abs=3e-4)
    assert cells.balance()[0] <= 1e-14
    open_circuit, losses = decomposed(cells, 0)
    assert open_circuit - sum(losses.values()) == pytest.approx(voltages[-1], abs=1e-6)


def test_float32_is_that_of_float64(backend):
    if backend.id == "cpu":
        pytest.skip("one precision is compiled there for tests")
    single, double = (
        run(backend, [Instruction(Kind.CURRENT, 5.0)], 10.0, 240, precision=precision, electrolyte=True)[1]
        for precision in ("float32", "float64")
    )
    assert single == pytest.approx(double, abs=2e-5)


def test_second_order_in_time(backend):
    ends = [run(backend, [Instruction(Kind.CURRENT, 5.0)], dt, int(960 / dt))[1][-1] for dt in (80.0, 40.0, 20.0, 10.0)]
    ratios = np.diff(ends)[:-1] / np.diff(ends)[1:]
    assert (ratios > 3).all()


OKANE = PARAMETER_SETS["OKane2022"]
AGED = replace(
    OKANE,
    negative_diffusivity_law=lambda x: 10 ** (0.4 - 1.1 * x),
    positive_diffusivity_law=lambda x: 10 ** (-0.8 + 1.2 * (1 - x) ** 2),
)
EVERYTHING = Ageing("ec reaction limited", "irreversible")
CYCLE = [
    Instruction(Kind.CURRENT, 5.0, lowest=2.5), Instruction(Kind.CURRENT, 0.0, steps=30),
    Instruction(Kind.CURRENT, -1.5, highest=4.2), Instruction(Kind.VOLTAGE, 4.2, least_current=0.05),
    Instruction(Kind.CURRENT, 0.0, steps=30),
]  # fmt: skip
CARRIED = [row for row in Row if row.name.endswith("_ERROR")] + [Row.ENDED]


def precision_of(backend, ageing) -> str:
    """A GPU has no registers for cells that age in float64."""
    return "float64" if backend.id == "cpu" or ageing is None else "float32"


PROTOCOL = [
    Instruction(Kind.CURRENT, 8.0, lowest=3.6), Instruction(Kind.VOLTAGE, 3.7, steps=10),
    Instruction(Kind.POWER, -12.0, steps=10), Instruction(Kind.CURRENT, 5.0, lowest=3.62),
]  # fmt: skip


@pytest.mark.parametrize("electrolyte", [False, True], ids=["SPM", "SPMe"])
def test_a_law_that_is_one_is_the_constant(backend, electrolyte):
    """Every kind of instruction: the voltages of the exact modes, 0.2 mV but in the first step after a jump of 13 A."""
    options = {"parameters": UNIT, "electrolyte": electrolyte, "thermal": electrolyte}
    shells, one = run(backend, PROTOCOL, 10.0, 150, **options)
    modes, other = run(backend, PROTOCOL, 10.0, 150, **{**options, "parameters": CHEN})
    assert np.isnan(one).sum() == np.isnan(other).sum() > 0
    kept = ~np.isnan(one)
    off = np.abs(one[kept] - other[kept])
    assert (off > 2e-4).sum() <= 5
    assert off.max() < 2.5e-3
    assert np.array(shells.state)[Row.ENDED, 0] == pytest.approx(np.array(modes.state)[Row.ENDED, 0], rel=1e-3)


def test_a_held_voltage_and_power_are_held(backend):
    cells, voltages = run(backend, [Instruction(Kind.VOLTAGE, 3.9, steps=20), Instruction(Kind.POWER, 10.0)], 5.0, 40)
    assert voltages[:20] == pytest.approx(3.9, abs=1e-9)
    assert voltages[-1] * np.array(cells.state)[Row.CURRENT, 0] == pytest.approx(10.0, abs=1e-7)


@pytest.mark.parametrize("kind", [Kind.DRIVE, Kind.POWER_DRIVE])
def test_a_drive_cycle_is_that_of_short_steps(backend, kind):
    """A ramp: with a step's end and mean, steps of 10 s are within 0.5 mV of those of 1 s."""
    ends = []
    for dt in (10.0, 1.0):
        at = np.arange(0, 100.0 + dt / 2, dt)
        ramp = (2 + 0.08 * at) * (3.8 if kind == Kind.POWER_DRIVE else 1.0)
        drive = np.stack([(ramp[1:] + ramp[:-1]) / 2, ramp[1:]], axis=1)
        cells, voltages = run(backend, [Instruction(kind, 0.0, steps=len(drive))], dt, len(drive), drive=drive)
        ends.append(voltages[-1])
        assert kind == Kind.POWER_DRIVE or np.array(cells.state)[Row.CHARGE, 0] == pytest.approx(600.0)
    assert ends[0] == pytest.approx(ends[1], abs=5e-4)


@pytest.mark.parametrize("ageing", [None, EVERYTHING], ids=["new", "ageing"])
@pytest.mark.parametrize("thermal", [False, True], ids=["isothermal", "lumped"])
def test_backends_agree_and_batches_are_one_run(thermal, ageing):
    """Cells that differ, in the SPMe through every kind of instruction. Those that age have float32 on a GPU."""
    from engines.backend.cpu import CpuBackend
    from tests.cuda_on_host.backend import HostCudaBackend
    from tests.cuda_on_host.loader import COMPILER

    if COMPILER is None:
        pytest.skip("no C++ compiler")
    rng = np.random.default_rng(8)
    names = ("negative_particle_radius", "positive_diffusivity")
    scalars = {name: P[name] * rng.lognormal(0, 0.05, 3) for name in names}
    options = {"electrolyte": True, "thermal": thermal, "ageing": ageing}
    states = []
    for backend, parts in ((CpuBackend(), 1), (CpuBackend(), 4), (HostCudaBackend(), 1)):
        parameters = VARIED if ageing is None else AGED
        cells = CELLS.open(
            backend, parameters, PROTOCOL, 10.0, scalars, precision=precision_of(backend, ageing), **options
        )
        with backend.active():
            for part in range(parts):
                cells.advance(part * 120 // parts, 120 // parts)
        states.append(np.array(cells.state)[:, :3])
    assert (np.delete(states[0], Row.ENDED, 0) == np.delete(states[1], Row.ENDED, 0)).all()
    tolerances = {"rtol": 0, "atol": 1e-10} if ageing is None else {"rtol": 2e-5, "atol": 2e-5}
    apart = list(CARRIED)
    if ageing is not None:  # a share of a step, some 50 A s, of a difference of voltages that float32 rounds
        beyond = cells.aged + AgeingRow.BEYOND
        np.testing.assert_allclose(states[0][beyond], states[2][beyond], atol=0.01)
        apart.append(beyond)
    kept = np.delete(states[0], apart, 0), np.delete(states[2], apart, 0)
    np.testing.assert_allclose(*kept, **tolerances)


def test_ageing_in_float64_is_refused_on_a_gpu(tmp_path):
    from tests.cuda_on_host.backend import HostCudaBackend
    from tests.cuda_on_host.loader import COMPILER

    if COMPILER is None:
        pytest.skip("no C++ compiler")
    with pytest.raises(ProblemError, match="calculated in fp32") as error:
        CELLS.open(HostCudaBackend(), AGED, PROTOCOL, 10.0, ageing=EVERYTHING, precision="float64")
    assert error.value.place == ("numerics", "precision")
    assert error.value.remedy.changes == {("numerics", "precision"): "fp32"}


def test_ageing_against_an_ode_solver(backend):
    """Discharge, rest and charge at 1C of particles that slow down to a fifth: SEI and plating by 60 shells and an ODE
    solver. A step takes the side reactions from before it, for 1 s of 600 wrong where the current jumps."""
    dt, segments = 1.0, [(5.0, 1800.0), (0.0, 600.0), (-5.0, 900.0)]
    voltages, sei, plated = ageing_reference.run(AGED, EVERYTHING, segments, points=60)
    plan = [Instruction(Kind.CURRENT, current, steps=int(duration / dt)) for current, duration in segments]
    rest = Instruction(Kind.CURRENT, 0.0)  # whose beginning is not reached
    precision = precision_of(backend, EVERYTHING)
    cells = CELLS.open(backend, AGED, [*plan, rest], dt, ageing=EVERYTHING, precision=precision)
    first = 0
    for k, (_, duration) in enumerate(segments):
        with backend.active():
            cells.advance(first, int(duration / dt))
        first += int(duration / dt)
        state = np.array(cells.state)[:, 0]
        assert state[Row.VOLTAGE] == pytest.approx(voltages[k], abs=2e-4)
        assert state[cells.aged + AgeingRow.SEI] == pytest.approx(sei[k], rel=3e-3)
        assert state[cells.aged + AgeingRow.PLATED] == pytest.approx(plated[k], rel=1e-2)
    open_circuit, losses = decomposed(cells, 0)
    assert open_circuit - sum(losses.values()) == pytest.approx(state[Row.VOLTAGE], abs=2e-6)


def test_ageing_with_a_law_that_is_one_is_the_constant(backend):
    """Two cycles with held voltages: what SEI and plating took, and the capacities, of the exact modes."""
    records = []
    for parameters in (OKANE, replace(OKANE, negative_diffusivity_law=np.ones_like)):
        cells = CELLS.open(
            backend, parameters, CYCLE * 2, 20.0, ageing=EVERYTHING, cycles=2, electrolyte=True,
            precision=precision_of(backend, EVERYTHING),
        )  # fmt: skip
        before = cells.lithium().sum()
        with backend.active():
            cells.advance(0, 2400)
        assert cells.lithium().sum() == pytest.approx(before, rel=1e-12 if backend.id == "cpu" else 1e-6)
        records.append(np.array(cells.record)[:, :, 0])
    modes, shells = records
    assert np.isfinite(modes).all()
    assert shells[:, : CycleRow.LOWEST_ANODE] == pytest.approx(modes[:, : CycleRow.LOWEST_ANODE], rel=2e-3)
    assert shells[:, CycleRow.LOWEST_ANODE] == pytest.approx(modes[:, CycleRow.LOWEST_ANODE], abs=2e-3)
