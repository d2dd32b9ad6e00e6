"""Shells that are thinner towards the surface: orders in space, lithium, what viewers get."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engines.battery.particles.series import roots
from engines.battery.setup.curves import monotone_curve
from engines.battery.step import cpu_graded, graded
from engines.battery.step.graded import SHELLS, faces, geometry

LAW = monotone_curve(lambda x: 10 ** (1 - 2 * x), 0.0, 1.0)
"""Two decades over the range of stoichiometry."""
INWARD = -0.04
"""Of a sphere of radius 1 whose D is 1 at x = ½: x falls by 0.12 in a unit of time."""


def at_surface(shells: int) -> float:
    """After 5 units of time from x = 0.9, by an ODE solver."""
    numbers = geometry(shells)
    couplings, inverse = numbers[: shells - 1], numbers[shells : 2 * shells]

    def rate(_, x):
        middle = LAW((x[1:] + x[:-1]) / 2)
        flow = couplings * (LAW(x[1:]) + 4 * middle + LAW(x[:-1])) / 6 * np.diff(x)
        return inverse * np.diff(np.concatenate([[0.0], flow, [INWARD]]))

    band = np.abs(np.subtract.outer(np.arange(shells), np.arange(shells))) < 2
    solved = solve_ivp(rate, (0, 5), np.full(shells, 0.9), "BDF", rtol=1e-7, atol=1e-9, jac_sparsity=band)
    return float(graded.surface(solved.y[:, -1:], np.array([INWARD]), LAW)[0])


def test_second_order_in_space():
    ends = [at_surface(shells) for shells in (12, 24, 48, 96)]
    ratios = np.diff(ends)[:-1] / np.diff(ends)[1:]
    assert (ratios > 3.2).all()
    assert ends[1] == pytest.approx(ends[3], abs=2e-4)


def test_a_parabola_has_its_surface_and_its_means():
    """Volume means of 0.3 + 0.2 r², whose slope at the surface is 0.4."""
    r = faces()
    means = 0.3 + 0.2 * 3 / 5 * np.diff(r**5) / np.diff(r**3)
    constant = monotone_curve(np.ones_like, 0.0, 1.0)
    assert graded.surface(means[:, None], np.array([0.4]), constant) == pytest.approx([0.5], abs=1e-12)
    shown = graded.means(means[:, None], 10)[:, 0]
    even = np.linspace(0, 1, 11)
    assert shown == pytest.approx(0.3 + 0.2 * 3 / 5 * np.diff(even**5) / np.diff(even**3), abs=4e-3)  # 3 shells to 0.44
    assert np.diff(even**3) @ shown == pytest.approx(0.3 + 0.2 * 3 / 5, abs=1e-14)


@pytest.mark.parametrize("rise", [0.0, 3.0])
def test_what_flows_in_is_in_the_shells(rise, monkeypatch):
    """One step in float64: the mean rises by what flowed, to round-off, before it is taken from the shells."""
    for name in ("relative", "stage", "surface"):  # a few numbers need no compiler
        monkeypatch.setattr(cpu_graded, name, getattr(cpu_graded, name).py_func)
    rng, numbers = np.random.default_rng(1), geometry()
    shares = numbers[2 * SHELLS : 3 * SHELLS]
    assert shares.sum() == pytest.approx(1, abs=1e-15)
    w = rng.uniform(-0.2, 0.2, SHELLS)
    w -= shares @ w
    found, base, up = np.zeros((3, SHELLS))
    particle = cpu_graded.Graded(w, found, base, up, LAW.coefficients.ravel(), numbers, 0.5, 0.01, -0.003, -1e-4)
    cpu_graded.solve.py_func(particle, 7.0, rise, 20.0)
    assert shares @ found == pytest.approx(-1e-4 * 7.0 * 20.0, abs=1e-15)
    assert np.ptp(found - w) > 0.01


def test_what_an_ampere_raises_a_surface_by():
    """What plating is damped by, with a constant D: within 7 % of the series, 3τ + 1/5 − 2 Σ e^{−λ²τ}/λ²."""
    tau = np.geomspace(1e-4, 10.0, 60)
    rises = 3 * tau + 0.2 - 2 * (np.exp(-(roots(2000) ** 2) * tau[:, None]) / roots(2000) ** 2).sum(axis=1)
    short = graded.HALF_SPACE * np.sqrt(tau) + tau
    assert np.where(tau < graded.SHORT, short, 3 * tau + 0.2) == pytest.approx(rises, rel=0.07)
