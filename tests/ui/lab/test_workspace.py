"""The Lab in the window: switching, measuring, cancelling, comparing, exporting, closing."""

import csv
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace

import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMessageBox

from tests.ui.lab.doubles import SMALL, STUDY, plausible_record
from ui.session.running.phase import Phase
from ui.widgets.theme import theme
from ui.window.centre.workspaces import LAB, SIMULATE
from workbench.bench.record_files import read_record, write_json


def test_the_docks_go_and_come_back_and_keys_of_the_simulation_are_silent(opened, qtbot):
    window = opened
    before = {name: dock.isVisible() for name, dock in window.dock_layout.docks.items()}
    assert any(before.values())
    assert window.pages.made_lab is None  # it is made when it is wanted
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.workspaces.place == LAB
    assert window.pages.lab.isVisible()
    assert not any(dock.isVisible() for dock in window.dock_layout.docks.values())
    qtbot.keyClick(window.pages.lab, Qt.Key.Key_Space)
    qtbot.keyClick(window.pages.lab.views.table, Qt.Key.Key_Space)
    qtbot.keyClick(window.pages.lab, Qt.Key.Key_Period)
    qtbot.wait(150)
    assert window.controller.phase == Phase.READY
    assert window.controller.time == 0.0
    qtbot.keyClick(window.pages.lab, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.workspaces.place == SIMULATE
    assert {name: dock.isVisible() for name, dock in window.dock_layout.docks.items()} == before
    qtbot.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.controller.phase == Phase.RUNNING, timeout=5000)


def test_the_first_page_has_no_docks_after_the_lab_either(window):
    window.workspaces.show(LAB)
    window.workspaces.show(SIMULATE)
    assert window.stack.currentWidget() is window.welcome
    assert not any(dock.isVisible() for dock in window.dock_layout.docks.values())


def test_opening_a_problem_leaves_the_lab(window, qtbot, services):
    window.workspaces.show(LAB)
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: window.workspaces.place == SIMULATE, timeout=5000)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport)


def test_before_anything_is_measured_there_is_a_sentence_and_a_button(lab, qtbot, services):
    assert lab.centre.currentWidget() is lab.empty
    assert "this machine" in lab.empty.sentence.text()
    qtbot.mouseClick(lab.empty.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not lab.measuring.running and lab.centre.currentWidget() is lab.views, timeout=10_000)
    device, studies, cases, variants, cache, quick = services.lab_asked[-1]
    assert (device, studies, variants, cache, quick) == ("auto", [STUDY.id], None, "cold", False)
    assert cases[STUDY.id] == tuple(case.name for case in STUDY.cases)


def test_what_is_checked_is_what_is_measured(lab, qtbot, services):
    lab.setup.sizes.item(0).setCheckState(Qt.CheckState.Unchecked)
    lab.setup.cache.setCurrentIndex(1)
    lab.setup.extent.setCurrentIndex(1)
    lab.setup.device.setCurrentIndex(1)
    lab.setup.choose_study(SMALL.id)
    lab.setup.choose_study(STUDY.id)
    assert lab.setup.sizes.item(0).checkState() == Qt.CheckState.Unchecked  # remembered for each study
    lab.run()
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=10_000)
    device, studies, cases, _, cache, quick = services.lab_asked[-1]
    assert (device, studies, cache, quick) == ("cpu", [STUDY.id], "warm", True)
    assert "1024²" not in cases[STUDY.id]


def test_nothing_checked_cannot_be_run(lab):
    for row in range(lab.setup.sizes.count()):
        lab.setup.sizes.item(row).setCheckState(Qt.CheckState.Unchecked)
    assert not lab.setup.run_button.isEnabled()
    assert "Check a study" in lab.setup.activity.text()
    lab.setup.sizes.item(0).setCheckState(Qt.CheckState.Checked)
    assert lab.setup.run_button.isEnabled()


