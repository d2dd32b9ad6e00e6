"""Sizes of particles: moments in each weighting, quantiles and random draws, measured tables, bad input."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.battery.parameters.sizes import Lognormal, Measured, ParticleSizes
from engines.battery.setup.sizes import drawn_sizes

RADIUS = 5e-6
UNITS = 1e6


def drawn(distribution, n=2000, draw="quantiles", radius=RADIUS, seed=0):
    return drawn_sizes(ParticleSizes(particles=n, draw=draw, seed=seed, negative=distribution), "negative", radius)


@pytest.mark.parametrize(("weighting", "power"), [("number", 0), ("area", 2), ("volume", 3)])
def test_mean_and_spread_are_those_of_the_weighting(weighting, power):
    """2000 equal shares of a surface: the ends of a lognormal tail are averaged, 0.2 % of its moments; the mean by area
    is exact (see the next test)."""
    sizes = drawn(Lognormal(weighting=weighting, mean_radius=4.0, spread=0.3))
    weights = sizes.shares * sizes.radii ** (power - 2.0)
    weights /= weights.sum()
    mean = weights @ sizes.radii
    assert mean * UNITS == pytest.approx(4.0, rel=2e-3)
    assert np.sqrt(weights @ (sizes.radii - mean) ** 2) / mean == pytest.approx(0.3, rel=1e-2)


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_the_mean_by_area_is_the_sets_radius_exactly(n):
    """So the surface per volume, 3 ε/R̄, is the set's whatever the spread. Rounding: of n differences."""
    sizes = drawn(Lognormal(spread=0.5), n)
    assert sizes.mean == pytest.approx(RADIUS, rel=1e-12)
    assert sizes.shares.sum() == pytest.approx(1, rel=1e-12)
    assert sizes.volume_shares.sum() == pytest.approx(1, rel=1e-12)
    assert (np.diff(sizes.radii) > 0).all()


def test_a_mean_by_number_makes_larger_particles_by_area():
    """Lognormal: R₃₂ = m (1 + s²)²."""
    assert drawn(Lognormal(weighting="number", spread=0.4), 10).mean == pytest.approx(RADIUS * 1.16**2, rel=1e-12)
    assert drawn(Lognormal(weighting="volume", spread=0.4), 10).mean == pytest.approx(RADIUS / 1.16, rel=1e-12)


def test_random_particles_are_picked_by_number():
    """Their mean by number is that of the distribution to 5 standard errors, and their shares are as their surfaces."""
    sizes = drawn(Lognormal(weighting="number", spread=0.3), 40_000, "random")
    assert sizes.radii.mean() == pytest.approx(RADIUS, rel=5 * 0.3 / 200)
    assert sizes.shares == pytest.approx(sizes.radii**2 / (sizes.radii**2).sum())
    assert (sizes.radii == drawn(Lognormal(weighting="number", spread=0.3), 40_000, "random").radii).all()
    assert (sizes.radii != drawn(Lognormal(weighting="number", spread=0.3), 40_000, "random", seed=1).radii).any()


def test_no_spread_is_one_size():
    sizes = drawn(Lognormal(spread=0.0), 50)
    assert sizes.radii == pytest.approx(np.full(50, RADIUS), rel=1e-12)


def test_a_measured_table_of_single_radii():
    """Two sizes, as many particles of each: the larger have four times the surface."""
    table = Measured(weighting="number", radii=[2.0, 4.0], weights=[1.0, 1.0])
    sizes = drawn(table, 10)
    assert sizes.radii * UNITS == pytest.approx([2.0] * 2 + [4.0] * 8)
    assert sizes.mean * UNITS == pytest.approx((2 * 4 + 4 * 16) / 20)
    random = drawn(table, 10_000, "random")
    assert (random.radii < 3e-6).mean() == pytest.approx(0.5, abs=0.025)  # 5 standard errors


@pytest.mark.parametrize(("weighting", "mean"), [("number", 3.75), ("area", 3.0), ("volume", 2 / np.log(2))])
def test_a_measured_class_between_edges_is_even_within(weighting, mean):
    """From 2 to 4 µm: ⟨R⟩ by area is ∫R³/∫R², ∫R/∫1 or ∫1/∫R⁻¹; (60/(56/3) = 45/14 by number).

    512 pieces of a class: their squares, 1e-6.
    """
    expected = {"number": (4**4 - 2**4) / 4 / ((4**3 - 2**3) / 3)}.get(weighting, mean)
    sizes = drawn(Measured(weighting=weighting, radii=[2.0, 4.0], weights=[7.0]), 100)
    assert sizes.mean * UNITS == pytest.approx(expected, rel=1e-5)
    assert 2 < sizes.radii[0] * UNITS < sizes.radii[-1] * UNITS < 4


def test_a_table_from_a_file(tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text("radius,share\n2,1\n4;1\n")
    from_file = drawn(Measured(weighting="number", file=str(path)), 10)
    assert from_file.radii == pytest.approx(drawn(Measured(weighting="number", radii=[2, 4], weights=[1, 1]), 10).radii)


@pytest.mark.parametrize(
    "text", ["radius;share\n2,5;1\n4,25;0,5\n", "R [nm],share\n2500,1\n4250,.5\n", "2.5\t1\n4,25\t0,5\n"]
)
def test_a_table_with_decimal_commas_or_another_unit(text, tmp_path):
    """2,5;1 was taken as a radius of 2 and a share of 5, without a word."""
    path = tmp_path / "sizes.csv"
    path.write_text(text)
    from_file = drawn(Measured(weighting="number", file=str(path)), 10)
    radii = drawn(Measured(weighting="number", radii=[2.5, 4.25], weights=[1, 0.5]), 10).radii
    assert from_file.radii == pytest.approx(radii)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "0 radii and 0 weights"),
        ({"radii": [1.0, 2.0, 3.0], "weights": [1.0]}, "3 radii and 1 weights"),
        ({"radii": [2.0, 1.0], "weights": [1.0, 1.0]}, "not in order"),
        ({"radii": [0.0, 1.0], "weights": [1.0, 1.0]}, "not in order"),
        ({"radii": [1.0, 2.0], "weights": [1.0, -1.0]}, "negative weight"),
        ({"radii": [1.0, 2.0], "weights": [0.0, 0.0]}, "negative weight or none above 0"),
        ({"file": "nowhere.csv"}, "cannot be read from nowhere.csv"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(given, words):
    with pytest.raises(ProblemError, match=words):
        drawn(Measured(**given))


def test_a_file_with_text_names_its_row(tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text("2,1\nthree,1\n")
    with pytest.raises(ProblemError, match=r"row 2 of sizes\.csv"):
        drawn(Measured(file=str(path)))


def test_a_comma_of_thousands_or_decimals_is_not_guessed(tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text('"R","share"\n"3,700","1"\n"4,250","2"\n')
    with pytest.raises(ProblemError, match=r"'3,700' may be 3\.700 or 3700"):
        drawn(Measured(file=str(path)))
