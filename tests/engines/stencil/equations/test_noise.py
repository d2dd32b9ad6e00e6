"""White noise: its numbers alike on all backends, and the variances that the equations and the methods say.

An average of n independent squares of normal numbers is off by √(2/n) of itself: bounds are five of those.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.precision import REAL
from engines.formulas.noise.normals import philox
from engines.quantities import rounded_down
from engines.stencil.equations import reference
from engines.stencil.equations.cuda_kernel import kernel_file
from engines.stencil.equations.language import parse
from engines.stencil.equations.noise.drawn import numbers
from engines.stencil.equations.noise.strength import longest, variance
from engines.stencil.setup.equations import TypedProblem
from tests.compiled import known_architectures, resources_of
from tests.engines.stencil.equations.typed import CLOSED, ENGINE, plane, typed, values

HEAT = "du/dt = D*laplacian(u) - k*u + sigma*xi"
HEATED = {"D": 0.7, "k": 0.3, "sigma": 0.5}
COUPLED = (
    "du/dt = D*laplacian(u) - u + sigma*xi - 0.5*xi_v*where(x > 9, 1, 0)",
    "dv/dt = D*laplacian(v) - v + (0.1*u - 2)*xi + eta/3",
    "eta = sigma*xi_a - xi_b + xi_c*x/20",
)  # fmt: skip
"""Five noises, two groups of four; one of them in both lines."""
CUBE = {"kind": "3D", "cells_x": 9, "cells_y": 8, "cells_z": 7, "size_x": 9.0, "size_y": 16.0, "size_z": 3.5}


def with_seed(given: Problem, seed: int) -> Problem:
    equation = given.parameters.equation.model_copy(update={"seed": seed})
    return dataclasses.replace(given, parameters=given.parameters.model_copy(update={"equation": equation}))


def built(backend, *arguments, seed: int = 1, **more):
    return ENGINE.build(with_seed(typed(*arguments, **more), seed), backend)


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_the_words_are_philoxs():
    """The known answers of Random123."""
    for fill, expected in ((0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
                           (0xFFFFFFFF, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD))):  # fmt: skip
        word = np.full(1, fill, np.uint64)
        assert tuple(int(each[0]) for each in philox((word,) * 4, (word,) * 2)) == expected


def test_numbers_are_normal_and_independent():
    drawn = np.array([numbers((8, 64, 64), step, seed, which) for step in (0, 2**32) for seed in (1, 2)
                      for which in (0, 1, 5)], float).reshape(12, -1)  # fmt: skip
    n = drawn.size
    for power, moment, spread in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs((drawn**power).mean() - moment) < 5 * math.sqrt(spread / n)
    assert abs(np.corrcoef(drawn) - np.eye(12)).max() < 5.5 / math.sqrt(drawn.shape[1])
    along = [(drawn[:, :-by] * drawn[:, by:]).mean() for by in (1, 64, 4096)]
    assert np.abs(along).max() < 5 / math.sqrt(n)
    counts = np.histogram(drawn, [-9, -3, -2, -1, 0, 1, 2, 3, 9])[0]
    expected = n * np.diff([0, *(0.5 + 0.5 * math.erf(x / math.sqrt(2)) for x in range(-3, 4)), 1])
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_every_backend_draws_the_same_bits(cpu, on_host, precision):
    """By du/dt = sigma xi with Δt = V = 1 from 0: what a step adds is the number."""
    for grid in (plane(37, 11), plane(64, 13), CUBE):
        sizes = {f"size_{a}": float(grid[f"cells_{a}"]) for a in "xyz" if f"cells_{a}" in grid}
        lines = [*(f"d{name}/dt = xi" for name in "uvwab"), "dc/dt = xi_w"]
        for backend in (cpu, on_host):
            run = built(backend, lines, dict.fromkeys("uvwabc", "0"), grid=grid | sizes, precision=precision, step=1.0,
                        sides=CLOSED, seed=9)  # fmt: skip
            run.advance(1)
            assert run._explicit.plan.system.noises == tuple(f"~xi_{name}" for name in "uvwab")
            for name, which in (("u", 0), ("v", 1), ("w", 2), ("a", 3), ("b", 4), ("c", 2)):
                right = numbers(run._explicit.box, 0, 9, which)
                np.testing.assert_array_equal(values(run, name), right.reshape(run.geometry.shape))


@pytest.mark.parametrize("method", ["Euler", "AB2", "IMEX"])
def test_the_twins_are_the_reference(cpu, on_host, method):
    """As without noise: some hundred roundings of doubles."""
    lines = COUPLED if method != "IMEX" else [line.replace("D*laplacian(u)", "0.01*dx(u)") for line in COUPLED]
    for backend in (cpu, on_host) if method != "IMEX" else (cpu,):  # multigrid takes half a minute to compile as C++
        given = with_seed(typed(lines, {"u": "0.1*x", "v": "1"}, HEATED, plane(37, 11, 37.0, 9.0), method,
                                sides=CLOSED, step=0.05), 3)  # fmt: skip
        posed, run = TypedProblem(given, backend), ENGINE.build(given, backend)
        starts = [values(run, name)[None] for name in "uv"]
        right = reference.stepped(posed.plan, starts, posed.sides(), posed.given, 0.0, posed.step, 3, seed=3)
        run.advance(1)
        run.advance(2)
        for name, expected in zip("uv", right, strict=True):
            if method != "IMEX" or name == "u":  # diffusion of v is solved for
                np.testing.assert_allclose(values(run, name), expected[0], rtol=0, atol=1e-12)


def test_a_run_is_repeated_and_continued_bit_for_bit(cpu):
    given = (COUPLED, {"u": "0", "v": "1"}, HEATED)
    whole, again, other = (built(cpu, *given, seed=seed, step=0.02, method="AB2") for seed in (1, 1, 2))
    for run in (whole, again, other):
        run.advance(20)
    state = whole.state()
    whole.advance(13)
    again.advance(5)
    again.restore(state)
    again.advance(6)
    again.advance(7)
    other.advance(13)
    for name in "uv":
        np.testing.assert_array_equal(values(whole, name), values(again, name))
        assert np.abs(values(whole, name) - values(other, name)).min() > 0


# --- variances -------------------------------------------------------------------------------------------------------


def wave_variances(run, rows: int, moments: int, apart: int) -> np.ndarray:
    """(waves along y, along x): mean squares of the orthonormal cosines, which a closed grid's waves are."""
    ny, nx = run.geometry.shape
    bases = [np.cos(np.pi * np.outer(np.arange(n), np.arange(n) + 0.5) / n) * math.sqrt(2 / n) for n in (ny, nx)]
    for base in bases:
        base[0] /= math.sqrt(2)
    total = np.zeros((ny, nx))
    for _ in range(moments):
        run.advance(apart)
        total += (bases[0] @ values(run) @ bases[1].T) ** 2
    return total / moments


