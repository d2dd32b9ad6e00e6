"""The import page: units that are proposed, regions and fibres, what is too coarse, and what becomes of it."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import meshio
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from engines.geometry.meshes.box import box_mesh
from tests.engines.geometry.cups import OUTER, cup
from tests.workbench.house import write_mesh
from tests.workbench.importing.boxes import write_box
from ui.importing.drawing import LIGHT, drawn
from ui.widgets.elided import ElidedLabel

# Written out: what the sources have is held against these.
DARKEST = 0.32


@pytest.fixture
def services(house):
    return house


@pytest.fixture
def page(window, qtbot):
    """Opens the page of a file, and waits until it says what the file is."""

    def opened(path):
        window.open_path(path)
        dialog = window.imports.dialog
        assert dialog is not None
        read(dialog, qtbot)
        return dialog

    return opened


def read(dialog, qtbot):
    qtbot.waitUntil(lambda: dialog.import_button.isEnabled() or dialog.sentence.objectName() == "error", timeout=60_000)


def estimated(dialog, qtbot):
    qtbot.waitUntil(lambda: dialog.estimate is not None, timeout=60_000)


def findings(dialog) -> str:
    return " ".join(finding.message for finding in dialog.findings.findings)


def test_a_path_that_may_not_be_looked_at_is_refused_with_a_sentence(window, qtbot, tmp_path):
    window.open_path(tmp_path / f"{'x' * 300}.vtu")
    qtbot.waitUntil(lambda: "cannot be read: File name too long" in window.banner.text)


def slab(tmp_path, size=(12.0, 4.0, 2.0), cubes=(6, 2, 1), **data):
    made = box_mesh(cubes, size)
    cells = {name: [make(made)] for name, make in data.items()}
    meshio.write(tmp_path / "slab.vtu", meshio.Mesh(made.points, [("tetra", made.cells)], cell_data=cells))
    return tmp_path / "slab.vtu"


def test_a_heart_in_centimetres_is_proposed_so_and_opened_so(page, window, qtbot, tmp_path):
    """9 cm across: in mm it would be a mouse's, without a word until now."""
    whole = cup(across=12, through=3)
    path = write_mesh(replace(whole, points=whole.points * 9.0 / (2 * OUTER)), tmp_path / "heart.vtu")
    dialog = page(path)
    units = dialog.units
    assert units.buttons["cm"].isChecked()
    assert {unit: (units.buttons[unit].text(), units.remarks[unit].text()) for unit in units.buttons} == {
        "um": ("µm:  a heart of 9 µm", "smaller than a mouse's"),
        "mm": ("mm:  a heart of 9 mm", "the size of a mouse's"),
        "cm": ("cm:  a heart of 90 mm", "proposed"),
        "m": ("m:  a heart of 9 m", "larger than a horse's"),
    }
    assert [unit for unit in units.remarks if units.remarks[unit].objectName() == "warning"] == ["um", "m"]
    estimated(dialog, qtbot)
    assert "too coarse" in findings(dialog)
    units.buttons["mm"].click()
    read(dialog, qtbot)
    assert dialog.figures["Size"].text() == "9 × 9 × 4.5 mm"
    assert "the size of a mouse's" in findings(dialog)
    next(button for button in dialog.findings.buttons if button.text() == "Read the file in cm").click()
    read(dialog, qtbot)
    assert dialog.figures["Size"].text() == "90 × 90 × 45 mm"
    dialog.import_button.click()
    qtbot.waitUntil(lambda: window.model.document is not None, timeout=30_000)
    assert window.model.document.project.geometry.length_unit == "cm"
    assert window.imports.dialog is None
    qtbot.waitUntil(lambda: [str(path)] == [file.path for file in window.services.recent()], timeout=10_000)


def test_a_mesh_stands_among_the_recent_as_it_looked_when_it_was_left(page, window, qtbot, tmp_path):
    path = slab(tmp_path)
    page(path).import_button.click()
    qtbot.waitUntil(lambda: bool(window.services.recent()), timeout=30_000)
    window.model.edit(("title",), "Another slab")  # which is in no file yet
    window.close_at_once()
    (recent,) = window.services.recent()
    assert recent.path == str(path)
    assert recent.picture.is_file()


