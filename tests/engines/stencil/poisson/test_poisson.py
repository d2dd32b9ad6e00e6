"""The Poisson solvers on the CPU: exact factors, order, the direct solution, conservation, float32, odd sizes."""

import itertools

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.stencil.parameters.sides import FixedGradient, FixedValue
from engines.stencil.poisson import cpu_kernels, reference
from engines.stencil.poisson.iterations import POISSON
from engines.stencil.poisson.spectrum import best_jacobi, best_sor
from engines.stencil.setup.sides import ghosts
from tests.engines.stencil.poisson.cases import PAIRS, SHIFTED, conductivities, sides_of


@pytest.fixture(scope="module")
def cpu():
    """On one core: what is small would mostly wait for the second."""
    return CpuBackend(reserve_core=True)


def solved(solver, source, iterations):
    return np.array(solver.iterate(np.zeros(solver.shape), source, iterations))


# ---- one sweep ---------------------------------------------------------------------------------------------------

MODES = {
    "value": lambda i, n, m: (np.sin((m + 1) * np.pi * (i + 0.5) / n), (m + 1) * np.pi / (2 * n)),
    "gradient": lambda i, n, m: (np.cos(m * np.pi * (i + 0.5) / n), m * np.pi / (2 * n)),
    "periodic": lambda i, n, m: (np.cos(2 * m * np.pi * (i + 0.5) / n), m * np.pi / n),
    "mixed": lambda i, n, m: (np.sin((2 * m + 1) * np.pi * (i + 0.5) / (2 * n)), (2 * m + 1) * np.pi / (4 * n)),
}


@pytest.mark.parametrize("omega", [1.0, 0.8])
@pytest.mark.parametrize("names", [*((name,) * 3 for name in MODES), ("value", "gradient", "periodic")])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_jacobi_multiplies_each_mode_by_its_factor(cpu, dimensions, names, omega):
    """A mode has A v = λ v, λ = Σ (4/h²) sin²θ, also beside the sides, where Jacobi's ghosts are those of the sweep
    before; with the diagonal D = Σ 2/h² the error e becomes (1 - ω λ/D) e. Cubes: D = 2d/h². Round-off: 4 sweeps of
    some 20 roundings of numbers up to 1."""
    counts, spacing = (12, 9, 7)[:dimensions], (0.1, 0.13, 0.07)[:dimensions]
    for modes in ((0, 1, 2), (3, 2, 1), (5, 3, 3)):
        shapes = [MODES[name](np.arange(n), n, m) for name, n, m in zip(names, counts, modes, strict=False)]
        e = shapes[0][0]
        for vector, _ in shapes[1:]:
            e = np.multiply.outer(vector, e)
        eigenvalue = sum(4 / h**2 * np.sin(theta) ** 2 for h, (_, theta) in zip(spacing, shapes, strict=True))
        factor = 1 - omega * eigenvalue / sum(2 / h**2 for h in spacing)
        solver = POISSON.open(
            cpu, counts[::-1], spacing, sides_of(names[:dimensions], spacing), "float64", None, "jacobi", omega
        )
        got = solver.iterate(e.copy(), np.zeros(e.shape), 4)
        expected = factor**4 * e
        if eigenvalue == 0:
            expected = 0 * e  # a constant is the solution's mean, which is set to 0
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", ["jacobi", "sor"])
@pytest.mark.parametrize("varies", [False, True])
@pytest.mark.parametrize("shape", [(6, 10), (4, 6, 8)])
def test_sweeps_equal_plain_numpy(cpu, shape, varies, method):
    """3 sweeps of values up to 4 with some 20 roundings each: 1e-13. The mean inflow is not taken off: sides fix."""
    rng, spacing = np.random.default_rng(1), (0.1, 0.15, 0.12)[: len(shape)]
    k = 1 + 9 * rng.random(shape) if varies else None
    pairs = sides_of(("mixed", "periodic", "value")[: len(shape)], spacing, SHIFTED)
    u, source = rng.standard_normal(shape), rng.standard_normal(shape)
    solver = POISSON.open(cpu, shape, spacing, pairs, "float64", k, method, 0.9)
    sweep = reference.jacobi_sweep if method == "jacobi" else reference.sor_sweep
    expected = u
    for _ in range(3):
        expected = sweep(expected, source, 0.9, spacing, pairs, k)
    np.testing.assert_allclose(solver.iterate(u.copy(), source, 3), expected, rtol=0, atol=1e-13)
    norm = np.sqrt((reference.residual(expected, source, spacing, pairs, k)[0] ** 2).mean())
    assert solver.residual_norm(expected, source) == pytest.approx(norm, rel=1e-12)