@pytest.mark.parametrize(("method", "dt"), [("Euler", 0.02), ("Euler", 0.08), ("AB2", 0.04), ("IMEX", 0.3)])
def test_the_heat_equation_with_noise_comes_to_its_variances(cpu, method, dt):
    """Each wave to σ²/(2 λ V), λ = k + D q² on the grid, times what the method makes of it: none but that hangs on the
    step. Moments are 2/k apart or more, so that long waves have forgotten what they were to 2 %."""
    n, h = 48, 0.5
    run = built(cpu, HEAT, {"u": "0"}, HEATED, plane(n, n, n * h, n * h), method, sides=CLOSED, step=dt)
    moments = 40
    run.advance(round(12 / dt))
    found = wave_variances(run, n, moments, round(7 / dt))
    q2 = 4 / h**2 * np.sin(np.pi * np.arange(n) / (2 * n)) ** 2
    spread = HEATED["D"] * (q2[:, None] + q2[None, :])
    rate, solved = (HEATED["k"], spread) if method == "IMEX" else (HEATED["k"] + spread, 0 * spread)
    kept = np.vectorize(lambda a, b: variance(method, a * dt, b * dt))(rate, solved)
    exact = HEATED["sigma"] ** 2 / (2 * (HEATED["k"] + spread) * h**2)
    ratio = found / (exact * kept)
    assert abs(ratio.mean() - 1) < 5 * math.sqrt(2 / (moments * n * n))
    for waves in np.array_split(ratio.ravel()[np.argsort(spread, axis=None)], 8):
        assert abs(waves.mean() - 1) < 5 * math.sqrt(2 / (moments * waves.size)) + 0.01
    long = q2[:, None] + q2[None, :] < 1
    assert abs((found / exact)[long].mean() - 1) < 5 * math.sqrt(2 / (moments * long.sum())) + 0.5 * dt


def test_steps_that_nobody_set_keep_the_variance_to_a_tenth(cpu):
    for method in ("Euler", "AB2"):
        posed = TypedProblem(typed(HEAT, {"u": "0"}, HEATED, method=method), cpu)
        most = variance(method, posed.stability.fastest * posed.step)
        assert 1.05 < most < 1.11
        assert posed.findings == ()
        assert posed.stability.fastest == pytest.approx(0.3 + 0.7 * 8, rel=1e-6)


def test_other_steps_are_told_with_how_far_off_they_are(cpu):
    dt = 0.25
    posed = TypedProblem(typed(HEAT, {"u": "0"}, HEATED, step=dt), cpu)
    (told,) = posed.findings
    shorter = rounded_down(longest("Euler") / 5.9, 2)
    assert f"{1 / (1 - 5.9 * dt / 2):.2g} times the variance" in told.message
    assert f"at most {shorter:.2g} s" in told.message
    assert told.remedies[0].changes[("numerics", "step")] == pytest.approx(shorter, rel=0.02)
    solved = TypedProblem(typed(HEAT, {"u": "0"}, HEATED, method="IMEX", step=2.0), cpu)
    assert any("the shortest waves 0.3" in each.message for each in solved.findings)