def test_the_folder_of_a_path_from_here_is_told_in_full(page, tmp_path, monkeypatch):
    path = slab(tmp_path)
    monkeypatch.chdir(tmp_path)
    dialog = page(Path(path.name))
    assert dialog.findChild(ElidedLabel).text() == str(tmp_path)


def test_what_was_proposed_stays_so_whatever_is_chosen(page, qtbot, tmp_path):
    """12 mm of tissue are likely, and so are 12 cm."""
    dialog = page(slab(tmp_path))
    units = dialog.units
    for chosen in ("cm", "mm"):
        assert (units.remarks["mm"].text(), units.remarks["cm"].text()) == ("proposed", "")
        units.buttons[chosen].click()
        assert {value.text() for value in dialog.figures.values()} == {"–"}, "those of another unit"
        read(dialog, qtbot)
    assert (units.remarks["mm"].text(), units.remarks["cm"].text()) == ("proposed", "")


def test_who_would_rather_not_leave_is_back_on_the_page_as_it_was(page, window, qtbot, tmp_path):
    path = slab(tmp_path)
    window.new_project(next(engine for engine in window.services.engines() if engine.id == "stencil"))
    qtbot.waitUntil(lambda: window.model.document is not None, timeout=30_000)
    window.model.edit(("title",), "Of another kind")
    dialog = page(path)
    dialog.units.buttons["cm"].click()
    read(dialog, qtbot)
    for answer in ("Cancel", "Discard"):
        assert window.imports.dialog is dialog
        assert dialog.isVisible()
        assert dialog.import_button.isEnabled()
        assert dialog.units.buttons["cm"].isChecked()
        estimated(dialog, qtbot)
        dialog.import_button.click()
        box = window.leaving.question
        qtbot.waitUntil(box.isVisible)
        qtbot.mouseClick(next(each for each in box.buttons() if each.text() == answer), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.model.document.project.geometry is not None, timeout=30_000)
    assert window.model.document.project.geometry.length_unit == "cm"
    assert window.imports.dialog is None


def test_regions_and_fibres_are_told_and_fibres_taken_from_a_file(page, window, qtbot, tmp_path, monkeypatch):
    path = slab(tmp_path, region=lambda made: np.where(made.centroids[:, 0] < 8, 1, 2))
    dialog = page(path)
    assert dialog.regions.lines == [
        ["region 1", "48 cells", "66.7 %", "epicardial cells"],
        ["region 2", "24 cells", "33.3 %", "epicardial cells"],
    ]
    assert dialog.fibres.text() == "None: the tissue conducts alike in all directions"
    assert dialog.own_fibres.isHidden()
    np.savetxt(tmp_path / "along.lon", np.tile([1.0, 0.0, 0.0], (72, 1)))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "along.lon"), ""))
    dialog.choose_fibres.click()
    read(dialog, qtbot)
    assert dialog.fibres.text() == "From along.lon, without sheets"
    dialog.own_fibres.click()
    read(dialog, qtbot)
    assert dialog.fibres.text().startswith("None")
    dialog.choose_fibres.click()
    read(dialog, qtbot)
    dialog.accept()
    qtbot.waitUntil(lambda: window.model.document is not None, timeout=30_000)
    assert window.model.document.fibres == tmp_path / "along.lon"


def test_a_coarse_mesh_says_so_before_it_is_opened_and_leads_to_the_tools(page, window, qtbot, tmp_path):
    """Cubes of 1 mm: TT06 keeps 0.59 of its speed on edges of 1 mm (slowing.json)."""
    fibres = {"fibres": lambda made: np.tile([1.0, 0.0, 0.0], (made.n_cells, 1))}
    dialog = page(slab(tmp_path, (12.0, 4.0, 2.0), (12, 4, 2), **fibres))
    estimated(dialog, qtbot)
    assert dialog.fibres.text() == "From the mesh's file, without sheets"
    assert "conducts at about" in findings(dialog)
    assert [button.text() for button in dialog.findings.buttons] == [
        "Tune conductivity to a velocity…",
        "Refine the mesh…",
    ]
    assert dialog.figures["Memory"].text().endswith("B")
    assert dialog.figures["Time"].text().endswith(" a beat")
    dialog.findings.buttons[1].click()
    qtbot.waitUntil(lambda: "refine" in window.tools.dialogs, timeout=30_000)
    assert window.model.document is not None
    window.tools.close_all()


