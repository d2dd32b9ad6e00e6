"""Butler-Volmer as the reference has it: odd, right for small overpotentials, and its own inverse."""

from __future__ import annotations

import numpy as np
import pytest

from engines.battery.cells.step.cells import CELLS
from engines.battery.cells.step.cpu_voltage import overpotential as kernel_overpotential
from engines.battery.kinetics.reference import current_density, overpotential
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.step.cell_rows import Row
from engines.battery.watch.losses import decomposed


def test_it_is_odd():
    for eta in (1e-12, 1e-3, 0.3):
        assert current_density(-eta, 1.3) == -current_density(eta, 1.3)
    for j in (1e-12, 1e-3, 50.0):
        assert overpotential(-j, 1.3) == -overpotential(j, 1.3)


def test_small_overpotentials_are_linear():
    """j = j0 F η/RT to round-off, where e^{+x} − e^{−x} would have lost all digits."""
    slope = 1.3 * FARADAY / (GAS * REFERENCE_TEMPERATURE)
    for eta in (1e-18, 1e-12, 1e-8):
        assert current_density(eta, 1.3) == pytest.approx(slope * eta, rel=1e-12)


def test_round_trip_in_single_precision():
    """1e-5: float32 has 6e-8, and sinh at the largest x = 20 multiplies an error of η by 20."""
    j = np.concatenate([-np.logspace(-8, 6, 50), np.logspace(-8, 6, 50)]).astype(np.float32)
    back = 2 * np.sinh(np.arcsinh(j / np.float32(2)))
    assert back.dtype == np.float32
    assert np.abs(back / j - 1).max() <= 1e-5


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5, 0.9])
def test_any_transfer_coefficient_has_its_inverse(alpha):
    """To 1e-14 from 1e-12 to 1e5 times j0; at small overpotentials it is the same line for all."""
    for j in (1e-12, 1e-6, 1.0, 1e5):
        for sign in (1, -1):
            eta = overpotential(sign * j, 1.3, alpha=alpha)
            assert current_density(eta, 1.3, alpha=alpha) == pytest.approx(sign * j, rel=1e-14)
    f = FARADAY / (GAS * REFERENCE_TEMPERATURE)
    assert overpotential(1e-9, 1.3, alpha=alpha) == pytest.approx(1e-9 / (1.3 * f), rel=1e-8)
    # and it is Butler-Volmer as written with two exponentials, where these do not cancel
    assert current_density(0.2, 1.3, alpha=alpha) == pytest.approx(
        1.3 * (np.exp(alpha * f * 0.2) - np.exp(-(1 - alpha) * f * 0.2))
    )


def kernel_activation(backend, alphas: dict[str, float], current: float, precision: str):
    """Both overpotentials [V] from the terminal voltage in the kernels after a short step, and the surfaces then."""
    chen = PARAMETER_SETS["Chen2020"]
    scalars = {f"{electrode}_transfer_coefficient": np.array([alpha]) for electrode, alpha in alphas.items()}
    cells = CELLS.open(backend, chen, [Instruction(Kind.CURRENT, current)], 1e-9, scalars, precision=precision)
    with backend.active():
        cells.advance(0, 1)
    open_circuit, lost = decomposed(cells, 0)
    diffusion = lost["loss_negative_diffusion"] + lost["loss_positive_diffusion"]
    return open_circuit - diffusion - float(np.array(cells.state)[Row.VOLTAGE, 0]), cells.surfaces()


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-9), ("float32", 1e-6)])
@pytest.mark.parametrize(("negative", "positive"), [(0.1, 0.8), (0.35, 0.5), (0.5, 0.5), (0.9, 0.3)])
@pytest.mark.parametrize("current", [5.0, -5.0, 100.0])
def test_the_kernels_solve_it(backend, negative, positive, current, precision, tolerance):
    """η_n − η_p of the reference; the tables of the potentials are within 1e-8 V, float32 holds 4 V to 2e-7."""
    p, areas, exchange = PARAMETER_SETS["Chen2020"].values(), {}, {}
    alphas = {"negative": negative, "positive": positive}
    found, surfaces = kernel_activation(backend, alphas, current, precision)
    for e, x in zip(("negative", "positive"), surfaces, strict=True):
        solid = p["electrode_area"] * p[f"{e}_thickness"] * p[f"{e}_active_fraction"]
        most = p[f"{e}_maximum_concentration"]
        c = most * float(x[0])
        areas[e] = 3 * solid / p[f"{e}_particle_radius"]
        exchange[e] = p[f"{e}_reaction_constant"] * np.sqrt(p["electrolyte_concentration"] * c * (most - c))
    eta_n = overpotential(current / areas["negative"], exchange["negative"], alpha=negative)
    eta_p = overpotential(-current / areas["positive"], exchange["positive"], alpha=positive)
    assert found == pytest.approx(eta_n - eta_p, abs=max(tolerance, 2e-8))


def test_it_solves_to_single_precision():
    """The kernel's own iteration, in float32: 1e-5 of the current comes back (sinh multiplies an error of η by 20)."""
    for alpha in (0.1, 0.3, 0.7, 0.9):
        skew = 2 * alpha - 1
        for s in np.concatenate([-np.logspace(-8, 5, 40), np.logspace(-8, 5, 40)]).astype(np.float32):
            y = np.float32(kernel_overpotential(float(s), skew))
            back = np.exp(np.float32(skew) * y) * np.sinh(y)
            assert back == pytest.approx(float(s), rel=1e-5)