@pytest.mark.parametrize("shape", [(30, 16), (8, 6, 10)])
def test_a_sweep_does_not_depend_on_the_number_of_threads(cpu, shape):
    """Red-black order is the same in any number of chunks: equal to the last bit."""
    spacing = (0.1,) * len(shape)
    solver = POISSON.open(cpu, shape, spacing, sides_of(("periodic",) * len(shape), spacing), "float32", None, "sor")
    rng = np.random.default_rng(2)
    u, source = (rng.standard_normal(shape).astype(np.float32).reshape(solver.levels[0].shape) for _ in range(2))
    results = []
    for chunks in (1, 2, 3, 7):
        results.append(u.copy())
        with cpu.active():
            cpu_kernels.sweep(results[-1], source, np.float32(0), np.float32(1.5), *solver._at(0), chunks)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


# ---- relaxation factors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("value", "value"), ("mixed", "gradient"), ("periodic", "mixed")])
def test_jacobi_extremes_are_those_of_the_matrix(names, cpu):
    shape, spacing = (7, 10), (0.1, 0.14)
    solver = POISSON.open(cpu, shape, spacing, sides_of(names, spacing), method="jacobi")
    matrix, _ = reference.system(shape, spacing, sides_of(names, spacing))
    mu = np.linalg.eigvalsh(matrix.toarray()) / sum(2 / h**2 for h in spacing)
    assert best_jacobi(solver.levels[0].axes) == pytest.approx(2 / (mu[0] + mu[-1]), rel=1e-12)
    assert solver.relaxation == best_jacobi(solver.levels[0].axes)


@pytest.mark.parametrize("shape", [(40, 40), (12, 12, 12)])
def test_sor_converges_at_the_textbook_rate(cpu, shape):
    """Young: with ω from Jacobi's radius on, every eigenvalue of a sweep has the modulus ω - 1.

    At the best ω one of them is defective, so that errors fall like n (ω-1)ⁿ, which is divided out; above it they are
    not. A tenth of 2 - ω is 1.5 % of the rate here. The default takes the radius to leading order in h², which on these
    grids leaves it within 1 % of the best.
    """
    n, spacing = shape[0], (1 / shape[0],) * len(shape)
    pairs = sides_of(("value",) * len(shape), spacing)
    matrix, _ = reference.system(shape, spacing, pairs)
    diagonal = matrix.diagonal()
    scaled = (matrix.multiply(1 / np.sqrt(diagonal)[:, None]).multiply(1 / np.sqrt(diagonal))).toarray()
    radius = 1 - np.linalg.eigvalsh(scaled)[0]
    best = 2 / (1 + np.sqrt(1 - radius**2))
    solver = POISSON.open(cpu, shape, spacing, pairs, "float64", None, "sor")
    assert solver.relaxation == best_sor(solver.levels[0].axes) == pytest.approx(best, rel=0.01)
    for omega in (solver.relaxation, best, best + 0.3 * (2 - best)):
        again = POISSON.open(cpu, shape, spacing, pairs, "float64", None, "sor", omega)
        u, zero = np.random.default_rng(3).standard_normal(shape), np.zeros(shape)
        first, last = 4 * n, 8 * n
        u = again.iterate(u, zero, first)
        before = np.linalg.norm(u)
        u = again.iterate(u, zero, last - first)
        rate = (np.linalg.norm(u) / before * first / last) ** (1 / (last - first))
        above = (np.linalg.norm(u) / before) ** (1 / (last - first))
        assert min(abs(rate - (omega - 1)), abs(above - (omega - 1))) < 0.1 * (2 - omega)


# ---- the answer --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["multigrid", "jacobi", "sor"])
@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ((12, 15), ("value", "value")),
        ((11, 14), ("mixed", "periodic")),
        ((9, 12), ("gradient", "periodic")),
        ((20, 18), ("periodic", "periodic")),
        ((5, 6, 8), ("value", "mixed", "gradient")),
        ((7, 5, 6), ("gradient", "periodic", "gradient")),
    ],
)
@pytest.mark.parametrize("varies", [False, True])
def test_converged_solutions_equal_the_direct_one(cpu, shape, names, varies, method):
    rng, spacing = np.random.default_rng(4), (0.1, 0.12, 0.09)[: len(shape)]
    k = 1 + 4 * rng.random(shape) if varies else None
    pairs = sides_of(names, spacing, SHIFTED)
    source = rng.standard_normal(shape)
    solver = POISSON.open(cpu, shape, spacing, pairs, "float64", k, method)
    got = solved(solver, source, {"multigrid": 30, "sor": 400, "jacobi": 20000}[method])
    expected = reference.solve(source, spacing, pairs, k)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10 * max(1.0, np.abs(expected).max()))
    assert solver.singular == all(n in ("gradient", "periodic") for n in names)


