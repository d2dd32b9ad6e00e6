"""Objects, sources and layers of a Maxwell problem: added, chosen, dragged in the 3D view, and undone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import Continuous, FdtdParameters, GridSetting, Material, PointSource, Pulse
from engines.peridynamics.parameters import PeridynamicParameters
from tests.ui.forms.holder import Holder
from tests.ui.placed import BALL, BOX, GRID, document, placing_of, rows
from tests.ui.scene.grids import info
from tests.ui.viewport.test_brush import needs_display
from ui.forms.form import ParameterForm
from ui.forms.section import Section
from ui.panels.object_tree import PATH
from ui.panels.problem import ProblemPanel
from ui.session.model import DocumentModel
from ui.session.placing import Placing
from ui.viewport.viewport import Viewport
from workbench.project.document import Document
from workbench.project.project import Project, ViewSettings


@pytest.fixture
def work(qtbot):
    return placing_of(document(), qtbot)


def undo(work, times=1) -> None:
    for _ in range(times):
        work.model.undo_stack.undo()


def test_the_form_unfolds_and_scrolls_to_an_item(qtbot) -> None:
    form = ParameterForm()
    qtbot.addWidget(form)
    form.set_model(FdtdParameters)
    form.resize(340, 300)
    parameters = FdtdParameters(objects=[BALL] * 5)
    form.set_values(parameters.model_dump())
    form.show()
    qtbot.waitExposed(form)
    editor = form.root.children_by_key["objects"]
    editor.sections[3].set_expanded(False)
    form.reveal(("objects", 3))
    qtbot.waitUntil(lambda: form.verticalScrollBar().value() > 0)
    assert editor.sections[3].header.isChecked()
    top = editor.sections[3].mapTo(form.viewport(), editor.sections[3].rect().topLeft()).y()
    assert 0 <= top < 300
    sections = {key: each for key, each in form.root._widgets.items() if isinstance(each, Section)}
    assert len(sections) > 3
    for key, section in sections.items():
        section.set_expanded(False)
        form.reveal((key,))
        assert section.header.isChecked(), key


def test_the_form_scrolls_to_a_field_that_is_no_section(qtbot) -> None:
    """The body that is listed in the scene is one value of several kinds."""
    form = ParameterForm()
    qtbot.addWidget(form)
    form.set_model(PeridynamicParameters)
    form.resize(340, 300)
    form.set_values(PeridynamicParameters().model_dump())
    form.show()
    qtbot.waitExposed(form)
    form.reveal(("numerics",))
    qtbot.waitUntil(lambda: form.verticalScrollBar().value() > 600)
    form.reveal(("body",))
    qtbot.waitUntil(lambda: form.verticalScrollBar().value() < 300)


def test_adding_duplicating_moving_and_removing_are_edits(work) -> None:
    model, placing = work.model, work.placing
    group = next(group for group in placing.placement.groups if group.role == "object")
    placing.add(group, next(new for new in group.new if new.title == "Cylinder"))
    assert rows(work.tree, "Objects") == ["1  Sphere", "2  Box", "3  Cylinder"]
    assert placing.chosen == ("objects", 2)
    placing.shift(-1)
    assert rows(work.tree, "Objects") == ["1  Sphere", "2  Cylinder", "3  Box"]
    placing.choose(("objects", 0))
    placing.duplicate()
    assert rows(work.tree, "Objects") == ["1  Sphere", "2  Sphere", "3  Cylinder", "4  Box"]
    assert placing.chosen == ("objects", 1)
    placing.remove()
    placing.remove()
    placing.remove()
    assert rows(work.tree, "Objects") == ["1  Sphere"]
    undo(work, 6)
    assert model.document.parameters.objects == [BALL, BOX]
    assert model.undo_stack.index() == 0


def test_a_material_that_is_duplicated_has_a_name_of_its_own_and_is_renamed_with_its_objects(work) -> None:
    work.placing.choose(("materials", 0))
    work.placing.duplicate()
    assert rows(work.tree, "Materials") == ["glass", "glass2"]
    work.placing.rename(("materials", 0), "silica")
    assert [each.material for each in work.model.document.parameters.objects] == ["silica", "silica"]
    work.placing.rename(("materials", 0), "glass2")
    assert "choose another name" in work.refused[0]
    undo(work)
    assert work.model.document.parameters.materials[0].name == "glass"


def test_a_drag_is_one_step_of_undo(work) -> None:
    placing, stack = work.placing, work.model.undo_stack
    placing.choose(("objects", 0))
    ball = placing.placement.at(("objects", 0))
    for x in (2.1, 2.2, 2.3):
        placing.drag(ball, "move", (x, 1.5, 2.0))
        assert placing.marks.said == f"x {x:g}, y 1.5, z 2 µm"
        assert placing.marks.item.bounds[1][0] == pytest.approx(x + 0.5)
    assert stack.count() == 0
    placing.drop(True)
    assert (stack.count(), stack.undoText()) == (1, "placing of 1 Sphere")
    assert work.model.document.parameters.objects[0].center == (2.3, 1.5, 2.0)
    assert placing.marks.dragged is None
    undo(work)
    assert work.model.document.parameters.objects[0] == BALL


def test_a_bad_place_is_said_and_the_item_returns(work) -> None:
    placing = work.placing
    placing.choose(("sources", 0))
    dipole = placing.placement.at(("sources", 0))
    placing.drag(dipole, "move", (2.5, 2.0, 2.0))
    placing.drag(dipole, "move", (0.2, 2.0, 2.0))
    assert placing.marks.wrong
    assert "absorbing layer of x" in placing.marks.said
    placing.drop(True)
    assert work.refused == ["That place is in the absorbing layer of x: stay between 1 and 3 µm along x."]
    assert work.model.undo_stack.count() == 0
    placing.drag(dipole, "move", (2.5, 2.0, 2.0))
    placing.drop(False)
    assert work.model.undo_stack.count() == 0, "given up"


def test_while_a_run_goes_on_nothing_is_changed(work) -> None:
    placing = work.placing
    placing.choose(("objects", 0))
    placing.set_locked(True)
    assert not placing.marks.grips
    assert not work.tree.remove_button.isEnabled()
    assert not work.tree.add_button.isEnabled()
    placing.remove()
    placing.duplicate()
    placing.drag(placing.placement.at(("objects", 0)), "move", (1.0, 1.0, 1.0))
    placing.drop(True)
    assert work.model.undo_stack.count() == 0
    placing.set_locked(False)
    assert work.tree.remove_button.isEnabled()


def test_the_first_slices_go_through_the_first_object_unless_the_project_says(work) -> None:
    assert work.model.document.project.view.slices == pytest.approx((0.5, 0.375, 0.5))
    other = document()
    other.project.view.slices = (0.1, 0.2, 0.3)
    work.model.open(other)
    assert other.project.view.slices == (0.1, 0.2, 0.3)
    alone = document(objects=[], sources=[PointSource(place=(1.0, 2.0, 3.0))])
    work.model.open(alone)
    assert alone.project.view.slices == pytest.approx((0.25, 0.5, 0.75), abs=0.02)


def test_an_engine_without_such_things_has_no_list(work) -> None:
    class Plain(FdtdEngine):
        def placed(self, problem):
            return None

    class Broken(FdtdEngine):
        def placed(self, problem):
            raise ProblemError("No grid.")

    for engine in (Plain(), Broken()):
        work.model.open(Document(Project(engine="fdtd"), engine, FdtdParameters(grid=GRID)))
        assert work.placing.marks.placement is None
        assert work.tree.isHidden()


# With the mouse.


@pytest.fixture
def seen(work, qtbot):
    """The problem in a view, seen along z."""
    viewport = Viewport()
    qtbot.addWidget(viewport)
    work.placing.marks_changed.connect(viewport.set_marks)
    viewport.item_chosen.connect(work.placing.choose)
    viewport.item_dragged.connect(work.placing.drag)
    viewport.item_dropped.connect(work.placing.drop)
    viewport.item_deleted.connect(work.placing.remove)
    viewport.resize(600, 500)
    viewport.set_geometry(work.model.geometry)
    viewport.apply_view(ViewSettings())
    viewport.show()
    qtbot.waitExposed(viewport)
    viewport.set_simulation(info(work.model.geometry))
    viewport.view_along("z")
    work.placing.choose(None)
    yield SimpleNamespace(viewport=viewport, **vars(work))
    viewport.close_canvas()


def mouse(viewport, kind, at, button=Qt.MouseButton.LeftButton, keys=Qt.KeyboardModifier.NoModifier) -> None:
    held = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else button
    event = QMouseEvent(kind, at, QPointF(viewport.mapToGlobal(at.toPoint())), button, held, keys)
    {
        QEvent.Type.MouseButtonPress: viewport.mousePressEvent,
        QEvent.Type.MouseMove: viewport.mouseMoveEvent,
        QEvent.Type.MouseButtonRelease: viewport.mouseReleaseEvent,
    }[kind](event)


def at(viewport, *point) -> QPointF:
    (spot,), _ = viewport.scene.camera.to_pixels([point], viewport.width(), viewport.height())
    return QPointF(*spot)


def drag(viewport, start, end, release=True, **how) -> None:
    mouse(viewport, QEvent.Type.MouseButtonPress, start)
    for share in (0.3, 0.7, 1.0):
        mouse(viewport, QEvent.Type.MouseMove, start + share * (end - start), **how)
    if release:
        mouse(viewport, QEvent.Type.MouseButtonRelease, end)


def key(viewport, code) -> None:
    viewport.keyPressEvent(QKeyEvent(QEvent.Type.KeyPress, code, Qt.KeyboardModifier.NoModifier))


@needs_display
def test_an_outline_is_clicked_dragged_sized_and_deleted(seen) -> None:
    viewport, model, placing = seen.viewport, seen.model, seen.placing
    picks = []
    viewport.picked.connect(lambda *pick: picks.append(pick))
    edge = at(viewport, 1.5, 1.5, 2.0)
    drag(viewport, edge, edge)
    assert placing.chosen == ("objects", 0)
    assert picks == [], "the click was for the outline"
    camera = viewport.scene.camera.azimuth, viewport.scene.camera.elevation
    drag(viewport, at(viewport, 2.0, 1.5, 2.0), at(viewport, 2.52, 2.13, 2.0))
    assert model.document.parameters.objects[0].center == (2.5, 2.1, 2.0)
    drag(viewport, at(viewport, 2.0, 2.1, 2.0), at(viewport, 2.33, 2.1, 2.0), keys=Qt.KeyboardModifier.ControlModifier)
    assert model.document.parameters.objects[0].center == pytest.approx((2.83, 2.1, 2.0), abs=0.01), "by its edge"
    x, y, _ = model.document.parameters.objects[0].center
    drag(viewport, at(viewport, x + 0.5, y, 2.0), at(viewport, x + 0.8, y, 2.0))
    assert model.document.parameters.objects[0].radius == pytest.approx(0.8, abs=0.06)
    assert (viewport.scene.camera.azimuth, viewport.scene.camera.elevation) == camera
    assert model.undo_stack.count() == 3
    key(viewport, Qt.Key.Key_Delete)
    assert model.document.parameters.objects == [BOX]
    undo(seen, 4)
    assert model.document.parameters.objects == [BALL, BOX]


@needs_display
def test_arrow_keys_move_what_is_chosen_by_a_cell(seen) -> None:
    key(seen.viewport, Qt.Key.Key_Right)
    assert seen.model.undo_stack.count() == 0, "nothing is chosen"
    seen.placing.choose(("objects", 0))
    for code in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        key(seen.viewport, code)
    assert seen.model.document.parameters.objects[0].center == (2.2, 1.4, 2.0)
    assert seen.model.undo_stack.count() == 3


@needs_display
def test_escape_gives_a_drag_up_and_then_the_choice(seen) -> None:
    viewport, placing = seen.viewport, seen.placing
    placing.choose(("objects", 0))
    drag(viewport, at(viewport, 2.0, 1.5, 2.0), at(viewport, 2.5, 1.5, 2.0), release=False)
    assert placing.marks.dragged is not None
    key(viewport, Qt.Key.Key_Escape)
    mouse(viewport, QEvent.Type.MouseButtonRelease, at(viewport, 2.5, 1.5, 2.0))
    assert placing.marks.dragged is None
    assert seen.model.undo_stack.count() == 0
    assert placing.chosen == ("objects", 0)
    key(viewport, Qt.Key.Key_Escape)
    assert placing.chosen is None


@needs_display
def test_a_click_beside_everything_chooses_nothing_and_drags_turn_the_view(seen) -> None:
    viewport, placing = seen.viewport, seen.placing
    placing.choose(("objects", 0))
    drag(viewport, QPointF(3.0, 3.0), QPointF(3.0, 3.0))
    assert placing.chosen is None
    before = viewport.scene.camera.azimuth
    drag(viewport, at(viewport, 2.0, 1.5, 2.0), at(viewport, 2.5, 1.5, 2.0))
    assert viewport.scene.camera.azimuth != before


@needs_display
def test_outlines_are_in_the_picture_and_can_be_switched_off(seen) -> None:
    viewport = seen.viewport
    shown = viewport.image().astype(int)
    viewport.scene.view.outlines = False
    plain = viewport.image().astype(int)
    changed = (abs(shown - plain).max(axis=2) > 30).sum()
    assert 500 < changed < 0.1 * shown[..., 0].size
    assert seen.tree.tree.topLevelItem(0).data(0, PATH) == ("materials",)


def test_what_the_form_adds_or_turns_into_another_kind_fits_the_grid(qtbot) -> None:
    """As what the list adds: in the middle, a monitor beside it, and of the wavelength that the sources have."""
    wave = {"grid": GridSetting(length_unit="mm", size_x=400.0, size_y=400.0, size_z=400.0)}
    source = PointSource(place=(100.0, 100.0, 100.0), signal=Continuous(wavelength=60.0))
    model = DocumentModel()
    placing = Placing(model)
    model.open(Document(Project(engine="fdtd"), FdtdEngine(), FdtdParameters(**wave, sources=[source])))
    holder = Holder(qtbot, FdtdParameters, model.document.parameters)
    holder.form.maker = placing.fresh
    holder.editor("monitors").add()
    holder.editor("sources", 0, "signal").kind.edited.emit((), "pulse")
    holder.editor("objects").add()
    holder.editor("objects", 0, "material").edited.emit((), "vacuum")
    holder.editor("objects", 0).kind.edited.emit((), "sphere")
    made = holder.parameters
    assert made.monitors[0].place == (275.0, 200.0, 200.0)
    assert (made.monitors[0].ringing.first, made.monitors[0].ringing.last) == (48.0, 72.0)
    assert made.sources[0].signal == Pulse(wavelength=60.0)
    assert made.objects[0].material == "vacuum"
    assert made.objects[0].center == (200.0, 200.0, 200.0)
    assert 10 < made.objects[0].radius < 100


def test_the_names_of_materials_are_offered_where_one_is_asked_for(qtbot) -> None:
    model = DocumentModel()
    panel = ProblemPanel(model, Placing(model), QWidget())
    qtbot.addWidget(panel)
    model.open(document())
    field = panel.form.root.children_by_key["objects"].editors[0].form.children_by_key["material"]
    assert field.names == ["vacuum", "glass"]
    model.edit(("parameters", "materials"), [Material(name=name).model_dump() for name in ("glass", "gold")], "gold")
    assert field.names == ["vacuum", "glass", "gold"]
