"""Each scene is drawn as it was when somebody looked at its picture last, in figures: what the programs on the graphics
card are told, by a stand-in for them, and what lies over the picture (see tests/ui/recorded.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engines.api import Array, FieldInfo, Lines, MarkerInfo, Markers, SimulationInfo
from engines.geometry.grid import Grid
from engines.geometry.particles import Particles, named_parts
from tests.ui.recorded import compare, in_figures
from tests.ui.scene.grids import CONCENTRATION
from tests.ui.scene.grids import info as of_grid
from tests.ui.scene.layers.test_lattice_layer import info as of_lattice
from tests.ui.scene.layers.test_lattice_layer import lattice
from tests.ui.scene.meshes import info as of_mesh
from tests.ui.scene.meshes import kuhn_cube
from tests.ui.scene.overlays.scenes import full, linked
from tests.ui.scene.spheres import info as of_spheres
from tests.ui.scene.spheres import touching
from tests.ui.scene.test_arrows import answered
from tests.ui.scene.test_arrows import shown as asking
from tests.ui.scene.test_categories import STATE
from tests.ui.scene.test_solids import ball, box
from tests.ui.scene.test_solids import scene_of as of_solids
from tests.ui.scene.visuals.test_told_to_the_screen import Screen
from ui.scene import painter
from ui.scene.cameras.closeness import looked_at
from ui.scene.cameras.following import beyond as beyond_range
from ui.scene.cameras.following import followed, ladder
from ui.scene.colormaps import categories, colormap, distinct_colours, names
from ui.scene.marks import Marks
from ui.scene.overlays.clip_handle import grip_at, moved, tilted
from ui.scene.overlays.gripping import dragged_to, hold_at, item_at, nudged
from ui.scene.overlays.hud import Hud
from ui.scene.overlays.placed import knobs
from ui.scene.overlays.ruler import ruler
from ui.scene.scene import Scene
from ui.scene.visuals import grid, markers, screen, solids, spheres, squares, surface
from ui.scene.visuals import lattice as lattices
from ui.scene.visuals.plates import LIGHT
from workbench.project.project import CameraView, ClipPlane, ViewSettings

ROOM = "scenes"
MODULES = (painter, grid, lattices, markers, screen, solids, spheres, squares, surface)
WIDE, CROWDED, RATIO = (1200, 900), (600, 480), 1.5
"""Pixels of views, of which so many are one of the window's."""
PRESSURE = FieldInfo("p", "Pressure", "Pa", "cell", (0.1, 1000.0), "viridis")


def scene_of(simulated: SimulationInfo, values: dict[str, Array], time: float = 30.0, **view: Any) -> Scene:
    scene = Scene()
    scene.inside_cells, scene.samples = 60_000, 800 * 600
    scene.set_geometry(simulated.geometry)
    scene.info = simulated
    camera = view.pop("camera", CameraView(azimuth=40.0, elevation=25.0))
    scene.apply_view(ViewSettings(camera=camera, **view), 800 / 600)
    scene.show_fields({name: np.asarray(each, np.float32) for name, each in values.items()}, time)
    return scene


def of_a_mesh(n: int = 6, **view: Any) -> Scene:
    """A wave from a corner of a cube, which has fibres along a slanted way."""
    mesh = kuhn_cube(n)
    mesh = replace(mesh, fibres=np.tile([0.6, 0.8, 0.0], (mesh.n_cells, 1)))
    away = np.linalg.norm(mesh.centroids, axis=1)
    values = {
        "voltage": -85.0 + 120.0 * np.exp(-((away - 9.0) ** 2) / 8),
        "activation": np.where(away < 11, 3 * away, -1),
    }
    simulated = replace(of_mesh(mesh), marked=MarkerInfo("Spiral tips", ("left", "right")))
    scene = scene_of(simulated, values, **view)
    scene.markers = Markers(
        np.array([[10.0, 5.0, 7.0], [0.0, 5.0, 3.0], [9.0, 0.0, 1.0]]), np.array([1, -1, 1], np.int8)
    )
    return scene


