"""The series solution and the shells against each other and against what holds for any sphere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from engines.battery.particles import series
from engines.battery.particles.shells import shells
from engines.battery.particles.step import reference

SPHERE = {"radius": 5.86e-6, "diffusivity": 3.3e-14, "flux": -1.2e-5}
ONE = {"radius": np.array([5.86e-6]), "diffusivity": 3.3e-14}


def test_roots():
    """The first three as printed in tables."""
    assert series.roots(3) == pytest.approx([4.493409, 7.725252, 10.904122], abs=5e-7)
    many = series.roots(500)
    # sin λ/λ − cos λ has a slope of about 1 in λ, which is found to 4 eps, and 1e-15 of sin and cos themselves.
    assert (np.abs(np.sin(many) / many - np.cos(many)) <= 1e-15 * (many + 1)).all()
    assert np.diff(many) == pytest.approx(np.pi, abs=0.1)


def test_the_mean_of_the_series_is_what_came_in():
    """Modes have mean 0 and the parabola too, so that only 3Nt/R remains: to round-off of 2000 terms."""
    for time in (1.0, 300.0, 3600.0):
        means = series.shell_means(40, time, **SPHERE)
        assert shells(40).volumes @ means == pytest.approx(3 * -1.2e-5 * time / 5.86e-6, rel=1e-9)


def test_the_surface_after_a_moment_is_that_of_a_plane():
    """2 N √(t/πD) for t → 0 (Carslaw & Jaeger 2.9); the curvature adds N t/R to it: 0.6 % at 1 s."""
    got = series.uniform_start(np.ones(1), 1.0, **SPHERE, terms=4000)[0]
    plane = 2 * SPHERE["flux"] * np.sqrt(1.0 / (np.pi * SPHERE["diffusivity"])) + SPHERE["flux"] / SPHERE["radius"]
    assert got == pytest.approx(plane, rel=1e-3)


def finite_volumes(points: int, time: float):
    """The semi-discrete solution, exact in time by the exponential of the matrix."""
    no_flux, unit = np.zeros(points), np.full(points, ONE["radius"][0])
    system = np.zeros((points + 1, points + 1))
    system[:points, :points] = reference.rate_of_change(np.eye(points), unit, 3.3e-14, no_flux)
    system[:points, points:] = reference.rate_of_change(
        np.zeros((points, 1)), ONE["radius"], 3.3e-14, np.array([SPHERE["flux"]])
    )
    return expm(system * time)[:points, points:]


def test_finite_volumes_are_of_second_order():
    """From 8 to 128 shells, in the profile and at the surface."""
    counts, profile, surface = (8, 16, 32, 64, 128), [], []
    for points in counts:
        c = finite_volumes(points, 900.0)
        profile.append(np.abs(c[:, 0] - series.shell_means(points, 900.0, **SPHERE)).max())
        at_surface = reference.surface(c, ONE["radius"], ONE["diffusivity"], np.array([SPHERE["flux"]]))
        surface.append(abs(at_surface[0] - series.uniform_start(np.ones(1), 900.0, **SPHERE)[0]))
    for errors in (profile, surface):
        orders = np.log2(np.array(errors[:-1]) / errors[1:])
        assert orders == pytest.approx(2.0, abs=0.02)
        assert orders[-1] == pytest.approx(2.0, abs=0.002)


def test_the_laplacian_is_that_of_a_sphere():
    """∇²(x²) = 6 in a sphere, 4 in a cylinder; shells away from the surface, to the scheme's h²."""
    grid = shells(64)
    change = reference.rate_of_change((grid.centers**2)[:, None], np.ones(1), 1.0, np.zeros(1))[1:-1, 0]
    assert change == pytest.approx(6.0, rel=0.15)
    assert change[20:] == pytest.approx(6.0, rel=2e-3)


def test_steady_profile():
    """Under a steady flux all shells gain alike: L·steady = 3 − source, to round-off of numbers of 1e4."""
    for points in (8, 33, 128):
        grid = shells(points)
        got = reference.rate_of_change(grid.steady[:, None], np.ones(1), 1.0, np.zeros(1))[:, 0]
        assert np.abs(got - (3 - grid.source)).max() < 1e-10


@pytest.mark.parametrize("points", [7, 129])
def test_too_few_or_too_many_points(points):
    with pytest.raises(ValueError, match=f"8 to 128 radial points, not {points}"):
        shells(points)
