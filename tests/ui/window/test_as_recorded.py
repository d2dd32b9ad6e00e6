"""The whole window and its dialogs behave as they did when somebody looked at them last: what is on, shown or offered,
keys, what has a tip; without the fields of the problem, which are the engine's (see tests/ui/recorded.py)."""

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget

from tests.ui.recorded import compare_widgets
from ui.forms.form import ParameterForm

DIALOGS = ["preferences", "where", "sweep", "palette", "shortcuts", "runs", "lines", "manual"]


def test_a_window_behaves_as_it_did_without_a_problem(window):
    compare_widgets("window", "without a problem", window, ParameterForm)
    bare = {name for name, dock in window.dock_layout.docks.items() if dock.titleBarWidget() is not None}
    assert bare - {"probes", "log"} == {"problem", "view", "inspection", "measurement", "timeline", "charts"}


def test_a_window_behaves_as_it_did_with_a_problem(opened, qtbot):
    qtbot.waitUntil(lambda: opened.estimates.estimate is not None and not opened.background.busy)
    compare_widgets("window", "with a problem", opened, ParameterForm)


def test_dialogs_behave_as_they_did(opened, qapp):
    for name in DIALOGS:
        before = set(opened.findChildren(QWidget))
        opened.actions_[name].trigger()
        qapp.processEvents()
        new = [each for each in opened.findChildren(QWidget) if each not in before]
        (shown,) = [each for each in new if each.parentWidget() not in new] or [opened.help.palette]
        compare_widgets("window", name, shown)
        shown.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
