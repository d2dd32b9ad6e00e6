"""Every key of the window is pressed, and does the one thing that it is for."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtTest import QTest

from ui.window.actions import one_of_many

KEYS = {
    "gallery": "Ctrl+G", "back": "Esc", "open": "Ctrl+O", "open_folder": "Ctrl+Shift+O", "save": "Ctrl+S",
    "save_as": "Ctrl+Shift+S", "snapshot": "Ctrl+E", "quit": "Ctrl+Q", "undo": "Ctrl+Z", "redo": "Ctrl+Shift+Z",
    "run": "Space", "step": ".", "reset": "Ctrl+R", "rewind": "Ctrl+Shift+R", "sweep": "Ctrl+Shift+P",
    "rename": "F2", "preferences": "Ctrl+,", "help": "F1", "palette": "Ctrl+P",
    "theme": "Ctrl+T", "fit": "Ctrl+0", "outlines": "O", "brush": "B", "measure": "M", "line": "L", "manual": "Ctrl+F1",
    "network": "N",
}  # fmt: skip


@pytest.fixture
def pressed(opened):
    """Of each action with keys, that it was triggered, instead of what it does; all of them enabled and shown."""
    window, seen = opened, []
    window.previews.drawn.disconnect()  # nothing hides what is shown here
    for name, action in window.actions_.by_name.items():
        action.triggered.disconnect()
        action.setEnabled(True)
        action.setVisible(True)
        action.triggered.connect(lambda _=False, name=name: seen.append(name))
    for place, action in enumerate(window.workspaces.actions_):
        action.triggered.disconnect()
        action.triggered.connect(lambda _=False, place=place: seen.append(f"page {place + 1}"))
    window.activateWindow()
    window.viewport.setFocus()
    return seen


def test_each_action_has_its_keys_and_hears_them(opened, pressed):
    bound = {name for name, action in opened.actions_.by_name.items() if not action.shortcut().isEmpty()}
    assert bound == KEYS.keys()
    for name, keys in KEYS.items():
        pressed.clear()
        QTest.keySequence(opened, QKeySequence(keys))
        assert pressed == [name], keys


def test_each_page_has_its_number(opened, pressed):
    assert len(opened.workspaces.actions_) >= 2
    for place in range(len(opened.workspaces.actions_)):
        pressed.clear()
        QTest.keySequence(opened, QKeySequence(f"Ctrl+{place + 1}"))
        assert pressed == [f"page {place + 1}"]


def test_no_two_of_the_windows_keys_are_the_same(opened):
    alone, whole = Qt.ShortcutContext.WidgetShortcut, Qt.ShortcutContext.WindowShortcut
    keys = [action.shortcut() for action in opened.findChildren(QAction) if action.shortcutContext() != alone]
    keys += [each.key() for each in opened.findChildren(QShortcut) if each.context() == whole]
    texts = [each.toString() for each in keys if not each.isEmpty()]
    assert len(texts) >= len(KEYS)
    assert sorted(texts) == sorted(set(texts))


def test_every_action_names_itself_and_its_keys_and_few_repeat(window):
    actions = window.actions_.by_name
    assert len(actions) > 20
    told = 0
    for name, action in actions.items():
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        told += bool(keys)
        assert ("(" in action.toolTip()) == bool(keys), name
        assert action.toolTip().endswith(f" ({keys})" if keys else action.toolTip())
        assert not action.toolTip().startswith(" ")
        assert "&" not in action.toolTip()
        assert not keys or action.autoRepeat() == (name in ("step", "undo", "redo")), name
    assert told > 10


def test_one_of_several_switches_is_on_at_most(qapp):
    switches = [QAction(name) for name in ("brush", "measure", "line")]
    for switch in switches:
        switch.setCheckable(True)
    one_of_many(*switches)
    for place in (0, 2, 1):
        switches[place].setChecked(True)
        assert [switch.isChecked() for switch in switches] == [k == place for k in range(3)]
    switches[1].setChecked(False)
    assert not any(switch.isChecked() for switch in switches)
