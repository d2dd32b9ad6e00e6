"""Whole beats on the CPU: the published action potentials, the order of the scheme, what float32 costs.

Gates come from ``tt06_published.json`` (an independent float64 integrator, dt 0.005 ms): APD90 ± 1 ms, rest ± 0.1 mV.
Our step of 0.02 ms is within 0.2 ms of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engines.cardiac.cells import reference, tt06
from engines.cardiac.cells.cpu import CpuTissue
from engines.cardiac.cells.pacing import Protocol, measure, pace
from engines.cardiac.cells.tt06 import CellType

FEATURES = json.loads(Path(__file__).with_name("tt06_published.json").read_text("utf-8"))["action_potential_features"]
KINDS = np.array([CellType.EPI, CellType.ENDO, CellType.M], np.uint8)


Cells = Callable[..., CpuTissue]


@pytest.fixture(scope="module")
def cells(host) -> Cells:
    """``cells(precision, kinds, start=…, single_cell=True)``: a tissue whose cells stimulus 0 reaches."""

    def make(precision="float64", kinds=KINDS, *, start="initial", single_cell=True) -> CpuTissue:
        mask = np.ones(len(kinds), np.uint32)
        return CpuTissue(host, kinds, mask, precision=precision, start=start, potassium_stimulus=single_cell)

    return make


def published(kind: CellType, beat: int) -> dict[str, float]:
    return next(
        entry
        for entry in FEATURES["cell_types"][{"EPI": "epi", "ENDO": "endo", "M": "M"}[kind.name]]
        if entry["beat"] == beat
    )


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("beat", [1, 2])
def test_apd90_of_the_first_beats(cells, precision, beat):
    times, voltages = pace(cells(precision), Protocol(), beat, 0.02)
    for k, kind in enumerate(CellType):
        expected, potential = published(kind, beat), measure(times, voltages[:, k])
        assert potential.duration_90 == pytest.approx(expected["APD90_ms"], abs=1.0)
        assert potential.rest == pytest.approx(expected["V_rest_mV"], abs=0.1)
        assert potential.upstroke == pytest.approx(expected["dVdt_max_mV_per_ms_total"], rel=0.03)


def test_apd90_with_the_longer_weaker_stimulus(cells):
    """35.714 pA/pF for 2 ms, epi: 288.5 ms; openCARP has 289.8."""
    tissue = cells(kinds=KINDS[:1])
    times, voltages = pace(tissue, Protocol(amplitude=35.714, duration=2.0), 1, 0.02)
    assert measure(times, voltages[:, 0]).duration_90 == pytest.approx(288.5, abs=0.5)


def test_limit_cycle_states_are_on_their_cycle(cells):
    """After one more beat from the stored states rest and APD90 are those of beat 1000."""
    times, voltages = pace(cells(start="limit_cycle_1Hz"), Protocol(), 1, 0.02)
    for k, kind in enumerate(CellType):
        expected, potential = published(kind, 1000), measure(times, voltages[:, k])
        assert potential.duration_90 == pytest.approx(expected["APD90_ms"], abs=0.5)
        assert voltages[-1, k] == pytest.approx(expected["V_rest_mV"], abs=0.01)


def test_float32_apd_is_within_a_tenth_of_a_millisecond(cells):
    """Measured 0.003 ms at most."""
    runs = [pace(cells(precision), Protocol(), 1, 0.02) for precision in ("float64", "float32")]
    for k in range(3):
        double, single = (measure(times, voltages[:, k]).duration_90 for times, voltages in runs)
        assert single == pytest.approx(double, abs=0.1)


def concentrations(cells: Cells, precision: str, beats: int) -> np.ndarray:
    tissue = cells(precision)
    pace(tissue, Protocol(), beats, 0.02)
    return np.array([tissue.state(name) for name in ("Na_i", "K_i", "Ca_SR")])


def test_offsets_keep_slow_concentrations_in_float32(cells, monkeypatch):
    """Five beats: with offsets float32 is within 1e-3 mM of float64; stored plainly it has lost ten times as much."""
    double = concentrations(cells, "float64", 5)
    assert np.abs(concentrations(cells, "float32", 5) - double).max() < 1e-3
    monkeypatch.setattr(tt06, "reference_concentrations", lambda kind: dict.fromkeys(tt06.OFFSET_STATES, 0.0))
    assert np.abs(concentrations(cells, "float32", 5) - double).max() > 1e-2


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_hundred_beats_in_float32(cells):
    """Measured: APD90 within 0.001 ms of float64, Na_i 1e-4 mM, K_i 1.4e-3 mM; stored plainly 0.6 mM and 3.8 ms."""
    runs = {}
    for precision in ("float64", "float32"):
        tissue = cells(precision)
        times, voltages = pace(tissue, Protocol(), 100, 0.02)
        apd = [measure(times, voltages[:, k]).duration_90 for k in range(3)]
        runs[precision] = np.array(apd), np.array([tissue.state(name) for name in ("Na_i", "K_i")])
    for k, kind in enumerate(CellType):
        expected = published(kind, 100)
        assert runs["float64"][0][k] == pytest.approx(expected["APD90_ms"], abs=1.0)
        assert runs["float64"][1][0, k] == pytest.approx(expected["Na_i_end_mM"], abs=0.02)
        assert runs["float64"][1][1, k] == pytest.approx(expected["K_i_end_mM"], abs=0.02)
    np.testing.assert_allclose(runs["float32"][0], runs["float64"][0], rtol=0, atol=0.1)
    np.testing.assert_allclose(runs["float32"][1], runs["float64"][1], rtol=0, atol=0.005)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_thousand_beats(cells):
    times, voltages = pace(cells("float32"), Protocol(), 1000, 0.02)
    for k, kind in enumerate(CellType):
        potential = measure(times, voltages[:, k])
        assert potential.duration_90 == pytest.approx(published(kind, 1000)["APD90_ms"], abs=1.0)
        assert potential.rest == pytest.approx(published(kind, 1000)["V_rest_mV"], abs=0.1)


# Thesis, table 3.2: endo, stimulus over [1 ms, 2 ms], relative root mean square error of V over [0, 10 ms] [%].
TABLE = {
    "lightweight_rush_larsen": {3: 18.50, 4: 9.07, 5: 4.54, 6: 2.27, 7: 1.13, 8: 0.56},
    "rush_larsen": {3: 21.63, 4: 10.53, 5: 5.18},
}
UPSTROKE = Protocol(cycle_length=10.0, start=1.0)
FINEST = 13


def rrms(voltage: np.ndarray, exact: np.ndarray) -> float:
    return 100 * float(np.sqrt(((voltage - exact) ** 2).sum() / (exact**2).sum()))


@pytest.fixture(scope="module")
def fine(cells) -> np.ndarray:
    return pace(cells(kinds=KINDS[1:2], single_cell=False), UPSTROKE, 1, 2.0**-FINEST)[1][:, 0]


def test_the_step_converges_as_the_thesis_says(cells, fine):
    """Within 5 % of the table's errors (the thesis' own reference is of another scheme), and of first order."""
    errors = {}
    for power in TABLE["lightweight_rush_larsen"]:
        voltage = pace(cells(kinds=KINDS[1:2], single_cell=False), UPSTROKE, 1, 2.0**-power)[1][:, 0]
        errors[power] = rrms(voltage, fine[:: 2 ** (FINEST - power)])
    assert errors == pytest.approx(TABLE["lightweight_rush_larsen"], rel=0.05)
    orders = [np.log2(errors[power] / errors[power + 1]) for power in (4, 5, 6)]
    assert orders == pytest.approx([1.0, 1.0, 1.0], abs=0.05)


@pytest.mark.parametrize("scheme", ["lightweight_rush_larsen", "rush_larsen"])
def test_the_reference_converges_as_the_thesis_says(fine, scheme):
    errors = {}
    for power in (3, 4, 5):
        dt = 2.0**-power
        state, trace = tt06.start_state(CellType.ENDO)[:, None], [tt06.start_state(CellType.ENDO)[0]]
        for k in range(round(10 / dt)):
            stimulus = 52.0 if 1.0 <= k * dt < 2.0 else 0.0
            state = reference.step(state, KINDS[1:2], dt, stimulus, scheme=scheme)
            trace.append(state[0, 0])
        errors[power] = rrms(np.array(trace), fine[:: 2 ** (FINEST - power)])
    assert errors == pytest.approx({power: TABLE[scheme][power] for power in errors}, rel=0.06)


def test_a_step_beyond_the_stable_one_does_not_pass_for_a_solution(cells):
    """The thesis finds 0.125 ms stable and 0.25 ms not: the voltage must cease to be a number."""
    voltage = pace(cells(kinds=KINDS[1:2], single_cell=False), UPSTROKE, 1, 0.25)[1]
    assert not np.isfinite(voltage).all()
