"""The window's services on the real house: the small slab, files on disk, a run that goes on after reopening."""

from __future__ import annotations

import csv
import gc
import json
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engines.api import registry
from engines.api.errors import ProblemError
from tests.ui.doubles import keep_aside
from tests.ui.house import SLAB, open_slab, run_until, slab, wait_for
from tests.workbench.fake_grid_engine import FadeEngine
from ui.session.house import THINNED, HouseServices
from workbench.export.png import encode_png
from workbench.project import presets
from workbench.project.autosave import recover, recoveries
from workbench.project.store import read_stored
from workbench.run.states.memory import remembered_curves, remembered_state, runs_dir
from workbench.storage.atomic import StorageError
from workbench.storage.paths import state_dir

pytestmark = pytest.mark.usefixtures("own_folders")


def test_a_saved_session_goes_on_where_it_stood(qtbot, make_window, tmp_path):
    first = make_window()
    open_slab(qtbot, first)
    first.model.edit(("parameters", "tissue", "sigma_il"), 0.18)
    first.probes.add((5.0, 2.5, 1.0))
    run_until(qtbot, first, 2.0)
    voltage = first.controller.runner.post(lambda simulation: simulation.field(simulation.fields[0].name)).result(30)
    first.files.save_to(tmp_path / "slab.zip")
    qtbot.waitUntil(lambda: not first.isWindowModified(), timeout=20_000)
    first.close()

    second = make_window()
    assert second.recent_menu.actions()[0].text().endswith("slab.zip)")
    second.open_path(tmp_path / "slab.zip")
    wait_for(qtbot, second, "ready")
    document = second.model.document
    assert document.parameters.tissue.sigma_il == 0.18
    assert [probe.position for probe in document.project.probes][-1] == (5.0, 2.5, 1.0)
    again = second.controller.runner.post(lambda simulation: simulation.field(simulation.fields[0].name)).result(30)
    np.testing.assert_array_equal(again, voltage)  # bit for bit on the same backend
    qtbot.waitUntil(lambda: second.timeline.time_label.text() == "2.00 ms", timeout=10_000)
    run_until(qtbot, second, 3.0)
    second.controller.reset()
    wait_for(qtbot, second, "ready")
    assert second.controller.runner.post(lambda simulation: simulation.step).result(30) == 0


def test_a_project_that_is_opened_again_while_its_run_is_open_comes_back_to_where_that_is(qtbot, make_window, tmp_path):
    window = make_window()
    open_slab(qtbot, window)
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.185)
    window.files.save_to(tmp_path / "slab.zip")
    qtbot.waitUntil(lambda: not window.isWindowModified(), timeout=20_000)
    for end in (2.0, 3.0):
        run_until(qtbot, window, end)
        drawn = len(next(iter(window.probes.curves().values()))[0])
        window.model.undo_stack.setClean()
        with qtbot.waitSignal(window.model.opened, timeout=20_000):
            window.open_path(tmp_path / "slab.zip")
        wait_for(qtbot, window, "ready")
        qtbot.waitUntil(lambda end=end: window.timeline.time_label.text() == f"{end:.2f} ms", timeout=10_000)
        assert len(next(iter(window.probes.curves().values()))[0]) == drawn


