"""Oblique waves, beams and modes against the grid's own dispersion and analytic answers; both backends alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import brentq

from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.grid.boundaries import make_axes
from engines.fdtd.grid.dimensions import ALL, Parts
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.sources.beams import radius_at
from engines.fdtd.sources.currents import Beam, ModeLaunch, ObliqueWave, Sources, make_sources
from engines.fdtd.sources.modes import cross_section, modes, overlap
from engines.fdtd.sources.oblique import CLOSE, direction, make_line, phase_per_place, steps_towards
from engines.fdtd.sources.waveforms import Waveform
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.fdtd.fdtd_cases import PEC, WRAP, Case, cpml

THREADS = 1
C = SPEED_OF_LIGHT
VACUUM = (Medium(),)
GLASS = (Medium(), Medium(permittivity=4.0))


def make(counts, spacing, faces, media=VACUUM, cells=None) -> Case:
    yee = Yee(counts, spacing)
    dt = 0.99 * yee.largest_step()
    axes = make_axes(yee, faces, dt)
    cells = np.zeros(counts[::-1], np.uint8) if cells is None else cells
    return Case(yee, axes, make_media(yee, axes, cells, media, dt), dt, media)


def driven(case: Case, **sources) -> Sources:
    return make_sources(case.yee, case.axes, case.media, case.materials[0], case.dt, "um", (), (), **sources)


def pulse(wavelength: float, cycles: float = 1.0) -> Waveform:
    return Waveform("pulse", C / wavelength, cycles * wavelength / C, 4.5 * cycles * wavelength / C)


# oblique plane waves


@pytest.mark.parametrize("spacing", [(1.0, 1.0, 1.0), (1.0, 0.7, 1.9)])
def test_integers_come_close_to_any_direction(spacing):
    """40 random directions; of 600 the worst was 0.100° on cubes, and 0.115° on cells of nearly 3 : 1."""
    rng = np.random.default_rng(2)
    for wanted in rng.normal(size=(40, 3)):
        wanted /= np.linalg.norm(wanted)
        steps, miss = steps_towards(wanted, spacing)
        real = steps / np.array(spacing)
        assert np.degrees(np.arccos(min(1.0, real @ wanted / np.linalg.norm(real)))) == pytest.approx(miss, abs=1e-5)
        assert miss < 1.2 * CLOSE


def analytic(case: Case, wave: ObliqueWave, strides, place: float, steps: int):
    """(steps, 3): E_x … E_z of the wave at ``place`` half a stride of each behind, as a sum over the pulse's spectrum
    of what solves Yee's equations."""
    size = 1 << 13
    spectrum = np.fft.rfft(wave.waveform.at(np.arange(1, size + 1) * case.dt))
    omega = 2 * np.pi * np.fft.rfftfreq(size, case.dt)
    held = (omega > 0) & (omega * case.dt < 0.9)
    spacing = np.array(case.yee.spacing)
    kappa = phase_per_place(strides, spacing, omega[held], case.dt, 1.0)
    k = 2 * np.sin(kappa * strides[:, None] / 2) / spacing[:, None]
    w = 2 * np.sin(omega[held] * case.dt / 2) / (C * case.dt)
    np.testing.assert_allclose((k**2).sum(axis=0), w**2, rtol=1e-10)
    rising = direction(wave.theta + np.pi / 2, wave.phi)
    around = np.array([-np.sin(wave.phi), np.cos(wave.phi), 0.0])
    aim = np.cos(wave.psi) * rising + np.sin(wave.psi) * around
    e = aim[:, None] - k * (aim @ k) / w**2
    e /= np.linalg.norm(e, axis=0)
    found = np.empty((steps, 3))
    for c in range(3):
        part = np.zeros(len(omega), complex)
        part[held] = spectrum[held] * e[c] * np.exp(-1j * kappa * (place + strides[c] / 2))
        found[:, c] = np.fft.irfft(part, size)[:steps]
    return found


