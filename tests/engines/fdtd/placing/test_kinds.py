"""Figures of the round, drawn-out and painted objects, of monitors and ports: as far as the bodies, and dragged."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.api.placing import MOVE
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.media.solids.solids import solids_of
from engines.fdtd.parameters import (
    Box,
    BoxMonitor,
    Cone,
    Cylinder,
    Ellipsoid,
    FarSetting,
    FdtdParameters,
    GridSetting,
    Lattice,
    LumpedPort,
    Outline,
    Painted,
    PictureObject,
    PlaneMonitor,
    Polygon,
    Pulse,
    Ring,
    Rod,
    SurfaceObject,
    Torus,
    TraceMonitor,
    Turn,
    VolumeMonitor,
    WaveSource,
)
from tests.engines.fdtd.stl_cases import torus, write_binary

GRID = GridSetting(cells_x=40, cells_y=50, cells_z=60, size_x=4.0, size_y=5.0, size_z=6.0)
CENTER = (2.0, 2.5, 3.0)
ROUND = [
    Ellipsoid(center=CENTER, radii=(0.6, 0.4, 0.3)),
    Rod(start=(1.5, 2.0, 2.5), end=(2.5, 2.5, 3.5), radius=0.3),
    *(Cone(center=CENTER, axis=axis, radius_low=0.5, radius_high=0.2, length=1.2) for axis in "xyz"),
    Cone(center=CENTER, radius_low=0.5, radius_high=0.0),
    *(Ring(center=CENTER, axis=axis, radius=0.8, width=0.4, height=0.6) for axis in "xyz"),
    *(Torus(center=CENTER, axis=axis, radius=0.8, tube_radius=0.2) for axis in "xyz"),
]
DRAWN_OUT = [
    *(
        Polygon(
            axis=axis, low=2.0, high=3.0, points=[(1.5, 1.5), (3.0, 2.0), (2.0, 3.0)],
            holes=[Outline(points=[(2.0, 2.0), (2.2, 2.0), (2.1, 2.2)])],
        )
        for axis in "xyz"
    ),
    PictureObject(axis="y", low=2.0, high=3.0, corner=(1.5, 2.0), size=(1.0, 1.5)),
    Painted(spots=[(2.0, 2.0, 3.0, 0.3), (2.5, 2.2, 3.0, 0.2)]),
]  # fmt: skip
MONITORS = [
    TraceMonitor(place=CENTER),
    PlaneMonitor(axis="y", position=2.5),
    PlaneMonitor(axis="x", position=2.0, low=(0, 2.0, 2.0), high=(0, 3.0, 3.5)),
    BoxMonitor(low=(1.5, 1.5, 1.5), high=(2.5, 3.5, 4.5), far_field=FarSetting(on=True)),
    VolumeMonitor(),
    VolumeMonitor(low=(1.5, 1.5, 3.0), high=(2.5, 3.5, 3.0)),
]
PORT = LumpedPort(place=CENTER, axis="z", length=0.2)
KINDS = [*ROUND, *DRAWN_OUT, *MONITORS, PORT]


def field_of(value):
    if isinstance(value, LumpedPort):
        return "ports"
    return "monitors" if isinstance(value, tuple({type(each) for each in MONITORS})) else "objects"


def item(value):
    field = field_of(value)
    return FdtdEngine().placed(Problem(FdtdParameters(grid=GRID, **{field: [value]}))).at((field, 0))


def bounds_of(value):
    each = [solid.bounds() for solid in solids_of(value)]
    return np.min([low for low, _ in each], axis=0), np.max([high for _, high in each], axis=0)


@pytest.mark.parametrize(
    "value", [*ROUND, *(each for each in DRAWN_OUT if each.kind != "picture")], ids=lambda v: v.kind
)
def test_an_outline_reaches_as_far_as_the_body(value) -> None:
    """A circle of 48 corners that lies askew misses its extent by 1 − cos(3.75°), 0.2 % of the radius."""
    np.testing.assert_allclose(item(value).bounds, bounds_of(value), atol=2.2e-3 * 0.5 if value.kind == "rod" else 1e-9)


@pytest.mark.parametrize("value", KINDS, ids=lambda value: getattr(value, "kind", "port"))
def test_a_handle_left_where_it_is_changes_nothing(value) -> None:
    found = item(value)
    assert found.handles
    for handle in found.handles:
        assert_close(found.moved(handle.name, handle.position).value, value)


def assert_close(one, other) -> None:
    """Alike but for the last digits that forms do not show."""
    flat_one, flat_other = (np.array(list(numbers(each.model_dump()))) for each in (one, other))
    np.testing.assert_allclose(flat_one, flat_other, rtol=1e-11, atol=1e-11)


def numbers(tree):
    for value in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(value, (dict, list, tuple)):
            yield from numbers(value)
        elif isinstance(value, (int, float)):
            yield value


@pytest.mark.parametrize("value", KINDS, ids=lambda value: getattr(value, "kind", "port"))
def test_a_changed_item_has_its_handle_where_it_was_brought(value) -> None:
    """One cell along a handle's direction, or along each axis; a corner of a polygon stays in its plane."""
    found = item(value)
    for handle in found.handles:
        way = np.array(handle.direction or (1.0, 1.0, 1.0))
        if handle.name.startswith("corner"):
            way["xyz".index(value.axis)] = 0.0
        flat = isinstance(value, VolumeMonitor) and value.low[2] == value.high[2]
        if field_of(value) == "monitors" and handle.name != MOVE and not flat:
            way = -way  # further out there may be absorbing layers
        target = np.array(handle.position) + 0.1 * way
        again = item(found.moved(handle.name, tuple(target)).value)
        there = next(each.position for each in again.handles if each.name == handle.name)
        if isinstance(value, VolumeMonitor) and value.low[0] < 0 and handle.name == MOVE:
            target -= 0.1 * way  # what reaches through the whole grid stays
        assert there == pytest.approx(target, abs=1e-9), handle.name