@pytest.mark.parametrize(
    ("milestone", "seconds", "told"),
    [
        (None, 2.0, "about 2.0 s a ms"),
        (("beat", 1000.0), 0.002, "about 2.0 s a beat"),
        (("second", 1000.0), 0.036, "about 36.0 s a second"),
        (("beat", 1000.0), None, "–"),
    ],
)
def test_how_long_a_run_takes_is_of_what_users_think_in_or_of_one_unit(page, qtbot, tmp_path, milestone, seconds, told):
    dialog = page(slab(tmp_path))
    estimated(dialog, qtbot)
    dialog._show_estimate(replace(dialog.estimate, milestone=milestone, seconds_per_simulated_unit=seconds))
    assert dialog.figures["Time"].text() == told


def test_a_surface_becomes_what_is_chosen(page, window, qtbot, tmp_path):
    dialog = page(write_box(tmp_path / "bar.stl", (2.0, 1.0, 1.0)))
    assert dialog.figures["Mesh"].text() == "12 triangles"
    assert all(widget.isHidden() for name in ("Regions", "Fibres") for widget in dialog.parts[name])
    assert dialog.engine_chooser.isVisible()
    at = dialog.engine_chooser.findText("Fracture")
    estimated(dialog, qtbot)
    assert "wavelength" in findings(dialog)
    dialog.engine_chooser.setCurrentIndex(at)
    dialog.engine_chooser.activated.emit(at)
    assert not findings(dialog), "what was worth knowing of waves is not of fracture, while the file is read again"
    read(dialog, qtbot)
    dialog.units.buttons["cm"].click()
    read(dialog, qtbot)
    estimated(dialog, qtbot)
    assert dialog.figures["Size"].text() == "20 × 10 × 10 mm"
    mend = next(button for button in dialog.findings.buttons if "Correct surfaces" in button.text())
    mend.click()  # an edit, made before it is opened
    estimated(dialog, qtbot)
    dialog.accept()
    qtbot.waitUntil(lambda: window.model.document is not None, timeout=30_000)
    parameters = window.model.document.parameters
    assert (parameters.body.kind, parameters.body.scale) == ("surface", 10.0)
    assert parameters.bonds.surfaces == "tension"


