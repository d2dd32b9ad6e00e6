"""Bloch faces: both backends against a complex reference, the light line of an empty lattice, bands of a crystal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import j1

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.boundaries import Face, make_axes
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.parameters import Faces, FdtdParameters, GridSetting, PointSource, Pulse, WaveSource
from engines.fdtd.step.bloch.steps import BlochSteps
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.reference import ReferenceYee
from tests.engines.fdtd.fdtd_cases import MAGNETIC, WRAP, Case, cpml
from tests.engines.fdtd.grid.test_grids import BOTH

C = SPEED_OF_LIGHT
STEPS = 6
VACUUM = (Medium(),)


def bloch(phase: float) -> tuple[Face, Face]:
    return (Face("periodic", phase=phase),) * 2


def lattice(counts, faces, cells=None, media=VACUUM, lines=(None,) * 3, spacing=None, flat=(False,) * 3) -> Case:
    yee = Yee(counts, spacing or (1.0 / counts[0],) * 3, flat=flat, lines=lines)
    dt = 0.9 * yee.largest_step()
    axes = make_axes(yee, faces, dt)
    cells = np.zeros(counts[::-1], np.uint8) if cells is None else cells
    return Case(yee, axes, make_media(yee, axes, cells, media, dt), dt, media)


def steps_on(maker, backend, case: Case, fields, **options) -> BlochSteps:
    """fields: (electric, magnetic), complex."""

    def make(axes, sources):
        return maker(backend, case.yee, axes, case.media, sources, "float64", **options)

    steps = BlochSteps(backend, case.yee, case.axes, case.sources(), make)
    for name, field in zip(("electric", "magnetic"), fields, strict=True):
        steps.parts()[name][...] = field.real
        steps.parts()[f"imaginary {name}"][...] = field.imag
    return steps


def complex_fields(steps: BlochSteps, case: Case):
    parts, places = steps.parts(), case.yee.counts[0] + 1
    return [
        (np.asarray(parts[name]) + 1j * np.asarray(parts[f"imaginary {name}"]))[..., :places]
        for name in ("electric", "magnetic")
    ]


FACES = {
    "all": (bloch(0.7), bloch(-2.1), bloch(3.0)),
    "layers": (bloch(1.3), (cpml(3), cpml(2)), (WRAP, WRAP)),
    "z": ((WRAP, WRAP), (cpml(2), cpml(3)), bloch(-0.4)),
}


@pytest.mark.parametrize(("maker", "backend_of", "options"), BOTH)
@pytest.mark.parametrize("faces", FACES)
def test_steps_equal_the_complex_reference(maker, backend_of, options, faces):
    """fp64; tolerance as in test_steps.py. Random materials, cells and fields that have the phases."""
    rng, counts = np.random.default_rng(2), (17, 11, 9)
    line = np.concatenate([[0.0], np.cumsum(rng.uniform(0.02, 0.04, counts[0]))])
    cells = rng.choice(len(MAGNETIC), counts[::-1], p=[0.7, 0.1, 0.1, 0.1]).astype(np.uint8)
    spacing = (float(np.diff(line).min()), 0.025, 0.03)
    case = lattice(counts, FACES[faces], cells, MAGNETIC, (line, None, None), spacing)
    fields = [
        real + 1j * imaginary for real, imaginary in zip(case.random_fields(3), case.random_fields(4), strict=True)
    ]
    for d, axis in enumerate(case.axes):
        for c in range(3):
            moved = np.moveaxis(fields[c == d][c], 2 - d, 0)
            if axis.phase:
                moved[axis.n] = moved[0] * np.exp(1j * axis.phase)
    backend = backend_of()
    steps = steps_on(maker, backend, case, fields, **options)
    with backend.active():
        for some in (2, STEPS - 2):
            steps.advance(np.zeros((some, 0)))
    reference = ReferenceYee(case.axes, case.media)
    reference.electric[...], reference.magnetic[...] = (field[..., : counts[0] + 1] for field in fields)
    for _ in range(STEPS):
        reference.step_electric()
        reference.step_magnetic()
    mine = complex_fields(steps, case)
    tolerance = 12 * 4 * 2**STEPS * 2.0**-53
    np.testing.assert_allclose(mine[0], reference.electric, rtol=0, atol=tolerance)
    for c in range(3):  # beyond the last half stands the one before the first: no part of the field
        inside = tuple(slice(None) if d == c else slice(0, -1) for d in (2, 1, 0))
        np.testing.assert_allclose(mine[1][c][inside], reference.magnetic[c][inside], rtol=0, atol=tolerance)
    assert np.abs(reference.electric.imag).max() > 0.1


def frequency(case: Case, field, weights, steps: int, backend) -> float:
    """ωa/2πc (the lattice constant is 1) of the mode E_z = ``field``: cos(ω Δt) from three successive fields."""
    electric, magnetic = np.zeros((2, 3, *case.yee.shape), complex)
    electric[2, 0, :, : case.yee.counts[0] + 1] = field
    run = steps_on(CpuYee, backend, case, (electric, magnetic))
    seen = []
    with backend.active():
        for _ in range(steps):
            run.advance(np.zeros((1, 0)))
            seen.append((weights * complex_fields(run, case)[0][2, 0]).sum())
    values = np.array(seen)
    cosine = np.vdot(values[1:-1], values[2:] + values[:-2]).real / (2 * np.vdot(values[1:-1], values[1:-1]).real)
    return float(np.arccos(cosine) / case.dt / (2 * np.pi * C))


@pytest.mark.parametrize("turns", [(0.3, 0.1), (0.5, 0.5), (-0.2, 1.4)])
def test_an_empty_lattice_has_the_light_line_of_the_grid(turns):
    """sin²(ωΔt/2)/(cΔt)² = Σ sin²(kΔ/2)/Δ²; rounding, which arccos multiplies by 1/sin(ωΔt)."""
    n, k = 12, 2 * np.pi * np.array(turns)
    case = lattice((n, n, 1), (bloch(k[0]), bloch(k[1]), (WRAP, WRAP)), flat=(False, False, True))
    at = np.arange(n + 1) / n
    wave = np.exp(1j * (k[1] * at[:, None] + k[0] * at))
    found = frequency(case, wave, np.conj(wave), 20, CpuBackend())
    sine = C * case.dt * n * np.sqrt((np.sin(k / 2 / n) ** 2).sum())
    assert found == pytest.approx(2 * np.arcsin(sine) / case.dt / (2 * np.pi * C), rel=1e-12)


def plane_wave_expansion(turns, radius=0.2, permittivity=8.9, reach=7):
    """(ωa/2πc, coefficients, G/2π) of the lowest TM mode: |k + G|² E_G = (ω/c)² Σ ε_{G−G'} E_G' with the rods' exact
    ε_G = 2 f (ε − 1) J₁(Gr)/(Gr)."""
    steps = np.arange(-reach, reach + 1)
    g = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    between = 2 * np.pi * radius * np.linalg.norm(g[:, None] - g, axis=-1)
    with np.errstate(invalid="ignore"):
        shape = np.where(between > 0, 2 * j1(between) / between, 1.0)
    matrix = np.pi * radius**2 * (permittivity - 1) * shape + np.eye(len(g))
    squares, vectors = eigh(np.diag(((g + turns) ** 2).sum(axis=1)), matrix, subset_by_index=[0, 0])
    return float(np.sqrt(squares[0])), vectors[:, 0], g


@pytest.mark.parametrize("turns", [(0.5, 0.0), (0.5, 0.5), (0.3, 0.2)], ids=["X", "M", "between"])
def test_bands_of_a_square_lattice_of_rods(turns):
    """Rods of ε 8.9 and radius 0.2 a, TM (Joannopoulos et al., Photonic Crystals, ch. 5: the first gap begins at
    ωa/2πc = 0.32, at M), against a plane-wave expansion for rods of the area that their cells have. 20, 40, 80 cells
    gave 3.9e-3, 1.0e-3, 2.6e-4 at M: second order."""
    n = 40
    middle = (np.arange(n) + 0.5) / n - 0.5
    cells = (np.hypot(middle, middle[:, None]) < 0.2).astype(np.uint8)[None]
    expected, coefficients, g = plane_wave_expansion(np.array(turns), np.sqrt(cells.mean() / np.pi))
    phases = 2 * np.pi * np.array(turns)
    faces = (bloch(phases[0]), bloch(phases[1]) if phases[1] else (WRAP, WRAP), (WRAP, WRAP))
    case = lattice((n, n, 1), faces, cells, (Medium(), Medium(permittivity=8.9)), flat=(False, False, True))
    at = np.arange(n + 1) / n - 0.5
    waves = [np.exp(2j * np.pi * at[:, None] * (g[:, d] + turns[d])) for d in (0, 1)]
    mode = np.einsum("ig,jg,g->ji", *waves, coefficients)
    permittivity = case.media.permittivity[case.media.ids_e[2, 0, :, : n + 1]]
    ends = np.where((np.arange(n + 1) % n) == 0, 0.5, 1.0)
    weights = np.conj(mode) * permittivity * np.outer(ends, ends)
    found = frequency(case, mode, weights, 60, CpuBackend())
    print(f"ωa/2πc {found:.4f}, plane waves {expected:.4f}")
    assert found == pytest.approx(expected, rel=1.5e-3)
    if turns == (0.5, 0.5):
        assert found == pytest.approx(0.32, abs=0.005)


GRID = GridSetting(dimensions="2D", cells_x=20, cells_y=20, size_x=1.0, size_y=1.0)
BLOCH = Faces(x_low="Bloch", x_high="Bloch", y_low="periodic", y_high="periodic", phase_x=0.3)


def problem(**changes) -> Problem:
    source = PointSource(place=(0.5, 0.5, 2.0), signal=Pulse())
    return Problem(FdtdParameters(**{"grid": GRID, "faces": BLOCH, "sources": [source], "objects": [], **changes}))


def test_a_run_with_bloch_faces_continues_bit_for_bit():
    engine, backend = FdtdEngine(), CpuBackend()
    one = engine.build(problem(), backend)
    one.advance(60)
    state = one.state()
    one.advance(30)
    two = engine.build(problem(), backend)
    two.restore(state)
    two.advance(30)
    for name, part in one.state().items():
        np.testing.assert_array_equal(part, two.state()[name])
    assert np.abs(state["imaginary electric"]).max() > 0
    assert one.observe()["energy"] > 0
    assert one.non_finite() is None
    periodic = Faces(x_low="periodic", x_high="periodic", y_low="periodic", y_high="periodic")
    real = engine.estimate(problem(faces=periodic), backend)
    both = engine.estimate(problem(), backend)
    assert both.bytes_per_step == 2 * real.bytes_per_step


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"faces": Faces(x_low="Bloch", phase_x=0.1)}, "Only one face of x is a Bloch face"),
        ({"faces": Faces(x_low="Bloch", x_high="periodic", phase_x=0.1)}, "Only one face of x is a Bloch face"),
        ({"faces": Faces(y_low="Bloch", y_high="Bloch", phase_y=0.1), "sources": [WaveSource(margin=2)],
          "grid": GRID.model_copy(update={"cells_x": 60, "size_x": 3.0})}, "A plane wave has no phase along y"),
    ],
)  # fmt: skip
def test_what_bloch_faces_cannot_do_is_said_in_a_sentence(changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        FdtdEngine().build(problem(**changes), CpuBackend())
