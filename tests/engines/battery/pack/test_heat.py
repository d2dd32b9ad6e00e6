"""Heat in a box: analytic slabs, conservation, symmetry, and a matrix exponential, on both backends."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

from engines.backend.cpu import CpuBackend
from engines.battery.pack.heat import HEAT
from engines.battery.pack.layout import body
from engines.battery.pack.stages import count_for, stages

INSULATED = (0.0, 0.0)
CAPACITY, K = 2e6, 3.0


def box(backend, shape, spacing, k, transfer, step, start=0.0, precision="float64", capacity=CAPACITY, air=(0.0,) * 6):
    """Heat in one element that fills the box; ``k``: along x, y, z."""
    nz, ny, nx = shape
    conductivity = [np.broadcast_to(np.asarray(each, float), shape) for each in k]
    made = body(spacing, np.broadcast_to(np.asarray(capacity, float), shape), conductivity, transfer)
    boxes = np.array([[0, nx, 0, ny, 0, nz]], np.int32)
    return HEAT.open(backend, made, boxes, np.zeros(shape, np.int32), step, air, start, precision)


def run(heat, steps, power=0.0):
    with heat.backend.active():
        for _ in range(steps):
            heat.advance(np.full(heat.n_elements, power))
    return heat.backend.to_host(heat.inside).astype(float)


def centres(n, length):
    return (np.arange(n) + 0.5) * length / n


@pytest.mark.parametrize("count", [3, 5, 17, 101])
def test_stages_damp_what_they_should_and_are_of_second_order(count):
    """On ``dT/dt = −λT`` up to the limit of (s² + s − 2)/4 Euler steps, and what flowed out is what is missing."""
    made = stages(count)

    def step(z):
        changes = [0.0, -made.first * z]
        for mu, nu, near, start in made.rows:
            changes.append(mu * changes[-1] + nu * changes[-2] - near * z * changes[-1] - start * z)
        return changes

    for z in np.linspace(1e-3, (count**2 + count - 2) / 2, 500):
        changes = step(z)
        assert abs(1 + changes[-1]) <= 1
        lost = z * (1 + made.weights @ np.array(changes[1:-1]))
        assert lost == pytest.approx(-changes[-1], abs=1e-12 * z)
    errors = [abs(1 + step(z)[-1] - np.exp(-z)) for z in (0.02, 0.01)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3, abs=0.05)  # of one step: one order more
    assert count_for((count**2 + count - 2) / 2 * 0.999, 1.0) == count


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_steady_slab_with_a_source(backend, axis):
    """``T = q/2k (L²/4 − x²) + qL/2h``: the scheme is exact at the centres but for h²/8 of curvature at the sides."""
    n, length, h, q = 8, 0.05, 40.0, 5e4
    shape, spacing = [1, 1, 1], [0.01, 0.01, 0.01]
    shape[2 - axis], spacing[axis] = n, length / n
    transfer = [INSULATED] * 3
    transfer[axis] = (h, h)
    heat = box(backend, tuple(shape), spacing, (K, K, K), transfer, 2000.0)
    volume = np.prod(spacing) * n
    got = run(heat, 60, q * volume).reshape(-1)
    x = centres(n, length) - length / 2
    exact = q / (2 * K) * (length**2 / 4 - x**2) + q * length / (2 * h)
    curvature = q / (2 * K) * (length / n / 2) ** 2
    np.testing.assert_allclose(got, exact + curvature, rtol=1e-9)
    assert heat.removed == pytest.approx(q * volume, rel=1e-9)


def test_a_cooling_slab_is_of_second_order():
    """The first mode ``cos(βx/L)``, β tan β = hL/k, decays with αβ²/L²; L is half the thickness."""
    half, h, end = 0.02, 300.0, 100.0
    beta = brentq(lambda b: b * np.tan(b) - h * half / K, 1e-6, np.pi / 2 - 1e-9)
    errors = []
    for n in (8, 16, 32):
        x = centres(n, 2 * half) - half
        mode = 20 * np.cos(beta * x / half)
        heat = box(
            CpuBackend(), (1, 1, n), (2 * half / n, 0.01, 0.01), (K, K, K), [(h, h), INSULATED, INSULATED], 0.5, mode
        )
        got = run(heat, round(end / 0.5)).reshape(-1)
        errors.append(np.abs(got - mode * np.exp(-K / CAPACITY * (beta / half) ** 2 * end)).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 1.95).all()
    assert (orders < 2.1).all()


def test_conductivities_along_and_through_the_layers():
    """Two insulated modes, one along x and one along z, decay each with its own conductivity."""
    kx, kz, n, length = 1.2, 25.0, 64, 0.06
    x = centres(n, length)
    start = np.cos(np.pi * x / length)[None, None, :] * np.cos(2 * np.pi * x / length)[:, None, None]
    heat = box(CpuBackend(), (n, 1, n), (length / n, 0.01, length / n), (kx, 7.0, kz), [INSULATED] * 3, 1.0, start)
    got = run(heat, 5)
    rate = 0.0
    for k, half_waves in ((kx, 1), (kz, 2)):  # of the scheme: 4 sin²(mπ/2n)/h²
        rate += k / CAPACITY * 4 * np.sin(half_waves * np.pi / (2 * n)) ** 2 / (length / n) ** 2
    # RKL2's own error in time: (λt)³/6 per step at the most
    np.testing.assert_allclose(got, start * np.exp(-rate * 5), atol=5 * rate**3 / 6 + 1e-12)
    assert np.abs(got / start - 1).max() > 0.1


def composite(backend, precision, mirrored=False, air=(1.0, 1.0, 3.0, 3.0, -5.0, 2.0), steps=0, step=4.0):
    """A box whose materials, sides and powers differ, symmetric about its middle in x."""
    rng = np.random.default_rng(3)
    shape = (4, 5, 9)
    nz, ny = shape[:2]
    k, capacity = np.exp(rng.normal(0, 1.5, (3, *shape))), rng.uniform(5e5, 3e6, shape)
    k, capacity = k + k[..., ::-1], capacity + capacity[..., ::-1]
    made = body((2e-3, 3e-3, 4e-3), capacity, list(k), [(30.0, 30.0), (5.0, 8.0), (500.0, 9.0)])
    boxes = np.array([[0, 3, 0, ny, 0, nz], [6, 9, 0, ny, 0, nz], [3, 6, 1, 3, 1, 4]], np.int32)
    owner = np.full(shape, 3, np.int32)
    for number, (x0, x1, y0, y1, z0, z1) in enumerate(boxes):
        owner[z0:z1, y0:y1, x0:x1] = number
    start = rng.normal(0, 5, shape)
    heat = HEAT.open(backend, made, boxes, owner, step, air, start + start[..., ::-1], precision)
    with backend.active():
        for _ in range(steps):
            heat.advance(np.array([0.3, 0.3, 1.7]))
    return made, heat


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-11), ("float32", 1e-5)])
def test_what_is_generated_is_lost_or_stored(backend, precision, tolerance):
    """The bounds are the issue's; rounding is carried along, so float32 has 1e-7 to show."""
    _, heat = composite(backend, precision, steps=300)
    assert heat.lost > 100  # joules: something did leave
    assert heat.balance() < tolerance / 10
    heat.set_environment([5.0] * 6)
    with backend.active():
        heat.advance(np.zeros(3))
    assert heat.balance() < tolerance / 10


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_what_is_symmetric_stays_symmetric_to_the_last_bit(backend, precision):
    _, heat = composite(backend, precision, steps=50)
    got = backend.to_host(heat.inside)
    np.testing.assert_array_equal(got, got[..., ::-1])
    with backend.active():
        means = heat.means()
    assert means[0] == means[1]
    expected = [
        got[..., :3].astype(float).mean(),
        got[..., 6:].astype(float).mean(),
        got[1:4, 1:3, 3:6].mean(dtype=float),
    ]
    np.testing.assert_allclose(means, expected, rtol=0, atol=2.0**-28)


