"""A window on the application's own services: the small slab opened in it, and run."""

from __future__ import annotations

import pytest

SLAB = "small_slab"


def slab(services):
    return next(preset for preset in services.presets() if preset.id == SLAB)


def wait_for(qtbot, window, *phases, timeout=90_000):
    """The first test of a machine compiles the kernels."""
    qtbot.waitUntil(lambda: window.controller.phase in (*phases, "failed"), timeout=timeout)
    assert window.controller.phase in phases, window.banner.text


def open_slab(qtbot, window):
    with qtbot.waitSignal(window.model.opened, timeout=20_000):
        window.open_preset(slab(window.services))
    wait_for(qtbot, window, "ready")
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport)  # once no double click can come any more


def run_until(qtbot, window, time):
    window.model.edit(("run", "until"), time)
    window.controller.run()
    wait_for(qtbot, window, "finished")
    qtbot.waitUntil(lambda: window.controller.time == pytest.approx(time, abs=window.controller.info.dt))
