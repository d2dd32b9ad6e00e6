"""Poles: both backends against the reference, energy, slabs of Drude, Lorentz and Debye against transfer matrices."""

from __future__ import annotations

import numpy as np
import pytest

from engines.fdtd.grid.yee import SPEED_OF_LIGHT
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.materials import Medium
from engines.fdtd.sources.waveforms import Waveform
from engines.fdtd.step.cpu import CpuYee, energy_weights
from engines.fdtd.step.cuda import CudaYee
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.fdtd.fdtd_cases import PEC, PMC, steps_of
from tests.engines.fdtd.pole_cases import DISPERSIVE, line_record, pole_case, reference_of, states_of

THREADS = 1
C = SPEED_OF_LIGHT
EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
STEPS = 6
on_device = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")


def assert_equal_to_reference(faces, maker, backend, precision, **options):
    """Tolerance as in test_steps.py with twice the roundings, as a slot makes about as many as a curl, and 1e-12
    for each step: to that make_media rounds mixtures, which the reference does not."""
    case, cells = pole_case(faces)
    fields = case.random_fields()
    steps = steps_of(maker, backend, case, case.sources(), precision, fields, **options)
    steps.states[...] = states_of(case, fields[0])
    with backend.active():
        steps.advance(np.zeros((STEPS, 0)))
    places = case.yee.counts[0] + 1
    reference = reference_of(case, cells)
    reference.electric[...], reference.magnetic[...] = (field[..., :places] for field in fields)
    for _ in range(STEPS):
        reference.step_electric()
        reference.step_magnetic()
    atol = 24 * 4 * 2**STEPS * EPSILON[precision] + 1e-12 * STEPS
    for mine, right in ((steps.electric, reference.electric), (steps.magnetic, reference.magnetic)):
        np.testing.assert_allclose(mine[..., :places], right, rtol=0, atol=atol)
        assert not mine[..., places:].any()
        assert np.abs(right).max() > 0.1


@pytest.mark.parametrize(("faces", "precision"), [("layers", "float32"), ("mixed", "float64"), ("periodic", "float64")])
def test_cpu(faces, precision, backend):
    assert_equal_to_reference(faces, CpuYee, backend, precision)


@on_device
@pytest.mark.parametrize(
    ("faces", "precision", "shape"),
    [("layers", "float32", (4, 32, 2, 5)), ("mixed", "float64", (2, 32, 4, 64)), ("thin", "float32", (1, 32, 4, 4))],
)
def test_cuda(faces, precision, shape):
    assert_equal_to_reference(faces, CudaYee, HostCudaBackend(), precision, shape=shape)


