"""Materials by formulas of the place: what edges have, R and T of a ramp against Airy's functions, a graded guide."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import airy

from engines.api import Dab, Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, VACUUM_IMPEDANCE
from engines.fdtd.media.materials import make_media
from engines.fdtd.parameters import (
    Anisotropy,
    Box,
    Ending,
    Faces,
    FdtdParameters,
    FineRegion,
    Frequencies,
    GridSetting,
    Material,
    Numerics,
    PlaneMonitor,
    PointSource,
    Pulse,
    Sphere,
    WaveSource,
)
from engines.fdtd.parameters.dispersion import Lorentz
from engines.fdtd.parameters.materials import ByPlace
from engines.fdtd.setup.on_grid import on_grid
from engines.fdtd.setup.problem import Setup
from engines.fdtd.sources.modes import cross_section, modes
from engines.fdtd.verification.runs import results_of
from tests.cuda_on_host import COMPILER, HostCudaBackend

ENGINE = FdtdEngine()
FAR = 1e3
BOTH = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(COMPILER is None, reason="no C++ compiler"))]


def typed(*lines: str, **others) -> Material:
    return Material(name="graded", by_place=ByPlace(by_formulas=True, lines=list(lines)), **others)


def ramp(x: tuple[float, float], eps: tuple[complex, complex], wavelength: float) -> tuple[float, float]:
    """(R, T) between vacua of a layer from x₀ to x₁ whose permittivity is linear: E'' + k²εE = 0 has the solutions
    Ai and Bi of −(k/s)^⅔ ε, s = ε' ."""
    k, slope = 2 * np.pi / wavelength, (eps[1] - eps[0]) / (x[1] - x[0])
    power = (k / slope) ** (2 / 3)

    def fields(value: complex) -> np.ndarray:
        ai, dai, bi, dbi = airy(-power * value)
        return np.array([[ai, bi], [-power * slope * dai, -power * slope * dbi]])

    through = fields(eps[0]) @ np.linalg.inv(fields(eps[1]))  # (E, E') at the beginning by those at the end
    e, slope_of_e = through @ np.array([1, 1j * k])
    incident, reflected = (e + slope_of_e / (1j * k)) / 2, (e - slope_of_e / (1j * k)) / 2
    return abs(reflected / incident) ** 2, 1 / abs(incident) ** 2


@pytest.mark.parametrize("sigma", ["", "sigma = 8000*(x - 1)"])
@pytest.mark.parametrize("device", BOTH)
def test_a_ramp_reflects_and_lets_through_what_airys_functions_say(device, sigma):
    wavelengths, x, ends = [1.0, 1.2, 1.5], (1.0, 1.8), (1.2, 3.4)
    slope = (ends[1] - ends[0]) / (x[1] - x[0])
    lines = [f"eps = {ends[0]} + {slope}*(x - 1)", *([sigma] if sigma else [])]
    asked = Frequencies(choice="list", values=wavelengths)
    found = results_of(
        FdtdParameters(
            grid=GridSetting(dimensions="1D", cells_x=240, size_x=3.0),
            materials=[typed(*lines)],
            objects=[Box(material="graded", low=(x[0], -FAR, -FAR), high=(x[1], FAR, FAR))],
            sources=[WaveSource(signal=Pulse(wavelength=1.2, cycles=1.0))],
            monitors=[
                PlaneMonitor(name="R", position=0.24, measures="reflection", frequencies=asked),
                PlaneMonitor(name="T", position=2.4, measures="transmission", frequencies=asked),
            ],
            ending=Ending(at_decay=True, part=1e-8),
            numerics=Numerics(precision="fp64"),
        ),
        CpuBackend() if device == "cpu" else HostCudaBackend(),
    )  # fmt: skip
    for n, wavelength in enumerate(wavelengths):
        omega = 2 * np.pi * SPEED_OF_LIGHT / wavelength
        lost = 8000e-6 * (x[1] - x[0]) * VACUUM_IMPEDANCE * SPEED_OF_LIGHT / omega if sigma else 0.0
        right = ramp(x, (ends[0], ends[1] + 1j * lost), wavelength)
        assert found["balance/R"][n] == pytest.approx(right[0], abs=4e-4)
        assert found["balance/T"][n] == pytest.approx(right[1], abs=4e-4)