@pytest.mark.parametrize("method", ["multigrid", "jacobi", "sor"])
@pytest.mark.parametrize(
    "names", [("value",) * 3, ("gradient",) * 3, ("periodic",) * 3, ("mixed", "periodic", "value")]
)
def test_grids_of_one_to_three_cells(cpu, names, method):
    spacing = (0.1, 0.12, 0.09)
    shapes = [*itertools.product((1, 2, 3), repeat=2), (1, 1, 1), (2, 1, 3), (3, 3, 3), (1, 3, 2), (1, 300)]
    for shape in shapes:
        if method != "multigrid" and max(shape) > 3:
            continue
        d = len(shape)
        pairs = sides_of(names[:d], spacing[:d], SHIFTED)
        source = np.random.default_rng(5).standard_normal(shape)
        got = solved(POISSON.open(cpu, shape, spacing[:d], pairs, "float64", None, method), source, 300)
        expected = reference.solve(source, spacing[:d], pairs)
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10 * scale, err_msg=f"{shape}")


def manufactured(kind, x):
    """f and g of ``u = f(x) + g(x) w``, and their second derivatives, for x in [0, 1] and the sides of ``KINDS``."""
    one, zero = np.ones_like(x), np.zeros_like(x)
    if kind == "value":
        sine = np.sin(np.pi * x)
        return 1 + x + sine, sine, -(np.pi**2) * sine, -(np.pi**2) * sine
    if kind == "gradient":
        return 0.7 * x**2 + np.cos(np.pi * x), one, 1.4 - np.pi**2 * np.cos(np.pi * x), zero
    return np.sin(2 * np.pi * x), one, -4 * np.pi**2 * np.sin(2 * np.pi * x), zero


KINDS = {
    "value": (FixedValue(value=1.0), FixedValue(value=2.0)),
    "gradient": (FixedGradient(gradient=0.0), FixedGradient(gradient=1.4)),
    "periodic": PAIRS["periodic"],
}


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize(("dimensions", "sizes"), [(2, (32, 64, 128)), (3, (16, 32, 64))])
def test_halving_h_divides_the_error_by_four(cpu, kind, dimensions, sizes):
    """u = f(x) + g(x) w, w = sin(2πy) or sin(2πy) sin(2πz): ``kind`` along x, periodic along the others.

    Where nothing is fixed, u has the mean 0.
    """
    errors = []
    for n in sizes:
        x, h = (np.arange(n) + 0.5) / n, 1 / n
        f, g, f_second, g_second = manufactured(kind, x)
        wave = np.sin(2 * np.pi * x) if dimensions == 2 else np.multiply.outer(*[np.sin(2 * np.pi * x)] * 2)
        wave = wave[..., None]
        u = f + g * wave
        source = 4 * np.pi**2 * (dimensions - 1) * g * wave - (f_second + g_second * wave)
        spacing = (h,) * dimensions
        pairs = ghosts([KINDS[kind], *[KINDS["periodic"]] * (dimensions - 1)], spacing)
        got = solved(POISSON.open(cpu, (n,) * dimensions, spacing, pairs, "float64"), source, 14)
        if kind != "value":
            fine = np.arange(4096) / 4096 + 0.5 / 4096
            u = u - manufactured(kind, fine)[0].mean()
        errors.append(np.sqrt(((got - u) ** 2).mean()))
    ratios = np.divide(errors[:-1], errors[1:])
    assert ((ratios > 3.9) & (ratios < 4.1)).all(), ratios


