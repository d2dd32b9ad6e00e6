"""What a window does that nobody touches: it costs no time of a core."""

from __future__ import annotations

from PySide6.QtCore import QTimer

AWAKE = {"Controller", "Keeper"}
"""They look after the run and save what is unsaved."""


def awake(window) -> set[str]:
    return {type(timer.parent()).__name__ for timer in window.findChildren(QTimer) if timer.isActive()}


def test_a_window_at_rest_is_woken_for_its_run_and_its_unsaved_edits_alone(opened, qtbot):
    opened.model.edit(("run", "until"), 2.0)
    opened.controller.run()
    qtbot.waitUntil(lambda: opened.controller.phase == "finished")
    assert len(opened.findChildren(QTimer)) > 15
    qtbot.waitUntil(lambda: awake(opened) == AWAKE, timeout=20_000)
