"""Pictures that open as the session that they were taken of, on the real house."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from tests.ui.house import open_slab, run_until, slab, wait_for
from workbench.export.png import save_snapshot
from workbench.storage.paths import state_dir

pytestmark = pytest.mark.usefixtures("own_folders")


def test_a_picture_reopens_the_session(qtbot, make_window, tmp_path):
    first = make_window()
    open_slab(qtbot, first)
    first.model.edit(("parameters", "tissue", "sigma_il"), 0.19)
    first.services.export_snapshot(tmp_path / "s.png", np.zeros((9, 16, 4), np.uint8), first.model.snapshot())
    first.close_at_once()
    second = make_window()
    second.open_path(tmp_path / "s.png")
    wait_for(qtbot, second, "ready")
    assert second.model.document.parameters.tissue.sigma_il == 0.19
    assert second.model.document.path is None


def test_a_picture_reopens_at_its_moment_with_its_curves(qtbot, make_window, tmp_path, monkeypatch):
    """Not where the run stood when its window closed; and where its state is gone, at zero, with a sentence."""
    first = make_window()
    open_slab(qtbot, first)
    first.probes.add((5.0, 2.5, 1.0))
    run_until(qtbot, first, 1.0)
    time = first.controller.time
    drawn = first.probes.curves()
    assert {len(key) for key in drawn} == {1, 2}  # series of the whole, and what the probe has seen
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(tmp_path / "s.png"), ""))
    qtbot.waitUntil(first.actions_["snapshot"].isEnabled)  # it is off while the page of the problem is not shown
    first.actions_["snapshot"].trigger()
    qtbot.waitUntil((tmp_path / "s.png").is_file, timeout=20_000)
    qtbot.waitUntil(lambda: not first.background.busy)
    run_until(qtbot, first, 2.0)
    first.close_at_once()

    second = make_window()
    second.open_path(tmp_path / "s.png")
    wait_for(qtbot, second, "ready")
    assert second.controller.runner.post(lambda simulation: simulation.time).result(30) == pytest.approx(time)
    again = second.probes.curves()
    assert again.keys() == drawn.keys()
    for key, (times, values) in drawn.items():
        np.testing.assert_array_equal(again[key][0], times)
        np.testing.assert_array_equal(again[key][1], values)
    run_until(qtbot, second, 1.5)  # it goes on, and so do its curves
    longer = second.probes.curves()
    for key, (times, _) in drawn.items():
        np.testing.assert_array_equal(longer[key][0][: len(times)], times)
        assert longer[key][0][-1] > times[-1]
    second.close_at_once()

    shutil.rmtree(state_dir() / "snapshots")
    third, said = make_window(), []
    third.controller.message.connect(lambda message: said.append(message.text))
    third.open_path(tmp_path / "s.png")
    wait_for(qtbot, third, "ready")
    assert third.controller.runner.post(lambda simulation: simulation.step).result(30) == 0
    qtbot.waitUntil(lambda: any("taken at 1 ms" in text for text in said))


@pytest.mark.parametrize("told", ['{"state": "../../x", "time": 1, "unit": "ms"}', "[]", "{", '{"state": 1}'])
def test_a_moment_of_a_stranger_leads_nowhere(make_window, tmp_path, told):
    services = make_window().services
    save_snapshot(tmp_path / "s.png", np.zeros((2, 2, 4), np.uint8), services.open_preset(slab(services)), told)
    assert services.open(tmp_path / "s.png").project.title
    runner = services.start(services.open(tmp_path / "s.png"), autostart=False)
    try:
        assert not services.earlier_curves(runner)
    finally:
        runner.close()