def test_the_error_in_which_a_run_ended_is_told_when_its_problem_is_opened_again(qtbot, make_window, tmp_path):
    """Until a run of it goes further, and in the next session, too, where none was begun."""
    first = make_window()
    open_slab(qtbot, first)
    first.model.edit(("parameters", "tissue", "sigma_il"), 0.19)
    first.files.save_to(tmp_path / "slab.zip")
    run_until(qtbot, first, 1.0)

    def lose(simulation):
        state = dict(simulation.state())
        simulation.restore({**state, "voltage": np.full_like(state["voltage"], np.nan)})

    first.controller.runner.post(lose).result(30)
    first.model.edit(("run", "until"), 2.0)
    first.controller.run()
    wait_for(qtbot, first, "failed")
    error = str(first.controller.runner.error)
    first.model.undo_stack.setClean()
    first.close()

    for again in (False, True):
        window = make_window()
        window.open_path(tmp_path / "slab.zip")
        wait_for(qtbot, window, "ready")
        qtbot.waitUntil(lambda window=window: window.estimates.estimate is not None)
        assert window.findings.finding.message == f"The last run of this problem ended in an error. {error}"
        assert window.findings.isVisible()
        if not again:
            window.close()
    run_until(qtbot, window, 1.0)
    assert not any("ended in an error" in finding.message for finding in window.findings.findings)
    window.model.undo_stack.setClean()
    window.close()
    last = make_window()
    last.open_path(tmp_path / "slab.zip")
    wait_for(qtbot, last, "ready")
    qtbot.waitUntil(lambda: last.estimates.estimate is not None)
    assert not any("ended in an error" in finding.message for finding in last.findings.findings)


def test_a_session_that_was_kept_aside_has_its_curves(qtbot, make_window):
    """Up to where its run stood, and it goes on from there; those of a probe that is elsewhere now are not its own."""
    first = make_window()
    open_slab(qtbot, first)
    first.probes.add((5.0, 2.5, 1.0))
    first.probes.add((6.0, 2.5, 1.0))
    first.model.edit(("parameters", "tissue", "sigma_il"), 0.23)
    first.model.edit(("parameters", "stimuli", 0, "pulses"), 2)
    wait_for(qtbot, first, "ready")
    run_until(qtbot, first, 2.0)
    drawn = first.probes.curves()
    qtbot.waitUntil(lambda: "No re-entry so far" in getattr(first.findings.finding, "message", ""))
    told = first.findings.finding.message
    assert told.startswith("No re-entry so far")
    assert {len(key) for key in drawn} == {1, 2}  # series of the whole, and what the probes have seen
    first.open_preset(slab(first.services))  # the edits are kept aside
    keep_aside(first)
    wait_for(qtbot, first, "ready")
    assert not any(len(times) for times, _ in first.probes.curves().values()), "the preset was never run"
    qtbot.waitUntil(lambda: not first.background.busy, timeout=30_000)
    first.close_at_once()

    second = make_window()
    qtbot.waitUntil(lambda: bool(second.welcome.unsaved.cards))
    qtbot.mouseClick(second.welcome.unsaved.cards[0], Qt.MouseButton.LeftButton)
    wait_for(qtbot, second, "ready")
    again = second.probes.curves()
    assert again.keys() == drawn.keys()
    qtbot.waitUntil(lambda: second.estimates.estimate is not None)
    assert second.findings.finding.message == told, "over warnings that come with the estimate, too"
    for key, (times, values) in drawn.items():
        np.testing.assert_array_equal(again[key][0], times)
        np.testing.assert_array_equal(again[key][1], values)
    document = second.model.snapshot()
    (moved, *stay) = (probe.name for probe in reversed(document.project.probes))
    document.project.probes[-1].position = (7.0, 2.5, 1.0)
    state = remembered_state(document)
    assert state is not None
    names = {key[0] for key in remembered_curves(state, document) if len(key) == 2}
    assert moved not in names
    assert set(stay) == names


def test_curves_that_nobody_has_kept_are_said_to_be_missing(qtbot, make_window, tmp_path):
    first = make_window()
    open_slab(qtbot, first)
    first.files.save_to(tmp_path / "slab")
    run_until(qtbot, first, 1.0)
    first.close_at_once()
    for file in runs_dir().glob("*.curves"):
        file.unlink()
    second = make_window()
    second.open_path(tmp_path / "slab")
    wait_for(qtbot, second, "ready")
    assert all(len(times) <= 1 for times, _ in second.probes.curves().values())
    said = [second.log.lines.text(row) for row in range(second.log.lines.rowCount())]
    assert any("The curves of before" in line and "were not kept" in line for line in said)


