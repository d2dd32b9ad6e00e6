"""The list of what is placed: its rows, what choosing one leads to, its menu and its keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from engines.fdtd.parameters import Material, Sphere
from tests.ui.placed import BALL, BOX, document, group_row, placing_of, rows
from tests.ui.viewport.test_brush import needs_display
from ui.panels.object_tree import PATH
from ui.scene.overlays.placed import colour_of
from ui.widgets.theme import theme


@pytest.fixture
def work(qtbot):
    return placing_of(document(), qtbot)


def test_the_tree_lists_what_there_is_by_group(work) -> None:
    assert rows(work.tree, "Objects") == ["1  Sphere", "2  Box"]
    assert rows(work.tree, "Sources") == ["1  Dipole"]
    assert rows(work.tree, "Materials") == ["glass"]
    assert group_row(work.tree, "Objects").child(0).text(1) == "glass"
    assert not work.tree.isHidden()
    work.model.open(None)
    assert work.tree.isHidden()


def test_a_row_has_its_colour_a_quiet_detail_and_a_name_that_is_edited_where_it_has_one_of_its_own(work, qtbot) -> None:
    tree, muted = work.tree.tree, theme().palette.color("muted")
    assert tree.columnCount() == 2
    assert tree.isHeaderHidden()
    seen = 0
    for group in work.placing.placement.groups:
        for item in group.items:
            above = group_row(work.tree, group.title)
            row = next(above.child(n) for n in range(above.childCount()) if above.child(n).text(0) == item.title)
            assert row.data(0, PATH) == item.path
            assert row.text(1) == item.detail
            assert row.foreground(1).color() == muted
            image = row.icon(0).pixmap(12, 12).toImage()
            middle = image.pixelColor(image.width() // 2, image.height() // 2)
            edge = [image.pixelColor(x, image.height() // 2) for x in range(image.width())]
            colour = QColor(*colour_of(group, item))
            assert colour in (middle, *edge) or group.role not in ("object", "material")
            editable = bool(row.flags() & Qt.ItemFlag.ItemIsEditable)
            assert editable == (item.renamed is not None)
            assert ("Rename" in row.toolTip(0)) == editable
            seen += 1
        if group.items or group.new:
            row = group_row(work.tree, group.title)
            assert row.text(1) == (str(len(group.items)) if group.new else "")
            assert {row.foreground(column).color().name() for column in (0, 1)} == {muted.name()}
            assert row.isExpanded()
            assert not row.flags() & Qt.ItemFlag.ItemIsSelectable
    assert seen >= 4
    group_row(work.tree, "Objects").setExpanded(False)
    work.placing.changed.emit()
    assert not group_row(work.tree, "Objects").isExpanded(), "a folded group stays folded"
    group_row(work.tree, "Objects").setExpanded(True)
    work.placing.changed.emit()
    assert group_row(work.tree, "Objects").isExpanded()


def test_two_materials_have_colours_of_their_own(work) -> None:
    materials = [Material(name="glass"), Material(name="gold")]
    work.model.open(document(materials=materials, objects=[BALL, BOX.model_copy(update={"material": "gold"})]))
    first, second = (group_row(work.tree, "Objects").child(k).icon(0).pixmap(24).toImage() for k in (0, 1))
    assert first.pixel(12, 12) != second.pixel(12, 12)


def test_choosing_a_row_shows_its_form_and_marks_it(work, qtbot) -> None:
    work.tree.tree.setCurrentItem(group_row(work.tree, "Objects").child(1))
    qtbot.waitUntil(lambda: work.revealed == [("objects", 1)])
    assert work.placing.marks.chosen == ("objects", 1)
    assert work.placing.marks.grips
    assert work.tree.tree.currentItem().text(0) == "2  Box"
    work.revealed.clear()  # the form was scrolled elsewhere
    tree = work.tree.tree
    work.tree.show()
    qtbot.waitExposed(work.tree)
    tree.scrollToItem(tree.currentItem())
    middle = tree.visualItemRect(tree.currentItem()).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    qtbot.waitUntil(lambda: work.revealed == [("objects", 1)])


def test_a_click_on_what_is_chosen_leads_to_it_again_and_one_on_a_heading_nowhere(work, qtbot):
    def row(group, *place):
        """The tree is filled anew as something is chosen."""
        heading = group_row(work.tree, group)
        return heading.child(*place) if place else heading

    work.placing.choose(tuple(row("Objects", 0).data(0, PATH)))
    seen = []
    work.placing.revealed.connect(seen.append)
    for place in (("Objects",), ("Objects", 1), ("Sources",)):
        work.tree._clicked(row(*place))
    qtbot.wait(30)
    assert not seen, "another row is chosen by becoming the current one"
    work.tree._clicked(row("Objects", 0))
    qtbot.waitUntil(lambda: bool(seen))


@needs_display
def test_a_click_on_a_row_leaves_all_rows_where_they_are(work, qtbot):
    """The next click at the place that was just seen hit another row."""
    work.model.open(document(objects=[Sphere(center=(2.0, 1.5, 2.0), radius=0.1 + 0.01 * k) for k in range(20)]))
    tree, view = work.tree, work.tree.tree
    tree.resize(300, 200)
    tree.show()
    qtbot.waitExposed(tree)

    def places():
        heading = group_row(tree, "Objects")
        return [view.visualItemRect(heading.child(k)).y() for k in range(heading.childCount())]

    for scrolled in (0, 4):
        view.verticalScrollBar().setValue(scrolled)
        before = places()
        seen = [k for k, y in enumerate(before) if 0 <= y < view.viewport().height() - 1]
        for k in (seen[-1], seen[0], seen[-1]):
            qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, before[k] + 1))
            qtbot.waitUntil(lambda k=k: work.placing.chosen == ("objects", k))
            qtbot.wait(20)
            assert places() == before
    work.placing.choose(("objects", 19))
    assert 0 <= places()[19] < view.viewport().height(), "chosen elsewhere it comes into sight"


def test_the_menu_offers_what_each_group_may_have_and_adds_it(work) -> None:
    before = {group.title: len(group.items) for group in work.placing.placement.groups}
    work.tree.menu.aboutToShow.emit()
    offered = {
        action.text(): [] if action.menu() is None else action.menu().actions() for action in work.tree.menu.actions()
    }
    groups = [group for group in work.placing.placement.groups if group.new]
    assert len(groups) > 1
    assert {title: [each.text() for each in actions] for title, actions in offered.items()} == {
        **{group.title: [new.title for new in group.new] for group in groups if len(group.new) > 1},
        **{group.new[0].title: [] for group in groups if len(group.new) == 1},
    }, "below each other they would be taller than a screen"
    offered["Objects"][-1].trigger()
    after = {group.title: len(group.items) for group in work.placing.placement.groups}
    assert after == {**before, "Objects": before["Objects"] + 1}
    assert work.placing.group.title == "Objects"


def test_a_row_is_renamed_in_the_list(work, qtbot) -> None:
    row = group_row(work.tree, "Materials").child(0)
    row.setText(1, "no name")
    row.setText(0, "crown glass")
    qtbot.waitUntil(lambda: rows(work.tree, "Materials") == ["crown glass"], timeout=1000)


def test_the_trees_keys_duplicate_and_remove(work, qtbot) -> None:
    tree = work.tree
    with qtbot.waitActive(tree):
        tree.show()
        tree.activateWindow()
    tree.tree.setFocus()
    qtbot.waitUntil(tree.tree.hasFocus)
    work.placing.choose(("objects", 1))
    qtbot.keyClick(tree.tree, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert rows(tree, "Objects") == ["1  Sphere", "2  Box", "3  Box"]
    qtbot.keyClick(tree.tree, Qt.Key.Key_Delete)
    assert rows(tree, "Objects") == ["1  Sphere", "2  Box"]
