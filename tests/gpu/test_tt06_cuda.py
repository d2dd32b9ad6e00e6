"""TT06 on an NVIDIA GPU against the float64 reference on fresh random states, and whole beats of single cells."""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.cells import reference, tt06
from engines.cardiac.cells.pacing import Protocol, measure, pace
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED, TT06_CELLS

pytestmark = pytest.mark.gpu


def fresh_cells(n: int) -> tuple[np.ndarray, np.ndarray, int]:
    """States (19, n) and types of cells anywhere in a beat, different in each run; the seed, for the message."""
    seed = int(np.random.SeedSequence().entropy % 2**32)
    rng = np.random.default_rng(seed)
    ranges = {
        "V": (-95.0, 60.0), "Ca_i": (5e-5, 2e-3), "Ca_SR": (1.0, 5.0), "Ca_ss": (1e-4, 2.0),
        "Na_i": (7.0, 13.0), "K_i": (130.0, 142.0),
    }  # fmt: skip
    state = np.array([rng.uniform(*ranges.get(name, (0.0, 1.0)), n) for name in tt06.STATES])
    return state, rng.integers(0, 3, n).astype(np.uint8), seed


@pytest.mark.parametrize(("precision", "dt"), [("float64", 1.0), ("float32", 0.02)])
def test_one_step_equals_the_reference(gpu, precision, dt):
    """float64: to 1e-10 of the change in 1 ms. float32: a few roundings of what is stored and of the change."""
    n = 10_007
    state, kinds, seed = fresh_cells(n)
    mask = np.random.default_rng(seed).integers(0, 2**32, n, dtype=np.uint32)
    currents = np.zeros(32)
    currents[[0, 5, 31]] = 10.0, -4.0, 7.0
    tissue = TT06_CELLS.open(gpu, kinds, mask, precision=precision)
    stored = np.zeros((18, tissue.n_padded), tissue.dtype)
    stored[:, :n] = state[1:] - tt06.offsets(kinds)
    tissue.states = gpu.array(stored)
    host_voltage = np.zeros(tissue.n_padded, tissue.dtype)
    host_voltage[:n] = state[0]
    voltage, before = gpu.array(host_voltage), gpu.array(host_voltage)
    state = np.array([host_voltage[:n].astype(float), *(stored[:, :n].astype(float) + tt06.offsets(kinds))])
    with gpu.timed("reaction"):
        tissue.step(voltage, before, 0, dt, currents)
    stimulus = sum(currents[k] * ((mask >> k) & 1) for k in (0, 5, 31))
    expected = reference.step(state, kinds, dt, stimulus)
    got = np.array([gpu.to_host(voltage)[:n].astype(float), *(tissue.state(name) for name in tt06.ROWS)])
    relative = 1e-10 if precision == "float64" else 5e-5
    rounding = 4e-16 if precision == "float64" else 3e-7
    for k, name in enumerate(tt06.STATES):
        size = np.abs(state[k]).max() if precision == "float64" or k == 0 else np.abs(stored[k - 1]).max()
        tolerance = relative * np.abs(expected[k] - state[k]).max() + rounding * size
        np.testing.assert_allclose(got[k], expected[k], rtol=0, atol=tolerance, err_msg=f"{name}, seed {seed}")
    crossed = (state[0] < 0) & (got[0] >= 0)
    activation = gpu.to_host(tissue.activation)[:n]
    assert ((activation >= 0) == crossed).all()
    assert (activation[~crossed] == NOT_ACTIVATED).all()
    exact = -dt * state[0] / np.where(crossed, got[0] - state[0], 1.0)
    np.testing.assert_allclose(
        activation[crossed], exact[crossed], rtol=0, atol=1e-3 * dt if precision == "float32" else 1e-12
    )


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_apd90_of_single_cells(gpu, precision):
    """The gates of the published action potentials: epi 290.1, endo 281.9, M 351.3 ms, ± 1 ms; rest ± 0.1 mV."""
    tissue = TT06_CELLS.open(
        gpu, np.array([0, 1, 2], np.uint8), np.ones(3, np.uint32), precision=precision, potassium_stimulus=True
    )
    times, voltages = pace(tissue, Protocol(), 1, 0.02)
    for k, (apd, rest) in enumerate([(290.1, -85.23), (281.9, -86.709), (351.3, -85.423)]):
        potential = measure(times, voltages[:, k])
        assert potential.duration_90 == pytest.approx(apd, abs=1.0)
        assert potential.rest == pytest.approx(rest, abs=0.1)


def test_float32_and_float64_agree_on_the_beat(gpu):
    """APD90 within 0.1 ms, upstroke (first crossing of 0 mV) within 0.01 ms."""
    durations, crossings = [], []
    for precision in ("float32", "float64"):
        tissue = TT06_CELLS.open(
            gpu, np.array([0, 1, 2], np.uint8), np.ones(3, np.uint32), precision=precision, potassium_stimulus=True
        )
        times, voltages = pace(tissue, Protocol(), 1, 0.02)
        durations.append([measure(times, voltages[:, k]).duration_90 for k in range(3)])
        crossings.append(gpu.to_host(tissue.activation)[:3].astype(float))
    np.testing.assert_allclose(durations[0], durations[1], rtol=0, atol=0.1)
    np.testing.assert_allclose(crossings[0], crossings[1], rtol=0, atol=0.01)
