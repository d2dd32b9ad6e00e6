"""Slabs of a Yee grid: fields, monitors, results and checkpoints of several ranks are those of one, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import (
    BeamSource,
    Box,
    BoxMonitor,
    Continuous,
    Ending,
    Faces,
    FarSetting,
    FdtdParameters,
    FineRegion,
    Frequencies,
    GridSetting,
    LumpedPort,
    Material,
    ModeSource,
    Numerics,
    ObliqueWaveSource,
    PlaneMonitor,
    PointSource,
    Pulse,
    Ringing,
    Sphere,
    TraceMonitor,
    VolumeMonitor,
    WaveSource,
)
from engines.fdtd.parameters.dispersion import Debye, Drude, Lorentz
from engines.fdtd.step import cuda
from engines.fdtd.step.curl.one_pass import NO_SHAPE
from tests.cuda_on_host import COMPILER
from tests.engines.ranks.led import PatientBackend, PatientHostCuda, led_runs, same_states
from tests.engines.ranks.threads import Post, ThreadRanks

GRID = GridSetting(cells_x=22, cells_y=20, cells_z=30, size_x=1.1, size_y=1.0, size_z=1.5)
PULSE = Pulse(wavelength=2.5, cycles=0.5)
AT_THE_CUT = PointSource(place=(0.5, 0.45, 0.74), signal=PULSE)
LIST = Frequencies(choice="list", values=[2.0, 3.0], every=2)
LAYERS = Faces(layer=4)


def problem(**changes) -> Problem:
    settings = {"grid": GRID, "faces": LAYERS, "sources": [AT_THE_CUT]}
    return Problem(FdtdParameters(**{**settings, **changes}))


BALL = Sphere(center=(0.55, 0.5, 0.74), radius=0.23)
METAL = Material(
    name="metal", permittivity=2.0,
    poles=[Drude(plasma=150.0, damping=20.0), Lorentz(resonance=150.0), Debye(strength=1.5, relaxation=1e-3)],
)  # fmt: skip
PROBLEMS = {
    "vacuum": {},
    "three numbers of a face": {
        "faces": Faces(
            layer=4,
            x_low="PEC",
            x_high="PMC",
            y_low="periodic",
            y_high="periodic",
            z_low="PMC",
            z_high="absorber",
            absorber=5,
        )
    },
    "periodic z": {"faces": Faces(layer=4, z_low="periodic", z_high="periodic")},
    "dispersive": {"materials": [METAL], "objects": [Sphere(material="metal", center=BALL.center, radius=0.23)]},
    "dispersive, periodic z": {
        "materials": [METAL],
        "objects": [Box(material="metal", low=(0.3, 0.3, 0.0), high=(0.8, 0.7, 1.5))],
        "faces": Faces(layer=4, z_low="periodic", z_high="periodic"),
    },
    "magnetic": {
        "materials": [Material(name="ferrite", permeability=3.0, magnetic_loss=50.0, conductivity=100.0)],
        "objects": [Sphere(material="ferrite", center=BALL.center, radius=0.23)],
    },
    "smoothed": {"objects": [BALL], "numerics": Numerics(smoothing=True)},
    "smoothed, periodic z": {
        "objects": [Sphere(center=(0.55, 0.5, 0.1), radius=0.23), BALL],
        "numerics": Numerics(smoothing=True),
        "faces": Faces(layer=4, z_low="periodic", z_high="periodic"),
    },
    "waves": {
        "sources": [
            WaveSource(margin=1, direction="+z", polarization="x", signal=PULSE),
            ObliqueWaveSource(margin=1, theta=35, phi=20, signal=Continuous(wavelength=2.0)),
        ],
        "objects": [BALL],
    },
    "sheets": {
        "sources": [
            BeamSource(sheet=0.74, direction="-z", polarization="x", focus=(0.55, 0.5, 0.4), waist=0.3, signal=PULSE),
            BeamSource(sheet=0.35, direction="+x", polarization="z", focus=(0.55, 0.5, 0.75), waist=0.3, signal=PULSE),
        ]
    },
    "graded, fp64": {
        "grid": GRID.model_copy(update={"finer": [FineRegion(axis="z", low=0.6, high=0.8, cell=0.025)]}),
        "objects": [BALL],
        "numerics": Numerics(precision="fp64"),
    },
}
MONITORS = [
    PlaneMonitor(name="x", axis="x", position=0.4, frequencies=LIST),
    PlaneMonitor(name="cut", axis="z", position=0.75, frequencies=LIST),
    BoxMonitor(
        name="box", low=(0.3, 0.3, 0.3), high=(0.8, 0.7, 1.2), frequencies=LIST, far_field=FarSetting(on=True)
    ),
    VolumeMonitor(name="above", low=(0.3, 0.3, 1.1), high=(0.8, 0.7, 1.25), components=["Ey", "Hz"], frequencies=LIST),
    VolumeMonitor(name="all", components=["Ez", "Hx"], frequencies=LIST),
    TraceMonitor(name="ball", place=(0.613, 0.477, 0.741), components=["Ex", "Ez", "Hx", "Hz"]),
    TraceMonitor(name="at the cut", place=(0.61, 0.477, 0.76), components=["Ez", "Hy"], every=1),
]  # fmt: skip


@pytest.fixture
def led():
    with led_runs(FdtdEngine()) as make:
        yield make


def same_answers(many, one) -> bool:
    """Fields, selections of them, series, charts, results, files, findings and states."""
    for info in one.fields:
        np.testing.assert_array_equal(many.field(info.name), one.field(info.name), info.name)
    cells = np.random.default_rng(0).integers(0, one.geometry.n_cells, 40).astype(np.int32)
    for info in one.fields:
        for selection in (Selection(cells), Selection(cells, np.array([0, 5, 40], np.int32))):
            found = many.gather(info.name, many.select(selection))
            expected = one.gather(info.name, one.select(selection))
            if selection.offsets is None:
                np.testing.assert_array_equal(found, expected)
            else:  # the means of cells are rounded before they are averaged
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.nanmax(np.abs(one.field(info.name))))
    assert many.observe() == one.observe()
    assert [info.name for info in many.charts] == [info.name for info in one.charts]
    for info in one.charts:
        assert many.chart(info.name).note == one.chart(info.name).note
        for mine, theirs in zip(many.chart(info.name).curves, one.chart(info.name).curves, strict=True):
            np.testing.assert_array_equal(mine.y, theirs.y, info.name)
            np.testing.assert_array_equal(mine.x, theirs.x, info.name)
    results, expected = many.results(), one.results()
    assert results.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_array_equal(results[name], values, name)
    assert many.files() == one.files()
    assert tuple(many.noticed()) == tuple(one.noticed())
    assert (many.done, many.ending, many.finished) == (one.done, one.ending, one.finished)
    return same_states(many, one)


@pytest.mark.parametrize("name", PROBLEMS)
def test_fields_of_slabs_are_those_of_one_grid(led, name):
    many, one = led(problem(**PROBLEMS[name]), 2 if "periodic" in name else 3)
    for steps in (1, 40):
        many.advance(steps)
        one.advance(steps)
    assert np.abs(one.field("E")).max() > 0
    assert same_answers(many, one)
    again, _ = led(problem(**PROBLEMS[name]), 4)
    again.restore(many.state())
    for simulation in (again, one):
        simulation.advance(9)
    assert same_answers(again, one)


@pytest.mark.parametrize("size", [2, 3])
def test_monitors_see_in_slabs_what_they_see_on_one_grid(led, size):
    many, one = led(problem(monitors=MONITORS, objects=[BALL]), size)
    for steps in (7, 60):
        many.advance(steps)
        one.advance(steps)
        assert same_answers(many, one)
    assert np.abs(one.results()["at the cut/Ez [V/m]"]).max() > 0


@pytest.mark.parametrize("axis", "xz")
def test_ports_across_a_cut_have_the_scattering_of_one_grid(led, axis):
    port = LumpedPort(place=(0.5, 0.5, 0.65), axis=axis, length=0.2, signal=PULSE)
    many, one = led(problem(sources=[], ports=[port], ending=Ending(at_decay=True)), 2)
    for simulation in (many, one):
        simulation.advance(400)
    assert same_answers(many, one)


def test_a_run_that_dies_down_ends_at_the_step_of_one_grid_and_its_resonances_are_found(led):
    monitors = [
        TraceMonitor(name="rings", place=(0.5, 0.5, 0.7), ringing=Ringing(on=True, first=2.0, last=3.0)),
        PlaneMonitor(name="plane", axis="y", position=0.7, frequencies=LIST),
    ]
    many, one = led(problem(monitors=monitors, ending=Ending(at_decay=True, part=1e-3)), 2)
    for simulation in (many, one):
        while not simulation.finished:
            simulation.advance(100)
    assert many.step == one.step
    assert same_answers(many, one)


def test_reflection_and_transmission_are_parts_of_a_run_without_objects_on_the_same_ranks(led):
    sides = dict.fromkeys(("x_low", "x_high", "y_low", "y_high"), "periodic")
    monitors = [
        PlaneMonitor(name="R", axis="z", position=0.3, measures="reflection", frequencies=LIST),
        PlaneMonitor(name="T", axis="z", position=1.2, measures="transmission", frequencies=LIST),
    ]
    wave = WaveSource(direction="+z", polarization="x", margin=1, signal=PULSE)
    slab = Box(low=(-1, -1, 0.6), high=(9, 9, 0.9))
    changes = {"faces": Faces(layer=4, **sides), "monitors": monitors, "sources": [wave], "objects": [slab]}
    grid = GridSetting(cells_x=3, cells_y=3, cells_z=30, size_x=0.15, size_y=0.15, size_z=1.5)
    many, one = led(problem(grid=grid, ending=Ending(at_decay=True), **changes), 2)
    for simulation in (many, one):
        simulation.advance(600)
    assert same_answers(many, one)
    with pytest.raises(ProblemError, match="incident wave that was known before the run"):
        many.set_control("source_scale", 2.0)


def test_paint_sources_and_checkpoints_go_from_some_ranks_to_others(led):
    made = problem(monitors=MONITORS, objects=[BALL], materials=[Material(), Material(name="dense", permittivity=6.0)])
    three, one = led(made, 3)
    two, _ = led(made, 2)
    dabs = [Dab("material", (0.5, 0.5, z), 0.2, 2.0) for z in (0.5, 0.74)]
    for simulation in (three, one):
        simulation.advance(15)
        under = simulation.underneath(dabs[0], True)
        for dab in dabs:
            simulation.paint(dab)
        simulation.advance(8)
        simulation.put_back(under)
        simulation.set_control("source_scale", 0.5)
        simulation.advance(10)
    assert same_answers(three, one)
    two.restore(three.state())
    for simulation in (two, one):
        simulation.advance(20)
    assert same_answers(two, one)
    assert one.kept(made).parameters == three.kept(made).parameters


def one_pass(key, candidates, seconds):
    """Takes one pass where it could."""
    return candidates[-1] if candidates[0] == NO_SHAPE and "one pass" in str(key) else candidates[0]


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize(
    ("name", "passes"), [("vacuum", 1), ("periodic z", 1), ("dispersive", 2), ("smoothed, periodic z", 2)]
)
def test_kernels_of_a_gpu_step_slabs_as_one_grid(name, passes, monkeypatch):
    if passes == 1:
        monkeypatch.setattr(cuda, "tune", one_pass)
    grid = GridSetting(cells_x=14, cells_y=13, cells_z=20, size_x=0.7, size_y=0.65, size_z=1.0)
    source = PointSource(place=(0.35, 0.3, 0.49), signal=PULSE)
    changes = {
        "grid": grid,
        "sources": [source],
        "monitors": [MONITORS[-1].model_copy(update={"place": (0.3, 0.3, 0.51)})],
    }
    with led_runs(FdtdEngine(), PatientHostCuda) as make:
        many, one = make(problem(**PROBLEMS[name] | changes), 2)
        assert many._own._steps.passes == passes
        for steps in (1, 6):
            many.advance(steps)
            one.advance(steps)
        assert np.abs(one.field("E")).max() > 0
        electric, own = many._own._steps.electric, grid.cells_z // 2
        assert np.abs(electric[2, own - 1]).max() > 0
        assert np.abs(electric[2, -2]).max() == 0  # beyond the cut nothing grows that nobody looks at
        assert same_states(many, one)
        assert many.observe() == pytest.approx(one.observe(), rel=1e-13)


def test_a_mode_of_a_guide_across_the_slabs(led):
    guide = Box(material="silicon", low=(-1, 0.35, 0.55), high=(9, 0.65, 0.95))
    mode = ModeSource(place=(0.3, 0.5, 0.75), size=(0, 0.55, 1.0), signal=Pulse(wavelength=1.6, cycles=3))
    many, one = led(problem(objects=[guide], sources=[mode], materials=[Material(name="silicon", permittivity=9.0)]), 2)
    for simulation in (many, one):
        simulation.advance(40)
    assert same_answers(many, one)


@pytest.mark.parametrize(
    ("changes", "size", "said"),
    [
        ({"grid": GridSetting(dimensions="2D")}, 2, "A plane or a line of the FDTD engine runs on one rank"),
        ({"faces": Faces(x_low="Bloch", x_high="Bloch", phase_x=0.3, layer=4)}, 2, "Bloch faces run on one rank"),
        ({}, 7, "The absorbing layers of z take 4 cells, and 7 ranks have 4 each: use at most 6 ranks."),
        ({}, 16, "of which each needs two"),
    ],
)
def test_what_slabs_cannot_do_is_refused_in_a_sentence(changes, size, said):
    with pytest.raises(ProblemError, match=said):
        FdtdEngine().build_part(problem(**changes), PatientBackend(), ThreadRanks(Post(size), 0))