def test_another_parameter_is_another_problem_and_begins_at_zero(qtbot, make_window, tmp_path):
    first = make_window()
    open_slab(qtbot, first)
    first.files.save_to(tmp_path / "slab")
    run_until(qtbot, first, 1.0)
    first.close_at_once()
    assert list(runs_dir().glob("*.npz"))
    project = json.loads((tmp_path / "slab" / "project.json").read_text())
    project["parameters"]["tissue"]["sigma_il"] = 0.2
    (tmp_path / "slab" / "project.json").write_text(json.dumps(project))
    second = make_window()
    second.open_path(tmp_path / "slab")
    wait_for(qtbot, second, "ready")
    assert second.controller.runner.post(lambda simulation: simulation.step).result(30) == 0


def test_a_full_disk_costs_the_memory_of_the_run_and_not_the_run(qtbot, make_window, monkeypatch):
    def full(*_):
        raise StorageError("The disk is full: free some room.")

    window = make_window()
    monkeypatch.setattr("workbench.run.states.memory.write_checkpoint", full)
    monkeypatch.setattr("workbench.run.states.memory.EVERY_SECONDS", 0.0)
    open_slab(qtbot, window)
    run_until(qtbot, window, 1.0)
    lines = [window.log.lines.text(row) for row in range(window.log.lines.rowCount())]
    assert any("could not be kept for the next session; it goes on. The disk is full" in line for line in lines)
    assert "could not be kept for the next session" in window.banner.text


def test_exports_of_a_real_run(qtbot, make_window, tmp_path, monkeypatch):
    window = make_window()
    open_slab(qtbot, window)
    run_until(qtbot, window, 2.0)
    services, document, runner = window.services, window.model.snapshot(), window.controller.runner
    services.export_timing_log(tmp_path / "timing.jsonl", document, runner)
    rows = [json.loads(line) for line in (tmp_path / "timing.jsonl").read_text().splitlines()]
    # Observers look every few steps and are not timed.
    assert {row["kernel"] for row in rows} == {"diffusion", "reaction"}
    assert {row["kernel"] for row in rows} == {traffic.kernel for traffic in window.controller.info.traffic}
    assert all(row["fraction"] == pytest.approx(row["bytes_per_second"] / row["ceiling"]) for row in rows)
    assert (tmp_path / "timing.csv").is_file()
    info, curves = window.controller.info, window.probes.curves()
    services.export_results(tmp_path, document, runner, info, curves)
    series = list(csv.DictReader((tmp_path / "results_series.csv").open()))
    first = info.series[0]
    assert [float(row[f"{first.name} [{first.unit}]"]) for row in series] == pytest.approx(
        list(window.probes.store.series[first.name].values), rel=1e-8
    )
    assert (tmp_path / "results.pvd").is_file()
    assert list(tmp_path.glob("results_*.vtu"))
    monkeypatch.setattr("ui.session.house.CAPACITY", 2 * len(series))
    services.export_results(tmp_path, document, runner, info, curves)
    assert (tmp_path / "results_series.csv").read_text().startswith(f"# {THINNED}"), "thinned"
    assert [path.suffix for path in services.export_mesh(tmp_path / "mesh.elem", document)] == [".pts", ".elem", ".lon"]
    assert (tmp_path / "mesh.elem").read_text().startswith(f"{document.geometry.n_cells}\n")
    services.export_snapshot(tmp_path / "picture.png", np.zeros((9, 16, 4), np.uint8), document)
    assert read_stored(tmp_path / "picture.png").project.title == document.project.title


def test_unsaved_edits_are_offered_after_closing(qtbot, make_window):
    first = make_window()
    open_slab(qtbot, first)
    first.model.edit(("parameters", "tissue", "sigma_il"), 0.21)
    first.close()
    keep_aside(first)
    first.services._autosave._lock.release()  # as the end of the process does
    second = make_window()
    qtbot.waitUntil(lambda: bool(second.welcome.unsaved.cards))
    (card,) = second.welcome.unsaved.cards
    assert card.recovery.picture.is_file()
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    wait_for(qtbot, second, "ready")
    assert second.model.document.parameters.tissue.sigma_il == 0.21
    assert second.isWindowModified()
    qtbot.waitUntil(lambda: not second.welcome.unsaved.cards)
    assert card.recovery.folder.is_dir()  # this window keeps it there from now on
    second.keeper.gives_up = True
    second.close_at_once()
    assert not card.recovery.folder.exists()


