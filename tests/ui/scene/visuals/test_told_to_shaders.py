"""What the programs on the graphics card are told of a moment: by a stand-in for them, without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engines.api import Markers
from ui.scene.cameras.camera import Camera
from ui.scene.colormaps import MISSING
from ui.scene.shapes.sphere_corner import CORNER
from ui.scene.visuals import grid, lattice, markers, spheres, squares, surface
from ui.scene.visuals.fibres import FibreVisual
from ui.scene.visuals.surface import Look, Palette, SurfaceVisual

MODULES = (grid, lattice, markers, spheres, squares, surface)
CORNERS = np.array([[0.0, 0.0, 0.0], [4.0, 3.0, 2.0]])
CAMERA = Camera(azimuth=20.0, elevation=35.0)
CAMERA.fit(CORNERS)
VIEW, PROJECTION = CAMERA.view(), CAMERA.projection(1.5)
LUT = np.arange(768, dtype=np.uint8).reshape(256, 3)
RANGE = (2.0, 10.0)
SOLID = {"blend": False, "depth_test": True, "depth_func": "less", "depth_mask": True, "cull_face": False}
GLASSY = {"blend": True, "blend_func": ("one", "one_minus_src_alpha"), "depth_mask": False}


class Buffer:
    def __init__(self, data: Any) -> None:
        self.data, self.gone = np.array(data), False

    def set_data(self, data: Any) -> None:
        self.data = np.array(data)

    def delete(self) -> None:
        self.gone = True


class Texture(Buffer):
    def __init__(self, data: Any, **how: Any) -> None:
        super().__init__(np.zeros(data) if isinstance(data, tuple) else data)
        self.interpolation = how.get("interpolation", "nearest")

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.data.shape, 1)[:3]

    def set_data(self, data: Any, offset: tuple[int, int] = (0, 0)) -> None:
        rows, columns = (slice(first, first + size) for first, size in zip(offset, data.shape, strict=False))
        self.data = self.data.astype(np.float64)
        self.data[rows, columns] = data


class Program(dict):
    """What was told; ``drawn`` has a copy of it for each draw, with the state of then."""

    def __init__(self, graphics: Graphics, sources: tuple[str, ...]) -> None:
        super().__init__()
        self.graphics, self.sources, self.buffer = graphics, sources, None

    def bind(self, buffer: Buffer) -> None:
        self.buffer = buffer

    def draw(self, kind: str, index: Buffer | None = None) -> None:
        self.graphics.drawn.append(SimpleNamespace(told=dict(self), needs=set(self.sources[2:]), kind=kind,
                                                   index=index, state=dict(self.graphics.state), of=self))  # fmt: skip


class Graphics:
    VertexBuffer = IndexBuffer = Buffer
    Texture2D = Texture

    def __init__(self) -> None:
        self.drawn: list[SimpleNamespace] = []
        self.state: dict[str, Any] = {}

    def set_state(self, **state: Any) -> None:
        self.state |= state

    def set_blend_func(self, *how: str) -> None:
        self.state["blend_func"] = how

    def set_color_mask(self, *shown: bool) -> None:
        self.state["colours"] = all(shown)

    def program(self, *sources: str) -> Program:
        return Program(self, sources)


@pytest.fixture
def graphics(monkeypatch):
    made = Graphics()
    for module in MODULES:
        monkeypatch.setattr(module, "gloo", made)
        if hasattr(module, "program"):
            monkeypatch.setattr(module, "program", made.program)
    return made


def look(**other: Any) -> Look:
    return Look(lut=LUT, limits=RANGE, **{"mapped": True, "lit": 0.8, "gloss": 0.3, "size": (640, 480)} | other)


def seen(told) -> None:
    """The camera, as row vectors take it, and the range of colours."""
    np.testing.assert_allclose(told["u_view"], VIEW.T, rtol=1e-6)
    np.testing.assert_allclose(told["u_projection"], PROJECTION.T, rtol=1e-6)


def dressed(told, squared=True) -> None:
    """The colours of what is missing and of what no map colours, as sRGB's approximate square where it is lit."""
    np.testing.assert_allclose(told["u_missing"], np.array(MISSING) / 255, rtol=1e-6)
    np.testing.assert_allclose(told["u_plain"], np.array(grid.PLAIN) ** (2 if squared else 1), rtol=1e-6)