def pure_wave(backend, case: Case, wave: ObliqueWave, box, way: float, parts: Parts = ALL) -> CpuYee:
    """After the pulse and ``way``: outside of the ``box`` of nodes along x, y, z there was nothing, and in its middle
    the grid's plane wave; (0, 1) are all of an axis along which nothing changes."""
    sources = driven(case, oblique=[wave])
    simulation = CpuYee(backend, case.yee, case.axes, case.media, sources, "float64", parts)
    steps = int((9 * wave.waveform.width + way / C) / case.dt)
    outside = np.ones(simulation.electric.shape, bool)
    outside[:, *(slice(low, high + 1) if low else slice(None) for low, high in reversed(box))] = False
    place = [(low + high) // 2 for low, high in reversed(box)]
    seen, leak = np.empty((steps, 3)), 0.0
    values = sources.table(0, steps, case.dt)
    with backend.active():
        for step in range(steps):
            simulation.advance(values[step : step + 1])
            seen[step] = simulation.electric[:, *place]
            leak = max(leak, np.abs(simulation.electric[outside]).max())
    strides = sources.oblique[0].strides.astype(int)
    assert [stride == 0 for stride in strides] == [not low for low, _ in box]
    _, origin = make_line(case.yee, Medium(), wave, box, case.dt, 0)
    expected = analytic(case, wave, strides, float(strides.sum() * place[-1] + origin), steps)
    error = 20 * np.log10(np.abs(seen - expected).max() / np.abs(expected).max())
    print(f"leak {leak:.1e}, purity {error:.1f} dB")
    assert np.abs(seen).max() > 0.6
    assert leak < 1e-12
    assert error < -100
    return simulation


@pytest.mark.parametrize(
    ("angles", "per_wavelength", "spacing"),
    [((63, 27, 90), 10, (0.05, 0.05, 0.05)), ((110, 200, 45), 20, (0.05, 0.045, 0.06))],
)
def test_an_oblique_wave_does_not_leak_and_is_pure(backend, angles, per_wavelength, spacing):
    """fp64. The line solves the grid's equations, so outside of the box there is rounding alone (1e-12 as of a wave
    along an axis). Inside, the wave differs from the grid's plane wave by what the filters at its head leave (fit below
    1e-6 over twice the band, −108 dB seen) and by what the end of the line sends back."""
    n, layer, margin = 26, 4, 3
    case = make((n, n, n), spacing, ((cpml(layer), cpml(layer)),) * 3)
    wave = ObliqueWave(*np.radians(angles), 1.0, pulse(per_wavelength * 0.05), margin)
    pure_wave(backend, case, wave, [(layer + margin, n - layer - margin)] * 3, 3.0)


def test_an_oblique_wave_between_periodic_faces_is_refused():
    case = make((20, 20, 8), (0.05,) * 3, ((cpml(4), cpml(4)), (cpml(4), cpml(4)), (WRAP, WRAP)))
    with pytest.raises(ProblemError, match="another phase at each face of z"):
        driven(case, oblique=[ObliqueWave(1.0, 0.5, 0.0, 1.0, pulse(1.0))])


# modes


def slab(n_y: int, height: float = 6.0, counts_x: int = 12, layer: int = 0) -> Case:
    """Glass of index 2 and 0.5 thick along y, uniform along z, for a wavelength of 1."""
    h = height / n_y
    cells = np.zeros((1, n_y, counts_x), np.uint8)
    cells[:, np.abs((np.arange(n_y) + 0.5) * h - height / 2) < 0.25] = 1
    side = cpml(layer) if layer else PEC
    return make((counts_x, n_y, 1), (h,) * 3, ((side, side), (side, side), (WRAP, WRAP)), GLASS, cells)


def slab_index(magnetic: bool) -> float:
    """Of the lowest even mode: ``k tan(k d/2) = g`` (TE), ``n² g`` (TM)."""
    k0, n = 2 * np.pi, 2.0

    def equation(index: float) -> float:
        k, g = k0 * np.sqrt(n**2 - index**2), k0 * np.sqrt(index**2 - 1)
        return k * np.tan(k * 0.25) - (n**2 if magnetic else 1) * g

    lowest = np.sqrt(n**2 - (np.pi / (0.25 * 2 * k0)) ** 2)  # k d/2 = π/2
    return float(brentq(equation, max(1.0, lowest) + 1e-6, n - 1e-9))


def slab_modes(n_y: int):
    case = slab(n_y)
    inner = n_y // 6
    section = cross_section(case.yee, case.axes, case.media, 0, 4, [(0, 12), (inner, n_y - inner), (0, 1)])
    return section, modes(section, 2 * np.pi * C, case.dt, 6), case


def test_modes_of_a_slab_are_of_second_order():
    """TE and TM (edges along the slab take the mean of ε, and those across stand inside of cells)."""
    errors = []
    for n_y in (120, 240):
        _, found, _ = slab_modes(n_y)
        assert len(found) == 4  # TE0, TM0, TE1, TM1: 2 d √(n² − 1)/λ = 1.73
        errors.append([found[0].effective_index - slab_index(False), found[1].effective_index - slab_index(True)])
    print("slab modes", errors)
    assert (np.abs(errors[1]) < 7e-3).all()
    assert (np.abs(np.log2(np.array(errors[0]) / errors[1]) - 2) < 0.1).all()


def test_a_mode_overlaps_with_itself_alone():
    """The discrete fields are orthogonal as the operators are; ARPACK's vectors to 1e-8."""
    section, found, _ = slab_modes(120)
    first, other = found[0], found[2]
    for mode, forward in ((first, 1.0), (other, 0.0)):
        seen = overlap(section, first, mode.e_a, mode.e_b, mode.h_a, mode.h_b)
        np.testing.assert_allclose(seen, (forward, 0.0), atol=1e-7)
    back = overlap(section, first, 2j * first.e_a, 2j * first.e_b, -2j * first.h_a, -2j * first.h_b)
    np.testing.assert_allclose(back, (0.0, 2j), atol=1e-7)


def test_a_metal_guide_has_the_phase_of_the_discrete_dispersion():
    """TE10 of 20 × 10 cells: (2 sin(κ/2)/Δ)² = W² − (2 sin(π/40)/Δ)²; the only one above cutoff. fp64."""
    h, counts = 0.05, (12, 20, 10)
    case = make(counts, (h,) * 3, ((PEC, PEC),) * 3)
    section = cross_section(case.yee, case.axes, case.media, 0, 4, [(0, n) for n in counts])
    omega = 2 * np.pi * C / 1.3
    found = modes(section, omega, case.dt, 3)
    w = 2 * np.sin(omega * case.dt / 2) / (C * case.dt)
    right = 2 * np.arcsin(np.sqrt(w**2 - (2 / h * np.sin(np.pi / 40)) ** 2) * h / 2)
    assert len(found) == 1
    assert found[0].kappa == pytest.approx(right, abs=1e-12)
    assert not modes(section, 2 * np.pi * C / 2.1, case.dt, 3)  # beyond the cutoff at 2.0


def test_a_silicon_wire_is_in_the_known_band():
    """450 × 220 nm in SiO2 at 1.55 µm: 2.35 to 2.45 in the literature; 22.5 nm and 22 nm of staircase."""
    spacing, counts = (0.0225, 0.0225, 0.022), (6, 60, 50)
    cells = np.ones(counts[::-1], np.uint8)
    cells[20:30, 20:40] = 2
    media = (Medium(), Medium(permittivity=1.444**2), Medium(permittivity=3.476**2))
    case = make(counts, spacing, ((PEC, PEC),) * 3, media, cells)
    section = cross_section(case.yee, case.axes, case.media, 0, 3, [(0, 6), (4, 56), (4, 46)])
    found = modes(section, 2 * np.pi * C / 1.55, case.dt, 3)
    print("silicon wire", [mode.effective_index for mode in found])
    assert 2.3 < found[0].effective_index < 2.5


# sheets


@dataclass
class Record:
    flux: dict[int, float]
    electric: dict[int, np.ndarray]


def sent(backend, case: Case, nodes, steps: int, waveform: Waveform, **sources) -> Record:
    """Flux through planes across x and E on them, at the carrier."""
    made = driven(case, **sources)
    simulation = CpuYee(backend, case.yee, case.axes, case.media, made, "float64")
    values, omega = made.table(0, steps, case.dt), 2 * np.pi * waveform.carrier
    e = {node: np.zeros(simulation.electric.shape[:3], complex) for node in nodes}
    h = {node: np.zeros(simulation.electric.shape[:3], complex) for node in nodes}
    with backend.active():
        for step in range(steps):
            simulation.advance(values[step : step + 1])
            early, late = np.exp(-1j * omega * case.dt * (step + np.array([1.0, 1.5])))
            for node in nodes:
                e[node] += simulation.electric[..., node] * early
                h[node] += simulation.magnetic[..., node - 1 : node + 1].mean(axis=-1) * late
    flux = {
        node: float((e[node][1] * h[node][2].conj() - e[node][2] * h[node][1].conj())[:-1].real.sum()) for node in nodes
    }
    return Record(flux, e)


@pytest.mark.parametrize("forward", [True, False])
def test_a_mode_is_sent_one_way(backend, forward):
    """A pulse of one cycle: fields are those of the carrier, so what goes back at the carrier is the window's rim and
    the absorbing layers (−71 dB seen)."""
    case = slab(120, counts_x=60, layer=10)
    waveform = pulse(1.0)
    launch = ModeLaunch(0, forward, (1.5, 3.0, 0.0), (0.0, 4.6, 1.0), 1, 1.0, waveform)
    seen = sent(backend, case, (20, 45), 700, waveform, launches=[launch])
    ahead, behind = (45, 20) if forward else (20, 45)
    ratio = 10 * np.log10(abs(seen.flux[behind] / seen.flux[ahead]))
    print(f"mode, backward to forward: {ratio:.1f} dB")
    assert (seen.flux[ahead] > 0) == forward
    assert ratio < -60


def test_asking_for_a_mode_that_is_not_there_says_how_many_are():
    case = slab(120, counts_x=30, layer=6)
    launch = ModeLaunch(0, True, (0.75, 3.0, 0.0), (0.0, 4.6, 1.0), 5, 1.0, pulse(1.0))
    with pytest.raises(ProblemError, match="asks for mode 5, and its cross-section has only 4 guided modes"):
        driven(case, launches=[launch])


def radius_on_grid(case: Case, beam: Beam, distance: float) -> float:
    """Twice √⟨y²⟩ of a sum of the grid's plane waves, ``⟨y²⟩ = ∫ |d/dκ (A e^{−iκ_s z})|² / ∫ |A|²``."""
    h = case.yee.spacing[0]
    w = 2 * np.sin(np.pi * beam.waveform.carrier * case.dt) / (C * case.dt)
    across = np.linspace(-0.9 * w, 0.9 * w, 20001)
    amplitude = np.exp(-(across**2) * beam.waist**2 / 4)
    along = 2 / h * np.arcsin(np.sqrt(w**2 - (2 / h * np.sin(across * h / 2)) ** 2) * h / 2)
    slope, turn = np.gradient(amplitude, across), distance * np.gradient(along, across) * amplitude
    return float(2 * np.sqrt((slope**2 + turn**2).sum() / (amplitude**2).sum()))


def test_a_beam_has_its_waist_and_widens(backend):
    """Uniform along z; waist of 1.2 wavelengths at x = 1.5, and w(z) = w₀ √(1 + (z/z_R)²) one Rayleigh length further.

    Second moments of |E|² against those of the grid's plane waves, to what the layers send back (1e-3; 1e-4 seen), and
    against the paraxial formula: w² grows by ⟨tan²⟩ ≈ s (1 + 3s) instead of s = (λ/2πw₀)² = 1.8 %, 2.5 % in w."""
    n_y, n_x, h = 150, 128, 1 / 16
    case = make((n_x, n_y, 1), (h,) * 3, ((cpml(8), cpml(8)), (cpml(8), cpml(8)), (WRAP, WRAP)))
    waveform = pulse(1.0)
    middle = n_y * h / 2
    beam = Beam(0, True, 1.0, (1.5, middle, 0.0), 1.2, 1, 1.0, waveform)
    far = round((1.5 + np.pi * 1.2**2) / h)
    seen = sent(backend, case, (12, 24, far), 700, waveform, beams=[beam])
    y = case.yee.halves(1)
    for node in (24, far):
        intensity = np.abs(seen.electric[node][1, 0, :-1]) ** 2
        found = 2 * np.sqrt(((y - middle) ** 2 * intensity).sum() / intensity.sum())
        expected, exact = radius_at(beam, node * h - 1.5), radius_on_grid(case, beam, node * h - 1.5)
        print(f"beam at node {node}: {found:.4f}, plane waves {exact:.4f}, paraxial {expected:.4f}")
        assert found == pytest.approx(exact, rel=1e-3)
        assert found == pytest.approx(expected, rel=0.03)
    assert radius_at(beam, far * h - 1.5) == pytest.approx(1.2 * np.sqrt(2), rel=0.01)
    ratio = 10 * np.log10(abs(seen.flux[12] / seen.flux[far]))
    print(f"beam, backward to forward: {ratio:.1f} dB")
    assert ratio < -60


def all_kinds() -> tuple[Case, Sources]:
    """An oblique wave, a beam and a mode around a piece of glass."""
    counts = (24, 22, 20)
    cells = np.zeros(counts[::-1], np.uint8)
    cells[8:12, 8:14] = 1
    case = make(counts, (0.05, 0.045, 0.055), ((cpml(4), cpml(4)),) * 3, GLASS, cells)
    waveform = Waveform("pulse", C / 0.6, 0.6 / C, 0.3 / C)
    sources = driven(
        case,
        oblique=[ObliqueWave(1.0, 0.6, 0.3, 1.0, waveform, 2)],
        beams=[Beam(2, False, 0.8, (0.6, 0.5, 0.5), 0.4, 0, 1.0, waveform)],
        launches=[ModeLaunch(0, True, (0.4, 0.5, 0.55), (0.0, 0.6, 0.6), 1, 1.0, waveform)],
    )
    return case, sources


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_all_sources_are_the_same_on_both_backends(precision):
    """The same sums in the same order but for fused operations: 1e-12 of the largest in fp64, 20 steps; in fp32 1e-5
    (20 steps of about 12 roundings of 6e-8)."""
    case, sources = all_kinds()
    found = []
    for maker, backend, options in ((CpuYee, CpuBackend(), {}), (CudaYee, HostCudaBackend(), {"shape": (1, 32, 4, 4)})):
        steps = maker(backend, case.yee, case.axes, case.media, sources, precision, **options)
        with backend.active():
            for start in (0, 10):
                steps.advance(sources.table(start, 10, case.dt))
        found.append({name: np.array(part) for name, part in steps.parts().items()})
    relative = 1e-12 if precision == "float64" else 1e-5
    assert np.abs(found[0]["electric"]).max() > 0.1
    for name, part in found[0].items():
        if name.startswith("psi") and name.endswith("x"):
            continue  # in other places on a GPU; what they do is in the fields
        tolerance = relative * max(np.abs(part).max(), 1e-300)
        np.testing.assert_allclose(part, found[1][name], rtol=0, atol=tolerance, err_msg=name)
