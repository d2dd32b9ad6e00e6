"""What stands in space: outlines, handles, and what the parameters become when a handle is elsewhere."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.api.placing import MOVE
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import (
    Box,
    Cylinder,
    Faces,
    FdtdParameters,
    GridSetting,
    Material,
    PointSource,
    Sphere,
    WaveSource,
)
from engines.fdtd.placing.kinds import KINDS
from engines.fdtd.placing.placement import LISTS, members, space_of

GRID = GridSetting(cells_x=40, cells_y=50, cells_z=60, size_x=4.0, size_y=5.0, size_z=6.0)
FLAT = GridSetting(cells_x=40, cells_y=50, cells_z=1, size_x=4.0, size_y=5.0, size_z=0.1)
FLAT_FACES = Faces(z_low="periodic", z_high="periodic")
OBJECTS = [
    Box(low=(1.0, 1.0, 2.0), high=(2.0, 1.5, 3.0)),
    Box(low=(-3.0, 2.0, -1.0), high=(9.0, 3.0, 9.0)),
    Sphere(center=(2.0, 2.0, 3.0), radius=0.5),
    *(Cylinder(center=(2.0, 2.0, 3.0), axis=axis, radius=0.4, length=2.0) for axis in "xyz"),
]
SOURCES = [PointSource(place=(2.0, 2.0, 3.0)), WaveSource(), WaveSource(direction="-y", polarization="x", margin=2)]


def placed(**fields):
    return FdtdEngine().placed(Problem(FdtdParameters(grid=GRID, **fields)))


def item(value, **fields):
    """The placed item of an object or a source that stands alone."""
    source = isinstance(value, (PointSource, WaveSource))
    found = placed(**{"objects": [] if source else [value], "sources": [value] if source else [], **fields})
    return found.at(("sources" if source else "objects", 0))


def test_every_kind_of_object_source_and_monitor_is_drawn() -> None:
    """A kind that is new needs a figure (engines/fdtd/placing) to be seen and placed."""
    fields = [field for _, field, role in LISTS if field in FdtdParameters.model_fields and role != "material"]
    kinds = [kind for field in fields for kind in members(FdtdParameters.model_fields[field].annotation)]
    assert [kind.__name__ for kind in kinds if kind not in KINDS] == []


@pytest.mark.parametrize("value", [*OBJECTS, *SOURCES], ids=lambda value: value.kind)
def test_a_handle_left_where_it_is_changes_nothing(value) -> None:
    found = item(value)
    assert found.handles
    for handle in found.handles:
        assert found.moved(handle.name, handle.position).value == value, handle.name


@pytest.mark.parametrize("value", [*OBJECTS, *SOURCES], ids=lambda value: value.kind)
def test_a_changed_item_has_its_handle_where_it_was_brought(value) -> None:
    """Two cells up along the handle's direction, or along each axis; a box of waves moves with its margin."""
    found = item(value)
    for handle in found.handles:
        way = np.array(handle.direction or (1.0, 1.0, 1.0))
        if isinstance(value, WaveSource):
            way = -way  # away from the layers; outwards there is no room for two cells
        target = np.array(handle.position) + 0.2 * way
        again = item(found.moved(handle.name, tuple(target)).value)
        there = next(each.position for each in again.handles if each.name == handle.name)
        inside = np.clip(target, 0.0, (4.0, 5.0, 6.0))
        if isinstance(value, Box) and value.low[0] < 0:  # the part inside of the grid is drawn
            continue
        assert there == pytest.approx(inside, abs=1e-9), handle.name


@pytest.mark.parametrize("value", OBJECTS[:1] + OBJECTS[2:], ids=lambda value: value.kind)
def test_the_outline_of_an_object_reaches_as_far_as_the_object(value) -> None:
    low, high = item(value).bounds
    if isinstance(value, Box):
        wanted = value.low, value.high
    else:
        reach = np.full(3, value.radius)
        if isinstance(value, Cylinder):
            reach["xyz".index(value.axis)] = value.length / 2
        wanted = np.array(value.center) - reach, np.array(value.center) + reach
    np.testing.assert_allclose([low, high], wanted, atol=1e-9)


def test_what_reaches_beyond_the_grid_is_drawn_as_far_as_the_grid() -> None:
    low, high = item(OBJECTS[1]).bounds
    assert (*low, *high) == pytest.approx((0.0, 2.0, 0.0, 4.0, 3.0, 6.0))