def on_grid_of(parameters: FdtdParameters):
    backend = CpuBackend()
    return on_grid(Setup(Problem(parameters), backend), backend, lambda *_: None)


LENS = ("r2 = (x - 1)**2 + (y - 1)**2 + (z - 1)**2", "eps = 2 - r2/0.8**2")
BALL = Sphere(material="graded", center=(1, 1, 1), radius=0.8)
SMALL = GridSetting(cells_x=20, cells_y=22, cells_z=24, size_x=2.0, size_y=2.0, size_z=2.0,
                    finer=[FineRegion(axis="x", low=0.6, high=1.4, cell=0.05)])  # fmt: skip


def problem(*materials: Material, objects=(BALL,), **others):
    source = PointSource(place=(1.0, 1.0, 1.0), signal=Pulse(wavelength=2.0))
    return FdtdParameters(grid=SMALL, materials=list(materials), objects=list(objects), sources=[source], **others)


def test_edges_have_the_mean_of_their_cells_to_13_bits(monkeypatch):
    """On a graded grid, slab by slab as all at once; poles and the loss of what is beside it stay."""
    beside = Material(name="beside", permittivity=3.0, conductivity=2e3)
    objects = [BALL, Box(low=(1.2, 0, 0), high=(1.5, 2, 2),
               material="beside")]  # fmt: skip
    pole = Lorentz(strength=0.5, resonance=400.0, damping=5.0)
    given = problem(typed(*LENS, poles=[pole]), beside, objects=objects)
    placed = on_grid_of(given)
    plain = on_grid_of(given.model_copy(update={"materials": [Material(name="graded", permittivity=2.0, poles=[pole]),
                                                              beside]}))  # fmt: skip
    yee, cells, media = placed.setup.yee, placed.cells, placed.media
    middles = np.meshgrid(*(yee.halves(d) for d in (2, 1, 0)), indexing="ij")
    lens = 2 - sum((at - 1) ** 2 for at in middles) / 0.64
    eps = np.choose(cells, [np.ones_like(lens), lens, np.full_like(lens, 3.0)])
    k, j, i = 11, 9, np.arange(1, yee.counts[0])  # Ez of one row, off the faces
    right = np.mean([eps[k, j - dy, i - dx] for dx in (0, 1) for dy in (0, 1)], axis=0)
    found = media.permittivity[media.ids_e[2, k, j, i]]
    np.testing.assert_allclose(found, right, rtol=2.0**-13)
    assert len(np.unique(found)) > 10
    both = [(each.dispersion.beta / each.dispersion.courant)[:, each.ids_e] for each in (media, plain.media)]
    np.testing.assert_array_equal(both[0] > 0, both[1] > 0)
    monkeypatch.setattr("engines.fdtd.media.graded.SLAB", 1)
    thin = on_grid_of(given).media
    for table in ("ca", "cb", "permittivity"):
        np.testing.assert_array_equal(getattr(thin, table)[thin.ids_e], getattr(media, table)[media.ids_e])


def test_what_is_typed_as_a_number_is_that_number():
    """Bit for bit, with the largest step of its least permittivity, which is told before anything is on the grid."""
    states = []
    for material in (typed("eps = 2.25", "sigma = 40"), Material(name="graded", permittivity=2.25, conductivity=40)):
        run = ENGINE.build(Problem(problem(material)), CpuBackend())
        run.advance(20)
        states.append(run.state())
    for name, part in states[0].items():
        np.testing.assert_array_equal(part, states[1][name])
    setup = Setup(Problem(problem(typed(*LENS))), CpuBackend())
    medium = setup.media[1]
    assert medium.permittivity == pytest.approx(2.0, abs=0.02)
    assert 1.0 <= medium.least_index < 1.1
    assert setup.limit == setup.yee.largest_step(1.0)