def mapped(told, log=False) -> None:
    assert told["u_range"] == (2.0, 1 / 8)
    assert ("u_log" in told) == log
    if log:
        assert told["u_log"] == (4.0, pytest.approx(1 / np.log(5.0)))
    np.testing.assert_array_equal(told["u_lut"].data[0], LUT)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("log", [False, True])
def test_a_lattice(graphics, deep, log):
    visual = lattice.LatticeVisual(Palette(), deep)
    visual.draw(look(), VIEW, PROJECTION, 0.5, 1.0)
    assert not graphics.drawn, "there is nothing yet"
    visual.set_faces(CORNERS, np.array([2, 7]), np.array([0, 1]), np.array([1.0, 0.5]))
    visual.set_told(np.ones((2, 3)), np.array([3.0, 4.0]), 2, masked=True)
    visual.draw(look(log=log), VIEW, PROJECTION, 0.25, 3.0)
    (done,) = graphics.drawn
    seen(done.told)
    mapped(done.told, log)
    assert done.needs == {"MAPPED", "MASKED"} | ({"DEEP"} if deep else set()) | ({"LOG"} if log else set())
    assert (done.told["u_half"], done.told["u_deformation"], tuple(done.told["u_size"])) == (0.25, 3.0, (2, 1))
    np.testing.assert_array_equal(done.told["u_told"].data[0], [[1, 1, 1, 3], [1, 1, 1, 4]])
    dressed(done.told)
    assert ("u_eye" in done.told) == ("u_lit" in done.told) == deep
    if deep:
        np.testing.assert_allclose(done.told["u_eye"], CAMERA.eye, rtol=1e-5)
        assert done.told["u_lit"] == 0.8
    assert done.state == SOLID
    data = done.of.buffer.data.reshape(2, 4)
    np.testing.assert_array_equal(data["a_centre"][:, 3], CORNERS)
    np.testing.assert_array_equal(data["a_corner"][..., 2], [[2] * 4, [7] * 4])
    np.testing.assert_array_equal(data["a_corner"][0, :, :2], [[-1, -1], [1, -1], [-1, 1], [1, 1]])
    np.testing.assert_array_equal(data["a_number"][:, 0], [0, 1])
    np.testing.assert_array_equal(data["a_shade"][:, 2], [1.0, 0.5])
    np.testing.assert_array_equal(done.index.data, [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7])
    visual.draw(look(mapped=False), VIEW, PROJECTION, 0.25, 3.0)
    assert graphics.drawn[1].needs == ({"DEEP"} if deep else set())
    assert "u_lut" not in graphics.drawn[1].told
    visual.set_faces(CORNERS[:1], np.array([0]), np.array([0]))
    visual.draw(look(), VIEW, PROJECTION, 0.25, 3.0)
    again = graphics.drawn[2].of
    assert done.of.buffer is again.buffer, "programs of before are told of other faces"
    assert (again.buffer.data["a_shade"] == 1.0).all()
    kept = again.buffer, done.told["u_told"]
    visual.release()
    assert [each.gone for each in kept] == [True, True]


def test_values_of_a_lattice_take_rows_of_the_longest_side(graphics, monkeypatch):
    monkeypatch.setattr(lattice, "LONGEST_SIDE", 4)
    visual = lattice.LatticeVisual(Palette(), False)
    visual.set_told(None, np.arange(10.0), 10, masked=False)
    first = visual._told
    assert first.shape == (3, 4, 4)
    np.testing.assert_array_equal(first.data[..., 3].ravel(), [*range(10), 0, 0])
    assert (first.data[..., :3] == 0).all()
    visual.set_told(None, np.ones(9), 9, masked=False)
    assert visual._told is first
    visual.set_told(None, np.ones(4), 4, masked=False)
    assert (first.gone, visual._told.shape) == (True, (1, 4, 4))


