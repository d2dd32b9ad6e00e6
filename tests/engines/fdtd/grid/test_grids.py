"""Two and one dimensions, graded axes, mirrors."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.boundaries import make_axes
from engines.fdtd.grid.dimensions import ALL, Parts, parts_of
from engines.fdtd.grid.grading import Span, graded_nodes
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.parameters import (
    Box,
    Faces,
    FdtdParameters,
    FineRegion,
    Gaussian,
    GridSetting,
    Numerics,
    PointSource,
    Pulse,
    Sphere,
    WaveSource,
)
from engines.fdtd.setup.grid import make_yee
from engines.fdtd.sources.currents import PlaneWave, make_sources
from engines.fdtd.sources.waveforms import Waveform
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from engines.fdtd.watch.permittivity import INDEX, PERMITTIVITY
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.fdtd.fdtd_cases import (
    FACES,
    MAGNETIC,
    PEC,
    PMC,
    WRAP,
    Case,
    cpml,
    empty,
    reference_after,
    reflected_decibels,
    steps_of,
)

THREADS = 1
C = SPEED_OF_LIGHT
STEPS = 6
ENGINE = FdtdEngine()
on_device = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")
BOTH = [
    pytest.param(CpuYee, CpuBackend, {}, id="cpu"),
    pytest.param(CudaYee, HostCudaBackend, {"shape": (2, 32, 4, 4)}, id="cuda", marks=on_device),
]


def stretched(n: int, spacing: float, seed: int) -> np.ndarray:
    """Nodes of cells that vary by a factor of two at random."""
    return np.concatenate([[0.0], np.cumsum(spacing * np.random.default_rng(seed).uniform(1, 2, n))])


def graded_case(faces: str, materials=MAGNETIC, counts=(21, 13, 12)) -> Case:
    lines = tuple(stretched(n, 0.02, seed) for seed, n in enumerate(counts))
    yee = Yee(counts, tuple(float(np.diff(line).min()) for line in lines), lines=lines)
    return filled(yee, FACES[faces], materials)


def plane_case(faces, materials=MAGNETIC, counts=(23, 11, 1)) -> Case:
    """Two dimensions, graded along x; one if ``counts`` has one cell along y."""
    line = stretched(counts[0], 0.02, 5)
    flat = (False, counts[1] == 1, True)
    yee = Yee(counts, (float(np.diff(line).min()), 0.025, 1.0), flat=flat, lines=(line, None, None))
    return filled(yee, faces, materials)


def filled(yee: Yee, faces, materials) -> Case:
    dt = 0.9 * yee.largest_step()
    axes = make_axes(yee, faces, dt)
    cells = np.random.default_rng(1).choice(len(materials), yee.counts[::-1], p=[0.7, 0.1, 0.1, 0.1])
    return Case(yee, axes, make_media(yee, axes, cells.astype(np.uint8), materials, dt), dt, materials)


@pytest.mark.parametrize(("maker", "backend_of", "options"), BOTH)
@pytest.mark.parametrize("faces", ["walls", "periodic", "layers", "mixed"])
def test_graded_steps_equal_the_reference(maker, backend_of, options, faces):
    """fp64; tolerance as in test_steps.py."""
    case, backend = graded_case(faces), backend_of()
    fields = case.random_fields()
    steps = steps_of(maker, backend, case, case.sources(), "float64", fields, **options)
    with backend.active():
        steps.advance(np.zeros((STEPS, 0)))
    places = case.yee.counts[0] + 1
    for mine, right in zip((steps.electric, steps.magnetic), reference_after(case, fields, STEPS), strict=True):
        np.testing.assert_allclose(mine[..., :places], right, rtol=0, atol=12 * 4 * 2**STEPS * 2.0**-53)
        assert np.abs(right).max() > 0.1


TM, TE = Parts((False, False, True), (True, True, False)), Parts((True, True, False), (False, False, True))


@pytest.mark.parametrize(("maker", "backend_of", "options"), BOTH)
@pytest.mark.parametrize("parts", [ALL, TM, TE], ids=["all", "TM", "TE"])
@pytest.mark.parametrize("rows", [11, 1])
def test_a_plane_and_a_line_equal_the_reference(maker, backend_of, options, parts, rows):
    """The reference steps all six components on both planes; those that are left out here begin at zero there."""
    across = (PMC, cpml(3)) if rows > 1 else (WRAP, WRAP)
    case = plane_case(((cpml(4), cpml(3)), across, (WRAP, WRAP)), counts=(23, rows, 1))
    backend, fields = backend_of(), case.random_fields()
    there = (*parts.electric, *parts.magnetic)
    for n, has in enumerate(there):
        fields[n // 3][n % 3] *= has
    steps = steps_of(maker, backend, case, case.sources(), "float64", fields, parts=parts, **options)
    with backend.active():
        steps.advance(np.zeros((2, 0)))
        steps.advance(np.zeros((STEPS - 2, 0)))
    places = case.yee.counts[0] + 1
    for mine, right in zip((steps.electric, steps.magnetic), reference_after(case, fields, STEPS), strict=True):
        np.testing.assert_allclose(mine[..., :places], right, rtol=0, atol=12 * 4 * 2**STEPS * 2.0**-53)
    assert [bool(np.any(field[c])) for field in (steps.electric, steps.magnetic) for c in range(3)] == list(there)


@pytest.mark.parametrize(
    ("flat", "limit"), [((False,) * 3, 3**-0.5), ((False, False, True), 2**-0.5), ((False, True, True), 1.0)]
)
def test_the_limit_of_the_step_counts_the_axes_that_vary(backend, flat, limit):
    """Random fields stay finite just below the limit and grow without end just above it."""
    counts = tuple(1 if axis else 10 for axis in flat)
    yee = Yee(counts, (0.1,) * 3, flat=flat)
    assert yee.largest_step() == pytest.approx(limit * 0.1 / C)
    faces = [(WRAP, WRAP)] * 3
    for courant, bounded in ((0.999, True), (1.01, False)):
        dt = courant * yee.largest_step()
        axes = make_axes(yee, faces, dt)
        case = Case(
            yee, axes, make_media(yee, axes, np.zeros(counts[::-1], np.uint8), (Medium(),), dt), dt, (Medium(),)
        )
        steps = steps_of(CpuYee, backend, case, case.sources(), "float64", case.random_fields())
        with backend.active():
            steps.advance(np.zeros((400, 0)))
        assert (np.abs(steps.electric).max() < 100) == bounded


def test_what_sources_drive_decides_on_the_components():
    plane, line, space = (Yee((9, 1, 1), (1.0,) * 3, flat=flat) for flat in ((0, 0, 1), (0, 1, 1), (0, 0, 0)))
    assert parts_of(plane, [2]) == TM
    assert parts_of(plane, [0]) == parts_of(plane, [1]) == TE
    assert parts_of(plane, [0, 2]) == parts_of(plane, []) == parts_of(space, [2]) == ALL
    assert parts_of(line, [2]).names() == ("Ez", "Hy")
    assert parts_of(line, [1]).names() == ("Ey", "Hz")


# Graded axes.


def test_graded_nodes_grow_by_the_factor_and_meet_the_ends_of_spans():
    spans = [Span(2.0, 3.0, 0.02), Span(5.5, 5.6, 0.01)]
    nodes = graded_nodes(8.0, 0.1, spans, 1.2, "x")
    sizes = np.diff(nodes)
    assert (sizes > 0).all()
    assert (nodes[0], nodes[-1]) == (0, 8)
    for span in spans:
        inside = sizes[(nodes[:-1] >= span.low - 1e-9) & (nodes[1:] <= span.high + 1e-9)]
        np.testing.assert_allclose(inside, span.cell, rtol=2e-3)
        for end in (span.low, span.high):
            assert np.abs(nodes - end).min() < 1e-12
    assert 0.09 < sizes.max() <= 0.1 * (1 + 1e-9)
    # a part of n cells is stretched by at most 1/n, on top of the growth
    assert np.abs(np.log(sizes[1:] / sizes[:-1])).max() < np.log(1.2) + 0.1


def graded_cavity_error(n: int, backend) -> float:
    """Relative error of mode 110 of a cube whose x is graded by a factor of three, all axes refined alike."""
    s = np.linspace(0, 1, n + 1)
    line = 50.0 * (s + 0.5 / (2 * np.pi) * np.sin(2 * np.pi * s))
    yee = Yee(
        (n, n, 1), (float(np.diff(line).min()), 50.0 / n, 1.0), flat=(False, False, True), lines=(line, None, None)
    )
    dt = 0.9 * yee.largest_step()
    axes = make_axes(yee, [(PEC, PEC), (PEC, PEC), (WRAP, WRAP)], dt)
    media = make_media(yee, axes, np.zeros((1, n, n), np.uint8), (Medium(),), dt)
    case = Case(yee, axes, media, dt, (Medium(),))
    electric, magnetic = np.zeros((2, 3, *yee.shape))
    electric[2, :, :, : n + 1] = np.outer(np.sin(np.pi * np.arange(n + 1) / n), np.sin(np.pi * line / 50.0))
    electric[2][media.ids_e[2] == 0] = 0
    # projected on the mode by the weights of the nodes: what the grid mixes in of other modes is of second order too
    weights = np.outer(axes[1].part_e, axes[0].part_e) * electric[2, 0, :, : n + 1]
    steps = steps_of(CpuYee, backend, case, case.sources(), "float64", (electric, magnetic), parts=TM)
    seen = []
    exact = C * np.sqrt(2) / 100
    with backend.active():
        for _ in range(round(2.2 / exact / dt)):
            steps.advance(np.zeros((1, 0)))
            seen.append((weights * steps.electric[2, 0, :, : n + 1]).sum())
    values = np.array(seen)
    cosine = (values[2:] + values[:-2]) @ values[1:-1] / (2 * values[1:-1] @ values[1:-1])
    return abs(float(np.arccos(cosine) / dt / (2 * np.pi)) / exact - 1)


def test_a_graded_cavity_is_of_second_order(backend):
    errors = [graded_cavity_error(n, backend) for n in (10, 20, 40)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    print("graded cavity", errors, orders)
    assert (np.abs(orders - 2) < 0.1).all()


@pytest.mark.parametrize("forward", [True, False])
def test_nothing_leaks_from_a_total_field_box_on_graded_axes(backend, forward):
    """The line of the wave has the cells of the grid; fp64."""
    line = graded_nodes(4.0, 0.05, [Span(1.5, 2.2, 0.02)], 1.25, "x")
    across = stretched(23, 0.04, 2)
    counts = (len(line) - 1, len(across) - 1, 1)
    spacing = (float(np.diff(line).min()), float(np.diff(across).min()), 1.0)
    yee = Yee(counts, spacing, flat=(False, False, True), lines=(line, across, None))
    dt = 0.99 * yee.largest_step()
    axes = make_axes(yee, [(cpml(8), cpml(8)), (PEC, PEC), (WRAP, WRAP)], dt)
    media = make_media(yee, axes, np.zeros(counts[::-1], np.uint8), (Medium(),), dt)
    wave = PlaneWave(0, forward, 2, 1.0, Waveform("pulse", C / 1.0, 3.0, 13.0), margin=4)
    sources = make_sources(yee, axes, media, Medium(), dt, "um", (), [wave])
    steps = CpuYee(backend, yee, axes, media, sources, "float64", TM)
    outside, inside = 0.0, 0.0
    with backend.active():
        for start in range(0, 800, 8):
            steps.advance(sources.table(start, 8, dt))
            field = np.abs(steps.electric[2, 0, :, : counts[0] + 1])
            inside = max(inside, field[10, len(line) // 2])
            outside = max(outside, field[:, :12].max(), field[:, -12:].max(), field[:4].max(), field[-4:].max())
    print("leak", outside, inside)
    assert inside > 0.8
    assert outside < 1e-12


def test_an_absorbing_layer_on_coarse_cells_of_a_graded_axis(backend):
    """−80 dB as on equal cells: a short domain minus a long one."""

    def line(length: float) -> Case:
        nodes = graded_nodes(length, 0.05, [Span(0.5, 0.7, 0.02)], 1.2, "x")
        counts, finest = (len(nodes) - 1, 1, 1), float(np.diff(nodes).min())
        yee = Yee(counts, (finest, 1.0, 1.0), flat=(False, True, True), lines=(nodes, None, None))
        return empty(yee, [(PEC, cpml(10)), (WRAP, WRAP), (WRAP, WRAP)], 0.99 * 0.02 / C)

    decibels = reflected_decibels(backend, line(2.5), line(12.5), 1000)
    print(f"CPML-10, graded: {decibels:.1f} dB")
    assert decibels < -80


@pytest.mark.parametrize(
    ("region", "sentence"),
    [
        (FineRegion(low=2.0, high=1.0), "has no length"),
        (FineRegion(low=2.0, high=9.0), "reaches out of the grid"),
        (FineRegion(cell=1.0), "use less"),
        (FineRegion(cell=1e-7), "use larger ones"),
    ],
)
def test_fine_regions_that_cannot_be_are_said_in_a_sentence(backend, region, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.estimate(Problem(FdtdParameters(grid=GridSetting(finer=[region]))), backend)


# Through the engine.

PLANE = GridSetting(dimensions="2D", cells_x=60, cells_y=50, size_x=3.0, size_y=2.5)
FP64 = Numerics(precision="fp64")
BALL = Sphere(center=(1.5, 1.25, 2.0), radius=0.4)


def problem(**changes) -> Problem:
    source = PointSource(place=(0.8, 1.2, 2.0), signal=Pulse())
    return Problem(
        FdtdParameters(**{"grid": PLANE, "sources": [source], "objects": [BALL], "numerics": FP64, **changes})
    )


@pytest.mark.parametrize(
    ("axis", "names"),
    [("z", ["Ez", "E", "Hx", "Hy", "H", "material"]), ("y", ["Ey", "E", "Ex", "Hz", "H", "material"])],
)
def test_a_plane_is_a_box_of_one_cell_between_periodic_faces(backend, axis, names):
    """The same step and fields as in 3D with one cell of one unit of length; fp64 rounding over 60 steps."""
    source = PointSource(place=(0.8, 1.2, 2.0), axis=axis, signal=Pulse())
    plane = ENGINE.build(problem(sources=[source]), backend)
    assert [info.name for info in plane.fields] == [*names, "index", "permittivity"]
    assert plane.geometry.shape == (50, 60)
    box = GridSetting(cells_x=60, cells_y=50, cells_z=1, size_x=3.0, size_y=2.5, size_z=1.0)
    moved = [source.model_copy(update={"place": (0.8, 1.2, 0.5)})]
    ball = [Sphere(center=(1.5, 1.25, 0.5), radius=0.4)]
    faces = Faces(z_low="periodic", z_high="periodic")
    numerics = Numerics(precision="fp64", courant=plane.dt / make_yee(box).largest_step())
    space = ENGINE.build(problem(grid=box, faces=faces, sources=moved, objects=ball, numerics=numerics), backend)
    for run in (plane, space):
        run.advance(60)
    for name in names:
        field = space.field(name)
        assert np.abs(field).max() > 0
        np.testing.assert_allclose(plane.field(name), field, rtol=0, atol=1e-6 * np.abs(field).max())
        cells = np.array([7, 1530, 2999], np.int32)
        got = plane.gather(name, plane.select(Selection(cells)))
        np.testing.assert_allclose(got, plane.field(name)[cells], rtol=1e-6, atol=1e-6 * np.abs(field).max())
    assert plane.observe()["energy"] == pytest.approx(space.observe()["energy"], rel=1e-9)


def test_a_line_moves_a_wave_at_one_cell_per_step(backend):
    """At S = 1 in one dimension the grid has no dispersion: what passes one cell passes the next a step later."""
    grid = GridSetting(dimensions="1D", cells_x=200, size_x=4.0)
    wave = WaveSource(signal=Pulse(wavelength=0.5, cycles=2.0))
    run = ENGINE.build(problem(grid=grid, sources=[wave], objects=[], numerics=Numerics(courant=1.0)), backend)
    assert run.geometry.shape == (1, 200)
    assert [info.name for info in run.fields] == ["Ez", "E", "Hy", "H", "material", "index", "permittivity"]
    run.advance(300)
    before = run.field("Ez")
    run.advance(30)
    assert np.abs(before).max() > 0.3
    np.testing.assert_allclose(run.field("Ez")[60:180], before[30:150], atol=2e-6)


def test_energy_on_a_graded_grid_is_that_on_a_fine_one(backend):
    """A pulse in a closed box of two materials, gone everywhere: both grids resolve it to a per cent or better, and the
    shapes fill the cells whose centres they hold."""
    closed = Faces(x_low="PEC", x_high="PEC", y_low="PEC", y_high="PEC")
    source = PointSource(place=(0.75, 1.25, 2.0), signal=Gaussian(wavelength=1.0))
    wall = Box(low=(1.5, -1, 0), high=(2.0, 9, 9))
    found = []
    regions = [FineRegion(axis="x", low=1.5, high=2.0, cell=0.01), FineRegion(axis="y", low=1.0, high=1.5, cell=0.02)]
    for finer in ([], regions):
        grid = PLANE.model_copy(update={"finer": finer})
        run = ENGINE.build(problem(grid=grid, faces=closed, sources=[source], objects=[wall]), backend)
        run.advance(round(20.0 / run.dt))
        geometry = run.geometry
        x = geometry.centers(np.arange(geometry.n_cells))[:, 0]
        np.testing.assert_array_equal(run.field("material"), (x > 1.5) & (x < 2.0))
        found.append(run.observe()["energy"])
    assert min(np.array(geometry.counts) - (60, 50)) > 0
    print("energies", found)
    assert found[1] == pytest.approx(found[0], rel=0.02)


def assert_half_is_the_whole(backend, kind: str, steps: int, sources, upper) -> None:
    """Mirrored in y, with a ball in the middle. Beside an antisymmetric mirror what a cell is made of differs: edges in
    its plane are a conductor's and do not count, as they do in the whole problem."""
    whole = ENGINE.build(problem(sources=sources), backend)
    half_grid = GridSetting(dimensions="2D", cells_x=60, cells_y=25, size_x=3.0, size_y=1.25)
    ball = [Sphere(center=(1.5, 0.0, 2.0), radius=0.4)]
    half = ENGINE.build(problem(grid=half_grid, faces=Faces(y_low=kind), sources=upper, objects=ball), backend)
    for run in (whole, half):
        run.advance(steps)
    for name in [info.name for info in half.fields]:
        rows = slice(1 if name in (INDEX, PERMITTIVITY) and kind == "antisymmetric" else 0, None)
        field, mine = whole.field(name).reshape(50, 60)[25:][rows], half.field(name).reshape(25, 60)[rows]
        assert np.abs(field).max() > 0
        np.testing.assert_allclose(mine, field, rtol=0, atol=1e-6 * np.abs(field).max())


