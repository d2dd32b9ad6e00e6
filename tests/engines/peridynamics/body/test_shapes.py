"""Bodies, holes and cuts of all shapes on the lattice: what they hold, and which bonds pass through them."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.body.bonded import bonded, chosen, filled
from engines.peridynamics.body.cuts import Cut, Penny, Plane
from engines.peridynamics.body.regions import combinations
from engines.peridynamics.body.shapes import Outline, along_z, ball, box, ellipse, rod
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import (
    BoxRegion,
    Circle,
    Ellipse,
    HalfSpace,
    LayerRegion,
    PeridynamicParameters,
    Polygon,
    SideRegion,
)
from tests.engines.fdtd.stl_cases import cube, torus, write_binary

SLANTED = np.array([[1.3, 0.7], [9.1, 2.4], [8.2, 8.9], [5.1, 4.2], [0.4, 7.7]])
ON_POINTS = np.array([[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [3.0, 1.0], [0.0, 4.0]])
FIGURES = {
    "ball": ball(np.array([4.2, 5.1]), 3.0),
    "ball 3D": ball(np.array([4.2, 5.1, 4.4]), 3.0),
    "ellipse": ellipse(np.array([4.2, 5.1]), (4.0, 1.0), 30.0),
    "pillar": along_z(ball(np.array([4.2, 5.1]), 2.0)),
    "rod": rod(np.array([1.0, 2.0, 3.0]), np.array([7.0, 8.0, 5.0]), 1.5),
    "box": box(np.array([2.5, 3.5]), np.array([6.5, 4.2])),
    "box 3D": box(np.array([2.5, 3.5, 1.0]), np.array([6.5, 4.2, 7.0])),
    "polygon": Outline(SLANTED, 2),
    "polygon 3D": Outline(SLANTED, 3),
}


def parameters(body, spacing=1.0, **changes) -> PeridynamicParameters:
    given = {"body": body, "bonds": {"spacing": spacing}, "notches": [], "unbreakable": [], "loads": [], **changes}
    return PeridynamicParameters.model_validate(given)


def body_of(body, spacing=1.0, **changes):
    return filled(parameters(body, spacing, **changes))


def cut_bonds(body, **changes) -> int:
    given = parameters(body, notches=[changes])
    made = bonded(given, filled(given))
    cut = int(made.whole.sum()) - int(np.bitwise_count(made.words).sum())
    assert cut % 2 == 0, "both ends agree"
    return cut // 2


@pytest.mark.parametrize("name", FIGURES)
def test_a_bond_is_cut_where_a_point_of_it_is_inside(name):
    """Against 501 points on each of 400 bonds: closer to the edge than half a gap of theirs they may miss it."""
    figure, d = FIGURES[name], 3 if "3D" in name or name in ("rod", "pillar") else 2
    rng = np.random.default_rng(3)
    first = rng.uniform(0.0, 10.0, (400, d))
    second = first + rng.uniform(-3.0, 3.0, (400, d))
    along = np.linspace(0.0, 1.0, 501)[:, None, None]
    points = (first + along * (second - first)).reshape(-1, d)
    found = figure.crosses(first, second)
    surely = figure.contains(points).reshape(501, -1).any(axis=0)
    assert 20 < surely.sum() < 380
    assert not (surely & ~found).any()
    assert (found == figure.crosses(second, first)).all()
    gap = 0.5 * 3.0 * np.sqrt(d) / 500
    if isinstance(figure, Outline):
        assert (found & ~surely).mean() < 0.01
    else:
        perhaps = figure.contains(points, 4 * gap).reshape(501, -1).any(axis=0)  # an ellipse is scaled by up to 2
        assert not (found & ~perhaps).any()


@pytest.mark.parametrize("corners", [SLANTED, ON_POINTS, ON_POINTS + 0.5])
def test_the_rows_of_a_polygon_are_those_of_its_points(corners):
    outline, counts = Outline(corners, 2), (11, 10, 1)
    y, x = np.mgrid[:10, :11]
    points = np.stack([x.ravel(), y.ravel()], axis=1).astype(float)
    for slack in (1e-9, -1e-9):
        assert (outline.on_lattice(counts, slack).ravel() == outline.contains(points, slack)).all()


@pytest.mark.parametrize("corners", [SLANTED, ON_POINTS])
def test_a_mirrored_polygon_holds_the_mirrored_points(corners):
    mirrored = Outline(np.array([10.0, 9.0]) - corners, 2).on_lattice((11, 10, 1))
    assert (mirrored[:, ::-1, ::-1] == Outline(corners, 2).on_lattice((11, 10, 1))).all()


@pytest.mark.parametrize(
    ("body", "volume", "surface"),
    [
        ({"kind": "disc", "radius": 9.3, "center": (2.0, -4.1)}, np.pi * 9.3**2, 2 * np.pi * 9.3),
        ({"kind": "ring", "radius": 9.0, "inner_radius": 4.0}, np.pi * 65, 26 * np.pi),
        ({"kind": "polygon", "points": [(0, 0), (30, 0), (0, 20)]}, 300, 50 + np.hypot(30, 20)),
        ({"kind": "sphere", "radius": 7.5}, 4 / 3 * np.pi * 7.5**3, 4 * np.pi * 7.5**2),
        ({"kind": "cylinder", "axis": "y", "radius": 6, "length": 9}, 9 * np.pi * 36, 108 * np.pi),
        ({"kind": "tube", "axis": "x", "radius": 8, "inner_radius": 5, "length": 7}, 7 * np.pi * 39, 182 * np.pi),
    ],
)
def test_a_body_has_its_volume_and_is_where_it_is(body, volume, surface):
    """Lattice points stand for cells, so only cells at the surface may be wrong: a tenth of them at most here."""
    for spacing in (1.0, 0.5):
        found = body_of(body, spacing)
        assert len(found.cells) * spacing**found.dimensions == pytest.approx(volume, abs=0.1 * surface * spacing)
    if body["kind"] != "polygon":
        middle = 0.5 * (found.centers.min(axis=0) + found.centers.max(axis=0))
        assert middle[: found.dimensions] == pytest.approx(body.get("center", (0.0, 0.0, 0.0))[: found.dimensions])
        taken = np.zeros(found.counts, bool)
        taken[tuple(found.cells.T)] = True
        for axis in range(3):
            assert (taken == np.flip(taken, axis)).all()


def test_a_surface_of_a_file_is_filled(tmp_path):
    path = tmp_path / "torus.stl"
    triangles = torus(40, 24, 10.0, 4.0)
    write_binary(path, triangles)
    found = body_of({"kind": "surface", "file": str(path), "shift": (1.0, 2.0, 3.0)})
    assert len(found.cells) == pytest.approx(2 * np.pi**2 * 10 * 16, rel=0.03)  # the surface has flat sides
    assert found.centers.mean(axis=0) == pytest.approx((1.0, 2.0, 3.0), abs=0.05)
    write_binary(path, triangles[:-1])
    with pytest.raises(ProblemError, match="is open at 3 edges") as error:
        body_of({"kind": "surface", "file": str(path), "shift": (1.0, 2.0, 3.0)})
    assert error.value.place == ("body", "file")


@pytest.mark.parametrize("thickness", [4.0, 4.6, 5.0])
def test_straight_sides_have_the_nearest_number_of_rows(tmp_path, thickness):
    """Half a row at most is added or left out; 4 mm in rows of 1.33 mm were four of them, a third too stiff."""
    path, spacing = tmp_path / "plate.stl", 1.33
    write_binary(path, cube(high=(40.0, 26.6, thickness)))
    surface = body_of({"kind": "surface", "file": str(path)}, spacing)
    polygon = body_of({"kind": "polygon", "points": [(0, 0), (40, 0), (40, thickness), (0, thickness)]}, spacing)
    rows = round(thickness / spacing)
    assert surface.counts == (30, 20, rows)
    assert polygon.counts[:2] == (30, rows)
    assert surface.centers.mean(axis=0) == pytest.approx((20.0, 13.3, thickness / 2))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"kind": "block", "size_x": 16, "size_y": 16, "size_z": 4}, ("warning", "Along z", "-20 %", 1.333)),
        ({"kind": "plate", "size_x": 48, "size_y": 16.6}, ("info", "Along y", "-3.6 %", 1.509)),
        ({"kind": "polygon", "points": [(0, 0), (16, 0), (16, 5.5), (0, 5.5)]}, ("warning", "Along y", "-13 %", 1.375)),
        ({"kind": "block", "size_x": 16, "size_y": 16, "size_z": 4.8}, None),
        ({"kind": "disc", "radius": 9.3}, None),
    ],
)
def test_sides_that_are_no_whole_rows_are_told_with_a_spacing_that_fits(body, told, cpu):
    def found(spacing):
        findings = PeridynamicsEngine().estimate(Problem(parameters(body, spacing)), cpu).findings
        return [each for each in findings if "rows of particles are" in each.message]

    findings = found(1.6)
    assert len(findings) == (told is not None)
    for each in findings:
        severity, axis, wrong, spacing = told
        assert each.severity == severity
        assert each.message.startswith(axis)
        assert wrong in each.message
        assert each.remedy.changes == {("bonds", "spacing"): spacing}
        assert not [other for other in found(spacing) if axis in other.message]


def test_corners_come_from_a_file(tmp_path):
    path = tmp_path / "corners.csv"
    path.write_text("x [mm],y [mm]\n0,0\n30,0\n# a comment\n0,20\n0,0\n")
    typed = body_of({"kind": "polygon", "points": [(0, 0), (30, 0), (0, 20)]})
    assert (body_of({"kind": "polygon", "file": str(path)}).cells == typed.cells).all()
    path.write_text("x;y\n0,0;0\n30;0,0\n0;2e1\n")
    assert (body_of({"kind": "polygon", "file": str(path)}).cells == typed.cells).all()
    path.write_text("0.0.5;1\n0;0\n30;0\n0;20\n")
    with pytest.raises(ProblemError, match=r"Line 1 of 'corners\.csv' is not two numbers"):
        body_of({"kind": "polygon", "file": str(path)})
    path.write_text("0;0\n30;a\n")
    with pytest.raises(ProblemError, match=r"Line 2 of 'corners\.csv' is not two numbers"):
        body_of({"kind": "polygon", "file": str(path)})
    path.write_text('"x","y"\n"1,500","2,500"\n"30,250","2,500"\n"1,500","20,750"\n')
    with pytest.raises(ProblemError, match=r"'1,500' may be 1\.500 or 1500"):
        body_of({"kind": "polygon", "file": str(path)})
    with pytest.raises(ProblemError, match="is not there"):
        body_of({"kind": "polygon", "file": str(tmp_path / "none.csv")})


def test_holes_of_several_shapes_leave_their_edges():
    """A particle on the edge of a hole belongs to the body: mirrored bodies are mirrored to the last particle."""
    holes = [
        {"center": (5.5, 5.5), "radius": 3.0},
        {"kind": "box", "low": (12.5, 2.5, 0), "high": (15.5, 4.5, 0)},
        {"kind": "polygon", "points": [(12.5, 7.5), (16.5, 7.5), (14.5, 9.5)]},
        {"kind": "ellipse", "center": (20.5, 5.5), "radii": (1.0, 4.0)},
    ]
    found = body_of({"kind": "plate", "size_x": 25, "size_y": 11, "holes": holes})
    taken = np.zeros(found.counts[:2], bool)
    taken[tuple(found.cells[:, :2].T)] = True
    missing = ~taken
    assert missing[:10].sum() == 25, "of radius 3 without its four outermost points"
    assert missing[11:17, :6].sum() == 2
    assert missing[11:17, 6:].sum() == 1
    assert missing[18:].sum() == 7
    assert (taken[:10] == taken[10:0:-1]).all()


def test_old_projects_open():
    """Holes and notches had no kind."""
    given = parameters(
        {"kind": "plate", "holes": [{"center": (30.0, 20.0), "radius": 4.0}]},
        notches=[{"start": (0, 9), "end": (9, 9)}],
    )
    assert given.body.holes == [Circle(center=(30.0, 20.0), radius=4.0)]
    assert given.notches[0].kind == "segment"
    assert PeridynamicParameters.model_validate_json(given.model_dump_json()) == given


PLATE, BLOCK = {"kind": "plate", "size_x": 12, "size_y": 12}, {"kind": "block", "size_x": 8, "size_y": 8, "size_z": 8}


def test_one_cut_in_several_ways_cuts_the_same_bonds():
    segment = cut_bonds(PLATE, start=(-1, 6), end=(13, 6))
    assert segment > 0
    assert segment == cut_bonds(PLATE, kind="plane", point=(3, 6, 0), normal=(0, 2, 0))
    assert segment == cut_bonds(PLATE, kind="shape", shape={"kind": "box", "low": (-1, 5.9, 0), "high": (13, 6.1, 0)})
    thin = {"kind": "polygon", "points": [(-1, 5.9), (13, 5.9), (13, 6.1), (-1, 6.1)]}
    assert segment == cut_bonds(PLATE, kind="shape", shape=thin)
    plane = cut_bonds(BLOCK, kind="plane", point=(0, 0, 4), normal=(0, 0, 1))
    assert plane == cut_bonds(BLOCK, start=(-1, 4), end=(9, 4))
    assert plane == cut_bonds(BLOCK, kind="penny", center=(4, 4, 4), normal=(0, 0, 3), radius=20)
    edges = {"corner": (-1, -1, 4), "first": (20, 0, 0), "second": (0, 20, 0)}
    assert plane == cut_bonds(BLOCK, kind="parallelogram", **edges)


def test_a_penny_cuts_what_passes_through_it():
    """Radius 2.5 spacings between two layers: of the bonds straight up those over 21 of the lattice's points (the
    square of 5 without its corners have |r| <= √5)."""
    penny = Penny(np.array([4.0, 4.0, 3.5]), np.array([0.0, 0.0, 1.0]), 2.5)
    y, x = np.mgrid[:9, :9]
    first = np.stack([x.ravel(), y.ravel(), np.full(81, 3)], axis=1).astype(float)
    for offset, cut in (((0, 0, 1), 21), ((0, 0, 2), 21), ((1, 1, 0), 0)):
        assert penny.crosses(first, first + np.array(offset)).sum() == cut


@pytest.mark.parametrize("kind", ["cut", "penny", "plane"])
def test_a_mirrored_cut_cuts_the_mirrored_bonds(kind):
    """Numbers that rounding makes not quite mirrored, and bonds that end on the edge of the cut."""
    made = {
        "cut": lambda x, w: Cut(np.array([x, 0.5, 0.0]), np.array([[w, 0.0, 0.0], [0.0, 0.0, 2.0]])),
        "penny": lambda x, w: Penny(np.array([x + w, 0.5, 1.0]), np.array([0.0, 1.0, 0.0]), 1.0),
        "plane": lambda x, w: Plane(np.array([x, 0.5, 1.0]), np.array([w / 3, 1.0, 0.0]) / np.hypot(w / 3, 1.0)),
    }[kind]
    rng = np.random.default_rng(1)
    first = rng.integers(-4, 5, (4000, 3)).astype(float)
    second = first + rng.integers(-3, 4, (4000, 3))
    found = made(0.1 * 3 - 0.3, 3.0).crosses(first, second)
    flip = np.array([-1.0, 1.0, 1.0])
    assert 0 < found.sum() < 4000
    assert (found == made(0.3 - 0.1 * 3, -3.0).crosses(first * flip, second * flip)).all()


def test_bits_of_bonds_are_those_of_all_pairs():
    given = parameters(
        {"kind": "disc", "radius": 5.2},
        notches=[{"kind": "shape", "shape": {"kind": "circle", "center": (2, 2), "radius": 1}}],
        unbreakable=[{"kind": "layer", "side": "top", "depth": 2.0}],
    )
    body = filled(given)
    made = bonded(given, body)
    cells = body.cells[:, :2].astype(float)
    i, j = np.nonzero((((cells[:, None] - cells) ** 2).sum(axis=-1) <= 9) & ~np.eye(len(cells), dtype=bool))
    assert int(made.whole.sum()) == len(i)
    center, radius = np.array([2.0, 2.0]), 1.0
    p, step = body.centers[i, :2], body.centers[j, :2] - body.centers[i, :2]
    share = np.clip(((center - p) * step).sum(axis=1) / (step**2).sum(axis=1), 0, 1)
    cut = np.linalg.norm(p + share[:, None] * step - center, axis=1) <= radius + 1e-9
    assert int(np.bitwise_count(made.words).sum()) == (~cut).sum()
    safe = chosen(given.unbreakable[0], body)
    assert int(np.bitwise_count(made.breakable).sum()) == (~cut & ~safe[i] & ~safe[j]).sum()


def test_regions_hold_what_they_say():
    body = body_of(PLATE)
    x, y = body.centers[:, :2].T
    assert (chosen(SideRegion(side="left", rows=2), body) == (x < 2)).all()
    assert (chosen(BoxRegion(low=(2, 2, 0), high=(5, 5.5, 0)), body) == ((x > 2) & (x < 5) & (y > 2) & (y < 6))).all()
    assert (chosen(Circle(center=(6, 6), radius=3), body) == (np.hypot(x - 6, y - 6) <= 3)).all()
    assert (chosen(HalfSpace(point=(4, 0, 0), direction=(1, 1, 0)), body) == (x + y >= 4)).all()
    triangle = Polygon(points=[(0, 0), (12, 0), (0, 12)])
    assert (chosen(triangle, body) == (x + y <= 12)).all()
    assert (
        chosen(Ellipse(center=(6, 6), radii=(1, 4), angle=90.0), body) == ((x - 6) ** 2 / 16 + (y - 6) ** 2 <= 1)
    ).all()


def test_a_layer_follows_the_surface():
    body = body_of({"kind": "disc", "radius": 10.0})
    layer = chosen(LayerRegion(side="top", depth=2.0), body)
    x, y = body.centers[:, :2].T
    for column in np.unique(x):
        rows = np.sort(y[(x == column) & layer])[::-1]
        assert rows.tolist() == np.sort(y[x == column])[::-1][:2].tolist()


@pytest.mark.parametrize(
    ("body", "changes", "sentence", "place"),
    [
        ({"kind": "plate", "size_y": 1.2}, {}, "less than two particles", ("bonds", "spacing")),
        ({"kind": "sphere", "radius": 1e4}, {}, "use a greater spacing", ("bonds", "spacing")),
        ({"kind": "ring", "radius": 5, "inner_radius": 5}, {}, "below the outer", ("body", "inner_radius")),
        ({"kind": "ring", "radius": 5.2, "inner_radius": 5.1}, {}, "less than two particles", ("bonds", "spacing")),
        ({"kind": "surface"}, {}, "No STL file", ("body", "file")),
        ({"kind": "polygon", "points": [(0, 0), (9, 9), (9, 0), (0, 9)]}, {}, "crosses itself", ("body", "points")),
        ({"kind": "polygon", "points": [(0, 0), (9, 9)]}, {}, "three or more", ("body", "points")),
        ({**PLATE, "holes": [{"center": (6, 6), "radius": 50}]}, {}, "leave nothing", ("body", "holes")),
        ({**PLATE, "holes": [{"kind": "sphere"}]}, {}, "use a circle", ("body", "holes", 0, "kind")),
        (PLATE, {"unbreakable": [{"kind": "circle"}]}, "holds no particle", ("unbreakable", 0)),
        (PLATE, {"unbreakable": [{"side": "back", "kind": "layer"}]}, "has no back", ("unbreakable", 0, "side")),
        (PLATE, {"notches": [{"kind": "penny"}]}, "three dimensions", ("notches", 0, "kind")),
        (PLATE, {"notches": [{"kind": "plane", "normal": (0, 0, 1)}]}, "no length", ("notches", 0, "normal")),
        (BLOCK, {"notches": [{"kind": "parallelogram", "second": (9, 0, 0)}]}, "one line", ("notches", 0, "second")),
        (BLOCK, {"notches": [{"kind": "shape", "shape": {"kind": "rod", "end": (0, 10, 5)}}]}, "where it ends",
         ("notches", 0, "shape", "end")),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence_with_its_place(body, changes, sentence, place):
    given = parameters(body, **changes)
    with pytest.raises(ProblemError, match=sentence) as error:
        bonded(given, filled(given))
    assert error.value.place == place


def test_regions_that_hold_nothing_are_named_before_a_run(cpu):
    given = parameters(PLATE, loads=[{"kind": "velocity", "region": {"kind": "circle"}}])
    with pytest.raises(ProblemError, match="holds no particle") as error:
        PeridynamicsEngine().estimate(Problem(given), cpu)
    assert error.value.place == ("loads", 0, "region")
    given = parameters(PLATE, unbreakable=[{"kind": "side"}, {"kind": "circle"}])
    with pytest.raises(ProblemError, match="holds no particle") as error:
        PeridynamicsEngine().estimate(Problem(given), cpu)
    assert error.value.place == ("unbreakable", 1)


SIDE = {"region": {"kind": "side", "side": "top"}}


@pytest.mark.parametrize(
    ("loads", "told"),
    [
        ([], True),
        ([{"kind": "displacement", **SIDE}], True),
        ([{"kind": "displacement", **SIDE}, {"kind": "velocity", "region": {"kind": "side", "side": "bottom"}}], True),
        ([{"kind": "displacement", **SIDE}, {"kind": "gravity"}], False),
        ([{"kind": "displacement", "y": 0.1, **SIDE}], False),
        ([{"kind": "velocity", "y": -0.1, **SIDE}], False),
        ([{"kind": "force"}], False),
    ],
)
def test_loads_that_only_hold_load_nothing(cpu, loads, told):
    findings = PeridynamicsEngine().estimate(Problem(parameters(PLATE, loads=loads)), cpu).findings
    assert any("Nothing loads the body" in each.message for each in findings) == told


def test_a_notch_that_cuts_no_bond_is_told(cpu):
    notches = [
        {"start": (0, 6), "end": (5, 6)},
        {"start": (0, 60), "end": (5, 60)},
        {"start": (3.4, 6.5), "end": (3.6, 6.5)},
    ]
    found = PeridynamicsEngine().estimate(Problem(parameters(PLATE, notches=notches)), cpu).findings
    told = [finding.message for finding in found if "cuts no bond" in finding.message]
    assert [message.split()[1] for message in told] == ["2"]


@pytest.mark.parametrize("regions", [0, 1, 5])
def test_overlaps_of_regions_are_numbered_as_rows_in_order(regions):
    held = np.random.default_rng(2).random((200, regions)) < 0.3
    ways, numbers = combinations(held)
    rows, inverse = np.unique(held, axis=0, return_inverse=True)
    assert (ways == rows).all()
    assert (numbers == inverse.reshape(-1)).all()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_bonds_along_the_line_of_an_edge(dimensions):
    """Those that end before the edge pass by it, those that end on its corner touch it."""
    square = Outline(np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]), dimensions)
    ends = [((-3, 0), (-1, 0)), ((-2, 0), (0, 0)), ((1, 0), (2, 0))]
    ends += [((4, 6), (4, 5)), ((-1, 1), (1, -1)), ((5, 0), (6, 0))]
    first, second = (np.array([pair[end] for pair in ends], float) for end in (0, 1))
    if dimensions == 3:
        first, second = (np.column_stack([each, np.full(6, 7.0)]) for each in (first, second))
        upright = np.array([[0.0, 0.0, 1.0], [6.0, 0.0, 1.0]])
        assert square.crosses(upright, upright + np.array([0.0, 0.0, 2.0])).tolist() == [True, False]
    assert square.crosses(first, second).tolist() == [False, True, True, False, True, False]