@pytest.mark.parametrize(("shells", "log", "cut"), [(1, False, True), (2, True, True), (3, False, False)])
def test_spheres(graphics, shells, log, cut):
    visual = spheres.SphereVisual(Palette())
    visual.draw(look(), VIEW, PROJECTION)
    visual.set_values(np.ones((2, 1)), False)
    assert not graphics.drawn
    visual.set_spheres(CORNERS, np.array([0.5, 0.25]), 0.75)
    visual.set_values(np.arange(2.0 * shells).reshape(2, shells), masked=True)
    visual.draw(look(log=log, cut_open=cut), VIEW, PROJECTION)
    (done,) = graphics.drawn
    seen(done.told)
    mapped(done.told, log)
    inner = shells > 1
    wanted = {"MAPPED": True, "MASKED": True, "LIT": True, "GLOSS": True, "LOG": log, "SHELLS": inner}
    wanted["OPEN"] = inner and cut
    assert done.needs == {name for name, is_on in wanted.items() if is_on}
    assert (done.told["u_layout"], done.told["u_shells"]) == ((2, shells), float(shells))
    assert done.told["u_size"] == (2 * shells, 1)
    np.testing.assert_array_equal(done.told["u_values"].data.ravel(), np.arange(2.0 * shells))
    assert (done.told["u_lit"], done.told["u_gloss"]) == (0.8, 0.3)
    assert done.told["u_cut_lit"] == pytest.approx(spheres.CUT_LIT * 0.8)
    assert done.state == SOLID
    dressed(done.told)
    for name, normal in zip(("u_first", "u_second", "u_third"), CORNER, strict=True):
        np.testing.assert_allclose(done.told[name], normal, rtol=1e-6)
    data = done.of.buffer.data.reshape(2, 4)
    np.testing.assert_array_equal(data["a_sphere"][:, 1], [[0, 0, 0, 0.5], [4, 3, 2, 0.25]])
    np.testing.assert_array_equal(data["a_corner"].ravel(), range(8))
    assert (data["a_shade"] == 0.75).all()
    np.testing.assert_array_equal(done.index.data, [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7])
    visual.draw(look(lit=0.0, mapped=False), VIEW, PROJECTION)
    assert graphics.drawn[1].needs == set()
    visual.set_spheres(CORNERS[:0], np.zeros(0))
    visual.draw(look(), VIEW, PROJECTION)
    assert len(graphics.drawn) == 2
    assert done.of.buffer.gone


def test_values_of_spheres_fill_whole_rows(graphics, monkeypatch):
    monkeypatch.setattr(spheres, "LONGEST_SIDE", 7)
    visual = spheres.SphereVisual(Palette())
    visual.set_spheres(np.zeros((5, 3)), np.ones(5))
    visual.set_values(np.arange(15.0).reshape(5, 3), masked=False)
    visual.draw(look(), VIEW, PROJECTION)
    told = graphics.drawn[0].told
    assert (told["u_layout"], told["u_size"]) == ((2, 3), (6, 3))
    np.testing.assert_array_equal(told["u_values"].data.ravel(), [*range(15), 0, 0, 0])


@pytest.mark.parametrize(("stroke", "pixels"), [(2.0, 2.0), (0.1, 0.5)])
@pytest.mark.parametrize("is_mapped", [False, True])
def test_a_sheet(graphics, stroke, pixels, is_mapped):
    visual = grid.SheetVisual(Palette())
    visual.samples.set(np.arange(6.0).reshape(2, 3), masked=True)
    place = np.zeros(3), np.array([4.0, 0, 0]), np.array([0, 3.0, 0])
    visual.draw(look(isochrone=5.0, stroke=stroke, stepped=True), VIEW, PROJECTION, place, (30.0, 20.0), is_mapped)
    visual.draw(look(), VIEW, PROJECTION, place, (30.0, 20.0), is_mapped, over=True)
    lined, plain = graphics.drawn
    seen(lined.told)
    assert lined.needs == ({"MAPPED", "MASKED", "STEPPED", "CONTOURS"} if is_mapped else set())
    assert plain.needs == ({"MAPPED", "MASKED"} if is_mapped else set())
    assert (lined.state, plain.state) == (SOLID, SOLID | {"depth_func": "always"})
    for name, vector in zip(("u_origin", "u_across", "u_up"), place, strict=True):
        np.testing.assert_array_equal(lined.told[name], vector)
    assert (lined.told["u_span"], lined.kind) == ((30.0, 20.0), "triangle_strip")
    assert ("u_values" in lined.told) == is_mapped
    if is_mapped:
        mapped(lined.told)
        dressed(lined.told, squared=False)
        assert lined.told["u_size"] == (3, 2)
        assert (lined.told["u_contour"], lined.told["u_stroke"]) == (5.0, surface.ISOCHRONE_STROKE * pixels)
        assert lined.told["u_values"].interpolation == "nearest", "what is missing mixes with nothing"