@pytest.mark.parametrize(
    "value",
    [
        Box(low=(1.0, 1.5, 2.0), high=(3.0, 2.5, 3.0)),
        Cylinder(center=CENTER, radius=0.4, length=1.5),
        Ellipsoid(center=CENTER, radii=(0.9, 0.4, 0.3)),
        Cone(center=CENTER, radius_low=0.5, radius_high=0.2),
        Ring(center=CENTER),
        Torus(center=CENTER),
        Polygon(low=2.0, high=3.0, points=[(1.5, 1.5), (3.0, 2.0), (2.0, 3.0)]),
    ],
    ids=lambda value: value.kind,
)
def test_a_turned_outline_is_that_of_the_turned_body(value) -> None:
    """A quarter of a turn about z, for which a box along the axes is as tight as before; then another angle."""
    turned = item(value.model_copy(update={"turn": Turn(angle=90.0)}))
    np.testing.assert_allclose(turned.bounds, bounds_of(value.model_copy(update={"turn": Turn(angle=90.0)})), atol=1e-9)
    assert [handle.name for handle in turned.handles] == [MOVE]
    tilted = value.model_copy(update={"turn": Turn(angle=30.0, axis=(1.0, 1.0, 0.0))})
    points, solid = np.concatenate(item(tilted).outline), next(solids_of(tilted))
    middle = 0.5 * np.add(*solid.bounds())
    assert not solid.contains(middle + 1.001 * (points - middle)).any() or value.kind in ("ring", "torus")
    if value.kind in ("box", "cylinder", "ellipsoid", "cone"):
        assert solid.contains(middle + 0.99 * (points - middle)).all()