def of_cells(counts: tuple[int, ...], field: FieldInfo = CONCENTRATION, **view: Any) -> Scene:
    """A ball that fades, off the middle."""
    cells = Grid(counts, (0.5,) * len(counts))
    places = cells.centers(np.arange(cells.n_cells))
    away = np.linalg.norm(places - 0.4 * places.max(axis=0), axis=1) / places.max()
    low, high = field.range
    values = low + (high - low) * np.exp(-6 * away**2)
    return scene_of(of_grid(cells, field), {field.name: values}, field=field.name, **view)


def of_balls(**view: Any) -> Scene:
    found = touching(40)
    values = np.linspace(0, 1, 40)[:, None] * np.linspace(0.2, 1, 20)
    return scene_of(of_spheres(found), {"inside": values, "surface": values[:, -1]}, **view)


def of_a_body(counts: tuple[int, ...], **view: Any) -> Scene:
    """A body that is torn in the middle, with its crack."""
    body = lattice(*counts)
    place = body.positions / body.positions.max(axis=0).clip(1e-9)
    moved = np.stack([0.05 * (place[:, 0] > 0.5), 0.02 * place[:, 1], 0 * place[:, 0]], axis=1)
    damage = 0.5 * np.exp(-60 * (place[:, 0] - 0.5) ** 2)
    scene = scene_of(of_lattice(body), {"damage": damage, "gone": moved}, **view)
    path = np.array([[[6.0, 0.0, 0.0], [6.0, 3.0, 0.0]], [[6.0, 3.0, 0.0], [7.0, 8.0, 0.0]]])
    scene.traced = Lines(path, np.full((2, 2, 3), [0.02, 0.01, 0.0]))
    scene.links = linked()
    return scene


def of_names(**view: Any) -> Scene:
    cells = Grid((12, 9), (1.0, 1.0))
    return scene_of(of_grid(cells, STATE), {"state": np.arange(cells.n_cells) % 3}, **view)


def of_parts() -> Scene:
    parts = named_parts(Particles(np.array([[-2.0, 0, 0], [2.0, 1, 0]]), np.ones(2)), ("Anode", "Cathode"), (1, 1))
    return scene_of(of_spheres(parts), {"inside": np.full((2, 20), 0.5), "surface": np.ones(2)})


def with_arrows() -> Scene:
    """A flow that turns, on slices through a grid."""
    scene, request = asking(Grid((9, 9, 9), (1.0, 1.0, 1.0)), arrows="flow")
    answered(scene, request, a=lambda places: 4.5 - places[:, 1], b=lambda places: places[:, 0] - 4.5)
    return scene


def beyond() -> Scene:
    """Values beyond the range, and what is said of an item in hand, in light colours."""
    scene = of_cells((40, 30), CONCENTRATION, range=(0.2, 0.5))
    scene.theme, scene.pointer, scene.marks = LIGHT, (0.5, 0.62), Marks(said="x = 3 mm")
    return scene


def without_a_run() -> Scene:
    scene = Scene()
    scene.set_geometry(kuhn_cube(3))
    scene.apply_view(ViewSettings(), 800 / 600)
    return scene