def test_the_machine_and_the_figures_are_shown_and_kept(measured, qtbot, services):
    assert measured.machine.text().startswith("NVIDIA H200, 2026-11-21  ·  driver 580.159  ·  memory: 4.30 TB/s")
    assert measured.views.table.variants.rowCount() == 50  # ten variants at five sizes, the best block of each
    measured.views.every_block.click()
    assert measured.views.table.variants.rowCount() == len(plausible_record().variants)
    kept = services.lab_folder / "kept.json"
    qtbot.waitUntil(kept.exists)
    assert len(read_record(kept).variants) == len(plausible_record().variants)


def test_the_source_of_the_chosen_variant_at_its_symbol(measured, qtbot):
    measured.views.table.selectRow(0)
    panel = measured.source
    assert panel.record.variant == measured.views.table.variants.records[0].variant
    assert "stream_triad" in panel.editor.textCursor().block().text()
    assert panel.again_button.isEnabled()
    row = next(r for r, v in enumerate(measured.views.table.variants.records) if v.variant == "cupy")
    measured.views.table.selectRow(row)
    assert "def copy" in panel.editor.textCursor().block().text()
    row = next(r for r, v in enumerate(measured.views.table.variants.records) if v.refused)
    measured.views.table.selectRow(row)
    assert panel.note.text().startswith("Refused: wrong answer")
    assert "Texture object: 0.7" in panel.notes.toPlainText()


@pytest.mark.parametrize(("width", "roomy"), [(1365, False), (1366, True)])
def test_the_figures_have_the_room_of_the_source_until_there_is_one(lab, window, qtbot, width, roomy):
    window.resize(width, 768)
    assert not lab.source.isVisible(), "nothing is measured"
    lab.setup.run_button.click()
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=10_000)
    assert lab.source.isVisible() == roomy
    lab.views.table.selectRow(0)
    assert lab.source.isVisible()


def test_measuring_one_variant_again_asks_for_it_alone(measured, qtbot, services):
    measured.views.table.selectRow(0)
    variant = measured.source.record.variant
    measured.source.again_button.click()
    qtbot.waitUntil(lambda: not measured.measuring.running, timeout=10_000)
    assert services.lab_asked[-1][3] == {STUDY.id: [variant]}
    assert len(measured.measuring.record().variants) == len(plausible_record().variants)  # replaced, not doubled


def test_the_heat_map_shows_fractions_by_block(measured, qtbot):
    views = measured.views
    views.setCurrentIndex(1)
    views.variant_box.setCurrentIndex(views.variant_box.findData("coarse"))
    views.variant_box.activated.emit(views.variant_box.currentIndex())
    views.size_box.setCurrentIndex(views.size_box.findData("2048²"))
    views.size_box.activated.emit(views.size_box.currentIndex())
    records = [r for r in plausible_record().variants if r.variant == "coarse" and r.case == "2048²"]
    shown = sorted(i.toPlainText() for i in views.blocks.getPlotItem().items if isinstance(i, pg.TextItem))
    assert shown == sorted(f"{100 * record.fraction:.0f} %" for record in records)
    names = [name for _, name in views.blocks.getAxis("bottom")._tickLevels[0]]
    assert names == ["16", "32", "64", "128"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [("cpu", "Block shapes need a GPU"), ("cuda", "No variant of this study was measured with block shapes.")],
)
def test_without_any_block_shape_it_is_said_why_and_nothing_is_chosen(measured, kind, said):
    """It spoke of "this variant" under an empty list."""
    views, record = measured.views, plausible_record()
    device = {**record.machine.device, "kind": kind}
    flat = tuple(each for each in record.variants if each.shape is None)
    views.show_data(
        STUDY, STUDY.id, replace(record, machine=replace(record.machine, device=device), variants=flat), None
    )
    views.setCurrentIndex(1)
    (shown,) = (item.toPlainText() for item in views.blocks.getPlotItem().items if isinstance(item, pg.TextItem))
    assert shown.startswith(said)
    assert not views.variant_box.isEnabled()
    views.show_data(STUDY, STUDY.id, record, None)
    assert views.variant_box.isEnabled()


def test_a_point_of_the_roofline_chooses_its_row(measured):
    views = measured.views
    views.setCurrentIndex(2)
    record = next(r for r in views.table.variants.records if r.variant == "tile" and r.case == "16384²")
    views.roofline.chosen.emit(record)
    assert measured.source.record == record
    assert views.table.variants.records[views.table.currentIndex().row()] == record


