"""Cells whose diffusivity depends on the stoichiometry, on both backends: an independent answer, orders, protocols."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.battery.cells.ageing import Ageing
from engines.battery.cells.step.cells import CELLS
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.step.cell_rows import Row
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


@pytest.mark.parametrize("thermal", [False, True], ids=["isothermal", "lumped"])
def test_backends_agree_and_batches_are_one_run(thermal):
    """Cells that differ, in the SPMe through every kind of instruction."""
    from engines.backend.cpu import CpuBackend
    from tests.cuda_on_host.backend import HostCudaBackend
    from tests.cuda_on_host.loader import COMPILER

    if COMPILER is None:
        pytest.skip("no C++ compiler")
    rng = np.random.default_rng(8)
    names = ("negative_particle_radius", "positive_diffusivity")
    scalars = {name: P[name] * rng.lognormal(0, 0.05, 3) for name in names}
    states = []
    for backend, parts in ((CpuBackend(), 1), (CpuBackend(), 4), (HostCudaBackend(), 1)):
        cells = CELLS.open(
            backend, VARIED, PROTOCOL, 10.0, scalars, electrolyte=True, thermal=thermal, precision="float64"
        )
        with backend.active():
            for part in range(parts):
                cells.advance(part * 120 // parts, 120 // parts)
        states.append(np.array(cells.state)[:, :3])
    assert (np.delete(states[0], Row.ENDED, 0) == np.delete(states[1], Row.ENDED, 0)).all()
    np.testing.assert_allclose(states[0], states[2], rtol=0, atol=1e-10)


def test_cells_that_age_have_the_mean(backend):
    cells = CELLS.open(
        backend, replace(PARAMETER_SETS["OKane2022"], negative_diffusivity_law=np.ones_like), PROTOCOL, 10.0,
        ageing=Ageing("solvent-diffusion limited", "none"),
    )  # fmt: skip
    assert not cells.varying
