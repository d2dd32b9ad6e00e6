"""The lithium balance: by hand where the potentials are straight lines, and of the published sets."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.balance import balance, balance_findings, capacity, charged, state_of_charge, window
from engines.battery.parameter_sets.constants import FARADAY

CHEN = PARAMETER_SETS["Chen2020"]
MEASURED = {  # PyBaMM 26.10, get_min_max_stoichiometries: negative at 0 % and 100 %, positive at 100 % and 0 %
    "Chen2020": (0.02634579027064577, 0.9106180466524094, 0.2638452245913298, 0.853974674630047),
    "Marquis2019": (0.1832225211781177, 0.9493209874894212, 0.5125964131099127, 0.961024694977169),
    "Prada2013": (0.017617931791027226, 0.8100434952651947, 0.0037615921079256352, 0.7035020209291313),
}


def straight(**changes):
    """U_p = 4.4 − x, U_n = 0.4 − 0.4 x, and electrodes of 2 and 3 A h of which x = 0.5 and 0.4 are filled."""
    values = CHEN.values()
    for electrode, wanted, start in (("negative", 2.0, 0.5), ("positive", 3.0, 0.4)):
        most = 3600 * wanted / (FARADAY * values["electrode_area"] * values[f"{electrode}_thickness"])
        most /= values[f"{electrode}_active_fraction"]
        values |= {f"{electrode}_maximum_concentration": most, f"{electrode}_initial_concentration": start * most}
    kept = {**vars(CHEN), "negative_ocp": lambda x: 0.4 - 0.4 * x, "positive_ocp": lambda x: 4.4 - x}
    return type(CHEN)(**kept).changed({**values, **changes}, "by hand")


def test_of_straight_lines_by_hand():
    """x_p = (2.2 − 2 x_n)/3, so V = 4 − 2.2/3 + (2/3 + 0.4) x_n."""
    at = {volts: (volts - 4 + 2.2 / 3) / (2 / 3 + 0.4) for volts in (3.4, 4.0)}
    found = balance(straight(lower_cutoff=3.4, upper_cutoff=4.0))
    assert (found.negative, found.positive, found.lithium) == pytest.approx((2.0, 3.0, 2.2))
    assert found.window.empty == pytest.approx((at[3.4], (2.2 - 2 * at[3.4]) / 3), abs=1e-12)
    assert found.window.full == pytest.approx((at[4.0], (2.2 - 2 * at[4.0]) / 3), abs=1e-12)
    assert found.usable == pytest.approx(2 * (at[4.0] - at[3.4]))
    assert found.ratio == pytest.approx(1 / (at[4.0] - at[3.4]))


def test_cut_offs_that_are_never_met():
    cell = straight(lower_cutoff=2.0, upper_cutoff=4.0)
    found = window(cell)
    assert found.met == (False, True)
    assert found.empty[0] == pytest.approx(0.0, abs=2e-6)  # the negative electrode is empty first
    assert "never meets its lower cut-off of 2 V" in balance_findings(cell)[-1].message
    with pytest.raises(ProblemError, match="never meet the lower cut-off of 2 V"):
        charged(cell, 0.5)
    assert window(straight(lower_cutoff=3.4, upper_cutoff=6.0)).met == (True, False)


@pytest.mark.parametrize("name", list(MEASURED))
def test_windows_of_the_published_cells(name):
    """The cut-offs are the potentials there; the line of lithium holds. PyBaMM's, to its solver's 1e-6 (and 298 K)."""
    parameters = PARAMETER_SETS[name]
    found, p = window(parameters), parameters.values()
    for (x_n, x_p), cutoff in ((found.empty, p["lower_cutoff"]), (found.full, p["upper_cutoff"])):
        voltage = parameters.positive_ocp(np.array(x_p)) - parameters.negative_ocp(np.array(x_n))
        assert float(voltage) == pytest.approx(cutoff, abs=1e-10)
        lithium = sum(x * capacity(parameters, e) for x, e in ((x_n, "negative"), (x_p, "positive")))
        assert lithium == pytest.approx(balance(parameters).lithium, rel=1e-12)
    got = (found.empty[0], found.full[0], found.full[1], found.empty[1])
    assert got == pytest.approx(MEASURED[name], abs=1e-6)


def test_a_state_of_charge_keeps_the_lithium():
    half = charged(CHEN, 0.5)
    before, after = balance(CHEN), balance(half)
    assert after.lithium == pytest.approx(before.lithium, rel=1e-12)
    x_n = half.values()["negative_initial_concentration"] / 33133
    assert x_n == pytest.approx((before.window.empty[0] + before.window.full[0]) / 2)
    assert state_of_charge(half) == pytest.approx(0.5)
    assert "state of charge 0.5" in half.scalars["negative_initial_concentration"].source


def test_the_balance_in_words():
    first, second = (finding.message for finding in balance_findings(CHEN))
    assert first == (
        "Negative electrode 5.83 A h, positive 8.73 A h, lithium 7.61 A h; 5.15 A h between 2.5 and 4.2 V "
        "(nominal 5 A h, N/P 1.13)."
    )
    assert second == "Stoichiometries from empty to full: negative 0.0263 to 0.9106, positive 0.8540 to 0.2638."
    assert {finding.severity for finding in balance_findings(CHEN)} == {"info"}