def test_the_roofline_has_all_sizes_its_roofs_and_says_what_is_missing(measured, services, qtbot):
    views = measured.views
    views.setCurrentIndex(2)
    shown = [item for item in views.roofline.getPlotItem().items if isinstance(item, pg.ScatterPlotItem)]
    assert sum(len(item.points()) for item in shown) == 9 * 5  # ten ways at five sizes, one of them refused
    texts = [item.toPlainText() for item in views.roofline.getPlotItem().items if isinstance(item, pg.TextItem)]
    assert "Memory 4.30 TB/s" in texts
    assert "Arithmetic 60 T float32 operations/s" in texts
    assert "Naive, one point per thread, 1024²" in texts
    assert views.skipped.text().startswith("Not shown: fp16, one sum: wrong answer: the largest error is 3.1e-03")
    for side in ("left", "bottom"):
        axis = views.roofline.getAxis(side)
        assert len(axis.tickValues(*axis.range, axis.width() if side == "bottom" else axis.height())[0][1]) >= 2
    views.size_box.setCurrentIndex(views.size_box.findData("4096²"))
    views.size_box.activated.emit(views.size_box.currentIndex())
    texts = [item.toPlainText() for item in views.roofline.getPlotItem().items if isinstance(item, pg.TextItem)]
    assert "Naive, one point per thread" in texts
    clicked = next(i for i in views.roofline.getPlotItem().items if getattr(i, "opts", {}).get("hoverable"))
    clicked.sigClicked.emit(clicked, clicked.points()[:1], None)
    assert measured.source.record.case == "4096²"


def test_every_plot_draws_in_both_themes_with_and_without_figures(lab, qtbot, qapp):
    for tab in range(5):
        lab.views.setCurrentIndex(tab)
    lab.run()
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=10_000)
    for name in ("light", "dark"):
        theme().apply(name, qapp)
        for tab in range(1, 5):
            lab.views.setCurrentIndex(tab)
            assert lab.views.picture().width() > 100
    lab.views.setCurrentIndex(0)
    assert lab.views.picture() is None


def test_cancelling_keeps_what_is_there(lab, qtbot, services):
    services.lab_hold = True
    lab.run()
    qtbot.waitUntil(lambda: lab.measuring.record() is not None, timeout=5000)
    assert lab.setup.run_button.text() == "Cancel"
    assert not lab.setup.device.isEnabled()
    lab.run()  # a second one is not begun
    assert len(services.lab_runs) == 1
    lab.setFocus()
    qtbot.keyClick(lab, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=5000)
    assert not services.lab_runs[0].alive
    assert lab.setup.activity.text().startswith("Cancelled: ")
    assert lab.setup.run_button.text() == "Run"
    assert lab.views.table.variants.rowCount()


def test_a_failure_is_a_sentence_and_the_next_run_goes(lab, qtbot, services):
    services.lab_failure = "The device has too little memory for 16384²: leave this size out."
    lab.run()
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=5000)
    assert lab.banner.text == services.lab_failure
    services.lab_failure = ""
    lab.run()
    assert lab.banner.text == ""
    qtbot.waitUntil(lambda: not lab.measuring.running, timeout=10_000)


def test_a_measurement_pauses_a_running_simulation_and_says_so(opened, qtbot, services):
    window = opened
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == Phase.RUNNING)
    services.lab_hold = True
    window.workspaces.show(LAB)
    qtbot.waitUntil(lambda: window.pages.lab.setup.study is not None, timeout=5000)
    window.pages.lab.run()
    assert "paused" in window.pages.lab.banner.text
    qtbot.waitUntil(lambda: window.controller.phase == Phase.PAUSED)
    window.workspaces.show(SIMULATE)
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == Phase.RUNNING)
    assert "Kernel Lab is measuring" in window.banner.text
    window.pages.lab.cancel()
    qtbot.waitUntil(lambda: not window.pages.lab.measuring.running)