CUT = ClipPlane(origin=(5.0, 4.0, 5.0), normal=(0.4, 0.9, 0.1))
SCENES: dict[str, Callable[[], Scene]] = {
    "mesh cut with lines of equal value and fibres": lambda: of_a_mesh(clip=CUT, contours=True, fibres=True),
    "mesh with a front within its surface": lambda: of_a_mesh(field="activation", front_inside=True),
    "mesh with isosurfaces": lambda: of_a_mesh(8, levels=[-60.0, -20.0], front=False),
    "mesh of regions alone": without_a_run,
    "image of a grid, logarithmic": lambda: of_cells((40, 30), PRESSURE, logarithmic=True, contours=True),
    "image of a grid, symmetric and followed": lambda: of_cells((40, 30), symmetric=True, follow=True, reverse=True),
    "relief of a grid": lambda: of_cells((24, 30), height=0.4),
    "slices through a grid with solids": lambda: of_solids(
        ball(0, (4, 5, 6), 2.0, material="Water"), box(1, (6, 1, 1), (9, 4, 4), material="Glass"), solidity=0.6
    ),
    "volume of a grid": lambda: of_cells((12, 10, 8), volume=True),
    "isosurfaces of a grid and its slices": lambda: of_cells((14, 12, 10), levels=[0.3, 0.6], level_slices=True),
    "grid with all over it": full,
    "small view from above with all over it": lambda: full("above"),
    "mesh cut with all over it": lambda: full(clipped=True),
    "spheres cut open": lambda: of_balls(clip=ClipPlane(origin=(0.0, 0.0, 0.0), normal=(1.0, 0.2, 0.0))),
    "spheres and the range of most of them": lambda: of_balls(field="surface", outliers=5.0, follow=True),
    "lattice that has moved, with its crack": lambda: of_a_body((8, 5), deformation=20.0, lines=True),
    "lattice in space, damaged parts hidden": lambda: of_a_body((6, 4, 3), hidden_above=0.2, deformation=10.0),
    "names instead of values": of_names,
    "parts with their names": of_parts,
    "arrows of a flow": with_arrows,
    "values beyond the range, in light colours": beyond,
}


class Card(Screen):
    """With a name that is no software's."""

    gl = SimpleNamespace(GL_RENDERER=0, glGetParameter=lambda _: "A graphics card")


@contextmanager
def stand_in() -> Iterator[Card]:
    made = Card()
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            patch.setattr(module, "gloo", made)
            if hasattr(module, "program"):
                patch.setattr(module, "program", made.program)
        yield made


def told(name: str) -> list[str]:
    """What the graphics card is told of a scene, a line for each thing, and what lies over it."""
    scene, size = SCENES[name](), CROWDED if name.startswith("small") else WIDE
    with stand_in() as graphics:
        painter.Painter().draw_scene(scene, *size, RATIO, 2.0)
    lines = []
    for done in graphics.drawn:
        state = " ".join(f"{name} {done.state[name]}" for name in sorted(done.state))
        lines.append(f"{done.kind}: {' '.join(sorted(done.needs))}; {state}")
        parts = {**done.told, "index": done.index}
        if done.of.buffer is not None:
            parts |= {name: done.of.buffer.data[name] for name in done.of.buffer.data.dtype.names}
        lines += [f"  {name} {in_figures(parts[name])}" for name in sorted(parts) if parts[name] is not None]
    placed, strokes = Hud().compose(scene, *size, RATIO)
    lines += ["over it:", *(f"  {name}: {left} {top} {in_figures(image)}" for name, image, left, top in placed)]
    lines += [f"  {in_figures([*each.start, *each.end])} {in_figures(each.radius)} {each.colour}" for each in strokes]
    return lines


def test_colours_are_as_they_were() -> None:
    """Every fifteenth of each map, in dark and in light views, and those of names."""
    maps = {f"{name} {'dark' if dark else 'light'}": colormap(name, dark) for name in names() for dark in (False, True)}
    maps |= {f"names {count}": categories(count) for count in (2, 5, 12)} | {"regions": distinct_colours(12)}
    compare(
        ROOM, "colours", [f"{name} {lut[:: max(1, len(lut) // 17)].tolist()}" for name, lut in maps.items()], pixels=1
    )


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_drawn_as_it_was(name) -> None:
    compare(ROOM, name, told(name))