def test_a_guide_of_graded_index_has_hermites_modes():
    """ε = n₀²(1 − α²y²): n_eff² = n₀² − (2m + 1) n₀ α/k of fields along z, in the solver of the mode source,
    whose phase per cell κ is the grid's: β = 2 sin(κ/2)/Δ. What is left is of second order across."""
    n0, alpha, wavelength, cells = 1.6, 0.25, 1.0, 200
    given = FdtdParameters(
        grid=GridSetting(dimensions="2D", cells_x=30, cells_y=cells, size_x=30 * 6 / cells, size_y=6.0),
        faces=Faces(x_low="periodic", x_high="periodic", y_low="PEC", y_high="PEC"),
        materials=[typed("off = y - 3", f"eps = {n0**2}*(1 - {alpha**2}*off**2)")],
        objects=[Box(material="graded", low=(-FAR, 0, -FAR), high=(FAR, 6, FAR))],
        sources=[PointSource(place=(0.4, 3.0, 2.0), signal=Pulse(wavelength=1.0))],
    )
    placed = on_grid_of(given)
    setup, k = placed.setup, 2 * np.pi / wavelength
    section = cross_section(setup.yee, setup.axes, placed.media, 0, 15, [(0, 30), (0, cells), (0, 1)])
    found = [
        2 * np.sin(mode.kappa / 2) / (section.spacing * k) for mode in modes(section, k * SPEED_OF_LIGHT, 1e-4, 8)
        if np.abs(mode.e_b).max() > np.abs(mode.e_a).max()
    ]  # fmt: skip
    right = [np.sqrt(n0**2 - (2 * m + 1) * n0 * alpha / k) for m in range(3)]
    np.testing.assert_allclose(found[:3], right, atol=1e-4)


def test_painted_into_a_lens_as_if_it_had_been_there():
    placed = on_grid_of(problem(typed(*LENS)))
    painter = placed.painter()
    for number, center in ((0, (1.3, 1.0, 1.0)), (1, (0.3, 1.0, 1.0)), (1, (1.3, 1.1, 1.0))):
        under = painter.underneath(Dab("material", center, 0.15, float(number)))
        painter.paint(Dab("material", center, 0.15, float(number)))
    setup = placed.setup
    right = make_media(setup.yee, setup.axes, painter.cells, setup.media, setup.dt)
    for table in ("ca", "cb", "permittivity"):
        painted, mixed = (getattr(each, table)[each.ids_e] for each in (painter.media, right))
        np.testing.assert_array_equal(painted, mixed)
    before = painter.cells.copy()
    painter.put_back(under)
    assert (painter.cells != before).any()


@pytest.mark.parametrize(("material", "sentence", "place"), [
    (typed("eps = x - 0.4"), r"permittivity is 0\.\d+ at \(.*\) µm: let it be at least 1 and", "lines"),
    (typed("eps = 1/(y - y)"), "permittivity is inf at", "lines"),
    (typed("eps = 2", "sigma = log(z - 1)"), "conductivity is nan at .* µm: let it be a finite number", "lines"),
    (typed("eps = t"), "Line 1 uses 't', which is not known", "lines"),
    (typed("n = 2"), "Line 1: no line begins with 'eps ='", "lines"),
    (typed("eps = 2", anisotropy=Anisotropy(by_component=True)), "let it do one of them", "by_formulas"),
])  # fmt: skip
def test_what_is_no_material_is_told_before_the_run(material, sentence, place):
    with pytest.raises(ProblemError, match=sentence) as refused:
        ENGINE.estimate(Problem(problem(material)), CpuBackend())
    assert refused.value.place[:4] == ("materials", 0, "by_place", place)


def test_a_value_between_the_points_that_are_looked_at_first_is_told_on_the_grid(monkeypatch):
    monkeypatch.setattr("engines.fdtd.setup.media.POINTS", 27)
    spike = typed("eps = where(abs(x - 1.1) + abs(y - 1.1) + abs(z - 1.1) < 0.2, 0.5, 2)")
    ENGINE.estimate(Problem(problem(spike)), CpuBackend())
    with pytest.raises(ProblemError, match=r"permittivity is 0\.5 at"):
        ENGINE.build(Problem(problem(spike)), CpuBackend())


def test_more_pairs_than_ids_name_are_told(monkeypatch):
    monkeypatch.setattr("engines.fdtd.media.graded.MOST_IDS", 500)
    with pytest.raises(ProblemError, match="more than 500 pairs of permittivity and conductivity"):
        on_grid_of(problem(typed(*LENS, "sigma = x*y + z")))