@on_device
def test_energy_is_the_same_on_both(backend):
    case, _ = pole_case("mixed")
    electric, magnetic = case.random_fields()
    found = []
    for maker, where, options in ((CpuYee, backend, {}), (CudaYee, HostCudaBackend(), {"shape": (2, 32, 4, 4)})):
        steps = steps_of(maker, where, case, case.sources(), "float64", (electric, magnetic), **options)
        with where.active():
            steps.advance(np.zeros((5, 0)))
            found.append(steps.energy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def lossless(pole: Pole) -> Pole:
    return Pole(pole.kind, pole.strength, 0.0, pole.resonance)


def energies(backend, materials, courant, spans=6, steps=40):
    """E·εE + poles + H⁻·μH⁺ now and then, from random fields between walls."""
    case, _ = pole_case(((PEC, PMC), (PMC, PEC), (PMC, PMC)), materials, courant)
    electric, magnetic = case.random_fields()
    simulation = steps_of(CpuYee, backend, case, case.sources(), "float64", (electric, magnetic))
    w = energy_weights(case.axes)
    nx, ny, nz = case.yee.counts
    at = [w[0, : nx + 1][None, None, :], w[1, : ny + 1][None, :, None], w[2, : nz + 1][:, None, None]]
    mu = case.media.permeability[0 if case.media.ids_h is None else case.media.ids_h] * np.ones_like(magnetic)
    seen = []
    with backend.active():
        for _ in range(spans):
            before = simulation.magnetic.copy()
            simulation.advance(np.zeros((1, 0)))
            held = simulation.energy()[0]
            for c in range(3):
                here = np.s_[c, :, :, : nx + 1]
                held += (mu[here] * at[c] * before[here] * simulation.magnetic[here]).sum()
            seen.append(held)
            simulation.advance(np.zeros((steps, 0)))
    return np.array(seen)


def test_poles_without_loss_keep_the_energy(backend):
    """At the vacuum's Courant limit, with ω₀Δt = 3.2 and ω_pΔt about 1: exact but for rounding over 200 steps, and
    ``energy`` is what is kept."""
    materials = (
        Medium(),
        Medium(poles=tuple(lossless(pole) for pole in DISPERSIVE[1].poles)),
        Medium(permittivity=1.2, permeability=1.7, poles=(Pole("lorentz", 500.0, 0.0, 12.0),)),
    )
    seen = energies(backend, materials, courant=1 - 1e-9)
    assert seen[0] > 1
    np.testing.assert_allclose(seen, seen[0], rtol=1e-11)


def test_lossy_poles_only_take_energy(backend):
    seen = energies(backend, tuple(m for m in DISPERSIVE if not m.conductivity), courant=1 - 1e-9)
    assert (np.diff(seen) < 0).all()
    assert seen[-1] > 0


def slab_answer(medium: Medium, omega, thickness: float):
    """(R, T) by Airy's sums with n + ik."""
    n = medium.index_at(omega)
    r = (1 - n) / (1 + n)
    phase = np.exp(1j * n * omega / C * thickness)
    through = (1 - r**2) * phase / (1 - r**2 * phase**2)
    back = r * (1 - phase**2) / (1 - r**2 * phase**2)
    return np.abs(back) ** 2, np.abs(through) ** 2


DRUDE_SLAB = Medium(poles=(Pole("drude", (2 * np.pi * 0.35) ** 2, 0.2),))
LORENTZ_SLAB = Medium(permittivity=1.5, poles=(Pole("lorentz", 0.5 * (2 * np.pi * 0.3) ** 2, 0.3, 2 * np.pi * 0.3),))
DEBYE_SLAB = Medium(permittivity=5.2, poles=(Pole("debye", 73.16, 1 / 8.27),))


@pytest.mark.parametrize(
    ("medium", "band", "spacing", "thick", "steps", "layer", "tolerance"),
    [
        (DRUDE_SLAB, (0.2, 0.45), 0.01, 20, 3000, 12, 3e-3),
        (LORENTZ_SLAB, (0.2, 0.42), 0.01, 30, 3000, 12, 3e-3),
        (DEBYE_SLAB, (0.01, 0.04), 0.1, 12, 1800, 30, 3e-3),
    ],
    ids=["drude", "lorentz", "debye"],
)
def test_slabs_transmit_and_reflect_as_transfer_matrices_say(
    backend, medium, band, spacing, thick, steps, layer, tolerance
):
    """Bands across plasma frequency, resonance and relaxation (units: µm and fs, or mm and ps for water).

    Second order: the grid's phase error in the slab is (ωn/c)³Δ²d/24, and poles see ω(1 + (ωΔt)²/12). With 1/ω n of 8
    cells and more that comes to some 1e-3; twice the cells below give a quarter.
    """
    low, high = band
    middle = (low + high) / 2
    width = 1 / (np.pi * (high - low))
    waveform = Waveform("pulse", middle, width, 5 * width)

    def errors(fine: int) -> float:
        first = fine * layer + 20
        cells = np.zeros((1, 1, 2 * first + fine * thick), np.uint8)
        cells[..., first : first + fine * thick] = 1
        at = [fine * layer + 2, first + fine * thick + 10]
        count = fine * steps
        record, dt = line_record(backend, medium, waveform, cells, spacing / fine, count, at, fine * layer)
        empty, _ = line_record(backend, medium, waveform, 0 * cells, spacing / fine, count, at, fine * layer)
        omega = 2 * np.pi * np.linspace(low, high, 41)
        kernel = np.exp(1j * omega[:, None] * dt * np.arange(count))
        incident = np.abs(kernel @ empty[:, 1]) ** 2
        back, through = (np.abs(kernel @ record[:, n]) ** 2 / incident for n in (0, 1))
        right_back, right_through = slab_answer(medium, omega, thick * spacing)
        return float(max(np.abs(back - right_back).max(), np.abs(through - right_through).max()))

    coarse, fine = errors(1), errors(2)
    print(f"slab: {coarse:.2e} {fine:.2e}, order {np.log2(coarse / fine):.2f}")
    assert fine < tolerance
    assert 1.7 < np.log2(coarse / fine) < 2.3


def test_skin_depth_of_a_metal(backend):
    """|E| in a Drude half space falls as exp(−x/δ), δ = c/(ω Im n); 1/δ within 1e-3: δ is 20 cells, whose second order
    is (Δ/δ)²/24 = 1e-4, and a standing part from the end is exp(−10)."""
    spacing, omega = 0.004, 2 * np.pi * 0.3
    medium = Medium(poles=(Pole("drude", (2 * np.pi * 0.7) ** 2, 0.05),))
    depth = C / (omega * medium.index_at(np.array([omega]))[0].imag)
    cells = np.zeros((1, 1, 260), np.uint8)
    cells[..., 60:230] = 1
    at = np.arange(66, 66 + int(2 * depth / spacing))
    waveform = Waveform("continuous", 0.3, 10.0, 0.0)
    record, dt = line_record(backend, medium, waveform, cells, spacing, 14000, at)
    last = round(4 * 2 * np.pi / omega / dt)
    kernel = np.exp(1j * omega * dt * np.arange(last))
    seen = np.log(np.abs(kernel @ record[-last:]))
    found = -1 / np.polyfit(at * spacing, seen, 1)[0]
    print(f"skin depth: {found / depth - 1:.1e}, {depth / spacing:.1f} cells")
    assert found == pytest.approx(depth, rel=1e-3)
