"""Diffusion in particles on both backends against the float64 reference and the series."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.battery.particles import series
from engines.battery.particles.step import reference
from engines.battery.particles.step.diffusion import MODE_DIFFUSION, SHELL_DIFFUSION
from engines.battery.setup.curves import curve

POINTS = (8, 13, 32, 47, 128)
# Deviations are up to 2000 mol/m³ and do not grow; a step rounds 4 times, and diffusion averages: 2000 · 4 · steps ·
# eps is the most there can be.
EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}


def relative_tolerance(precision: str, steps: int) -> float:
    return (20 + 4 * steps) * EPSILON[precision]


def shells_with(backend, points, precision, particles, **options):
    radius, diffusivity, flux, start = particles
    diffusion = SHELL_DIFFUSION.open(backend, radius, diffusivity, points, precision, **options)
    diffusion.deviation[:, : len(radius)] = start
    return diffusion, diffusion.per_particle(flux)


def result(diffusion):
    return diffusion.concentration()


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("points", POINTS)
def test_explicit_steps(backend, some_particles, points, precision):
    particles = radius, diffusivity, flux, start = some_particles(points)
    diffusion, given = shells_with(backend, points, precision, particles)
    dt, steps = 0.9 * diffusion.stable_step, 20
    with backend.active():
        diffusion.explicit(given, dt, steps)
    expected = reference.explicit(start, radius, diffusivity, flux, dt, steps)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(result(diffusion), expected, rtol=0, atol=scale * relative_tolerance(precision, steps))


@pytest.mark.parametrize("points", [8, 21, 32])
def test_every_launch_shape_gives_the_same(backend, some_particles, points):
    if backend.id == "cpu":
        pytest.skip("the CPU has no launch shapes")
    from engines.battery.particles.step.cuda import lane_shapes

    particles = some_particles(points)
    results = []
    for shape in lane_shapes(points):
        diffusion, given = shells_with(backend, points, "float32", particles)
        diffusion.shape = shape
        diffusion.explicit(given, 0.9 * diffusion.stable_step, 9)
        results.append(result(diffusion))
    assert len(results) >= 6
    assert all((one == results[0]).all() for one in results)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_implicit_steps(backend, some_particles, points, precision, theta):
    """Steps 30 times the explicit limit; the solve loses up to the system's condition, 30 here."""
    particles = radius, diffusivity, flux, start = some_particles(points)
    diffusion, given = shells_with(backend, points, precision, particles)
    dt, steps = 30 * diffusion.stable_step, 5
    with backend.active():
        diffusion.implicit(given, dt, steps, theta)
    expected = reference.implicit(start, radius, diffusivity, flux, dt, steps, theta)
    scale = np.abs(expected).max()
    tolerance = 30 * scale * relative_tolerance(precision, steps)
    np.testing.assert_allclose(result(diffusion), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("points", [8, 32, 100])
def test_diffusivity_that_depends_on_concentration(backend, some_particles, points, precision):
    """The curve is given to 1e-9 by its cubics; in float32 the place in it rounds by 2⁻²⁴ of 1024 intervals."""
    particles = radius, diffusivity, flux, start = some_particles(points)
    law = curve(lambda c: 1.5 + np.tanh(c / 800), -3000.0, 3000.0)
    diffusion, given = shells_with(backend, points, precision, particles, curve=law)
    dt, steps = 0.8 * diffusion.stable_step, 20
    with backend.active():
        diffusion.explicit(given, dt, steps)

    def local(c):
        return diffusivity * (1.5 + np.tanh(c / 800))

    expected = reference.explicit(start, radius, local, flux, dt, steps)
    tolerance = 1e-8 if precision == "float64" else 4 * relative_tolerance(precision, steps)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(result(diffusion), expected, rtol=0, atol=scale * tolerance)


def test_implicit_refuses_a_curve(backend, some_particles):
    diffusion, given = shells_with(
        backend, 16, "float32", some_particles(16), curve=curve(np.ones_like, -3000.0, 3000.0)
    )
    with pytest.raises(ProblemError, match="use the explicit one"):
        diffusion.implicit(given, 1.0, 1)


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-11), ("float32", 1e-5)])
@pytest.mark.parametrize("scheme", ["one launch", "a launch a step", "implicit", "varying"])
def test_lithium_balance(backend, precision, tolerance, scheme):
    """After 10⁴ explicit steps, of the lithium transferred: what VERIFICATION asks for."""
    radius, diffusivity = np.full(16, 5.86e-6), np.linspace(1e-14, 3.5e-14, 16)
    flux = np.linspace(-1.3e-5, 1.3e-5, 16)
    law = curve(lambda c: 1 + 0.2 * np.tanh(c / 9000), -60000.0, 60000.0) if scheme == "varying" else None
    diffusion = SHELL_DIFFUSION.open(backend, radius, diffusivity, 32, precision, law)
    given, dt, launches = (
        diffusion.per_particle(flux),
        0.36,
        10_000 if scheme == "a launch a step" and backend.id == "cpu" else 1,
    )
    with backend.active():
        for _ in range(launches):
            step = diffusion.implicit if scheme == "implicit" else diffusion.explicit
            step(given, dt, 10_000 // launches)
    expected = 3 * flux * dt * 10_000 / radius
    assert np.abs(diffusion.mean() - expected).max() <= tolerance * np.abs(expected).max()
    assert (np.abs(diffusion.mean() / expected - 1) <= tolerance).all()


def test_order_in_time_of_the_implicit_scheme(backend):
    """Against a fiftyfold finer step: θ = ½ is of second order, θ = 1 of first."""

    def after(theta, steps):
        diffusion = SHELL_DIFFUSION.open(backend, np.array([5e-6]), 3e-14, 16, "float64")
        diffusion.deviation[:] = 1000 * np.cos(np.pi * diffusion.shells.centers)[:, None]
        with backend.active():
            diffusion.implicit(diffusion.per_particle(0.0), 200.0 / steps, steps, theta)
        return result(diffusion)

    exact = after(0.5, 6400)
    for theta, order in ((0.5, 2.0), (1.0, 1.0)):
        errors = [np.abs(after(theta, steps) - exact).max() for steps in (32, 64, 128)]
        assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.05)


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-9), ("float32", 2e-6)])
def test_modes_are_exact_for_piecewise_constant_flux(backend, precision, tolerance):
    """Superposed series; 60 modes so that the tail's static part is gone after 20 s (e^{−λ² D t/R²} < 1e-20)."""
    radius, D, times, fluxes = 5.86e-6, 3.3e-14, (100.0, 250.0, 60.0), (-1.2e-5, 0.4e-5, 0.9e-5)
    diffusion = MODE_DIFFUSION.open(backend, np.full(3, radius), D, precision, modes=60)
    given = [diffusion.per_particle(flux) for flux in fluxes]
    with backend.active():
        for time, flux in zip(times, given, strict=True):
            for _ in range(4):
                diffusion.advance(flux, time / 4)
    expected_shells, expected_surface, elapsed, before = np.zeros(20), 0.0, sum(times), 0.0
    for time, flux in zip(times, fluxes, strict=True):
        jump = {"flux": flux - before, "radius": radius, "diffusivity": D}
        expected_shells = expected_shells + series.shell_means(20, elapsed, **jump)
        expected_surface += series.uniform_start(np.ones(1), elapsed, **jump)[0]
        elapsed, before = elapsed - time, flux
    scale = np.abs(expected_shells).max()
    got = np.array(diffusion.profile(given[-1], 20))[:, :3].T
    assert np.abs(got - expected_shells).max() <= tolerance * scale
    assert np.abs(np.array(diffusion.surface(given[-1]))[:3] - expected_surface).max() <= tolerance * scale


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-11), ("float32", 1e-6)])
def test_modes_keep_the_lithium(backend, precision, tolerance):
    """10⁴ steps, on the slow host emulator 10³; float32 carries the mean's rounding error along (Kahan): a rounding or
    two remain."""
    steps = 10_000 if backend.id == "cpu" else 1000
    diffusion = MODE_DIFFUSION.open(backend, np.array([5.86e-6, 2e-6]), 3.3e-14, precision)
    flux = np.array([-1.2e-5, 3e-6])
    given = diffusion.per_particle(flux)
    with backend.active():
        for _ in range(steps):
            diffusion.advance(given, 0.36)
    expected = 3 * flux * 0.36 * steps / diffusion.radius
    assert np.abs(diffusion.mean() / expected - 1).max() <= tolerance


def test_surface_of_the_shells(backend, some_particles):
    particles = radius, diffusivity, flux, start = some_particles(32)
    diffusion, given = shells_with(backend, 32, "float64", particles)
    expected = reference.surface(start, radius, diffusivity, flux)
    np.testing.assert_allclose(np.array(diffusion.surface(given))[:70], expected, rtol=1e-12)
