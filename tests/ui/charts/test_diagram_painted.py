"""What the network diagram draws: colours and ends by sign, widths by weight, what is looked at before the rest."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QMouseEvent

from engines.api.charts import Diagram, DiagramEdge, DiagramNode
from tests.ui.charts.painting import Drawn, NotingPainter
from ui.charts.diagram import paths
from ui.charts.diagram.view import DiagramView, _in_two
from ui.widgets.theme import theme

# Written out: what the sources have is held against these.
FAINT = 45
MANY = 4.5
THICKEST = 8.0
THINNEST = 1.2

ENDS = {False: "polygon", True: "ellipse"}


class Calls:
    """What was drawn, by kind: a path with colour and width, a shape with what fills it, a text with its colour."""

    def __init__(self, calls: list[Drawn]) -> None:
        self._calls = calls

    def of(self, *kinds: str) -> list[Any]:
        return [self._told(call) for call in self._calls if call.what in kinds]

    @staticmethod
    def _told(call: Drawn) -> tuple[Any, ...]:
        first, last = call.given[0], call.given[-1]
        told = {
            "path": (first, call.pen, call.width),
            "ellipse": (call.given, call.brush),
            "box": (first, call.width, call.pen),
        }
        told |= {"polygon": (list(first), call.brush)} if call.what == "polygon" else {}
        return call.what, *told.get(call.what, (first, last, call.pen))


def diagram(edges, nodes=3):
    titles = [DiagramNode(f"P{k}", ("100 neurons", "Leaky"), ("populations", k)) for k in range(nodes)]
    made = [
        DiagramEdge(a, b, weight, negative, f"from {a} to {b}", ("connections", k))
        for k, (a, b, weight, negative) in enumerate(edges)
    ]
    return Diagram("Title", tuple(titles), tuple(made), "Excitatory", "Inhibitory", "Width: synapses")


FEW = [(0, 1, 100.0, False), (1, 2, 25.0, True), (2, 2, 0.0, False)]
MANY_EDGES = [(a, b, 10.0 * (a + 1), a == 2) for a in range(3) for b in range(3)]


@pytest.fixture
def view(qtbot):
    view = DiagramView()
    qtbot.addWidget(view)
    view.resize(1000, 500)
    view.show_diagram(diagram(FEW))
    return view


def drawn(view, what):
    image = QImage(view.size(), QImage.Format.Format_ARGB32)
    painter = NotingPainter(image)
    getattr(view, f"_paint_{what}")(painter)
    painter.end()
    return Calls(painter.calls)


def test_an_edge_is_as_wide_as_the_root_of_its_weight_and_ends_by_its_sign(view):
    painter = drawn(view, "edges")
    paths, ends = painter.of("path"), painter.of("polygon", "ellipse")
    span = THICKEST - THINNEST
    assert [each[3] for each in paths] == pytest.approx([THICKEST, THINNEST + span / 2, THINNEST])
    assert [each[0] for each in ends] == [ENDS[negative] for *_, negative in FEW]
    shown = [each[2].name() for each in paths]
    assert shown == [theme().palette.trace(int(negative)).name() for *_, negative in FEW]
    assert [each[2].name() for each in ends] == shown
    assert {each[2].alpha() for each in paths} == {200}
    view.chosen_edge = ("connections", 1)
    alphas = [each[2].alpha() for each in drawn(view, "edges").of("path")]
    assert (alphas[0], alphas[-2:]) == (FAINT, [200, FAINT]), "beside the one that is chosen"


def test_an_end_touches_its_node_and_points_along_its_edge(view):
    painter = drawn(view, "edges")
    for (_, line, _, width), (kind, where, _) in zip(painter.of("path"), painter.of("polygon", "ellipse"), strict=True):
        tip, size = line.pointAtPercent(1.0), 6.0 + width
        before = line.pointAtPercent(1 - size / line.length())
        back = QPointF(tip - before) / math.hypot(tip.x() - before.x(), tip.y() - before.y())
        if kind == "ellipse":
            middle, across, down = where
            assert across == down == size / 2
            assert math.dist(middle.toTuple(), (tip - back * size / 2).toTuple()) < 1e-6
            continue
        assert where[0] == tip
        left, right = (QPointF(corner - tip) for corner in where[1:])
        for side in (left, right):
            assert QPointF.dotProduct(side, back) == pytest.approx(-size)
        assert math.dist(left.toTuple(), right.toTuple()) == pytest.approx(1.1 * size)


@pytest.mark.parametrize("how", ["pointed", "chosen"])
def test_what_a_node_has_nothing_to_do_with_is_faint_beside_it(view, how):
    setattr(view, how, 0)
    painter = drawn(view, "edges")
    assert [each[2].alpha() for each in painter.of("path")] == [255, FAINT, FAINT]
    assert [each[2] for each in painter.of("text")] == ["from 0 to 1"]
    view.pointed = 1
    painter = drawn(view, "edges")
    assert [each[2].alpha() for each in painter.of("path")] == [255, 255, FAINT], "what is pointed at comes first"
    assert [each[2] for each in painter.of("text")] == ["from 0 to 1", "from 1 to 2"]
    boxes = drawn(view, "nodes").of("box")
    looked_at = [False, True, False] if how == "pointed" else [True, True, False]
    assert [box[2] for box in boxes] == [2 if each else 1.2 for each in looked_at]
    colors = theme().palette
    assert [box[3].name() for box in boxes] == [
        colors.color("accent" if each else "strong").name() for each in looked_at
    ]


def test_labels_stand_in_the_middle_of_their_edges_and_of_a_loop_beyond_it(view):
    painter = drawn(view, "edges")
    boxes, texts, lines = painter.of("box"), painter.of("text"), painter.of("path")
    assert [each[2] for each in texts] == [f"from {a} to {b}" for a, b, *_ in FEW]
    for (_, box, *_), (_, line, *_), (a, b, *_) in zip(boxes, lines, FEW, strict=True):
        assert QRectF(view.rect()).adjusted(4, 4, -4, -4).contains(box)
        middle = line.pointAtPercent(0.5)
        if a != b:
            assert math.dist(box.center().toTuple(), middle.toTuple()) < 1e-6
            continue
        outwards = 1 if middle.y() > line.pointAtPercent(0.0).y() else -1
        free = box.top() if outwards > 0 else box.bottom()
        assert (free - middle.y()) * outwards == pytest.approx(3.0)
    view.resize(120, 60)
    for _, box, *_ in drawn(view, "edges").of("box"):
        assert box.left() >= 4 - 1e-9
        assert box.top() >= 4 - 1e-9


def test_a_label_has_room_around_it_and_the_way_back_stands_at_the_right(view):
    painter = drawn(view, "edges")
    for (_, box, *_), (_, where, text, _) in zip(painter.of("box"), painter.of("text"), strict=True):
        metrics = QFontMetricsF(view.font())
        assert (box.width(), box.height()) == (metrics.horizontalAdvance(text) + 10, metrics.height() + 4)
        assert QRectF(where) == box
    view.resizeEvent(None)
    assert view.close_button.x() == view.width() - view.close_button.sizeHint().width()
    assert view.close_button.y() == 0


def test_edges_without_a_weight_are_thin(view):
    view.show_diagram(diagram([(0, 1, 0.0, False)]))
    assert [each[3] for each in drawn(view, "edges").of("path")] == [THINNEST]


def test_of_many_edges_those_that_a_node_sends_are_listed(view):
    view.show_diagram(diagram(MANY_EDGES))
    assert view.lists
    assert [each[2] for each in drawn(view, "list").of("text")] == [
        "Point at a population, or click it:\nwhat it sends stands here."
    ]
    edges = drawn(view, "edges")
    assert not edges.of("text")
    assert max(each[3] for each in edges.of("path")) == pytest.approx(MANY)
    view.pointed = 2
    heading, *rows = drawn(view, "list").of("text")
    assert heading[2] == "P2 sends to"
    assert [row[2] for row in rows] == ["P0", "from 2 to 0", "P1", "from 2 to 1", "P2", "from 2 to 2"]
    assert {row[3].name() for row in rows[::2]} == {theme().palette.trace(1).name()}
    assert {row[3].name() for row in rows[1::2]} == {theme().palette.color("muted").name()}
    names, labels = rows[::2], rows[1::2]
    assert len({row[1].left() for row in names}) == len({row[1].left() for row in labels}) == 1
    assert labels[0][1].left() > names[0][1].left() > view.room().right() - 1
    steps = [after[1].top() - before[1].top() for before, after in itertools.pairwise(names)]
    assert max(steps) - min(steps) < 1e-6 < 10 < min(steps)
    assert names[0][1].top() > heading[1].top()
    assert [name[1].top() for name in names] == [label[1].top() for label in labels]
    view.show_diagram(diagram([edge for edge in MANY_EDGES if edge[0] != 2] * 2))
    view.pointed = 2
    assert drawn(view, "list").of("text")[0][2] == "P2 sends nothing"


def test_a_list_takes_less_than_half_of_the_width(view):
    """However long its labels are."""
    long = [replace(edge, label="weight 11.1 ± 1.1, " * 9) for edge in diagram(MANY_EDGES).edges]
    view.show_diagram(replace(diagram(MANY_EDGES), edges=tuple(long)))
    assert view.room().right() == pytest.approx(0.52 * view.width())


def test_exactly_so_many_edges_are_labelled_where_they_are(view):
    view.show_diagram(diagram(MANY_EDGES[:8]))
    assert not view.lists
    assert len(drawn(view, "edges").of("text")) == 8


def test_the_legend_names_title_signs_and_width_beside_each_other(view):
    painter = drawn(view, "legend")
    assert [each[2] for each in painter.of("text")] == ["Title", "Excitatory", "Inhibitory", "Width: synapses"]
    title, *others = (each[1] for each in painter.of("text"))
    metrics = QFontMetricsF(view.font())
    assert 0 < title.y() - metrics.ascent() < 8, "whole, at the top"
    assert title.y() + metrics.descent() < 30
    assert {point.y() for point in others} == {view.height() - 8.0}
    assert sorted(point.x() for point in others) == [point.x() for point in others]
    assert [each[0] for each in painter.of("polygon", "ellipse")] == ["polygon", "ellipse"]
    for (_, line, *_), name in zip(painter.of("path"), others, strict=False):
        assert (line.length(), name.x() - line.currentPosition().x()) == (pytest.approx(30.0), pytest.approx(8.0))
        assert line.currentPosition().y() == name.y() - 4


def moved(point):
    kind, none = QEvent.Type.MouseMove, Qt.MouseButton.NoButton
    return QMouseEvent(kind, QPointF(point), QPointF(point), none, none, Qt.KeyboardModifier.NoModifier)


def test_the_pointer_chooses_what_is_looked_at_until_it_leaves(view, qtbot):
    first, second = (box.center().toPoint() for box in view.nodes()[:2])
    view.mouseMoveEvent(moved(first))
    assert (view.pointed, view.cursor().shape()) == (0, Qt.CursorShape.PointingHandCursor)
    qtbot.mouseClick(view, Qt.MouseButton.RightButton, pos=second)
    assert view.chosen is None
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=second)
    assert (view.pointed, view.chosen, view._looked_at()) == (0, 1, 0)
    view.leaveEvent(QEvent(QEvent.Type.Leave))
    assert (view.pointed, view._looked_at()) == (None, 1)
    view.show_diagram(diagram(FEW[:2]))
    assert view.chosen == 1, "the same populations"
    view.show_diagram(diagram(FEW[:1], 2))
    assert view.chosen is None


@pytest.mark.parametrize(
    ("label", "lines"),
    [
        ("short, of two", ["short, of two"]),
        ("one that is long and has no part", ["one that is long and has no part"]),
        ("weight 1, 1.5 ms, 454 932 synapses", ["weight 1, 1.5 ms,", "454 932 synapses"]),
        ("weight 11.1 ± 1.1 mV of it, 1 ms, 4", ["weight 11.1 ± 1.1 mV of it,", "1 ms, 4"]),
        ("exactly twenty-three, so", ["exactly twenty-three,", "so"]),
        ("exactly twenty-three, s", ["exactly twenty-three, s"]),
    ],
)
def test_a_long_label_is_parted_at_the_comma_nearest_to_its_middle(label, lines):
    assert _in_two(label) == lines


def test_edges_bend_to_their_left_by_a_part_of_their_length_from_border_to_border():
    room = QRectF(0, 0, 900, 400)
    left, right = QRectF(100, 180, 100, 40), QRectF(700, 180, 100, 40)
    there, back = paths.path(left, right, room), paths.path(right, left, room)
    assert there.pointAtPercent(0.0).x() == pytest.approx(left.right())
    assert there.pointAtPercent(1.0).x() == pytest.approx(right.left())
    bend = 0.13 * 600
    assert there.pointAtPercent(0.0).toTuple() == pytest.approx((200, 200 - bend * 50 / 300)), "towards the handle"
    assert there.pointAtPercent(0.5).y() == pytest.approx(200 - (bend + bend * 50 / 300) / 2, abs=0.5)
    assert back.pointAtPercent(0.5).y() == pytest.approx(400 - there.pointAtPercent(0.5).y(), abs=0.5)


@pytest.mark.parametrize(("high", "out"), [(200.0, 26.0), (900.0, 40.0)])
@pytest.mark.parametrize("below", [False, True])
def test_a_loop_stands_on_the_far_side_of_its_node(high, out, below):
    room = QRectF(0, 0, 900, high)
    assert paths.reach(room) == pytest.approx(out)
    node = QRectF(400, 0.75 * high if below else 0.1 * high, 100, 0.1 * high)
    loop = paths.path(node, node, room)
    begin, middle, end = (loop.pointAtPercent(share) for share in (0.0, 0.5, 1.0))
    edge = node.bottom() if below else node.top()
    assert (begin.toTuple(), end.toTuple()) == (pytest.approx((430, edge)), pytest.approx((470, edge)))
    assert middle.toTuple() == pytest.approx((450, edge + (out if below else -out)), abs=0.01)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_nodes_stand_on_an_ellipse_the_first_at_the_left(count):
    room, size = QRectF(0, 0, 916, 400), QSizeF(100, 40)
    boxes = paths.places(count, room, size)
    middles = [(box.center() - room.center()).toTuple() for box in boxes]
    up = 180 - 40 if count > 2 else 0.0
    turns = [math.pi + 2 * math.pi * k / count for k in range(count)]
    expected = [(400 * math.cos(turn), up * math.sin(turn)) if count > 1 else (0.0, 0.0) for turn in turns]
    for found, place in zip(middles, expected, strict=True):
        assert found == pytest.approx(place, abs=1e-9)
    assert all(box.size() == size for box in boxes)
    assert paths.places(3, QRectF(0, 0, 50, 20), size)[0].center() == QPointF(25, 10), "no room: in the middle"


@pytest.mark.parametrize(("edges", "lines"), [(FEW, 2), (MANY_EDGES, 1)])
def test_a_node_has_room_for_its_title_and_what_is_said_of_it(view, edges, lines):
    """Where edges are many, that is one line."""
    view.show_diagram(diagram(edges))
    text, bold = QFontMetricsF(view.font()), QFontMetricsF(view._bold())
    said, boxes = view._laid_out()
    assert [len(each) for each in said] == [lines] * 3
    assert {box.height() for box in boxes} == {bold.height() + lines * text.height() + 14}
    assert {box.width() for box in boxes} == {
        max(text.horizontalAdvance("100 neurons"), bold.horizontalAdvance("P0")) + 24
    }
