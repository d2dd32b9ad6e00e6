"""The CPU step against the float64 reference: random states, cell types, stimuli, activation times, V = 15 mV."""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.cells import reference, tt06
from engines.cardiac.cells.cpu import CpuTissue
from engines.cardiac.cells.tt06_tissue import FLOPS_PER_CELL, NOT_ACTIVATED

DT = 0.02


def place(tissue: CpuTissue, state: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Put physical states ``(19, n)`` into a tissue; returns its voltage array."""
    n = state.shape[1]
    tissue.states[:, :n] = state[1:] - tt06.offsets(kinds)
    voltage = tissue.new_voltage()
    voltage[:n] = state[0]
    return voltage


def physical(tissue: CpuTissue, voltage: np.ndarray) -> np.ndarray:
    """States ``(19, n)`` float64 in physical units."""
    return np.array([voltage[: tissue.n_cells].astype(float), *(tissue.state(name) for name in tt06.ROWS)])


@pytest.mark.parametrize("n", [1, 63, 64, 1000])
@pytest.mark.parametrize("voltages", [(-95.0, 60.0), (-95.0, -40.001), (-39.999, 60.0)])
def test_rates_equal_the_reference(host, n, voltages, random_cells):
    """(new − old)/dt for a dt of 1 ms, float64, to 1e-10 of the rate: the gate of the rates."""
    state, kinds = random_cells(n, seed=n, voltages=voltages)
    tissue = CpuTissue(host, kinds, precision="float64")
    voltage = place(tissue, state, kinds)
    tissue.step(voltage, voltage.copy(), 0, 1.0)
    expected = reference.step(state, kinds, 1.0)
    got = physical(tissue, voltage)
    for k, name in enumerate(tt06.STATES):
        change = np.abs(expected[k] - state[k]).max()
        # plus the round-off of storing an offset from the reference concentration
        np.testing.assert_allclose(
            got[k], expected[k], rtol=0, atol=1e-10 * change + 4e-16 * np.abs(state[k]).max(), err_msg=name
        )


def test_float32_equals_the_reference_to_its_precision(host, random_cells):
    """One step of 0.02 ms moves each state by what float64 says, within a few float32 roundings of the state."""
    state, kinds = random_cells(1000, seed=9)
    tissue = CpuTissue(host, kinds, precision="float32")
    voltage = place(tissue, state, kinds)
    state = physical(tissue, voltage)  # as rounded to float32
    tissue.step(voltage, voltage.copy(), 0, DT)
    expected = reference.step(state, kinds, DT)
    got = physical(tissue, voltage)
    for k, name in enumerate(tt06.STATES):
        stored = np.abs(state[k] - (0 if k == 0 else tt06.offsets(kinds)[k - 1])).max()
        tolerance = 2e-7 * stored + 2e-5 * np.abs(expected[k] - state[k]).max()
        np.testing.assert_allclose(got[k], expected[k], rtol=0, atol=tolerance, err_msg=name)


def test_padding_stays_finite_and_cells_beyond_the_last_vector_untouched(host):
    tissue = CpuTissue(host, np.zeros(5, np.uint8))
    voltage = tissue.new_voltage()
    for k in range(200):
        tissue.step(voltage, voltage, k, DT)
    assert tissue.states.shape == (18, 64)
    assert np.isfinite(tissue.states).all()
    assert np.isfinite(voltage).all()


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_stimuli_add_up_where_the_mask_says(host, precision, random_cells):
    state, kinds = random_cells(300, seed=4)
    mask = np.random.default_rng(4).integers(0, 2**32, 300, dtype=np.uint32)
    currents = np.zeros(32)
    currents[[0, 3, 31]] = 10.0, -4.0, 7.0
    tissue = CpuTissue(host, kinds, mask, precision=precision)
    voltage = place(tissue, state, kinds)
    quiet_tissue = CpuTissue(host, kinds, mask, precision=precision)
    quiet = place(quiet_tissue, state, kinds)
    tissue.step(voltage, voltage.copy(), 0, DT, currents)
    quiet_tissue.step(quiet, quiet.copy(), 0, DT, np.zeros(32))
    expected = DT * sum(currents[k] * ((mask >> k) & 1) for k in (0, 3, 31))
    # two float32 voltages below 100 mV, each rounded to 4e-6 mV
    tolerance = 2e-5 if precision == "float32" else 1e-13
    np.testing.assert_allclose((voltage - quiet)[:300], expected, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(tissue.state("K_i"), quiet_tissue.state("K_i"))


def test_the_single_cell_protocol_moves_potassium(host, random_cells):
    state, kinds = random_cells(64, seed=5)
    tissue = CpuTissue(host, kinds, np.ones(64, np.uint32), precision="float64", potassium_stimulus=True)
    voltage = place(tissue, state, kinds)
    tissue.step(voltage, voltage.copy(), 0, DT, np.array([52.0]))
    expected = reference.step(state, kinds, DT, 52.0, stimulus_moves_potassium=True)
    np.testing.assert_allclose(physical(tissue, voltage), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_fifteen_millivolts_is_a_voltage_like_any_other(host, precision, random_cells):
    """i_CaL is smooth through its removable singularity, from 1e-12 to 10 mV off and across the series' edge."""
    distance = np.concatenate([[0.0], np.logspace(-12, 1, 500)])
    around = np.concatenate([15 - distance[::-1], 15 + distance])
    state = np.repeat(random_cells(1, seed=6)[0], len(around), axis=1)
    state[0] = around
    kinds = np.zeros(len(around), np.uint8)
    tissue = CpuTissue(host, kinds, precision=precision)
    voltage = place(tissue, state, kinds)
    before = voltage.copy()
    state = physical(tissue, voltage)
    tissue.step(voltage, before, 0, 1.0)
    expected = reference.step(state, kinds, 1.0)
    # of a change of some hundred mV: round-off of the expression (the phi function and twelve currents)
    tolerance = 3e-4 if precision == "float32" else 1e-11
    np.testing.assert_allclose(physical(tissue, voltage)[0], expected[0], rtol=0, atol=tolerance)


def test_goldman_limit(random_cells):
    """At V = 15 mV the reference has the limit itself, g_CaL·…·2F(Ca_ss/4 − Ca_o)."""
    state, kinds = random_cells(1, seed=8)
    state[0] = 15.0
    s, p = dict(zip(tt06.STATES, state, strict=True)), tt06.COMMON
    expected = p["g_CaL"] * s["d"] * s["f"] * s["f2"] * s["fCass"] * 2 * p["F"] * (0.25 * s["Ca_ss"] - p["Ca_o"])
    np.testing.assert_allclose(reference.currents(state, kinds)["i_CaL"], expected, rtol=1e-14)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_activation_is_the_first_upward_crossing_interpolated_in_time(host, precision):
    n = 40
    tissue = CpuTissue(host, np.zeros(n, np.uint8), np.ones(n, np.uint32), precision=precision, threshold=-20.0)
    before = np.full(tissue.n_padded, -50.0, tissue.dtype)
    before[10:20] = -10.0  # above the threshold before the step: no crossing upwards
    voltage = before.copy()
    voltage[:10] += 5.0  # what diffusion did
    tissue.activation[3] = 1.5  # activated earlier
    step, dt = 1234, 0.5
    tissue.step(voltage, before, step, dt, np.array([200.0]))
    crossed = (before < -20) & (voltage >= -20)
    assert crossed[:10].all()
    assert crossed[20:40].all()
    assert not crossed[10:20].any()
    after, start = voltage.astype(float), before.astype(float)
    with np.errstate(divide="ignore"):  # the padding did not move
        expected = np.where(crossed, step * dt + dt * (-20 - start) / (after - start), NOT_ACTIVATED)
    expected[3] = 1.5
    # float32 spaces times around 617 ms by 6e-5 ms
    np.testing.assert_allclose(
        tissue.activation[:n], expected[:n], rtol=0, atol=6e-5 if precision == "float32" else 1e-11
    )
    assert (tissue.activation[10:20] == NOT_ACTIVATED).all()
    tissue.step(voltage, before, step + 1, dt, np.array([200.0]))
    np.testing.assert_allclose(tissue.activation[:n], expected[:n], rtol=0, atol=6e-5)  # the first one stays


def test_traffic_counts_each_state_once(host):
    """18 states and V in and out, V of the step's start and the type in: (18+2)·4+1 and 19·4 bytes in float32."""
    traffic = CpuTissue(host, np.zeros(1000, np.uint8)).traffic
    assert traffic.bytes_read == 1000 * 81
    assert traffic.bytes_written == 1000 * 76
    assert traffic.flops == 1000 * FLOPS_PER_CELL
    assert CpuTissue(host, np.zeros(1000, np.uint8), precision="float64").traffic.bytes == 1000 * (161 + 152)


@pytest.mark.parametrize("start", ["initial", "limit_cycle_1Hz"])
def test_start_states_come_back_in_physical_units(host, start):
    kinds = np.array([0, 1, 2, 1], np.uint8)
    tissue = CpuTissue(host, kinds, precision="float64", start=start)
    got = physical(tissue, tissue.new_voltage())
    expected = np.array([tt06.start_state(tt06.CellType(kind), start) for kind in kinds]).T
    np.testing.assert_allclose(got, expected, rtol=1e-15)
    assert np.abs(tissue.states[tt06.ROWS.index("Na_i")]).max() < 0.7
    assert np.abs(tissue.states[tt06.ROWS.index("K_i")]).max() < 0.7