def test_what_cannot_be_read_is_one_sentence(page, window, qtbot, tmp_path, monkeypatch):
    (tmp_path / "broken.vtu").write_bytes(b"no mesh")
    for path, said in (
        (tmp_path / "broken.vtu", "broken.vtu"),
        (write_box(tmp_path / "hole.stl", (1.0, 1.0, 1.0), open_side=True), "is open at 4 edges"),
    ):
        window.open_path(path)
        qtbot.waitUntil(lambda said=said: said in window.banner.text, timeout=30_000)
        assert "\n" not in window.banner.text
        assert window.imports.dialog is None
        assert window.model.document is None
    dialog = page(slab(tmp_path))
    (tmp_path / "short.lon").write_text("1 0 0\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "short.lon"), ""))
    dialog.choose_fibres.click()
    qtbot.waitUntil(lambda: dialog.sentence.objectName() == "error", timeout=30_000)
    assert "short.lon" in dialog.sentence.text()
    assert not dialog.import_button.isEnabled()
    dialog.choose_fibres.setFocus()
    dialog.units.buttons["mm"].click()
    read(dialog, qtbot)
    assert not dialog.import_button.isEnabled()  # the fibres are still those


def test_another_file_takes_the_place_of_the_page(page, window, qtbot, tmp_path):
    first = page(slab(tmp_path))
    window.open_path(write_box(tmp_path / "bar.stl", (1.0, 1.0, 1.0)))
    second = window.imports.dialog
    assert second is not first
    assert second.isVisible()
    read(second, qtbot)
    qtbot.keyClick(second, Qt.Key.Key_Escape)
    assert window.imports.dialog is None


def test_the_picture_is_seen_from_above():
    """A red lid above a blue floor: of a flat box, turned or not, the lid is seen; tilted the other way, the floor."""
    square = np.array([[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]], float)
    triangles = np.concatenate([square, square + np.array([0, 0, 0.2])])
    colours = np.array([[0, 0, 255]] * 2 + [[255, 0, 0]] * 2, np.uint8)
    for turn in (0.0, 0.7, 3.0):
        above = drawn(triangles, colours, 60, (0, 0, 0), turn=turn, tilt=0.9)[30, 30]
        below = drawn(triangles, colours, 60, (0, 0, 0), turn=turn, tilt=-0.9)[30, 30]
        assert above[0] > 50
        assert above[2] == 0
        assert below[2] > 50
        assert below[0] == 0


def test_the_picture_shows_what_is_nearest():
    """Two squares across the line of sight: the one towards the eye hides the other; where there is none is ground."""
    square = np.array([[[0, 0, 0], [1, 0, 0], [1, 0, 1]], [[0, 0, 0], [1, 0, 1], [0, 0, 1]]], float)
    far = 2 * square - np.array([0.5, -1.0, 0.5])
    triangles = np.concatenate([square, far])
    colours = np.array([[255, 0, 0]] * 2 + [[0, 0, 255]] * 2, np.uint8)
    for order in (slice(None), slice(None, None, -1)):
        picture = drawn(triangles[order], colours[order], 100, (9, 9, 9), turn=0.0, tilt=0.0).astype(int)
        assert (picture[0, 0] == 9).all()
        assert picture[50, 50, 0] > 50
        assert picture[50, 50, 2] == 0
        assert picture[12, 12, 2] > 50
        assert picture[12, 12, 0] == 0
        seen = (picture[:, :, 2] > 50).sum() + (picture[:, :, 0] > 50).sum()
        assert seen == pytest.approx((0.88 * 100) ** 2, rel=0.02)


@pytest.mark.parametrize("angle", [0.0, 0.4, -0.7, 1.2])
@pytest.mark.parametrize("corner", [(0.0, 0.0, 0.0), (50.0, -30.0, 80.0)])
def test_a_side_is_as_bright_as_it_faces_the_light(angle, corner):
    """A square that is turned around x, wherever it lies: seen along y, x to the right and z upwards."""
    back, up = np.sin(angle), np.cos(angle)
    square = np.array([[0, 0, 0], [1, 0, 0], [1, back, up], [0, back, up]]) + corner
    picture = drawn(square[[[0, 1, 2], [0, 2, 3]]], np.full((2, 3), 200), 40, (0, 0, 0), turn=0.0, tilt=0.0)
    normal = np.array([0.0, back, up])  # in the picture: to the right, upwards, to the eye
    shade = DARKEST + (1 - DARKEST) * abs(normal @ LIGHT)
    assert picture[20, 20].tolist() == pytest.approx([200 * shade] * 3, abs=1)


def test_a_slow_file_does_not_hold_up_the_next(window, house, qtbot, monkeypatch, tmp_path):
    """Its page is closed, and its reader goes on in a call that nothing ends."""
    slow, waited = threading.Event(), []
    plain = house.open_mesh

    def open_mesh(mesh, *given, **more):
        if mesh.name == "slow.vtu":
            waited.append(mesh)
            slow.wait()
        return plain(mesh, *given, **more)

    monkeypatch.setattr(house, "open_mesh", open_mesh)
    path = slab(tmp_path)
    shutil.copy(path, tmp_path / "slow.vtu")
    try:
        window.open_path(tmp_path / "slow.vtu")
        qtbot.waitUntil(lambda: bool(waited), timeout=10_000)
        window.open_path(path)
        dialog = window.imports.dialog
        read(dialog, qtbot)
        assert dialog.figures["Size"].text() == "12 × 4 × 2 mm"
    finally:
        slow.set()
    dialog.reject()