@pytest.mark.parametrize("shape", [(24, 30), (8, 10, 9)])
def test_what_is_made_leaves_through_the_sides(cpu, shape):
    """Σ s V equals the flow through the sides with a value (k du/dn over half a cell); nothing passes the others."""
    spacing, k = (0.1, 0.15, 0.12)[: len(shape)], 1 + 9 * np.random.default_rng(6).random(shape)
    pairs = ghosts([(FixedValue(value=0.7), FixedValue(value=-0.3)), *[PAIRS["gradient"]] * (len(shape) - 1)], spacing)
    source = np.random.default_rng(7).random(shape)
    u = solved(POISSON.open(cpu, shape, spacing, pairs, "float64", k), source, 30)
    volume, area = np.prod(spacing), np.prod(spacing[1:])
    out = sum(
        (k[..., cell] * (u[..., cell] - value)).sum() * area / (spacing[0] / 2)
        for cell, value in ((0, 0.7), (-1, -0.3))
    )
    assert out == pytest.approx(source.sum() * volume, rel=1e-10)


@pytest.mark.parametrize("shape", [(128, 128), (32, 32, 32)])
@pytest.mark.parametrize("name", ["value", "periodic"])
def test_float32_reaches_its_round_off_and_stays(cpu, shape, name):
    """u is known to eps/2 |u|, so the residual to about 4d/h² times that; it comes there, below 2d eps/h² max|u|, and
    stays there for 40 cycles."""
    d, spacing = len(shape), (1 / shape[0],) * len(shape)
    source = np.random.default_rng(8).standard_normal(shape).astype(np.float32)
    solver = POISSON.open(cpu, shape, spacing, sides_of((name,) * d, spacing), "float32")
    u = solver.iterate(np.zeros(shape, np.float32), source, 12)
    for _ in range(10):
        u = solver.iterate(u, source, 4)
        bound = 2 * d / spacing[0] ** 2 * np.finfo(np.float32).eps * np.abs(u).max()
        assert solver.residual_norm(u, source) < bound


# ---- the surface -------------------------------------------------------------------------------------------------


def test_a_source_without_a_balance_loses_its_mean(cpu):
    """Closed sides with a net inflow: what neither sides nor source balance is removed."""
    shape, spacing = (10, 12), (0.1, 0.1)
    pairs = sides_of(("gradient", "gradient"), spacing, SHIFTED)
    solver = POISSON.open(cpu, shape, spacing, pairs, "float64")
    source = 3.0 + np.random.default_rng(9).random(shape)
    before = source.copy()
    u = solved(solver, source, 25)
    np.testing.assert_array_equal(source, before)
    assert abs(u.mean()) < 1e-14
    assert solver.residual_norm(u, source) < 1e-10


def test_bytes_are_counted_from_the_algorithm(cpu):
    spacing = (0.1, 0.1)
    pairs = sides_of(("value", "value"), spacing)
    make = lambda **rest: POISSON.open(cpu, (64, 64), spacing, pairs, **rest).traffic  # noqa: E731
    assert make(method="jacobi").bytes == 64 * 64 * 3 * 4
    assert make(method="sor", precision="float64").bytes == 64 * 64 * 3 * 8
    assert make(method="sor", conductivity=np.ones((64, 64))).bytes == 64 * 64 * 5 * 4
    # levels of 64², 32², 16² cells: 13 numbers per cell and 3 per coarse cell, and the inverse at the end
    fine, middle, last = 64**2, 32**2, 16**2
    numbers = 13 * (fine + middle) + 3 * (middle + last) + last**2 + 2 * last
    assert make().bytes == numbers * 4
    assert make().kernel == "multigrid"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"conductivity": np.zeros((8, 8))}, "greater than 0"),
        ({"conductivity": np.full((8, 8), np.nan)}, "finite"),
        ({"conductivity": np.ones((8, 9))}, r"one value per cell, \(8, 8\)"),
        ({"method": "sor", "relaxation": 2.0}, "less than 2"),
        ({"method": "jacobi", "relaxation": 1.5}, "at most 1"),
        ({"method": "jacobi", "relaxation": 0.0}, "greater than 0"),
    ],
)
def test_bad_input_gets_a_sentence(cpu, change, words):
    with pytest.raises(ProblemError, match=words):
        POISSON.open(cpu, (8, 8), (0.1, 0.1), sides_of(("value", "value"), (0.1, 0.1)), **change)


def test_conductivity_of_ones_changes_nothing(cpu):
    shape, spacing = (24, 18), (0.1, 0.1)
    assert set(conductivities(shape)) == {"smooth", "ball", "random", "two values at random"}
    source = np.random.default_rng(10).standard_normal(shape)
    plain, ones = (
        solved(POISSON.open(cpu, shape, spacing, sides_of(("value", "value"), spacing), "float64", k), source, 3)
        for k in (None, np.ones(shape))
    )
    np.testing.assert_allclose(plain, ones, rtol=0, atol=1e-14)
