"""Materials painted while a run goes on: as if they had been there when it began."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.boundaries import make_axes
from engines.fdtd.media.materials import make_media
from engines.fdtd.media.solids.painting import Painter, known_numbers
from engines.fdtd.media.solids.shapes import cells_of
from engines.fdtd.parameters import (
    Box,
    Faces,
    FdtdParameters,
    FineRegion,
    GridSetting,
    LumpedPort,
    Material,
    Numerics,
    Painted,
    PointSource,
    Pulse,
    Sphere,
)
from engines.fdtd.setup.grid import make_faces, make_yee
from engines.fdtd.setup.media import media_of
from engines.fdtd.setup.sources import sources_of
from engines.fdtd.sources.currents import make_sources
from engines.fdtd.step.cuda import CudaYee
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER

ENGINE = FdtdEngine()
GRID = GridSetting(cells_x=30, cells_y=26, cells_z=24, size_x=1.5, size_y=1.3, size_z=1.2)
MATERIALS = [
    Material(name="glass"),
    Material(name="iron", permittivity=3, permeability=2, conductivity=500, magnetic_loss=900),
    Material(name="metal", perfect_conductor=True),
]
FACES = Faces(y_low="periodic", y_high="periodic", z_low="PMC", z_high="PEC", layer=4)
SPOTS = [
    (1, (0.4, 0.62, 0.6), 0.21),  # inside
    (2, (0.5, 0.03, 0.1), 0.17),  # over the periodic face and the magnetic wall
    (3, (1.49, 0.8, 1.19), 0.15),  # in the corner of the absorbing face and the conducting wall
    (0, (0.45, 0.66, 0.6), 0.001),  # thinner than a cell: the cell in which it lies
]


def problem(*objects) -> Problem:
    source = PointSource(place=(0.9, 0.9, 0.7), signal=Pulse())
    block = Box(material="glass", low=(0.2, 0.2, 0.2), high=(0.6, 0.6, 0.5))
    return Problem(
        FdtdParameters(grid=GRID, faces=FACES, materials=MATERIALS, sources=[source], objects=[block, *objects])
    )


def dabs():
    return [Dab("material", center, radius, float(number)) for number, center, radius in SPOTS]


def painter_of(parameters: FdtdParameters):
    yee = make_yee(parameters.grid)
    dt = 0.5 * yee.largest_step()
    axes = make_axes(yee, make_faces(parameters.faces, yee), dt)
    cells, materials = cells_of(parameters, yee), media_of(parameters)
    media = make_media(yee, axes, cells, materials, dt)
    driven = sources_of(parameters)
    sources = make_sources(yee, axes, media, materials[0], dt, "um", driven.dipoles, driven.waves)
    return Painter(parameters, yee, axes, cells, media, materials, sources, dt), axes, sources


def test_mixtures_are_those_of_the_cells_as_they_are_now():
    painter, axes, _ = painter_of(problem().parameters)
    for dab in dabs():
        painter.paint(dab)
    right = make_media(make_yee(GRID), axes, painter.cells, media_of(problem().parameters), painter._dt)
    for ids, tables in (("ids_e", ("ca", "cb", "permittivity")), ("ids_h", ("da", "db", "permeability"))):
        for table in tables:  # mixtures that were painted away keep their numbers, so others have other ones
            painted, mixed = (getattr(each, table)[getattr(each, ids)] for each in (painter.media, right))
            np.testing.assert_array_equal(painted, mixed, err_msg=table)
    assert all((painter.cells == number).any() for number in range(4))
    assert painter.cells[12, 13, 9] == 0  # a ball between the middles of cells paints the one in which it lies


def test_a_painted_run_is_that_of_the_kept_problem(backend):
    simulation = ENGINE.build(problem(), backend)
    before = simulation.state()
    for dab in dabs()[:3]:
        simulation.paint(dab)
    kept = simulation.kept(problem())
    assert [item.material for item in kept.parameters.objects[1:]] == ["glass", "iron", "metal"]
    assert simulation.kept(Problem(kept.parameters)).parameters == kept.parameters
    fresh = ENGINE.build(Problem(kept.parameters), backend)
    for each in (simulation, fresh):
        each.advance(25)
    for name, part in simulation.state().items():
        np.testing.assert_array_equal(part, fresh.state()[name])
    assert simulation.observe() == fresh.observe()
    state = simulation.state()
    other = ENGINE.build(problem(), backend)
    other.restore(state)
    for each in (simulation, other):
        each.advance(10)
    for name, part in simulation.state().items():
        np.testing.assert_array_equal(part, other.state()[name])
    other.restore(before)  # and back to where nothing was painted
    again = ENGINE.build(problem(), backend)
    for each in (other, again):
        each.advance(10)
    np.testing.assert_array_equal(other.field("Ez"), again.field("Ez"))


def test_where_a_source_drives_the_mixture_stays():
    painter, _, sources = painter_of(problem().parameters)
    places = sources.electric.places
    before = painter.media.ids_e.reshape(-1)[places].copy()
    painter.paint(Dab("material", (0.9, 0.9, 0.7), 0.2, 1.0))
    np.testing.assert_array_equal(painter.media.ids_e.reshape(-1)[places], before)
    assert (painter.media.ids_e.reshape(-1)[places + 1] != before).any()


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")
def test_the_device_steps_on_with_what_was_painted(backend):
    """A device whose ids were changed block by block steps as one that was given them at first."""
    painter, axes, sources = painter_of(problem().parameters)
    yee, host = make_yee(GRID), HostCudaBackend()
    changed = CudaYee(host, yee, axes, painter.media, sources, "float32", shape=(1, 32, 4, 4))
    for dab in dabs():
        changed.repaint(painter.media, painter.paint(dab)[1])
    fresh = CudaYee(host, yee, axes, painter.media, sources, "float32", shape=(1, 32, 4, 4))
    rng = np.random.default_rng(2)
    field = rng.uniform(-1, 1, fresh.electric.shape).astype(np.float32)
    values = np.ones((2, len(sources.drives)))
    for steps in (changed, fresh):
        steps.electric[...] = field
        steps.advance(values)
    np.testing.assert_array_equal(changed.electric, fresh.electric)
    np.testing.assert_array_equal(changed.magnetic, fresh.magnetic)


def test_unknown_mixtures_get_numbers_of_their_own():
    ids = np.array([0, 1, 2], np.uint8)
    tables = [np.array([0.0, 1.0, 2.0, 0.0, 0.0]), np.array([0.0, 5.0, 6.0, 0.0, 0.0])]
    others = [np.array([0.0, 2.0, 7.0, 8.0]), np.array([0.0, 6.0, 7.0, 8.0])]
    numbers = known_numbers(ids, tables, others, np.array([0, 1, 2, 3]))
    assert numbers.tolist() == [0, 2, 3, 4]
    assert tables[0].tolist() == [0, 1, 2, 7, 8]
    ids = np.array([4], np.uint8)
    with pytest.raises(ProblemError, match="5 mixtures of materials already"):
        known_numbers(ids, tables, [np.array([9.0]), np.array([9.0])], np.array([0]))


def test_what_cannot_be_painted_or_kept_is_said(backend):
    simulation = ENGINE.build(problem(), backend)
    assert simulation.kept(problem()) is None
    for amount in (4.0, -1.0, float("nan")):
        with pytest.raises(ProblemError, match=r"choose 0 \(vacuum\) to 3"):
            simulation.paint(Dab("material", (0.5, 0.5, 0.5), 0.1, amount))
    simulation.paint(dabs()[0])
    moved = problem().parameters.model_copy(update={"grid": GRID.model_copy(update={"cells_x": 31})})
    with pytest.raises(ProblemError, match="grid has changed"):
        simulation.kept(Problem(moved))
    assert isinstance(simulation.kept(problem()).parameters.objects[-1], Painted)


def test_a_port_keeps_its_resistance_where_one_paints(backend):
    """Of a load, which drives nothing, as of a source: the edges of its gap have the mixture that they had."""
    load = LumpedPort(place=(0.75, 0.65, 0.6), length=0.1, resistance=70.0, amplitude=0.0)
    parameters = problem().parameters.model_copy(update={"ports": [load]})
    simulation = ENGINE.build(Problem(parameters), backend)
    media = simulation._painter.media
    edges = (2, slice(12, 14), 13, 15)
    before, beside = media.ids_e[edges].copy(), media.ids_e[2, 12, 13, 16]
    simulation.paint(Dab("material", (0.75, 0.65, 0.65), 0.2, 1.0))
    assert (media.ids_e[edges] == before).all()
    assert media.ids_e[2, 12, 13, 16] != beside
    assert media.ca[before[0]] < media.ca[beside]


PLANE = GridSetting(dimensions="2D", cells_x=30, cells_y=26, size_x=1.5, size_y=1.3)
FINER = [FineRegion(axis="x", low=0.35, high=0.45, cell=0.02), FineRegion(axis="z", low=0.5, high=0.6, cell=0.025)]
KINDS = [
    Material(name=f"kind {n}", permittivity=1 + 0.2 * n, conductivity=3.0 * 1.7**n, permeability=1 + n / 20)
    for n in range(9)
]
RANDOM = np.random.default_rng(5).uniform((0, 0, 0), (1.5, 1.3, 1.2), (500, 3))
CROWD = [Sphere(material=f"kind {n % 9}", center=tuple(at), radius=0.1) for n, at in enumerate(RANDOM)]
BLOCH = Faces(x_low="Bloch", x_high="Bloch", phase_x=0.2, y_low="periodic", y_high="periodic", layer=4)
CASES = {
    "a plane": {"grid": PLANE, "faces": Faces(layer=4)},
    "a line": {"grid": PLANE.model_copy(update={"dimensions": "1D"}), "faces": Faces(layer=4)},
    "graded": {"grid": GRID.model_copy(update={"finer": FINER})},
    "Bloch": {"faces": BLOCH},
    "16 bits": {"materials": KINDS, "objects": CROWD},
}


@pytest.mark.parametrize("case", CASES)
def test_painting_is_as_good_on_other_grids(backend, case):
    """As above: the run goes on as the kept problem does from the beginning, here before anything has moved."""
    parameters = problem().parameters.model_copy(update=CASES[case])
    simulation = ENGINE.build(Problem(parameters), backend)
    y, z = {"a plane": (0.6, 2.0), "a line": (2.04, 2.0)}.get(case, (0.6, 0.6))  # a line is shown as a strip
    for number, x in enumerate((0.4, 0.03, 0.45), 1):
        simulation.paint(Dab("material", (x, y, z), 0.2, float(number)))
    kept = simulation.kept(Problem(parameters)).parameters
    fresh = ENGINE.build(Problem(kept), backend)
    for each in (simulation, fresh):
        each.advance(20)
    for name, part in simulation.state().items():
        np.testing.assert_array_equal(part, fresh.state()[name], err_msg=name)
    assert simulation._painter.media.wide == (case == "16 bits")
    assert np.abs(simulation.field("Ez")).max() > 0


def test_smoothed_edges_stay_where_nothing_is_painted(backend):
    """Also within the block of a dab; and what is painted back is smoothed as at the beginning."""
    glass = Sphere(material="glass", center=(0.7, 0.6, 0.6), radius=0.3)
    parameters = problem().parameters.model_copy(
        update={"objects": [glass], "materials": MATERIALS[:1], "numerics": Numerics(smoothing=True)}
    )
    simulation = ENGINE.build(Problem(parameters), backend)
    painter = simulation._painter
    cells, ids, first = painter.cells.copy(), painter.media.ids_e.copy(), painter.media.permittivity.copy()
    smoothed = painter._smoothed
    simulation.paint(Dab("material", (0.4, 0.6, 0.6), 0.12, 1.0))
    now = painter.media.ids_e
    moved = np.flatnonzero((now != ids).reshape(-1))
    assert 0 < len(np.intersect1d(moved, smoothed)) < len(smoothed) / 2
    k, j, i = np.unravel_index(moved % painter._yee.places, now.shape[1:])
    changed = np.pad(painter.cells != cells, 1)
    around = np.any([changed[k + a, j + b, i + c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], axis=0)
    assert around.all()  # nothing changes but beside cells that did
    np.testing.assert_array_equal(painter.media.permittivity[ids], first[ids])
    simulation._painter.put(cells)
    np.testing.assert_array_equal(painter.media.permittivity[painter.media.ids_e], first[ids])


@pytest.mark.parametrize("objects", [[], [Box(material="glass", low=(0.4, 0.4, 0.4), high=(0.6, 0.6, 0.6))]])
def test_dispersive_materials_are_not_painted(backend, objects):
    """Neither with nor on; one that no object is of costs a run nothing."""
    metal = [Material(name="glass", library="Ag")]
    source = PointSource(place=(0.9, 0.9, 0.7), signal=Pulse(wavelength=1.5))
    parameters = problem().parameters.model_copy(update={"materials": metal, "objects": objects, "sources": [source]})
    simulation = ENGINE.build(Problem(parameters), backend)
    assert ("poles" in simulation.state()) == bool(objects)
    with pytest.raises(ProblemError, match="Dispersive materials cannot be painted with or on"):
        simulation.paint(Dab("material", (0.5, 0.5, 0.5), 0.1, 1.0))
    if not objects:
        simulation.paint(Dab("material", (0.5, 0.5, 0.5), 0.1, 0.0))
