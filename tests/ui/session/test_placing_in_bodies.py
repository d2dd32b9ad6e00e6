"""Holes, notches and loads of a body that breaks: in the form, in the list, and dragged with the mouse."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import (
    BoxRegion,
    Circle,
    Displacement,
    Notch,
    PeridynamicParameters,
    Plate,
    ShapeNotch,
    SideRegion,
    Velocity,
)
from tests.ui.scene.grids import info
from tests.ui.viewport.test_brush import needs_display
from ui.panels.problem import ProblemPanel
from ui.session.model import DocumentModel
from ui.session.placing import Placing
from ui.session.redrawing import Redrawing
from ui.session.running.phase import Phase
from ui.viewport.viewport import Viewport
from workbench.project.document import Document
from workbench.project.project import Project, ViewSettings

# Written out: what the sources have is held against these.
LONGEST_BUILD = 3.0


@pytest.fixture
def work():
    model = DocumentModel()
    placing = Placing(model)
    parameters = PeridynamicParameters(
        body=Plate(size_x=40, size_y=30, holes=[Circle(center=(28, 15), radius=4)]),
        bonds={"spacing": 1.0},
        notches=[Notch(start=(0, 15), end=(10, 15)), ShapeNotch(shape=Circle(center=(10, 22), radius=2))],
        loads=[Velocity(region=SideRegion(rows=2)), Displacement(region=BoxRegion(high=(5, 5, 0)))],
        unbreakable=[],
    )
    model.open(Document(Project(engine="peridynamics"), PeridynamicsEngine(), parameters))
    return SimpleNamespace(model=model, placing=placing)


def test_the_form_shows_loads_on_regions_and_names_the_items(work, qtbot):
    """A region that is a group of its own is no name of the load; what one of the notches is called."""
    panel = ProblemPanel(work.model, work.placing, QWidget())
    qtbot.addWidget(panel)
    work.model.opened.emit()
    for field, titles in (("loads", ["Load 1", "Load 2"]), ("notches", ["Notch 1", "Notch 2"])):
        sections = panel.form.root.children_by_key[field].sections
        assert [section.header.text() for section in sections] == titles


def test_a_support_and_a_notch_are_added_to_their_lists(work):
    placing = work.placing
    for title, new in (("Loads", "Support"), ("Notches", "Segment"), ("Holes", "Ellipse")):
        group = next(each for each in placing.placement.groups if each.title == title)
        placing.add(group, next(each for each in group.new if each.title == new))
    parameters = work.model.document.parameters
    assert placing.chosen == ("body", "holes", 1)
    assert parameters.loads[2] == Velocity(name="Support", region=SideRegion(side="bottom"), x=0.0, y=0.0, z=0.0)
    assert parameters.notches[2].start == (0.0, 15.0)
    assert parameters.body.holes[1].center == (20.0, 15.0)
    placing.remove()
    assert len(work.model.document.parameters.body.holes) == 1


@needs_display
def test_the_end_of_a_notch_and_a_hole_are_dragged(work, qtbot):
    model, placing, viewport = work.model, work.placing, Viewport()
    qtbot.addWidget(viewport)
    placing.marks_changed.connect(viewport.set_marks)
    viewport.item_chosen.connect(placing.choose)
    viewport.item_dragged.connect(placing.drag)
    viewport.item_dropped.connect(placing.drop)
    viewport.resize(600, 500)
    viewport.set_geometry(model.geometry)
    viewport.apply_view(ViewSettings())
    viewport.show()
    qtbot.waitExposed(viewport)
    viewport.set_simulation(info(model.geometry))
    viewport.view_along("z")
    placing.choose(("notches", 0))
    drag(viewport, (10.0, 15.0), (16.1, 17.9))
    assert model.document.parameters.notches[0].end == (16.0, 18.0), "between rows of particles"
    placing.choose(("body", "holes", 0))
    particles = model.geometry
    drag(viewport, (28.0, 15.0), (24.0, 12.0))
    drag(viewport, (28.0, 12.0), (30.0, 12.0))
    assert model.document.parameters.body.holes == [Circle(center=(24.0, 12.0), radius=6.0)]
    assert model.geometry is not particles
    assert model.geometry.n_cells < particles.n_cells
    assert [model.undo_stack.text(k) for k in range(3)] == ["placing of 1 Segment"] + 2 * ["placing of 1 Circle"]
    viewport.close_canvas()


def drag(viewport, start, end):
    spots, _ = viewport.scene.camera.to_pixels([(*at, 0.5) for at in (start, end)], viewport.width(), viewport.height())
    first, last = (QPointF(*spot) for spot in spots)
    for kind, at in (
        (QEvent.Type.MouseButtonPress, first), (QEvent.Type.MouseMove, first + 0.5 * (last - first)),
        (QEvent.Type.MouseMove, last), (QEvent.Type.MouseButtonRelease, last),
    ):  # fmt: skip
        held = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
        place = QPointF(viewport.mapToGlobal(at.toPoint()))
        event = QMouseEvent(kind, at, place, Qt.MouseButton.LeftButton, held, Qt.KeyboardModifier.NoModifier)
        calls = {
            QEvent.Type.MouseButtonPress: viewport.mousePressEvent,
            QEvent.Type.MouseMove: viewport.mouseMoveEvent,
            QEvent.Type.MouseButtonRelease: viewport.mouseReleaseEvent,
        }
        calls[kind](event)


class Building(QObject):
    """Of a controller what :class:`Redrawing` asks: builds are counted, nothing is built."""

    phase_changed = Signal(str)
    leaves_earlier = False

    def __init__(self, model: DocumentModel) -> None:
        super().__init__()
        self.model, self.phase, self.stale, self.built = model, Phase.READY, True, 0

    def build(self) -> None:
        self.built += 1


@pytest.mark.parametrize(
    ("phase", "stale", "earlier", "seconds", "built"),
    [
        (Phase.READY, True, False, 0.1, 2),
        (Phase.PAUSED, True, False, 0.1, 0),
        (Phase.READY, False, False, 0.1, 0),
        (Phase.READY, True, True, 0.1, 0),
        (Phase.READY, True, False, 2 * LONGEST_BUILD, 1),
    ],
)
def test_a_moved_notch_is_drawn_before_the_first_step(work, qtbot, monkeypatch, phase, stale, earlier, seconds, built):
    """Where no step was taken, of an earlier session either; twice where building takes no time to speak of. Several
    changes in a row are one."""
    now = [100.0]
    monkeypatch.setattr("ui.session.redrawing.clock", SimpleNamespace(monotonic=lambda: now[0]))
    controller = Building(work.model)
    redrawing = Redrawing(controller, work.placing)
    redrawing._settle.setInterval(5)
    controller.phase, controller.stale, controller.leaves_earlier = phase, stale, earlier
    for x in (11.0, 12.0, 13.0, 14.0):
        work.model.edit(("parameters", "notches", 0, "end"), (x, 15.0), "notch")
        if x in (12.0, 14.0):
            qtbot.waitUntil(lambda: not redrawing._settle.isActive(), timeout=2000)
            now[0] += seconds
            controller.phase_changed.emit(Phase.READY)
    assert controller.built == built