def test_edits_that_another_document_covers_are_kept_beside(qtbot, make_window):
    first = make_window()
    open_slab(qtbot, first)
    first.model.edit(("parameters", "tissue", "sigma_il"), 0.22)
    first.open_preset(slab(first.services))
    keep_aside(first)
    qtbot.waitUntil(lambda: first.model.undo_stack.isClean() and first.controller.phase == "ready", timeout=30_000)
    assert first.model.document.parameters.tissue.sigma_il != 0.22
    first.close()
    found = recoveries()
    assert len(found) == 1
    assert recover(found[0]).parameters.tissue.sigma_il == 0.22


def test_edits_taken_back_leave_nothing_to_recover(qtbot, make_window):
    window = make_window()
    open_slab(qtbot, window)
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.22)
    window.keeper.timer.timeout.emit()
    qtbot.waitUntil(lambda: not window.background.busy)
    window.model.undo_stack.undo()
    window.close()
    assert not list((state_dir() / "autosave").glob("*/project.json"))


def truncated(path: Path) -> None:
    whole = next(preset for preset in presets.presets() if preset.id == SLAB).project
    mesh = next(file for file in Path(str(whole)).iterdir() if file.suffix == ".vtu")
    path.write_bytes(mesh.read_bytes()[:2000])


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("empty.vtu", lambda path: path.write_bytes(b"")),
        ("truncated.vtu", truncated),
        ("newer.json", lambda path: path.write_text(json.dumps({"schema_version": 99, "engine": "cardiac"}))),
        ("plain.png", lambda path: path.write_bytes(encode_png(np.zeros((2, 2, 4), np.uint8)))),
        ("missing.vtu", lambda path: None),
        ("noise.zip", lambda path: path.write_bytes(bytes(range(256)) * 8)),
    ],
)
def test_bad_files_are_one_sentence(qtbot, make_window, tmp_path, name, make):
    window = make_window()
    make(tmp_path / name)
    window.open_path(tmp_path / name)
    qtbot.waitUntil(lambda: bool(window.banner.text), timeout=20_000)
    assert "\n" not in window.banner.text
    assert "unexpected" not in window.banner.text
    assert window.model.document is None


def test_a_problem_without_timings_says_so(tmp_path):
    services = HouseServices()
    document = services.open_preset(slab(services))
    runner = services.start(document, autostart=False)
    try:
        runner.wait("ready", timeout=90)
        with pytest.raises(ProblemError, match="second"):
            services.export_timing_log(tmp_path / "t.jsonl", document, runner)
    finally:
        runner.close()


def test_a_mesh_in_another_unit_is_another_size(qtbot, make_window):
    window = make_window()
    open_slab(qtbot, window)
    before = window.model.document.geometry.points.max(axis=0)
    assert [action.isChecked() for action in window.unit_menu.actions()] == [False, True, False, False]
    window.unit_menu.actions()[2].trigger()
    qtbot.waitUntil(lambda: window.model.document.project.geometry.length_unit == "cm", timeout=10_000)
    np.testing.assert_allclose(window.model.document.geometry.points.max(axis=0), 10 * before)
    assert [action.isChecked() for action in window.unit_menu.actions()] == [False, False, True, False]