def test_a_composite_is_its_matrix_exponential(backend):
    """``T(t) = T∞ + e^{At}(T0 − T∞)`` of the same network, assembled face by face; the rest is the error in time."""
    air = (1.0, 1.0, 3.0, 3.0, -5.0, 2.0)
    shape = (4, 5, 9)
    number = np.arange(np.prod(shape)).reshape(shape)
    power = np.array([0.3, 0.3, 1.7])
    errors = []
    for step in (2.0, 1.0):
        made, heat = composite(backend, "float64", step=step)
        start = backend.to_host(heat.inside).reshape(-1).copy()
        A, b = np.zeros((number.size, number.size)), np.zeros(number.size)
        for axis, faces, beyond in zip((2, 1, 0), made.conductances, (air[:2], air[2:4], air[4:]), strict=True):
            for place in np.ndindex(*faces.shape):
                low, high = list(place), list(place)
                low[axis] -= 1
                g = faces[place]
                if low[axis] < 0 or high[axis] == shape[axis]:
                    inner = number[tuple(high if low[axis] < 0 else low)]
                    A[inner, inner] -= g
                    b[inner] += g * beyond[0 if low[axis] < 0 else 1]
                else:
                    i, j = number[tuple(low)], number[tuple(high)]
                    A[i, i] -= g
                    A[j, j] -= g
                    A[i, j] += g
                    A[j, i] += g
        owner = backend.to_host(heat._owner)[1:-1, 1:-1, 1:-1]
        sizes = np.bincount(owner.reshape(-1), minlength=4)
        b += np.append(power / sizes[:3], 0.0)[owner].reshape(-1)
        capacity = made.capacity.reshape(-1)
        steady = np.linalg.solve(-A, b)
        exact = steady + expm(A / capacity[:, None] * 24.0) @ (start - steady)
        with backend.active():
            for _ in range(round(24 / step)):
                heat.advance(power)
        errors.append(np.abs(backend.to_host(heat.inside).reshape(-1) - exact).max())
        assert np.abs(start - exact).max() > 1
    assert errors[1] < 0.02
    assert errors[1] < errors[0] / 3  # second order, from a rough start


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_both_backends_have_the_same_bits(backend, precision):
    _, heat = composite(backend, precision, steps=20)
    _, twin = composite(CpuBackend(), precision, steps=20)
    np.testing.assert_array_equal(backend.to_host(heat.inside), twin.inside)
    assert heat.lost == pytest.approx(twin.lost, rel=1e-12)
    assert heat.stages.count > 5


def test_a_run_continues_bit_for_bit(backend):
    _, one = composite(backend, "float32", steps=7)
    _, two = composite(backend, "float32")
    two.restore(one.state())
    with backend.active():
        for heat in (one, two):
            heat.advance(np.ones(3))
    np.testing.assert_array_equal(backend.to_host(one.temperature), backend.to_host(two.temperature))
    assert (one.generated, one.lost, one.stored) == (two.generated, two.lost, two.stored)