EVERYTHING = {
    "contours": True, "coarse": True, "height": 0.3, "slices": (0.1, 0.2, 0.3), "volume": True, "samples": 77_777,
    "window": (1, 1, 3, 3), "inside": 70, "levels": 90, "cuts": True,
}  # fmt: skip
"""What a plan may ask for, of which each layer keeps what makes a difference to it."""


def met(name: str) -> list[str]:
    """What the pointer meets over a scene, a line for each place; and what is told of the scene as a whole."""
    scene, (wide, high) = SCENES[name](), CROWDED
    lines = []
    for y, x in product(np.linspace(0.22, 0.81, 6) * high, np.linspace(0.26, 0.77, 6) * wide):
        scene.pointer = (x / wide, y / high)
        under = scene.pick(x, y, wide, high)
        hold = hold_at(scene, x, y, wide, high)
        told = ["nothing" if under is None else f"{under[0]} {in_figures(under[1])}", f"{scene.reading(wide, high)}"]
        told += [f"{item_at(scene, x, y, wide, high)} {grip_at(scene, x, y, wide, high)}"]
        told += [] if hold is None else [f"{hold.handle.name} {in_figures(hold.gripped)}"]
        lines.append(", ".join(told))
    layer, field = scene.layer, scene.shown_field
    assert layer is not None
    lines += [f"from {in_figures(layer.bounds[0])} to {in_figures(layer.bounds[1])}, beyond {scene.beyond}"]
    lines += [f"home {scene.home}", f"cut {scene.default_clip()}", f"seen {scene.view_settings().camera}"]
    asked = {"as it is": scene.plan(), "with all": replace(scene.plan(), **EVERYTHING)}
    for which, plan in asked.items():
        kept = {key: getattr(layer.settled(plan), key) for key in (*EVERYTHING, "markers", "lines", "fibres")}
        lines.append(f"{which}: {kept}")
    if field is not None:
        lines += [f"{field.name} {scene.limits(field)}, {layer.span(90.0)}, every {scene.isochrone_step(field)}"]
    return lines


def dragged(seen: str) -> list[str]:
    """Where each handle over a scene is after drags of it, and the plane that cuts it."""
    scene, (wide, high) = full(seen), CROWDED
    lines = []
    for knob in knobs(scene, wide, high):
        x, y = (float(part) for part in knob.at)
        hold = hold_at(scene, x, y, wide, high)
        lines.append(f"{knob.handle.name} {knob.axis}: {in_figures(knob.at)} {hold and in_figures(hold.gripped)}")
        for (dx, dy), free in product(((40, 25), (-70, 10), (5, -90)), (False, True)):
            put = hold and dragged_to(scene, hold, x + dx, y + dy, wide, high, free)
            lines.append(f"  by {dx} {dy}{', free' if free else ''}: {put}")
    for right, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        item, handle, place = nudged(scene, right, up) or (None, None, None)
        lines.append(f"{right} {up}: {item and item.path} {handle and handle.name} {place}")
    cut = full(seen, clipped=True)
    for dx, dy in ((30, 0), (0, -50), (-400, 300)):
        lines.append(f"pushed by {dx} {dy}: {moved(cut, dx, dy, wide, high)}")
        lines.append(f"tilted by {dx} {dy}: {tilted(cut, dx, dy, high)}")
    return lines


@pytest.mark.parametrize("name", SCENES)
def test_the_pointer_meets_what_it_did(name) -> None:
    compare(ROOM, f"{name}: what is met", met(name))


@pytest.mark.parametrize("seen", ["slanted", "above"])
def test_handles_are_dragged_to_where_they_were(seen) -> None:
    compare(ROOM, f"{seen}: what is dragged", dragged(seen))