@pytest.mark.parametrize(("kind", "axis"), [("symmetric", "z"), ("antisymmetric", "y"), ("symmetric", "x")])
def test_half_a_problem_between_mirrors_is_the_whole_one(backend, kind, axis):
    """Two currents of the sign that the mirror gives them."""
    sign = 1 if (kind == "symmetric") != (axis == "y") else -1
    sources = [
        PointSource(place=(0.8, y, 2.0), axis=axis, moment=1e-3 * s, signal=Pulse()) for y, s in ((1.8, 1), (0.7, sign))
    ]
    upper = [sources[0].model_copy(update={"place": (0.8, 0.55, 2.0)})]
    assert_half_is_the_whole(backend, kind, 80, sources, upper)


@pytest.mark.parametrize(("polarization", "kind"), [("z", "symmetric"), ("y", "antisymmetric")])
def test_a_plane_wave_reaches_up_to_a_mirror(backend, polarization, kind):
    wave = [WaveSource(polarization=polarization, signal=Pulse())]
    assert_half_is_the_whole(backend, kind, 150, wave, wave)


def test_mirrors_are_told_and_checked(backend):
    faces = Faces(x_low="antisymmetric", y_high="symmetric", z_low="PEC")
    assert [(m.axis, m.high, m.sign) for m in faces.mirrors()] == [(0, False, -1), (1, True, 1)]
    for changes, sentence in (
        ({"y_low": "antisymmetric"}, "with E along z, is symmetric: choose that at the face of y"),
        ({"x_low": "symmetric"}, "a plane wave along x, which has no mirror across it"),
    ):
        with pytest.raises(ProblemError, match=sentence):
            ENGINE.estimate(problem(sources=[WaveSource()], faces=Faces(**changes)), backend)
