"""The log keeps its last lines, in the colours of their kinds."""

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication

from ui.panels import log as pane
from ui.panels.log import LogPane
from ui.widgets.theme import theme
from workbench.run.frames import Message


def test_the_oldest_lines_go_first(qtbot, qapp, monkeypatch):
    monkeypatch.setattr(pane, "LIMIT", 5)
    log = LogPane()
    qtbot.addWidget(log)
    for number in range(8):
        log.add(Message(f" line {number} "))
    assert [log.lines.text(row).split("   ")[1] for row in range(log.lines.rowCount())] == [
        f"line {number}" for number in range(3, 8)
    ]
    log.list.setCurrentIndex(log.lines.index(1))
    log.copy()
    assert qapp.clipboard().text().endswith("info      line 4 ")


def test_a_line_shows_its_kind_in_each_theme(qtbot, qapp):
    log = LogPane()
    qtbot.addWidget(log)
    for severity in ("info", "warning", "error"):
        log.add(Message("Something.", severity))
    for name in ("light", "dark"):
        theme().apply(name, qapp)
        colors = theme().palette
        shown = [log.lines.data(log.lines.index(row), Qt.ItemDataRole.ForegroundRole) for row in range(3)]
        assert [each.name() for each in shown] == [colors.color(each).name() for each in ("text", "warn", "bad")]
        icons = [log.lines.data(log.lines.index(row), Qt.ItemDataRole.DecorationRole) for row in range(3)]
        assert len({each.cacheKey() for each in icons}) == 3
    assert log.lines.data(log.lines.index(0), Qt.ItemDataRole.ToolTipRole) is None


def test_the_newest_line_is_seen_unless_somebody_reads_an_older_one(qtbot):
    log = LogPane()
    qtbot.addWidget(log)
    log.resize(300, 100)
    log.show()
    for number in range(50):
        log.add(Message(f"line {number}"))
    bar = log.list.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(0)
    log.add(Message("another line"))
    qtbot.wait(20)
    assert bar.value() == 0


def test_lines_that_nobody_sees_are_not_laid_out(qtbot):
    """Which takes 50 ms where the log is full; when it is shown, its newest line is."""
    log = LogPane()
    qtbot.addWidget(log)
    log.resize(300, 100)
    for number in range(50):
        log.add(Message(f"line {number}"))
    bar = log.list.verticalScrollBar()
    assert bar.maximum() == 0
    log.show()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())


def test_warnings_that_nobody_has_looked_at_are_counted_until_somebody_does(qtbot):
    log, told = LogPane(), []
    qtbot.addWidget(log)
    log.attention.connect(lambda *unseen: told.append(unseen))
    for severity, unseen in (
        ("info", None), ("warning", (1, False)), ("warning", (2, False)), ("error", (3, True)), ("warning", (4, True)),
    ):  # fmt: skip
        before = len(told)
        log.add(Message("A line.", severity))
        assert told[before:] == ([] if unseen is None else [unseen])
    log.show()
    qtbot.waitExposed(log)
    assert told[-1] == (0, False)
    count = len(told)
    log.add(Message("It is seen.", "error"))
    assert len(told) == count
    log.hide()
    log.add(Message("It is not.", "error"))
    assert told[-1] == (1, True)
    log.clear()
    assert told[-1] == (0, False)
    assert log.lines.messages == []


def test_lines_that_are_chosen_are_copied_or_all(qtbot):
    log = LogPane()
    qtbot.addWidget(log)
    for number in range(4):
        log.add(Message(f"Line {number}.", "info"))

    def copied():
        log.copy()
        return [text[-7:] for text in QGuiApplication.clipboard().text().split("\n")]

    assert copied() == [f"Line {number}." for number in range(4)]
    for row in (3, 1):
        log.list.selectionModel().select(log.lines.index(row), QItemSelectionModel.SelectionFlag.Select)
    assert copied() == ["Line 1.", "Line 3."]


def test_a_full_log_tells_its_views_that_the_first_line_goes_and_one_comes_last(qtbot, monkeypatch):
    monkeypatch.setattr(pane, "LIMIT", 3)
    log = LogPane()
    qtbot.addWidget(log)
    told = []
    log.lines.rowsRemoved.connect(lambda _, first, last: told.append(("gone", first, last)))
    log.lines.rowsInserted.connect(lambda _, first, last: told.append(("new", first, last)))
    for number in range(4):
        log.add(Message(f"line {number}"))
    assert told == [("new", 0, 0), ("new", 1, 1), ("new", 2, 2), ("gone", 0, 0), ("new", 2, 2)]
    assert [message.text for message in log.lines.messages] == ["line 1", "line 2", "line 3"]