def test_a_problem_without_a_mesh(make_window, qtbot, monkeypatch, tmp_path):
    """Begun from the menu, estimated, saved with its picture, opened again, on the real house."""
    fade = FadeEngine()
    monkeypatch.setattr(registry, "engines", lambda: {"fade": fade})
    window = make_window()
    window.new_menu.actions()[0].trigger()
    wait_for(qtbot, window, "ready")
    qtbot.waitUntil(lambda: window.estimates.estimate is not None, timeout=10_000)
    assert window.problem.subtitle.text() == fade.summary
    picture = tmp_path / "elsewhere" / "cat.png"
    picture.parent.mkdir()
    picture.write_bytes(bytes([3, 5]))
    window.model.edit(("parameters", "start"), {"kind": "picture", "picture": str(picture)})
    window.files.save_to(tmp_path / "p.zip")
    qtbot.waitUntil(lambda: not window.isWindowModified(), timeout=10_000)
    picture.unlink()
    qtbot.waitUntil(lambda: not window.background.busy, timeout=10_000)
    window.estimates.recompute()
    qtbot.waitUntil(lambda: "is missing: put it back" in window.estimates.sentence.text(), timeout=10_000)
    window.open_path(tmp_path / "p.zip")
    qtbot.waitUntil(lambda: window.model.document.parameters.start.picture != str(picture), timeout=10_000)
    window.controller.step()
    wait_for(qtbot, window, "paused")
    values = window.controller.runner.post(lambda simulation: simulation.field("u")).result(10)
    assert values == pytest.approx(np.full(24, 4.0 * 0.95))  # the mean of the bytes, faded by one step


def test_what_a_problem_held_goes_when_another_is_opened(make_window, qtbot, monkeypatch):
    """A run, its document and a frame's worth of everything that shows them: nobody in the window has them any more."""
    fade = FadeEngine()
    monkeypatch.setattr(registry, "engines", lambda: {"fade": fade})
    window = make_window()
    gone = []
    for _ in range(2):
        before = window.model.document
        window.new_menu.actions()[0].trigger()
        qtbot.waitUntil(lambda before=before: window.model.document is not before)
        wait_for(qtbot, window, "ready")
        window.controller.step()
        wait_for(qtbot, window, "paused")
        window.model.undo_stack.setClean()
        gone.append((weakref.ref(window.model.document), weakref.ref(window.controller.runner)))
        before = None

    def collected():
        gc.collect()
        return gone[0][0]() is None and gone[0][1]() is None

    qtbot.waitUntil(collected, timeout=10_000)
    assert all(reference() is not None for reference in gone[1])


def test_whatever_the_window_computes_on_leaves_a_core_to_it(monkeypatch):
    """Runs, tools and sweeps, forecasts, estimates."""
    house, opened = HouseServices(), []

    def spared(*_, reserve_core=False, **how):
        opened.append((reserve_core, how))
        raise ProblemError("enough")

    document = presets.open_preset(slab(house))
    monkeypatch.setattr("engines.backend.devices.select.open_backend", spared)
    monkeypatch.setattr("ui.session.house.session.start", spared)
    for compute in (lambda: house.start(document, autostart=True), lambda: house.forecast(document)):
        with pytest.raises(ProblemError, match="enough"):
            compute()
    with pytest.raises(ProblemError, match="enough"):
        house._working(document)
    assert [spare for spare, _ in opened] == [True] * 3
    assert house._estimator._reserve_core
    assert opened[0][1]["autostart"] is True
    assert opened[0][1]["pace"] == document.project.run.pace


def test_what_another_machine_has_kept_of_a_problem_is_gone_on_from_once(monkeypatch):
    """There it stands; what this machine has kept is not looked for. A run after it begins where the window says."""
    house, begun = HouseServices(), []
    monkeypatch.setattr("ui.session.house.remembered_state", lambda _: pytest.fail("it is of this machine"))
    house._there = SimpleNamespace(start=lambda _, **how: begun.append(how), runner=None)
    document = presets.open_preset(slab(house))
    house._look_for_state(document)
    for autostart in (True, False):
        house.start(document, autostart)
    assert [(how["autostart"], how["kept"], how["state"]) for how in begun] == [
        (True, True, None),
        (False, False, None),
    ]