def test_copies_are_in_a_box() -> None:
    lattice = Lattice(counts=(3, 2, 1), first=(0.5, 0.0, 0.0), second=(0.2, 0.5, 0.0))
    ball = Ellipsoid(center=(1.5, 1.5, 3.0), radii=(0.2, 0.1, 0.1), copies=lattice)
    np.testing.assert_allclose(item(ball).bounds, bounds_of(ball), atol=1e-9)
    assert len(item(ball).outline) > len(item(ball.model_copy(update={"copies": Lattice()})).outline)
    assert item(ball).handles[0].position == ball.center


def test_the_surface_of_a_file_is_boxed_and_a_missing_one_is_listed(tmp_path) -> None:
    path = tmp_path / "ball.stl"
    write_binary(path, torus(12, 8))
    ball = SurfaceObject(file=str(path), shift=CENTER)
    np.testing.assert_allclose(item(ball).bounds, bounds_of(ball), atol=1e-9)
    moved = item(ball).moved(MOVE, (2.5, 2.5, 3.0)).value
    np.testing.assert_allclose(0.5 * np.add(*bounds_of(moved)), (2.5, 2.5, 3.0), atol=1e-9)
    for missing in (SurfaceObject(), SurfaceObject(file=str(tmp_path / "none.stl"))):
        assert item(missing).outline == ()


def test_planes_and_ports_say_what_they_are() -> None:
    plane = item(PlaneMonitor(name="behind", axis="x", position=2.0, measures="transmission"))
    assert (plane.title, plane.detail) == ("behind", "transmission")
    low, high = plane.outline[0].min(axis=0), plane.outline[0].max(axis=0)
    assert (*low, *high) == pytest.approx((2.0, 1.0, 1.0, 2.0, 4.0, 5.0))
    assert item(PORT).detail == "50 Ω"
    assert item(LumpedPort(place=CENTER, amplitude=0.0)).detail == "50 Ω, load"
    assert item(BoxMonitor(far_field=FarSetting(on=True))).detail == "far field"


@pytest.mark.parametrize(
    ("value", "handle", "position", "words"),
    [
        (ROUND[1], "start", (2.5, 2.5, 3.5), "two ends"),
        (ROUND[5], "low radius", (2.0, 2.5, 2.5), "radius at one end"),
        (ROUND[8], "inner", (3.5, 2.5, 3.0), "inner edge"),
        (DRAWN_OUT[2], "low end", (2.0, 2.0, 4.0), "two ends"),
        (DRAWN_OUT[4], MOVE, (9.0, 2.0, 3.0), "outside of the grid along x"),
        (MONITORS[0], MOVE, (0.5, 2.0, 3.0), "absorbing layer of x"),
        (MONITORS[1], MOVE, (2.0, 4.5, 3.0), "absorbing layer of y"),
        (MONITORS[2], "y low", (2.0, 3.5, 3.0), "two edges"),
        (MONITORS[3], "x low", (3.0, 2.0, 3.0), "thickness along x"),
        (PORT, "end", (2.0, 2.5, 2.5), "two ends"),
        (PORT, MOVE, (2.0, 2.5, 0.5), "absorbing layer of z"),
    ],
)
def test_places_that_cannot_be_are_refused_in_a_sentence(value, handle, position, words) -> None:
    with pytest.raises(ProblemError, match=words):
        item(value).moved(handle, position)


def test_a_new_box_stands_around_the_box_of_a_plane_wave_and_has_its_wavelengths() -> None:
    """Else its far field would hold the incident wave."""
    parameters = FdtdParameters(grid=GRID, sources=[WaveSource(margin=4, signal=Pulse(wavelength=0.9))])
    new = next(
        new
        for group in FdtdEngine().placed(Problem(parameters)).groups
        for new in group.new
        if new.title == "Box" and group.title == "Monitors"
    )
    box = new.make()
    assert box.low == pytest.approx((1.2, 1.2, 1.2))
    assert box.high == pytest.approx((2.8, 3.8, 4.8))
    assert (box.frequencies.first, box.frequencies.last) == (0.72, 1.08)