@pytest.mark.parametrize(
    ("value", "handle", "position", "words"),
    [
        (OBJECTS[0], "x low", (2.0, 1.2, 2.5), "thickness along x"),
        (OBJECTS[0], MOVE, (2.0, 9.0, 2.5), "outside of the grid along y"),
        (OBJECTS[2], "x radius", (1.5, 2.0, 3.0), "above zero"),
        (OBJECTS[2], MOVE, (2.0, 2.0, -1.0), "outside of the grid along z"),
        (OBJECTS[5], "high end", (2.0, 2.0, 1.0), "two ends"),
        (SOURCES[0], MOVE, (0.5, 2.0, 3.0), "absorbing layer of x: stay between 1 and 3 um"),
        (SOURCES[0], MOVE, (2.0, 7.0, 3.0), "outside of the grid"),
        (SOURCES[1], "x low", (1.0, 2.5, 3.0), "a cell or more off"),
        (SOURCES[1], "z high", (2.0, 2.5, 3.5), "no room along x"),
    ],
)
def test_places_that_cannot_be_are_refused_in_a_sentence(value, handle, position, words) -> None:
    with pytest.raises(ProblemError, match=words.replace("um", "µm")):
        item(value).moved(handle, position)


def test_a_plane_wave_stands_off_the_layers_by_its_margin() -> None:
    low, high = item(WaveSource(margin=3)).outline[0].min(axis=0), item(WaveSource(margin=3)).outline[1].max(axis=0)
    assert (*low, *high) == pytest.approx((1.3, 1.3, 1.3, 2.7, 3.7, 4.7))
    assert item(WaveSource(margin=3)).moved("y high", (2.0, 3.5, 3.0)).value.margin == 5


def test_nothing_moves_across_a_grid_of_one_cell() -> None:
    parameters = FdtdParameters(grid=FLAT, faces=FLAT_FACES, objects=[Sphere(center=(2.0, 2.0, 0.05), radius=0.5)])
    placement = FdtdEngine().placed(Problem(parameters))
    ball = placement.at(("objects", 0))
    assert [handle.name for handle in ball.handles] == [MOVE, "x radius", "y radius"]
    assert len(ball.outline) == 1
    assert np.ptp(ball.outline[0][:, 2]) == 0
    assert len(placement.snaps[2]) == 2


@pytest.mark.parametrize(("grid", "faces"), [(GRID, Faces()), (FLAT, FLAT_FACES)])
@pytest.mark.parametrize("unit", ["um", "m"])
def test_a_new_item_of_each_kind_fits_the_grid(grid, faces, unit) -> None:
    scale = 1e-3 if unit == "m" else 1.0
    sizes = {f"size_{axis}": scale * getattr(grid, f"size_{axis}") for axis in "xyz"}
    parameters = FdtdParameters(grid=grid.model_copy(update={**sizes, "length_unit": unit}), faces=faces)
    space = space_of(parameters)
    for group in FdtdEngine().placed(Problem(parameters)).groups:
        for new in group.new:
            made = new.make()
            added = {**parameters.model_dump(), group.path[0]: [made.model_dump()]}
            drawn = FdtdEngine().placed(Problem(FdtdParameters.model_validate(added))).at((*group.path, 0))
            assert drawn is not None
            if group.role in ("object", "source", "monitor") and new.title != "Surface":  # it has no file yet
                low, high = drawn.bounds
                slack = 1e-9 + (1e-2 if min(np.ptp([space.low, space.high], axis=0)) < 1 else 0.0)
                assert (low >= space.low - 2 * space.reach - slack).all(), new.title
                assert (high <= space.high + 2 * space.reach + slack).all(), new.title


def test_a_material_is_renamed_wherever_it_stands() -> None:
    materials = [Material(name="glass"), Material(name="gold")]
    objects = [Box(material="gold"), Sphere(material="glass"), Cylinder(material="gold")]
    gold = placed(materials=materials, objects=objects).at(("materials", 1))
    renamed = gold.renamed("silver")
    assert [material.name for material in renamed.materials] == ["glass", "silver"]
    assert [each.material for each in renamed.objects] == ["silver", "glass", "silver"]
    for name in ("glass", "  "):
        with pytest.raises(ProblemError):
            gold.renamed(name)


def test_objects_have_the_tint_of_their_material() -> None:
    materials = [Material(name="glass"), Material(name="gold")]
    placement = placed(materials=materials, objects=[Box(material="gold"), Sphere(material="glass")])
    tints = {each.path: each.tint for _, each in placement.items()}
    assert tints["objects", 0] == tints["materials", 1] != tints["objects", 1] == tints["materials", 0]
    assert placement.at(("objects", 0)).detail == "gold"


def test_the_layers_are_listed_where_there_are_any() -> None:
    closed = Faces(**{f"{axis}_{end}": "PEC" for axis, end in itertools.product("xyz", ("low", "high"))})
    assert placed(faces=closed).groups[-1].items == ()
    (layers,) = placed().groups[-1].items
    low, high = layers.bounds
    assert (*low, *high) == pytest.approx((1.0, 1.0, 1.0, 3.0, 4.0, 5.0))
