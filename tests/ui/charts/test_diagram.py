"""The network diagram: nodes apart and in view whatever their number and the room, clicks, and the way back."""

from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QPainterPath

from engines.api.charts import Diagram, DiagramEdge, DiagramNode
from tests.ui.viewport.doubles import FakeViewport
from ui.charts.diagram.view import DiagramView
from ui.session.running.phase import Phase
from ui.widgets.theme import theme
from workbench.project.presets import preset_called


def diagram(count):
    nodes = tuple(DiagramNode(f"L{k}e", ("2 068 neurons", "Leaky"), ("populations", k)) for k in range(count))
    label = "weight 11.1 ± 1.1, 1.5 ± 0.75 ms, 454 932 synapses"
    edges = tuple(
        DiagramEdge(a, b, 10.0 + b, bool(a % 2), label, ("connections", a * count + b))
        for a in range(count)
        for b in range(count)
    )
    return Diagram("Some neurons", nodes, edges, "Excitatory", "Inhibitory", "Width: synapses")


@pytest.mark.parametrize("count", [1, 2, 3, 8, 10])
@pytest.mark.parametrize("size", [(910, 250), (1200, 620)])
def test_nodes_are_apart_and_all_is_in_view(qtbot, count, size):
    view = DiagramView()
    qtbot.addWidget(view)
    view.resize(*size)
    view.show_diagram(diagram(count))
    inside = view.rect().toRectF()
    for first, second in combinations(view.nodes(), 2):
        assert not first.intersects(second)
    for node in view.nodes():
        assert inside.contains(node)
    for edge, line in view.edges():
        assert inside.adjusted(-4, 0, 4, 0).contains(line.boundingRect())
        if edge.source != edge.target:
            assert line.length() > 10
    pictures = []
    for name in ("light", "dark"):
        theme().apply(name)
        pictures.append(view.grab().toImage())
    assert pictures[0] != pictures[1]


def test_nodes_and_edges_lead_to_their_values(qtbot):
    view = DiagramView()
    qtbot.addWidget(view)
    view.resize(910, 300)
    view.show_diagram(diagram(2))
    asked = []
    view.place_asked.connect(asked.append)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.nodes()[1].center().toPoint())
    assert asked == [("populations", 1)]
    assert view.chosen == 1
    edge, line = next((edge, line) for edge, line in view.edges() if (edge.source, edge.target) == (1, 0))
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=line.pointAtPercent(0.3).toPoint())
    assert asked[-1] == edge.place
    assert view.chosen is None
    assert view.chosen_edge == edge.place
    assert view.at(QPointF(2, 150)) is None
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(2, 150))
    assert len(asked) == 2
    assert view.chosen_edge is None


@pytest.mark.parametrize("count", [2, 4])
def test_the_edge_that_was_clicked_is_marked(qtbot, count):
    """And labelled, where others are only listed."""
    view = DiagramView()
    qtbot.addWidget(view)
    view.resize(910, 300)
    view.show_diagram(diagram(count))
    line = next(line for edge, line in view.edges() if (edge.source, edge.target) == (1, 0))
    spot = line.pointAtPercent(0.3).toPoint()

    def coloured():
        """Pixels in the colour of what is chosen, around the edge."""
        image, accent = view.grab().toImage(), theme().palette.color("accent")
        around = ((spot.x() + dx, spot.y() + dy) for dx in range(-8, 9) for dy in range(-8, 9))
        shades = (image.pixelColor(*at) for at in around)
        return sum(abs(shade.hue() - accent.hue()) < 12 and shade.saturation() > 90 for shade in shades)

    before = coloured()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
    assert view.chosen_edge == view.at(spot.toPointF())
    assert coloured() > before + 20


@pytest.fixture
def services(house):
    return house


def opened(window, name, qtbot):
    preset = preset_called(name)
    window.open_preset(preset)
    qtbot.waitUntil(
        lambda: window.model.document is not None and window.model.document.project.title == preset.title,
        timeout=60_000,
    )
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=60_000)


def test_it_stands_in_place_of_the_view_and_follows_the_form(window, qtbot, monkeypatch):
    monkeypatch.setattr(FakeViewport, "set_simulation", lambda *_: None)  # it asks for voltages, which not all have
    opened(window, "izhikevich_2003", qtbot)
    network = window.network
    qtbot.waitUntil(lambda: network.action.isVisible() and network.action.isEnabled() and window.isActiveWindow())
    qtbot.keyClick(window, Qt.Key.Key_N)
    qtbot.waitUntil(network.view.isVisible)
    assert len(network.view.nodes()) == 2
    window.model.edit(("parameters", "populations", 0, "name"), "Pyramidal")
    qtbot.waitUntil(lambda: network.view.diagram.nodes[0].title == "Pyramidal")
    window.show_dock("view")
    qtbot.mouseClick(network.view, Qt.MouseButton.LeftButton, pos=network.view.nodes()[1].center().toPoint())
    section = window.problem.form.root.children_by_key["populations"].sections[1]
    qtbot.waitUntil(section.isVisible)
    assert section.header.isChecked()
    qtbot.keyClick(network.view, Qt.Key.Key_Escape)
    assert not network.view.isVisible()
    assert not network.action.isChecked()
    network.action.trigger()
    network.show_diagram(network.view.diagram)
    assert network.action.isChecked(), "what follows the form stays"
    window.model.undo_stack.setClean()  # it would ask what becomes of the edit
    opened(window, "sine_mode", qtbot)
    qtbot.waitUntil(lambda: not network.action.isVisible())
    assert not network.view.isVisible()
    assert not network.action.isChecked()


def test_of_two_parallel_edges_the_nearer_one_is_meant(qtbot, monkeypatch):
    view = DiagramView()
    qtbot.addWidget(view)
    view.resize(910, 300)
    view.show_diagram(diagram(2))
    first, second = view.edges()[:2]
    lines = []
    for height in (100, 106):
        line = QPainterPath(QPointF(440, height))
        line.lineTo(470, height)
        lines.append(line)
    monkeypatch.setattr(view, "edges", lambda: [(first[0], lines[0]), (second[0], lines[1])])
    monkeypatch.setattr(view, "_node_at", lambda point: None)
    assert view.at(QPointF(455, 102)) == first[0].place
    assert view.at(QPointF(455, 104)) == second[0].place
    assert view.at(QPointF(455, 114)) == second[0].place
    assert view.at(QPointF(455, 116)) is None
