"""The title of a problem is typed over: by F2, or by a double click on it."""

from PySide6.QtCore import Qt

LEFT = Qt.MouseButton.LeftButton


def test_f2_names_the_problem_anew_and_escape_does_not(opened, qtbot):
    window, title = opened, opened.problem.title
    window.dock_layout.docks["view"].raise_()
    qtbot.keyClick(window, Qt.Key.Key_F2)
    qtbot.waitUntil(title.isVisible)
    assert title.selectedText() == "Slab"
    qtbot.keyClicks(title, "A wave")
    qtbot.keyClick(title, Qt.Key.Key_Escape)
    assert title.text() == window.model.document.project.title == "Slab"
    title.selectAll()
    qtbot.keyClicks(title, "A wave")
    qtbot.keyClick(title, Qt.Key.Key_Return)
    assert window.model.document.project.title == "A wave"
    assert window.windowTitle().startswith("A wave")
    assert window.welcome.back_button.text() == "Back to A wave"
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert title.text() == "Slab"


def test_a_double_click_chooses_the_whole_title(opened, qtbot):
    title = opened.problem.title
    opened.model.edit(("title",), "Two words")
    qtbot.waitUntil(title.isVisible)
    qtbot.mouseDClick(title, LEFT)
    assert title.selectedText() == "Two words"


def test_a_dock_in_a_tab_is_named_once(opened, qtbot):
    docks = opened.dock_layout.docks
    opened.resize(1600, 1000)
    docks["probes"].show()
    assert docks["probes"].titleBarWidget() is None  # by itself it has its bar
    docks["inspection"].show()
    qtbot.waitUntil(lambda: docks["probes"].titleBarWidget() is not None)
    docks["inspection"].hide()
    qtbot.waitUntil(lambda: docks["probes"].titleBarWidget() is None)
