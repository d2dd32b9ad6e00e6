"""Whole pictures of what is drawn beside a surface: surfaces of equal value, lines that a run traces, fibres."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.api.simulation.shown import Lines
from engines.geometry.grid import Grid
from tests.ui.scene.grids import info as of_grid
from tests.ui.scene.meshes import VOLTAGE, kuhn_cube
from tests.ui.scene.meshes import info as of_mesh
from tests.ui.scene.test_renderer import egl  # noqa: F401  # a fixture
from ui.scene import renderer
from ui.scene.scene import Scene
from workbench.project.project import CameraView, ClipPlane, ViewSettings

SIZE = (400, 300)
NEARNESS = FieldInfo("n", "Nearness", "1", "cell", (-1.0, 1.0), "viridis")


def scene_of(simulated, values, **view) -> Scene:
    scene = Scene()
    scene.allows_volume, scene.inside_cells = False, 60_000
    scene.set_geometry(simulated.geometry)
    scene.info = replace(simulated, fields=tuple(field for field in simulated.fields if field.name in values))
    scene.apply_view(ViewSettings(**view), SIZE[0] / SIZE[1])
    scene.show_fields(values, 1.0)
    return scene


def picture(egl, scene):  # noqa: F811
    with renderer.current(egl):
        image = renderer._canvas()[1].read(scene, *SIZE, ratio=1.0, resolution=1.0)
        scene.layer.release()
    return image[..., :3].astype(int)


def other(one, than):
    """Where two pictures differ, away from the plates at their edges."""
    differs = np.abs(one - than).sum(axis=-1) > 24
    return differs[:, 90:-110]


def spheres(egl, *levels):  # noqa: F811
    grid = Grid((40, 40, 40), (0.05, 0.05, 0.05), (-1.0, -1.0, -1.0))
    distance = np.linalg.norm(grid.centers(np.arange(grid.n_cells)), axis=1)
    camera = CameraView(azimuth=30.0, elevation=20.0, distance=7.0)
    scene = scene_of(of_grid(grid, NEARNESS), {"n": (1 - distance).astype(np.float32)}, levels=levels, camera=camera)
    return picture(egl, scene)


def test_a_surface_of_equal_value_is_solid_and_larger_ones_are_glass_around_it(egl) -> None:  # noqa: F811
    """Balls of half and of four fifths of the grid's half width."""
    none = spheres(egl, 5.0)
    small, large, both = (spheres(egl, *levels) for levels in ((0.5,), (0.2,), (0.2, 0.5)))
    areas = [other(each, none).sum() for each in (small, large, both)]
    assert areas[0] > 1500
    assert math.sqrt(areas[1] / areas[0]) == pytest.approx(0.8 / 0.5, rel=0.06)
    assert areas[2] == pytest.approx(areas[1], rel=0.03), "both are seen"
    inner = other(small, none)
    ring = other(large, none) & ~inner
    rows, columns = np.nonzero(inner)
    middle = rows.mean().round().astype(int), columns.mean().round().astype(int) + 90
    assert abs(middle[0] - SIZE[1] / 2) < 12
    near, far = both[middle], small[middle]
    assert 0 < np.abs(near - far).sum() < np.abs(far - large[middle]).sum(), "one sees the small one through the glass"
    of_glass, of_solid = (np.abs(each - none)[:, 90:-110][ring].sum(axis=-1).mean() for each in (both, large))
    assert 0.1 < of_glass / of_solid < 0.8, "what is behind it shines through"
    assert not other(spheres(egl, 0.5, 0.5), small).any(), "twice the same is once"


@pytest.mark.parametrize("clipped", [False, True])
def test_fibres_are_bright_lines_along_their_direction_where_something_is_left(egl, clipped) -> None:  # noqa: F811
    """Along y, on the face of a cube that is looked at along x: horizontal ones."""
    mesh = kuhn_cube(6)
    mesh = replace(mesh, fibres=np.tile(np.array([0.0, 1.0, 0.0], np.float32), (mesh.n_cells, 1)))
    values = {"voltage": np.full(mesh.n_cells, -60.0, np.float32)}
    clip = ClipPlane(origin=(5.0, 5.0, 5.0), normal=(0.0, 0.0, 1.0)) if clipped else None
    seen = {"camera": CameraView(azimuth=0.0, elevation=0.0, distance=40.0), "clip": clip, "front": False}
    with_lines, plain = (
        picture(egl, scene_of(of_mesh(mesh), values, fibres=on, field=VOLTAGE.name, **seen)) for on in (True, False)
    )
    lines = other(with_lines, plain)
    assert lines.sum() > 200
    along, across = (np.abs(np.diff(lines.astype(int), axis=axis)).sum() for axis in (1, 0))
    assert across > 1.3 * along, "longer than they are wide"
    rows = np.flatnonzero(lines.any(axis=1))
    assert (rows.min() > SIZE[1] / 2 - 12) == clipped, "not where the body was cut away"
    assert (with_lines - plain)[:, 90:-110][lines].sum(axis=-1).max() > 100, "brighter"


def test_what_a_run_traces_is_a_bright_line_with_a_dark_edge_faint_behind_the_body(egl) -> None:  # noqa: F811
    mesh = kuhn_cube(4)
    values = {"voltage": np.full(mesh.n_cells, -20.0, np.float32)}
    camera = CameraView(azimuth=0.0, elevation=0.0, distance=40.0)

    def drawn(x, *, lines=True, segments=1):
        scene = scene_of(of_mesh(mesh), values, lines=lines, camera=camera, front=False, field=VOLTAGE.name)
        ends = np.array([[[x, 2.0, 5.0], [x, 8.0, 5.0]]])
        scene.traced = Lines(ends[:segments])
        (left, right), _ = scene.camera.to_pixels(ends[0], *SIZE)
        return picture(egl, scene), left, right

    plain = drawn(12.0, lines=False)[0]
    before, left, right = drawn(12.0)
    assert not other(drawn(12.0, segments=0)[0], plain).any()
    changed = np.argwhere(np.abs(before - plain).sum(axis=-1) > 24)
    rows, columns = changed[:, 0], changed[:, 1]
    assert np.abs(rows + 0.5 - left[1]).max() < 4
    assert columns.min() == pytest.approx(left[0], abs=4)
    assert columns.max() == pytest.approx(right[0], abs=4)
    column = before[:, round((left[0] + right[0]) / 2)]
    middle = round(left[1] - 0.5)
    beside = plain[:, round((left[0] + right[0]) / 2)]
    brighter = (column - beside).sum(axis=-1)
    assert brighter[middle - 1 : middle + 2].max() > 60, "its core"
    assert brighter[middle - 4 : middle + 5].min() < -40, "its edge"
    behind = drawn(-2.0)[0]
    faint, full = (np.abs(each - plain).sum(axis=-1).max() for each in (behind, before))
    assert 0.1 < faint / full < 0.75
