"""No widget dies on another thread: cycles are collected on the GUI thread alone while the window is there."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ui.widgets import garbage
from ui.widgets.garbage import Due, GuiThreadCollector


class Cycle(QWidget):
    """A widget that only a collection frees, and says on which thread."""

    def __init__(self, died: list[str]) -> None:
        super().__init__()
        self.itself = self
        weakref.finalize(self, lambda: died.append(threading.current_thread().name))


@pytest.fixture
def collector(qapp):
    owner = QObject()
    collector = GuiThreadCollector(owner)
    yield collector
    collector.stop()
    gc.disable()  # as the other tests of windows have it


def allocate() -> list[list[int]]:
    """What makes Python collect many times."""
    return [[place] for place in range(100_000)]


def test_a_thread_that_allocates_collects_no_widget(collector, qtbot):
    died: list[str] = []
    Cycle(died)
    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert not died
    kept = allocate()
    qtbot.waitUntil(lambda: bool(died), timeout=5000)
    assert kept
    assert died == [threading.main_thread().name]


def test_python_collects_again_afterwards(qapp):
    owner = QObject()
    collector = GuiThreadCollector(owner)
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()
    gc.disable()


def test_what_is_due_is_told_by_pythons_thresholds(monkeypatch):
    asked: list[int] = []
    given_back: list[int] = []
    monkeypatch.setattr(gc, "collect", asked.append)
    monkeypatch.setattr(garbage, "give_back_freed", lambda: given_back.append(len(asked)))
    monkeypatch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
    now = [0.0]
    monkeypatch.setattr(garbage.time, "monotonic", lambda: now[0])
    due = Due()
    for counts in ((700, 10, 10), (701, 0, 0), (0, 11, 0), (701, 11, 11)):
        monkeypatch.setattr(gc, "get_count", lambda counts=counts: counts)
        due.collect()
    assert asked == [0, 1, 1], "everything is not collected at once again"
    now[0] = garbage.FULL_SECONDS
    due.collect()
    assert asked == [0, 1, 1, 2]
    due.collect()
    assert asked == [0, 1, 1, 2, 1]
    assert given_back == [4], "after everything was collected, and only then"


def test_a_problem_that_was_left_is_collected_when_the_window_has_settled(collector, qtbot, monkeypatch):
    died: list[str] = []
    given_back: list[bool] = []
    monkeypatch.setattr(garbage, "give_back_freed", lambda: given_back.append(bool(died)))
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 0))  # nothing is due
    monkeypatch.setattr(garbage, "SETTLED_MILLISECONDS", 1)
    Cycle(died)
    collector.collect_soon()
    qtbot.waitUntil(lambda: bool(given_back), timeout=5000)
    assert given_back == [True]
