"""What the CPML reflects, from coarse grids to fine ones.

Steady waves: the coefficients' exact discrete reflection, by marching from the wall outwards at one frequency. Pulses:
a run in a short domain minus the same in a long one, on both backends.
"""

from __future__ import annotations

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.fdtd.grid.boundaries import make_axes
from engines.fdtd.grid.thin_layers import PLACE, REFLECTED, thin_layer_findings
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.sources.currents import Dipole, make_sources
from engines.fdtd.sources.waveforms import Waveform, band_of
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.fdtd.fdtd_cases import PEC, WRAP, cpml

C = SPEED_OF_LIGHT
CELLS = (10, 12, 15, 20, 30, 50, 100, 200, 400, 800, 1000)
on_device = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")


def decibels(value) -> float:
    return float(20 * np.log10(value))


def steady_reflection(cells: float, angle: float, courant: float, layer: int, band=None) -> float:
    """|R| of a wave of ``cells`` cells a wavelength in time, E across the plane of incidence, Δ = c = 1 at first."""
    return abs(_reflected(cells, np.sin(np.radians(angle)), courant, layer, band))


def _reflected(cells: float, sine: float, courant: float, layer: int, band) -> complex:
    """R of the discrete layer, at its face; sine: wavenumber along it over that in vacuum, above 1 for what fades.

    With e^{iωt} ψ is ``c∂/(1 − b e^{−iωΔt})``, so ∂ is divided by ``s`` with ``1/s = 1/κ + c/(1 − b e^{−iωΔt})``.
    """
    n = layer + 4
    yee = Yee((n, 1, 1), (1.0,) * 3, flat=(False, True, True))
    dt = courant / C
    frequency = C / cells
    axis = make_axes(yee, [(PEC, cpml(layer)), (WRAP, WRAP), (WRAP, WRAP)], dt, band=band or (frequency, frequency))[0]
    turn = np.exp(-2j * np.pi / cells * courant)
    of_e = axis.inverse_e + axis.c_e / (1 - axis.b_e * turn)
    of_h = axis.inverse_h + axis.c_h / (1 - axis.b_h * turn)
    omega = 2 * np.sin(np.pi / cells * courant) / courant
    across = omega * sine
    behind, here = 0.0, 1.0 + 0j
    for i in range(n - 1, 1, -1):  # from node n − 1 to node 1
        before = here + ((across**2 - omega**2) * here / of_e[i] - of_h[i] * (behind - here)) / of_h[i - 1]
        behind, here = here, before
    k = 2 * np.arcsin(np.sqrt(complex(omega**2 - across**2)) / 2)
    k = -k if k.imag > 0 else k  # what goes towards the layer fades towards it
    forward, back = np.linalg.solve(np.exp(1j * k * np.array([[-1, 1], [-2, 2]])), [here, behind])
    return complex(back / forward * np.exp(2j * k * (n - layer)))


@pytest.mark.parametrize("courant", [0.57, 0.99])
def test_ten_cells_reflect_the_same_little_of_waves_of_ten_to_a_thousand_cells(courant):
    """−95 dB at normal incidence, −85 at 60° and −45 at 75°: 2 dB above what was found."""
    for angle, most in ((0, -95), (60, -85), (75, -45)):
        if angle and courant > 0.71:
            continue  # on a line there are no angles
        found = [decibels(steady_reflection(cells, angle, courant, 10)) for cells in CELLS]
        print(angle, np.round(found, 1))
        assert max(found) < most


def test_a_pulse_is_absorbed_over_its_whole_band():
    """Layers made for a band from 20 to 200 cells a wavelength, and for one that nobody told."""
    for band in ((C / 200, C / 20), None):
        found = [decibels(steady_reflection(cells, 0, 0.57, 10, band)) for cells in (20, 40, 80, 200)]
        assert max(found) < -90


@pytest.mark.parametrize(("layer", "most"), [(4, -38), (6, -60), (8, -85), (15, -105), (30, -120)])
def test_what_other_numbers_of_cells_reflect(layer, most):
    assert max(decibels(steady_reflection(cells, 0, 0.57, layer)) for cells in CELLS) < most