@pytest.mark.parametrize("gloss", [0.0, 0.3])
def test_a_relief(graphics, gloss):
    visual = grid.ReliefVisual(Palette(), (4, 3))
    samples = grid.Samples()
    samples.set(np.zeros((5, 7)), masked=False)
    place = np.array([1.0, 2.0, 0.0]), np.array([4.0, 0, 0]), np.array([0, 3.0, 0])
    visual.draw(look(gloss=gloss, log=True), VIEW, PROJECTION, place, (31.0, 5.0), samples, 2.5)
    (done,) = graphics.drawn
    seen(done.told)
    mapped(done.told, log=True)
    assert done.needs == {"MAPPED", "LIT", "LOG"} | ({"GLOSS"} if gloss else set())
    assert (done.told["u_extent"], done.told["u_span"], done.told["u_size"]) == ((4.0, 3.0), (31.0, 5.0), (7, 5))
    assert done.told["u_step"] == pytest.approx((31 / 3, 2.5))
    assert (done.told["u_lift"], done.told["u_lit"], done.told.get("u_gloss", 0.0)) == (2.5, 0.8, gloss)
    assert done.state == SOLID
    dressed(done.told)
    corners, triangles = done.told["a_corner"].data, done.index.data.reshape(-1, 3)
    assert corners.shape == (12, 2)
    one, two, three = (corners[triangles[:, k]] for k in range(3))
    first, second = two - one, three - one
    areas = (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / 2
    assert areas.sum() == pytest.approx(1.0), "they cover all of it, once and the same way round"
    np.testing.assert_allclose(areas, 1 / 12, rtol=1e-5)


@pytest.mark.parametrize("shape", [(5, 3, 2), (2, 3, 4), (1, 1, 1), (7, 2, 2)])
def test_a_volume_lies_in_tiles_that_are_found_again(graphics, shape):
    visual = grid.VolumeVisual(Palette())
    values = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    visual.set(values)
    low = np.array([1.0, 1.0, 1.0])
    visual.draw(look(), VIEW, PROJECTION, (low, low + np.array([4.0, 2.0, 1.0])), (1.0, 2.0, 3.0), diverging=True)
    (done,) = graphics.drawn
    seen(done.told)
    mapped(done.told)
    told, texture = done.told, done.told["u_values"].data
    nz, ny, nx = shape
    assert told["u_counts"] == (nx, ny, nz)
    assert texture.shape[:2] == (told["u_rows"] * ny, told["u_tiles"] * nx)
    for z in range(nz):
        tile, row = divmod(z, int(told["u_rows"]))
        np.testing.assert_array_equal(texture[row * ny : (row + 1) * ny, tile * nx : (tile + 1) * nx], values[z])
    assert done.needs == {"DIVERGING"}
    np.testing.assert_allclose(told["u_sides"], [1.0, 0.5, 0.25])
    np.testing.assert_allclose(told["u_extent"], [4.0, 2.0, 1.0])
    np.testing.assert_allclose(told["u_eye"] * [4.0, 2.0, 1.0] + low, CAMERA.eye, rtol=1e-5)
    assert done.state == GLASSY | {"depth_test": False, "cull_face": "front"}
    assert graphics.state == done.state | {"cull_face": "back", "blend": False, "depth_mask": True}
    corners, triangles = told["a_position"].data, done.index.data.reshape(-1, 3)
    one, two, three = (corners[triangles[:, k]].astype(float) for k in range(3))
    volume = np.einsum("ij,ij->i", one - 0.5, np.cross(two - 0.5, three - 0.5)).sum() / 6
    assert volume == pytest.approx(1.0), "closed, and each face looks outwards"


def test_lines_are_sent_once_and_their_colour_is_premultiplied(graphics):
    visual = grid.LinesVisual()
    lines = np.array([[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [0, 1, 2]]], float)
    for nothing, stroke in ((lines[:0], 1.0), (lines, 0.0)):
        visual.draw(nothing, (1.0, 1.0, 1.0, 1.0), look(stroke=stroke), VIEW, PROJECTION)
    assert not graphics.drawn
    for through in (False, True):
        visual.draw(lines, (0.8, 0.4, 0.2, 0.5), look(stroke=1.5), VIEW, PROJECTION, through)
    first, second = graphics.drawn
    seen(first.told)
    assert first.told["u_colour"] == pytest.approx((0.4, 0.2, 0.1, 0.5))
    assert (first.told["u_size"], first.told["u_radius"]) == ((640, 480), 1.5)
    around = 1.5 * CAMERA.radius
    assert first.told["u_near"] == pytest.approx(CAMERA.distance - around)
    of_lines = GLASSY | {"depth_func": "lequal", "cull_face": False}
    assert (first.state, second.state) == (of_lines | {"depth_test": True}, of_lines | {"depth_test": False})
    assert graphics.state == of_lines | {"blend": False, "depth_mask": True, "depth_test": True}
    assert first.index is second.index
    data = first.of.buffer.data.reshape(2, 4)
    np.testing.assert_array_equal(data["a_from"][:, 1], lines[:, 0])
    np.testing.assert_array_equal(data["a_to"][:, 2], lines[:, 1])
    np.testing.assert_array_equal(data["a_corner"][1], [(0, -1), (0, 1), (1, -1), (1, 1)])
    np.testing.assert_array_equal(first.index.data, [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7])


@pytest.mark.parametrize(("glass", "nearest"), [(0.0, False), (0.4, False), (0.4, True)])
def test_a_surface(graphics, glass, nearest):
    visual = SurfaceVisual(Palette())
    visual.draw(look(), VIEW, PROJECTION)
    visual.set_values(np.zeros(3))
    assert not graphics.drawn
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    visual.set_mesh(points, points + 1, np.array([[0, 1, 2]]), np.array([[255, 0, 51]] * 3))
    visual.set_values(np.array([1.0, 2.0, 3.0]))
    visual.set_activation(np.array([4.0, 5.0, 6.0]))
    visual.set_contour(np.array([7.0, 8.0, 9.0]))
    clip = (1.0, 0.0, 0.0, 2.0)
    told_look = look(time=7.0, front_width=3.0, isochrone=5.0, stroke=0.1, clip=clip, glass=glass)
    visual.draw(told_look, VIEW, PROJECTION, nearest=nearest)
    told = graphics.drawn[-1].told
    seen(told)
    mapped(told)
    assert (told["u_time"], told["u_front_width"], told["u_isochrone"]) == (7.0, 3.0, 5.0)
    assert told["u_stroke"] == surface.ISOCHRONE_STROKE * 0.5
    assert (told["u_clip"], told["u_lit"], told["u_gloss"], told["u_glass"]) == (clip, 0.8, 0.3, glass)
    states = [each.state for each in graphics.drawn]
    if nearest:
        depth = states.pop(0)
        assert depth == SOLID | {"cull_face": True, "colours": False}, "its depth alone"
        assert graphics.state["colours"]
    (state,) = states
    assert (bool(state["blend"]), state["depth_mask"], state["cull_face"]) == (glass > 0, glass == 0, True)
    assert state["depth_func"] == ("lequal" if nearest else "less")
    assert state.get("blend_func") == (("one", "one_minus_src_alpha") if glass else None)
    told_of = {"a_value": [1, 2, 3], "a_activation": [4, 5, 6], "a_contour": [7, 8, 9]}
    for name, values in told_of.items():
        np.testing.assert_array_equal(told[name].data, values)
    np.testing.assert_allclose(told["u_missing"], np.array(MISSING) / 255, rtol=1e-6)
    np.testing.assert_allclose(told["a_colour"].data[0], [1.0, 0.0, 0.04], rtol=1e-6)
    np.testing.assert_array_equal(told["a_normal"].data, points + 1)


@pytest.mark.parametrize(
    ("how", "needs"),
    [
        ({}, {"MAPPED", "LIT", "GLOSS"}),
        ({"mapped": False, "front_width": 1.0, "isochrone": 1.0, "log": True, "cyclic": True}, {"LIT", "GLOSS"}),
        ({"lit": 0.0}, {"MAPPED"}),
        ({"gloss": 0.0, "both_sides": True}, {"MAPPED", "LIT", "BOTH_SIDES"}),
        ({"log": True, "cyclic": True, "lit": 0.0}, {"MAPPED", "LOG", "CYCLIC"}),
        ({"front_width": 0.5, "lit": 0.0}, {"MAPPED", "FRONT"}),
        ({"isochrone": 0.5, "lit": 0.5, "gloss": 0.1}, {"MAPPED", "LIT", "GLOSS", "ISOCHRONES"}),
        ({"front_width": 1.0, "front_masks": True, "lit": 0.0}, {"MAPPED", "FRONT", "FRONT_MASKS"}),
        ({"front_masks": True, "lit": 0.0}, {"MAPPED"}),
        ({"isochrone": 2.0, "clip": (0.0, 0.0, 1.0, 3.0), "lit": 0.0}, {"MAPPED", "ISOCHRONES", "CLIP"}),
        ({"glass": 0.5, "lit": 0.0}, {"MAPPED", "GLASS"}),
    ],
)
def test_a_surface_takes_the_program_that_does_what_is_looked_for_and_no_more(graphics, how, needs):
    visual = SurfaceVisual(Palette())
    visual.set_mesh(np.eye(3), np.eye(3), np.array([[0, 1, 2]]), np.zeros((3, 3)))
    for _ in range(2):
        visual.draw(look(**how), VIEW, PROJECTION, two_sided=True)
    first, second = graphics.drawn
    assert first.needs == needs
    assert first.of is second.of, "made once"
    assert first.state["cull_face"] is False
    buffers = [value for name, value in first.told.items() if name.startswith("a_")]
    visual.set_mesh(np.eye(3), np.eye(3), np.zeros((0, 3), int), np.zeros((3, 3)))
    assert len(buffers) == 6
    assert all(each.gone for each in [*buffers, first.index])
    visual.draw(look(**how), VIEW, PROJECTION)
    assert len(graphics.drawn) == 2


def test_a_range_without_extent_is_its_low_end(graphics):
    drawing: dict[str, Any] = {}
    surface.set_range(drawing, Look(limits=(3.0, 3.0)))
    assert drawing == {"u_range": (3.0, 0.0)}


def test_markers_lie_pale_behind_and_full_before_what_hides_them(graphics):
    visual = markers.MarkerVisual()
    none, two = (Markers(CORNERS[:n], np.array([1, -1])[:n]) for n in (0, 2))
    visual.draw(none, look(), VIEW, PROJECTION, 4.0, 10.0)
    assert not graphics.drawn
    visual.draw(two, look(), VIEW, PROJECTION, 4.0, 10.0)
    hidden, front = graphics.drawn
    seen(front.told)
    of_markers = GLASSY | {"depth_func": "less", "cull_face": False}
    assert (hidden.told["u_alpha"], hidden.state) == (markers.HIDDEN, of_markers | {"depth_test": False})
    assert (front.told["u_alpha"], front.state) == (1.0, of_markers | {"depth_test": True})
    assert (front.told["u_size"], front.told["u_radius"]) == ((640, 480), 4.0)
    assert front.told["u_lift"] == pytest.approx(markers.LIFT * 10)
    data = front.of.buffer.data.reshape(2, 4)
    np.testing.assert_array_equal(data["a_position"][:, 0], CORNERS)
    np.testing.assert_array_equal(data["a_corner"][1], [[-1, -1], [1, -1], [-1, 1], [1, 1]])
    np.testing.assert_allclose(data["a_colour"][:, 3], (np.array(markers.COLOURS) / 255) ** 2, rtol=1e-6)
    np.testing.assert_array_equal(front.index.data, [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7])
    before = front.of.buffer, front.index, front.index.data
    visual.draw(two, look(), VIEW, PROJECTION, 4.0, 10.0)
    assert graphics.drawn[-1].index.data is before[2], "sent once"
    visual.draw(Markers(CORNERS[:1], np.array([-1])), look(), VIEW, PROJECTION, 4.0, 10.0)
    np.testing.assert_allclose(
        front.of.buffer.data["a_colour"][0], (np.array(markers.COLOURS[1]) / 255) ** 2, rtol=1e-6
    )
    visual.release()
    assert all(each.gone for each in before[:2])


def test_fibres_are_bright_lines_over_darker_ones_of_twice_their_width(graphics):
    visual = FibreVisual()
    visual.draw(np.tile([[0.0], [1.0]], (3, 1, 3)), look(stroke=2.0), VIEW, PROJECTION)
    dark, bright = graphics.drawn
    assert [each.told["u_radius"] for each in (dark, bright)] == pytest.approx([4.4, 2.2])
    assert max(dark.told["u_colour"][:3]) < 0.1 < 0.7 < min(bright.told["u_colour"][:3])