def rulers() -> Iterator[str]:
    """The rulers of boxes from many sides, in views of many sizes: figures, their marks, names."""
    boxes = (((10, 10, 10), 1.0, 0.0), ((30, 20, 1), 0.25, 0.0), ((4, 4, 4), 0.1, 0.32), ((40, 3, 8), 5.0, -60.0))
    for (counts, spacing, first), side, (wide, high) in product(boxes, ((40, 25), (-70, 60), (0, 0)), (WIDE, CROWDED)):
        cells = Grid(counts, (spacing,) * 3, (first,) * 3)
        seen = CameraView(azimuth=side[0], elevation=side[1])
        scene = scene_of(of_grid(cells, CONCENTRATION), {"u": np.zeros(cells.n_cells)}, camera=seen)
        labels, strokes = ruler(scene, wide, high, RATIO)
        ends = np.array([[*each.start, *each.end, each.radius] for each in strokes])
        yield f"{counts} {side}: {len(strokes)} {in_figures(ends.mean(axis=0)[:4] if len(ends) else ends)}"
        yield from (f"  {each}" for each in labels)


def test_rulers_stand_where_they_did() -> None:
    compare(ROOM, "rulers", list(rulers()), pixels=0.5)


def looks() -> Iterator[str]:
    """A camera that is turned, moved, brought nearer and led along each axis; and which part of a flat grid it sees."""
    flat = Grid((400, 300), (0.5, 0.5))
    for side, distance in product(((40, 25), (-90, 90), (170, -60)), (None, 30.0)):
        scene = scene_of(of_grid(flat, CONCENTRATION), {"u": np.zeros(flat.n_cells)})
        camera = scene.camera
        camera.azimuth, camera.elevation = side
        camera.distance = camera.distance if distance is None else distance
        for name, change in {
            "as it is": lambda camera: None,
            "turned": lambda camera: camera.rotate(33.0, -21.0),
            "moved": lambda camera: camera.pan(120.0, -45.0, 600.0),
            "nearer": lambda camera: camera.zoom(2.5, 150.0, 400.0, 800.0, 600.0),
            "farther": lambda camera: camera.zoom(0.01, 700.0, 20.0, 800.0, 600.0),
            "along y": lambda camera: camera.look_along("-y"),
        }.items():
            change(camera)
            origin, way = camera.ray(130.0, 420.0, 800.0, 600.0)
            pixels, depth = camera.to_pixels(np.array([[3.0, 5.0, 0.0], [190.0, 20.0, 7.0]]), 800, 600)
            yield f"{name}: {in_figures(camera.center)}, {camera.distance:.6g}, {in_figures(origin)}, {in_figures(way)}"
            yield f"  {in_figures(pixels)}, {in_figures(depth)}, {camera.mm_per_pixel(600.0):.6g}"
            yield f"  {looked_at(flat, camera, 4 / 3)}"


def ranges() -> Iterator[str]:
    """The range that follows values, from each that was before; how many are beyond it; how it is stepped."""
    values = [np.linspace(*ends, 997) ** 3 for ends in ((-1.2, 1.7), (0.2, 0.9), (0.0, 0.011), (-30.0, -20.0))]
    values += [np.zeros(9), np.r_[np.zeros(4000), 3.3], np.full(50, 7.7), np.array([])]
    for each, natural in product(values, ((-1.0, 1.0), (0.0, 2.0), (-85.0, 40.0))):
        for before, share, guessed in product((None, (-2.0, 4.0), (0.0, 1.5)), (100.0, 92.0), (False, True)):
            yield f"{natural} {before} {share} {guessed}: {followed([each], natural, before, share, guessed)}"
        yield f"  beyond: {beyond_range([each, 2 * each], *natural)}"
    yield from (f"{value}: {ladder(value)}" for value in (0.011, 0.99, 1.0, 1.01, 1.6, 2.2, 4.9, 5.1, 7.7, 123.0))


@pytest.mark.parametrize(("name", "lines"), {"cameras": looks, "ranges that follow values": ranges}.items())
def test_cameras_and_ranges_come_to_what_they_did(name, lines) -> None:
    compare(ROOM, name, list(lines()))
