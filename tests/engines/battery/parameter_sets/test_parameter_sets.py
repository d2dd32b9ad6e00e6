"""Parameter sets are whole and sourced, and agree with PyBaMM's where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

from engines.battery.cells.step.cells import CELLS
from engines.battery.cells.step.reference import full, spm
from engines.battery.parameter_sets import PARAMETER_SETS, SCALARS, Sourced
from engines.battery.parameter_sets.model import UNSAID, ParameterSet
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.step.cell_rows import Row


@pytest.mark.parametrize("parameters", PARAMETER_SETS.values(), ids=PARAMETER_SETS)
def test_every_number_has_a_source(parameters: ParameterSet):
    assert set(parameters.scalars) == set(SCALARS)
    assert all(number.source for number in parameters.scalars.values())


@pytest.mark.parametrize("parameters", PARAMETER_SETS.values(), ids=PARAMETER_SETS)
def test_entropic_change_and_potential_are_numbers_everywhere(parameters: ParameterSet):
    x = np.linspace(0, 1, 1001)
    for function in ("negative_ocp", "positive_ocp", "negative_entropic", "positive_entropic"):
        assert np.isfinite(np.broadcast_to(getattr(parameters, function)(x), x.shape)).all()


def test_a_missing_number_is_named():
    chen = PARAMETER_SETS["Chen2020"]
    fewer = {name: number for name, number in chen.scalars.items() if name != "negative_porosity"}
    with pytest.raises(ValueError, match="negative_porosity"):
        ParameterSet(**{**vars(chen), "scalars": fewer})
    wrong = {**chen.scalars, "negative_porosity": Sourced(25.0, "%", "nobody")}
    with pytest.raises(ValueError, match="is in %, not 1"):
        ParameterSet(**{**vars(chen), "scalars": wrong})


def test_prada2013_at_1c():
    """V of the series (cells/step/reference.py) and by hand at the start, where only potentials and kinetics count.

    Those of PyBaMM 26.10 with 200 shells are within 0.01 mV at these times, of which the last is before the steep end.
    """
    prada = PARAMETER_SETS["Prada2013"]
    p = prada.values()
    start, _, _ = spm(prada, 2.3, 0.0)
    by_hand = float(prada.positive_ocp(np.array(0.0038)) - prada.negative_ocp(np.array(0.81)))
    for electrode in ("negative", "positive"):
        c, most = (p[f"{electrode}_{which}_concentration"] for which in ("initial", "maximum"))
        area = 3 * p[f"{electrode}_active_fraction"] / p[f"{electrode}_particle_radius"]
        j = 2.3 / (0.18 * p[f"{electrode}_thickness"] * area)
        exchange = p[f"{electrode}_reaction_constant"] * np.sqrt(1200.0 * c * (most - c))
        by_hand -= 2 * 8.314462618 * 298.15 / 96485.33212 * np.arcsinh(j / (2 * exchange))
    assert start == pytest.approx(by_hand, abs=1e-12)
    seen = [spm(prada, 2.3, time)[0] for time in (60.0, 300.0, 900.0, 1800.0, 2400.0)]
    assert seen == pytest.approx([3.265062, 3.244423, 3.206389, 3.164772, 3.078649], abs=1e-6)


@pytest.mark.parametrize("electrolyte", [False, True], ids=["SPM", "SPMe"])
def test_numbers_that_are_not_given_do_no_harm_where_they_are_not_needed(backend, electrolyte):
    """0.05 mV: steps of 1 s, and the salt after 900 s (README, table)."""
    prada = PARAMETER_SETS["Prada2013"]
    cells = CELLS.open(
        backend, prada, [Instruction(Kind.CURRENT, 2.3)], 1.0, electrolyte=electrolyte, precision="float64"
    )
    with backend.active():
        cells.advance(0, 900)
    voltage = backend.to_host(cells.state)[Row.VOLTAGE, 0]
    (expected,), _ = full(prada, 2.3, np.array([900.0]), electrolyte=electrolyte, thermal=False)
    assert voltage == pytest.approx(expected, abs=5e-5)


def test_prada2013_has_no_heat():
    values = PARAMETER_SETS["Prada2013"].values()
    missing = [name for name, value in values.items() if np.isnan(value) and name not in UNSAID]
    assert missing == ["heat_capacity", "cooling_area", "heat_transfer_coefficient"]