@pytest.mark.parametrize("layer", REFLECTED)
def test_what_is_told_of_thin_layers_is_their_worst(layer):
    """Against the exact reflection, over the Courant numbers that runs have: rounded up, by 2 dB at most."""
    for angle, told in zip((0, 60), REFLECTED[layer], strict=True):
        courants = (0.2, 0.57, 0.7) if angle else (0.2, 0.57, 0.7, 0.99)
        worst = max(decibels(steady_reflection(n, angle, s, layer)) for n in CELLS for s in courants)
        assert worst < told < worst + 2


def test_thin_layers_are_told_with_a_remedy_where_there_is_room():
    open_faces = [(cpml(6), cpml(6)), (WRAP, WRAP), (WRAP, WRAP)]
    (told,) = thin_layer_findings(open_faces, (40, 1, 1))
    assert "A CPML of 6 cells sends back up to −63 dB" in told.message
    assert (told.severity, told.place, told.remedy.changes) == ("warning", PLACE, {PLACE: 10})
    (tight,) = thin_layer_findings(open_faces, (20, 1, 1))
    assert tight.remedy is None
    assert "needs more cells" in tight.message
    (eight,) = thin_layer_findings([(PEC, cpml(8)), (WRAP, WRAP), (WRAP, WRAP)], (40, 1, 1))
    assert eight.severity == "info"
    assert thin_layer_findings([(cpml(10), PEC), (WRAP, WRAP), (WRAP, WRAP)], (40, 1, 1)) == ()


def evanescent_reflection(cells: float, across: float) -> float:
    """The same of a field that fades towards the layer: its wavenumber along the face is ``across`` times that of the
    wave in vacuum; of the amplitudes at the layer's face."""
    return abs(_reflected(cells, across, 0.57, 10, None))


@pytest.mark.parametrize(
    ("cells", "most"), [(10, (-30, -66, -101)), (20, (-19, -43, -69)), (50, (-16, -35, -55)), (400, (-12, -27, -40))]
)
def test_fields_that_fade_slowly_come_back(cells, most):
    """1.02, 1.1 and 1.3 times the wavenumber, as README tells; what fades faster is gone."""
    found = [decibels(evanescent_reflection(cells, across)) for across in (1.02, 1.1, 1.3)]
    assert np.all(np.array(found) < most)


def reflected_pulse(maker, backend, cells: int, precision: str) -> float:
    """Short domain minus long, over the largest field, of one cycle with ``cells`` cells per wavelength, on a line."""
    pulse = Waveform("pulse", C, 1.0 / C, 4.5 / C)

    def record(n: int):
        yee = Yee((n, 1, 1), (1.0 / cells, 1.0, 1.0), flat=(False, True, True))
        dt = 0.99 * yee.largest_step()
        axes = make_axes(yee, [(PEC, cpml(10)), (WRAP, WRAP), (WRAP, WRAP)], dt, band=band_of([pulse]))
        media = make_media(yee, axes, np.zeros((1, 1, n), np.uint8), (Medium(),), dt)
        dipole = Dipole((5.0 / cells, 0.5, 0.5), 2, 1.0, pulse)
        sources = make_sources(yee, axes, media, Medium(), dt, "um", [dipole], [])
        steps = maker(backend, yee, axes, media, sources, precision)
        every, seen = max(1, cells // 20), []
        with backend.active():
            for step in range(0, int(11.5 * cells), every):
                steps.advance(sources.table(step, every, dt))
                seen.append(backend.to_host(steps.electric)[2, 0, 0, :30].copy())
        return np.array(seen)

    short, long = record(50), record(60 + 6 * cells)
    return decibels(np.abs(short - long).max() / np.abs(long).max())


@pytest.mark.parametrize(
    ("cells", "precision"), [(10, "float64"), (100, "float64"), (800, "float64"), (400, "float32")]
)
def test_pulses_on_the_cpu(cells, precision):
    """−85 dB and less; α ∝ 1/Δ left −46 dB at 10 cells a wavelength and −57 at 800."""
    backend = CpuBackend()
    backend.threads = 1
    assert reflected_pulse(CpuYee, backend, cells, precision) < -85


@on_device
@pytest.mark.parametrize("cells", [10, 30])
def test_pulses_in_cuda(cells):
    backend = HostCudaBackend()
    assert reflected_pulse(CudaYee, backend, cells, "float64") < -85