def test_itos_integral_of_a_factor_that_changes(cpu):
    """Of du = σ u dW the mean stays, and Stratonovich's would grow as e^(σ²t/2V); the mean of squares grows as
    (1 + σ²Δt/V)^n, of which the 65,536 cells' mean is off by 1/√n times its own spread."""
    run = built(cpu, "du/dt = sigma*u*xi", {"u": "1"}, {"sigma": 0.6}, plane(256, 256, 512.0, 512.0), step=0.02)
    run.advance(500)
    n, growth = 256 * 256, 0.36 / 4
    mean = values(run).mean()
    assert abs(mean - 1) < 5 * math.sqrt(math.expm1(growth * 10) / n) < 0.1 * math.expm1(growth * 5)
    spread = math.sqrt(math.expm1(4 * growth * 10) / n)
    assert abs((values(run) ** 2).mean() / (1 + growth * 0.02) ** 500 - 1) < 5 * spread
    (told,) = TypedProblem(typed("du/dt = sigma*u*xi", {"u": "1"}, {"sigma": 0.6}), cpu).findings
    assert "Itô" in told.message
    assert told.severity == "info"


def test_a_swinging_field_has_its_noise_in_its_rate(cpu):
    """⟨w²⟩ = σ²/(2 γ ω²V) and ⟨w_t²⟩ = σ²/(2 γ V) of w'' = −ω²w − γ w' + σ ξ, to the step's first order."""
    run = built(cpu, "d2w/dt2 = -w - w_t + xi", {"w": "0", "w_t": "0"}, {}, plane(128, 128), step=0.01)
    squares = np.zeros(2)
    run.advance(1500)
    for _ in range(20):
        run.advance(400)
        squares += [(values(run, name) ** 2).mean() for name in ("w", "w_t")]
    assert np.abs(squares / 20 / 0.5 - 1).max() < 5 * math.sqrt(2 / (20 * 128**2)) + 0.015


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "told"), [
    ("du/dt = xi**2", "white noise has no powers"),
    ("du/dt = xi*xi_b", "white noise has no powers"),
    ("du/dt = where(xi > 0, 1, 0)", "white noise has no powers"),
    ("du/dt = u/xi", "white noise has no powers"),
    ("du/dt = laplacian(u + xi)", "takes 'laplacian' of white noise"),
    ("du/dt = div(vector(xi_a, xi_b))", "takes 'div' of white noise"),
    ("du/dt = " + " + ".join(f"xi_{k}" for k in range(9)), "there may be 8"),
])  # fmt: skip
def test_noise_that_makes_no_sense_is_refused(line, told):
    with pytest.raises(ProblemError, match="Line 1") as refused:
        parse([line], [])
    assert told in str(refused.value)
    assert refused.value.place == (0,)


def test_noise_in_what_derivatives_are_taken_of_is_refused():
    with pytest.raises(ProblemError, match="Line 1: derivatives are taken of 'mu', and white noise has none"):
        parse(["mu = u**3 - laplacian(u) + xi", "du/dt = laplacian(mu)"], [])


def test_a_parameter_or_a_field_may_be_called_xi():
    system = parse(["du/dt = xi*u + xi_u", "dxi_u/dt = -xi"], ["xi"])
    assert system.noises == ()
    assert system.parameters == ("xi",)


def test_runge_and_kutta_is_refused_with_a_remedy(cpu):
    with pytest.raises(ProblemError, match="white noise is none") as refused:
        TypedProblem(typed(HEAT, {"u": "0"}, HEATED, method="RK4"), cpu)
    assert refused.value.place == ("equation", "method")
    assert refused.value.remedy is not None
    with pytest.raises(ProblemError, match="give them friction"):
        TypedProblem(typed("d2w/dt2 = laplacian(w) + xi", {"w": "0", "w_t": "0"}), cpu)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_kernels_with_noise_compile_without_a_spilled_register(cpu, precision, own_cache):
    known = known_architectures()
    posed = TypedProblem(typed(COUPLED, {"u": "0", "v": "1"}, HEATED, method="AB2"), cpu)
    (one,) = set(posed.plan.passes)
    path = kernel_file(one, posed.system.fields, precision)
    for architecture, rows in ((min(known), 1), (max(known), 4)):
        compiled = resources_of(path, (REAL[precision], f"-DROWS={rows}", "-DWIDE"), architecture)
        (kernel,) = [each for each in compiled if each.kernel == "sweep"]
        assert kernel.spill_stores == kernel.spill_loads == 0, kernel