def test_a_kept_record_is_compared_and_shown(measured, qtbot, tmp_path):
    path = tmp_path / "a100.json"
    write_json(plausible_record("NVIDIA A100", "2026-11-02", 0.5), path)
    choice = measured.choice
    choice.open(path, choice.compare_box)
    qtbot.waitUntil(lambda: measured.choice.compared is not None, timeout=5000)
    assert any(c.title == "NVIDIA A100\nGB/s" for c in measured.views.table.variants.columns)
    choice.open(path, choice.show_box)
    qtbot.waitUntil(lambda: measured.machine.text().startswith("NVIDIA A100, 2026-11-02"), timeout=5000)
    measured.run()  # what is measured is what is shown
    assert choice.show_box.currentText() == "This machine"
    qtbot.waitUntil(lambda: not measured.measuring.running, timeout=10_000)


@pytest.mark.parametrize("text", ["", "{}", '{"records": []}', "[1, 2"])
def test_a_file_of_another_kind_is_a_sentence(lab, qtbot, tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    lab.choice.open(path, lab.choice.compare_box)
    qtbot.waitUntil(lambda: bool(lab.banner.text), timeout=5000)
    assert lab.banner.text.startswith("'other.json' is no record of the Kernel Lab (")
    assert lab.banner.text.endswith("): choose a JSON file exported there.")


def test_json_and_csv_and_plots_are_exported(measured, qtbot, tmp_path):
    record = plausible_record()
    measured.export.json(tmp_path / "record.json")
    assert {r.variant for r in read_record(tmp_path / "record.json").variants} == {r.variant for r in record.variants}
    assert json.loads((tmp_path / "record.json").read_text())["machine"]["device"]["name"] == "NVIDIA H200"
    measured.export.csv(tmp_path / "figures.csv")
    rows = list(csv.DictReader((tmp_path / "figures.csv").open()))
    assert len(rows) == len(record.variants)
    first = next(r for r in record.variants if r.variant == rows[0]["variant"] and r.case == rows[0]["case"])
    assert float(rows[0]["fraction"]) == pytest.approx(first.fraction)
    assert rows[0]["device"] == "NVIDIA H200"
    assert measured.banner.text == f"Exported to {tmp_path / 'figures.csv'}."
    measured.export.plots(tmp_path / "plots")
    qtbot.waitUntil(lambda: measured.banner.text.endswith(f"plots to {tmp_path / 'plots'}."), timeout=60_000)
    names = {path.name for path in (tmp_path / "plots").glob("*.png")}
    assert {"bandwidth.png", "laplace-2d_time.png", "laplace-2d_roofline.png"} <= names


def test_pictures_that_plots_would_replace_are_asked_about(measured, qtbot, tmp_path, monkeypatch):
    """They were replaced without a word; another picture in the folder is none of them."""
    asked, button = [], QMessageBox.StandardButton
    monkeypatch.setattr("ui.lab.exporting.folder_for", lambda *_: tmp_path)
    monkeypatch.setattr(QMessageBox, "question", lambda *told: (asked.append(told[2]), button.No)[1])
    for name in ("bandwidth.png", "laplace-2d_time.png", "holiday.png"):
        (tmp_path / name).write_text("of a person")
    menu = measured.export.menu(lambda: None)
    every = next(action for action in menu.actions() if action.text().startswith("All plots"))
    every.trigger()
    assert asked == ["'bandwidth.png' and 1 other are there already. Replace them?"]
    assert (tmp_path / "laplace-2d_time.png").read_text() == "of a person"
    (tmp_path / "laplace-2d_time.png").unlink()
    monkeypatch.setattr(QMessageBox, "question", lambda *told: (asked.append(told[2]), button.Yes)[1])
    every.trigger()
    assert asked[1:] == ["'bandwidth.png' is there already. Replace it?"]
    qtbot.waitUntil(lambda: measured.banner.text.endswith(f"plots to {tmp_path}."), timeout=60_000)
    assert (tmp_path / "bandwidth.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "holiday.png").read_text() == "of a person"


def test_exporting_nothing_is_a_sentence(lab, tmp_path):
    lab.export.csv(tmp_path / "none.csv")
    assert lab.banner.text.startswith("There is nothing to export yet")
    assert not (tmp_path / "none.csv").exists()


def test_closing_during_a_measurement_ends_its_thread(lab, window, services, qtbot):
    services.lab_hold = True
    lab.run()
    qtbot.waitUntil(lambda: lab.measuring.record() is not None, timeout=5000)
    window.close()
    assert not services.lab_runs[0].alive
    assert (services.lab_folder / "kept.json").exists()


def test_exit_code_zero_after_closing_during_a_measurement(tmp_path):
    script = textwrap.dedent(
        """
        import sys, threading
        from PySide6.QtCore import QSettings, QTimer
        from ui.app import create_application
        application = create_application([])
        from tests.ui.doubles import FakeServices
        from tests.ui.viewport.doubles import FakeViewport
        from ui.window.main_window import MainWindow
        from ui.widgets.theme import theme
        theme().apply("dark", application)
        services = FakeServices()
        services.lab_hold = True
        window = MainWindow(services, FakeViewport, QSettings(sys.argv[1], QSettings.Format.IniFormat))
        window.show()
        window.workspaces.show(1)
        def look():
            if window.pages.lab.setup.study is not None and not services.lab_runs:
                window.pages.lab.run()
            elif window.pages.lab.measuring.record() is not None:
                window.close()
        timer = QTimer()
        timer.timeout.connect(look)
        timer.start(50)
        code = application.exec()
        print([thread.name for thread in threading.enumerate() if thread.name.startswith("workbench")])
        sys.exit(code)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "w.ini")], timeout=60, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
    assert "Traceback" not in done.stderr


def test_plots_without_a_display_are_light_and_hold_what_they_show(tmp_path):
    """In a process of its own: no display, no application, no window."""
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from tests.ui.lab.doubles import STUDY, plausible_record
        from ui.lab.plots import save_plots
        from workbench.bench.records import LabRecord
        record = plausible_record()
        few = tuple(r for r in record.variants if r.case in ("2048²", "4096²") and r.variant in ("naive", "float4"))
        for path in save_plots(LabRecord(record.machine, few), Path(sys.argv[1]), [STUDY]):
            print(path.name)
        """
    )
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    bare.pop("QT_QPA_PLATFORM", None)
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], timeout=90, capture_output=True, text=True, check=False, env=bare
    )
    assert done.returncode == 0, done.stderr
    names = done.stdout.split()
    assert len(names) == len(set(names)) == 1 + 1 + 2 * 2 + 3  # curve; roofline; maps by variant and size; scaling
    for name in names:
        image = QImage(str(tmp_path / name))
        assert image.width() == 1200
        assert image.pixelColor(3, 3).name() == "#ffffff"
        colors = {image.pixelColor(x, y).rgb() for x in range(0, 1200, 3) for y in range(60, 816, 3)}
        assert len(colors) > 8, name  # more than a sentence on an empty plot


def test_a_first_measurement_is_led_through(lab, window, qtbot):
    guide = window.help.tour
    qtbot.mouseClick(lab.empty.guide_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(guide.frame.isVisible)
    assert guide.card.title.text() == "A short one"
    lab.setup.extent.setFocus()
    qtbot.keyClick(lab.setup.extent, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: guide.place == 1)
    qtbot.mouseClick(lab.setup.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: guide.place == 2, timeout=10_000)
    lab.views.table.selectRow(0)
    qtbot.waitUntil(lambda: guide.place == 3)
    bar = lab.views.tabBar()
    assert guide.frame.geometry().contains(bar.mapTo(window, bar.tabRect(lab.views.roofline_place).center()))
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(lab.views.roofline_place).center())
    qtbot.mouseClick(guide.card.next, Qt.MouseButton.LeftButton)
    assert guide.tour is None


def test_what_stands_for_the_source_before_a_choice_is_read_in_full(lab):
    view = lab.source.editor
    longest = max(view.fontMetrics().horizontalAdvance(line) for line in view.toPlainText().splitlines())
    assert longest < 300, "of the panel in a window of 1366 pixels"
