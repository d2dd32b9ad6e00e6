"""Axes, arithmetic, kept runs, a large chart and figures, as a person asks for them."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from engines.api.charts import ChartData, ChartInfo, Curve
from engines.tables.columns import Axis
from tests.ui.charts.test_panel import drawn, run_until
from ui.charts.arithmetic import LEFT_OUT, Look, drawable, logarithm, looked_at, over_series
from ui.charts.figure import FigureSize, figure_bytes
from ui.charts.figure_dialog import OWN, SIZES, FigureDialog
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.legend import LINE_PIXELS, Entry, Legend
from ui.charts.plots.scaled_axis import handy_unit, powers
from ui.charts.strokes import SVG
from workbench.project.measured import read_curves
from workbench.project.project import MeasuredData

# Written out: what the sources have is held against these.
PREVIEW = 460, 320

X = np.array([0.0, 1.0, 10.0, 100.0])
DATA = ChartData((Curve("a", X, np.array([2.0, 4.0, 8.0, -1.0])), Curve("b", X, np.array([1.0, 2.0, 0.0, 10.0]))))


def test_quotients_and_decibels():
    a, b = looked_at(DATA, Look(over="curve:b"), {}).curves
    np.testing.assert_array_equal(a.y, [2, 2, np.nan, -0.1])  # nothing is divided by zero
    np.testing.assert_array_equal(b.y, [1, 1, np.nan, 1])
    a, b = looked_at(DATA, Look(vertical="dB20"), {}).curves
    np.testing.assert_allclose(b.y, [0, 20 * np.log10(2), np.nan, 20])
    a, b = looked_at(DATA, Look(vertical="dB10", over="largest"), {}).curves
    np.testing.assert_allclose(a.y, 10 * np.log10([0.25, 0.5, 1, 0.125]))
    kept = ChartData((Curve("a", np.array([0.0, 10.0]), np.array([1.0, 3.0])),))
    a, b = looked_at(DATA, Look(over="run:run 1"), {"run 1": kept}).curves
    np.testing.assert_allclose(a.y, [2, 4 / 1.2, 8 / 3, np.nan])  # 1 + 0.2 x; beyond its end nothing is known
    assert np.isnan(b.y).all()


def test_a_band_stays_a_band_under_a_negative_divisor():
    curve = Curve("a", X, -np.ones(4), low=np.full(4, -2.0), high=np.full(4, -0.5))
    (found,) = looked_at(ChartData((curve, Curve("b", X, -np.ones(4)))), Look(over="curve:b"), {}).curves[:1]
    np.testing.assert_array_equal(found.low, 0.5)
    np.testing.assert_array_equal(found.high, 2.0)


def test_a_curve_over_another_series():
    (found, _) = over_series(DATA, np.array([0.0, 100.0]), np.array([5.0, 0.0])).curves
    np.testing.assert_allclose(found.x, [5, 4.95, 4.5, 0])


def test_times_are_told_in_legible_units():
    assert handy_unit(53480, "s") == ("h", 3600.0)
    assert handy_unit(900, "s") == ("min", 60.0)
    assert handy_unit(599, "s") == ("s", 1.0)
    assert handy_unit(2e6, "s") == ("d", 86400.0)
    assert handy_unit(5e4, "ps") == ("ps", 1.0)
    assert handy_unit(2.3e-5, "s") == ("µs", 1e-6)
    assert handy_unit(4e-3, "us") == ("ns", pytest.approx(1e-3))
    assert [handy_unit(span, "s") for span in (0.0, 0.01)] == [("s", 1.0)] * 2
    assert handy_unit(1e-5, "mm") == ("mm", 1.0)
    assert powers([-5.0, -2.0, 0.0, 0.5, 6.0]) == ["10⁻⁵", "0.01", "1", "", "10⁶"]


def test_the_distance_of_measured_points_is_told_in_the_unit_of_the_axis(qtbot):
    cell = ChartCell(ChartInfo("voltage", "Voltage", "V", ("mean",), comparable=True), "s")
    qtbot.addWidget(cell)
    times = np.linspace(0.0, 7300.0, 50)
    cell.show_data(ChartData((Curve("Mean", times, np.zeros(50)),)))
    cell.show_measured([MeasuredData(chart="voltage", title="lab", x=[0.0, 3540.0], y=[0.003, 0.003])])
    cell.resize(600, 300)
    cell.show()
    qtbot.waitUntil(lambda: cell.plot.told_in == ("h", 3600.0))
    assert [entry.value for entry in cell.legend.entries if entry.mark == "point"] == ["RMSE 3 mV over 0.983 h"]
    cell.plot.getPlotItem().setXRange(0.0, 500.0)
    assert [entry.value for entry in cell.legend.entries if entry.mark == "point"] == ["RMSE 3 mV over 3\u202f540 s"]


@pytest.mark.parametrize("factor", [10, 20])
def test_a_table_of_decibels_is_laid_over_the_curves_that_it_was_written_of(cell, factor, tmp_path):
    """Its points stand where the curve is; looked at as they are, they are what was computed."""
    cell.set_look(Look(vertical=f"dB{factor}"))
    file = tmp_path / "kept.csv"
    file.write_bytes(cell.content(".csv"))
    read = read_curves(file, "gain", (Axis("Frequency", "Hz"), Axis("Gain", "V", decibels=cell.look.decibels)))
    cell.show_measured(read)

    def seen():
        return cell.plot._points[0].getData()[1]

    np.testing.assert_allclose(seen(), factor * np.log10([2, 4, 8, 1]))
    said = [entry.value for entry in cell.legend.entries if entry.mark == "point"]
    assert [text.split(" over ")[0].endswith(" dB") for text in said] == [True, True]
    assert cell.content(".csv").decode().splitlines()[9].split(",")[:2] == ["kept: a", "0"]
    assert float(cell.content(".csv").decode().splitlines()[9].split(",")[2]) == pytest.approx(factor * np.log10(2))
    cell.set_look(Look())
    np.testing.assert_allclose(seen(), [2, 4, 8, 1])
    cell.set_look(Look(over="curve:b"))
    np.testing.assert_allclose(seen(), [2, 2, 0.1])
    assert cell.on_paper().plot._points[0].getData()[1][0] == pytest.approx(2)


@pytest.fixture
def cell(qtbot):
    cell = ChartCell(ChartInfo("gain", "Gain", "V", x_title="Frequency", x_unit="Hz", comparable=True), "s")
    qtbot.addWidget(cell)
    cell.show_data(DATA)
    return cell


def choose(cell, *path):
    """Click through the menu."""
    menu = cell.menu()
    for text in path:
        (action,) = [action for action in menu.actions() if action.text() == text]
        menu = action.menu() or menu
    action.trigger()


@pytest.mark.parametrize(
    ("series", "offered", "entries"),
    [
        ((), (("charge", "Charge"),), ["Linear", "Logarithmic"]),
        (("mean",), (), ["Linear", "Logarithmic"]),
        (("mean",), (("charge", "Charge"),), ["Linear", "Logarithmic", "", "Over: Time", "Over: Charge"]),
    ],
)
def test_a_chart_over_time_may_stand_over_another_series_where_there_is_one(qtbot, series, offered, entries):
    cell = ChartCell(ChartInfo("gain", "Gain", "V", series), "s")
    qtbot.addWidget(cell)
    cell.abscissae = offered
    (menu,) = [action.menu() for action in cell.menu().actions() if action.text() == "Horizontal axis"]
    assert [action.text() for action in menu.actions()] == entries
    (_, title), unit = offered[0] if offered else ("", "time"), "A h" if offered else "s"
    cell.set_abscissa(("charge", title, unit) if offered else None)
    assert cell.content(".csv").decode().startswith(f"curve,{title} [{unit}],Gain [V]"), "what the columns are"


@pytest.mark.parametrize("dots", [96, 300])
def test_a_picture_says_how_many_dots_it_has_in_an_inch(cell, dots):
    """So that other programs show it as large as was asked for."""
    picture = QImage.fromData(figure_bytes(cell.on_paper, FigureSize(127, 76.2, 9, dots), ".png"), "PNG")
    assert (picture.width(), picture.height()) == pytest.approx((5 * dots, 3 * dots), abs=4)
    assert (picture.dotsPerMeterX(), picture.dotsPerMeterY()) == (round(dots / 0.0254),) * 2


def test_the_menu_makes_axes_logarithmic_and_points_stand_at_their_powers(cell):
    choose(cell, "Vertical axis", "Logarithmic")
    choose(cell, "Horizontal axis", "Logarithmic")
    first = cell.plot.getPlotItem().listDataItems()[0]
    np.testing.assert_allclose(first.xData, [0, 1, 2])  # x = 0 has no logarithm
    np.testing.assert_allclose(first.yData, [np.log10(4), np.log10(8), np.nan])
    cell.show_cursor(10.0)
    assert cell.plot._cursor.value() == 1.0
    assert cell.legend.entries[0].value == "8.000 V"  # told as they are
    choose(cell, "Vertical axis", "Linear")
    np.testing.assert_array_equal(cell.plot.getPlotItem().listDataItems()[0].yData, [4, 8, -1])


def test_the_menu_divides_and_the_table_says_so(cell):
    choose(cell, "Divide by", "b")
    choose(cell, "Vertical axis", "Decibels of a power, 10 log₁₀")
    assert cell.title.text() == "Gain ÷ b"
    cell.show_cursor(1.0)
    assert cell.legend.entries[0].value.endswith(" dB")
    lines = cell.content(".csv").decode().splitlines()
    assert lines[0] == "curve,Frequency [Hz],Gain ÷ b [dB]"
    assert float(lines[1].split(",")[2]) == pytest.approx(10 * np.log10(2), rel=1e-8)


def test_a_run_is_kept_behind_the_next_and_its_table_is_laid_over_it(charted, qtbot, tmp_path, monkeypatch):
    run_until(qtbot, charted, 20.0)
    panel = charted.charts.panel
    upper = drawn(qtbot, panel, "voltage", until=19.5)[1]
    cell, path = panel.cells["voltage"], tmp_path / "kept.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    cell.save_asked.emit(".csv")
    qtbot.waitUntil(path.is_file, timeout=5000)
    cell.plot.dropped.emit(str(path))
    qtbot.waitUntil(lambda: len(charted.model.document.project.measured) == 2, timeout=5000)
    kept = charted.model.document.project.measured[1]
    assert kept.title == "kept: Upper"
    np.testing.assert_allclose(kept.y[: len(upper.y)], upper.y, rtol=1e-8)

    qtbot.mouseClick(panel.buttons.keep, Qt.MouseButton.LeftButton)
    assert [entry.title for entry in cell.legend.entries if entry.mark == "dotted"] == ["run 1"]
    charted.controller.reset()
    qtbot.waitUntil(lambda: charted.controller.phase == "ready", timeout=5000)
    run_until(qtbot, charted, 5.0)
    drawn(qtbot, panel, "voltage", until=4.5)
    items = cell.plot.getPlotItem().listDataItems()
    dotted = [item for item in items if item.opts["pen"].style() == Qt.PenStyle.DotLine]
    np.testing.assert_allclose(dotted[0].yData, 4 - dotted[0].xData / 100, atol=1e-12)
    assert dotted[0].xData[-1] > 19.5  # the whole of the run before
    choose(cell, "Divide by", "run 1")
    known = cell.plot.data.curves[0].y
    np.testing.assert_allclose(known[np.isfinite(known)], 1.0, atol=1e-9)  # the same run, a straight line
    assert np.isfinite(known).any()
    qtbot.mouseClick(panel.buttons.forget, Qt.MouseButton.LeftButton)
    assert "dotted" not in [entry.mark for entry in cell.legend.entries]


def test_a_chart_stands_over_another_series_and_fills_the_view_until_escape(charted, qtbot):
    run_until(qtbot, charted, 20.0)
    panel = charted.charts.panel
    drawn(qtbot, panel, "voltage", until=19.5)
    cell = panel.cells["voltage"]
    choose(cell, "Horizontal axis", "Over: Kinetics")
    qtbot.waitUntil(lambda: cell.plot.data.curves[0].x[0] >= 20, timeout=5000)
    curve = cell.plot.data.curves[0]
    np.testing.assert_allclose(curve.y, 4 - (curve.x - 20) / 10, atol=1e-9)  # kinetics = 20 + t/10
    assert cell.plot.getAxis("bottom").labelText == "Kinetics [mV]"
    choose(cell, "Horizontal axis", "Over: Time")
    qtbot.waitUntil(lambda: cell.plot.data.curves[0].x[0] < 1, timeout=5000)

    small, large = cell.size(), charted.charts.large
    qtbot.mouseDClick(cell.title, Qt.MouseButton.LeftButton)
    assert large.isVisible()
    assert large.size() == charted.viewport.size()
    assert large.isAncestorOf(cell)
    charted.dock_layout.docks["log"].raise_()
    run_until(qtbot, charted, 30.0)
    drawn(qtbot, panel, "voltage", until=29.5)  # it goes on though the panel is behind the log
    charted.activateWindow()
    field = charted.timeline.until.box
    field.setFocus()
    qtbot.keyClicks(field, "7")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isModified()
    assert large.isVisible(), "the key took back what was typed, and no more"
    QTest.keyClick(charted, Qt.Key.Key_Escape)
    qtbot.waitUntil(large.isHidden, timeout=5000)
    charted.dock_layout.docks["charts"].raise_()
    qtbot.waitUntil(lambda: cell.size() == small, timeout=5000)
    assert not large.isAncestorOf(cell)


def test_a_figure_has_the_size_and_the_colours_that_were_asked_for(cell, qtbot):
    dialog = cell.ask_for_figure()
    dialog.size_chooser.setCurrentText("One column of a paper")
    assert dialog.size_wanted == FigureSize(85, 60, 8, 600)
    dialog.dots_box.setValue(254)  # ten in a millimetre
    asked = []
    cell.save_asked.connect(asked.append)
    qtbot.mouseClick(dialog.buttons[".png"], Qt.MouseButton.LeftButton)
    assert asked == [".png"]
    image = QImage.fromData(cell.content(".png"))
    assert (image.width(), image.height()) == (pytest.approx(850, abs=4), pytest.approx(600, abs=4))
    assert image.pixelColor(2, image.height() - 2).name() == "#ffffff"
    assert b"%PDF" in cell.content(".pdf")[:8]
    box = re.search(rb"/MediaBox \[([^]]*)\]", cell.content(".pdf"))
    assert [float(number) for number in box[1].split()] == pytest.approx([0, 0, 240.9, 170.1], abs=0.6)  # points
    svg = cell.content(".svg").decode()
    assert "Frequency [Hz]" in svg
    assert "Gain [V]" in svg


@pytest.mark.parametrize("kind", ["line", "area", "bar", "raster"])
def test_lines_of_an_svg_are_as_thick_in_viewers_that_know_no_vector_effects(qtbot, kind):
    cell = ChartCell(ChartInfo("gain", "Gain", "V", x_title="Frequency", x_unit="Hz", kind=kind), "s")
    qtbot.addWidget(cell)
    x = np.linspace(0, 1e4, 51)
    cell.show_data(ChartData((Curve("a", x[: 51 - (kind != "bar")], 1e-3 * np.cos(x[:50])),)))
    drawn = cell.content(".svg")
    assert b"vector-effect" not in drawn
    assert b"<image" not in drawn, "its ground is no picture"
    lines = 0
    for group in ElementTree.fromstring(drawn).iter(f"{{{SVG}}}g"):
        for shape in group:
            transform = shape.get("transform") or group.get("transform") or ""
            scale = [float(each) for each in re.findall(r"-?[\d.e+-]+", transform)[:4]]
            if shape.tag != group.tag and group.get("stroke", "none") != "none":
                assert scale in ([], [1, 0, 0, 1], [0, -1, 1, 0]), "those of an upright title at most"
            ends = [float(each) for each in re.findall(r"-?[\d.]+", shape.get("d", ""))]
            lines += len(ends) >= 10 and min(ends) >= 0 and max(ends) < 500
    assert lines or kind == "raster"


def test_sizes_of_figures_are_chosen_by_name_or_by_numbers_that_can_be_printed(qtbot):
    dialog = FigureDialog(QWidget, FigureSize(1000, 1000, 100, 10_000))
    qtbot.addWidget(dialog)
    assert (dialog.size_wanted, dialog.size_chooser.currentText()) == (FigureSize(400, 300, 40, 1200), OWN)
    dialog.set_size(FigureSize(1, 1, 1, 1))
    assert (dialog.size_wanted, dialog.size_chooser.currentText()) == (FigureSize(30, 20, 5, 72), OWN)
    for name, size in SIZES.items():
        dialog.size_chooser.setCurrentText(name)
        assert (dialog.size_wanted, dialog.size_chooser.currentText()) == (size, name)
        dialog._show_preview()
        picture = dialog.preview.pixmap()
        assert (picture.width(), picture.height()) <= PREVIEW
        assert picture.width() / picture.height() == pytest.approx(size.width / size.height, rel=0.01)
        for box in (dialog.width_box, dialog.height_box, dialog.text_box, dialog.dots_box):
            box.stepUp()
            assert dialog.size_chooser.currentText() == OWN
            box.stepDown()
            assert dialog.size_chooser.currentText() == name
    assert dialog._soon.isActive(), "what was typed is shown soon"
    for suffix, button in dialog.buttons.items():
        with qtbot.waitSignal(dialog.chosen) as chosen:
            dialog._choose(suffix)
        assert chosen.args == [dialog.size_wanted, suffix]
        assert suffix[1:].upper() in button.text()


def test_a_figure_leaves_the_colours_of_the_window_alone(cell, qapp):
    from ui.widgets.theme import theme

    theme().apply("dark", qapp)
    before = theme().palette
    cell.content(".svg")
    assert theme().palette is before


def test_the_mouse_reads_the_time_in_the_unit_of_the_axis(qtbot):
    cell = ChartCell(ChartInfo("voltage", "Voltage", "V", series=("voltage",)), "s")
    qtbot.addWidget(cell)
    cell.show_data(ChartData((Curve("Voltage", np.array([0.0, 7200.0, 14400.0]), np.array([4.0, 3.0, 2.0])),)))
    cell.plot.setXRange(0, 14400)
    cell.show_cursor(5400.0)
    assert cell.plot.getAxis("bottom").labelText == "Time [h]"
    assert cell.readout.text() == "1.50 h   3.000 V"


def test_a_legend_asks_for_its_lines_again_when_it_is_narrower(qtbot):
    legend = Legend()
    qtbot.addWidget(legend)
    legend.set_entries([Entry("Rate, excitatory", 0), Entry("Rate, inhibitory", 1)])
    legend.resize(600, 17)
    holder = QWidget()
    qtbot.addWidget(holder)
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(legend)
    layout.addStretch(1)
    holder.resize(600, 100)
    holder.show()
    layout.activate()
    assert legend.height() == LINE_PIXELS
    holder.resize(160, 100)
    qtbot.waitUntil(lambda: legend.height() == 2 * LINE_PIXELS)


def test_titles_of_axes_keep_their_ink_in_a_fine_picture(cell):
    axis = cell.plot.getAxis("left")
    ink = axis.labelStyle["color"]
    cell.plot.thicken(3.0)
    assert axis.labelStyle["color"] == ink


def test_what_no_axis_has_ticks_for_is_left_out_with_a_word():
    """A painting of 10³⁰⁰ beside 10⁻³²⁰ took minutes, or ended in an error."""
    y = np.array([1.0, 1e300, -1e101, 1e-320])
    data = ChartData((Curve("a", X, y, low=-y, high=y), Curve("b", X, X)), note="Not settled.")
    a, b = looked_at(data, Look(), {}).curves
    np.testing.assert_array_equal(a.y, [1, np.nan, np.nan, 0])
    np.testing.assert_array_equal(a.low, [-1, np.nan, np.nan, 0])
    assert b is data.curves[1]
    assert looked_at(data, Look(), {}).note == f"Not settled. {LEFT_OUT}"
    usual = ChartData((Curve("a", X, np.array([np.nan, -np.inf, 1e99, 0.0])),))
    assert looked_at(usual, Look(), {}) is usual


def test_what_no_axis_has_ticks_for_is_left_out_with_a_word_or_nought():
    x = np.array([0.0, 1.0, 2.0])
    plain = ChartData((Curve("a", x, np.array([0.0, -1e100, 1e-100])),), note="as it is")
    assert drawable(plain) is plain
    fine = drawable(ChartData((Curve("a", x, np.array([1e-101, 0.5, -1e-200])),), note="as it is"))
    assert (fine.curves[0].y.tolist(), fine.note) == ([0.0, 0.5, 0.0], "as it is")
    wide = drawable(ChartData((Curve("a", x, np.array([2e100, 0.5, -3e100])), Curve("b", x, x)), note="as it is"))
    np.testing.assert_array_equal(wide.curves[0].y, [np.nan, 0.5, np.nan])
    assert wide.curves[1].y is x
    assert wide.note == f"as it is {LEFT_OUT}"
    band = drawable(ChartData((Curve("a", x, x, low=x, high=np.array([1.0, np.inf, 1e101])),)))
    np.testing.assert_array_equal(band.curves[0].high, [1.0, np.inf, np.nan])
    np.testing.assert_array_equal(band.curves[0].low, x)
    assert band.note == "", "the curve itself is whole"


def test_a_logarithm_is_of_what_is_above_zero():
    np.testing.assert_array_equal(logarithm(np.array([100.0, 1.0, 0.0, -3.0])), [2.0, 0.0, np.nan, np.nan])


def test_bars_are_divided_by_those_between_the_same_edges():
    """They have an edge more than values: dividing ended in an error."""
    first, second = (np.array(values, float) for values in ([2, 6, 0], [4, 3, 0]))
    edges = np.arange(4.0)
    bars = ChartData((Curve("A", edges, first), Curve("B", edges.copy(), second)))
    found = looked_at(bars, Look(over="curve:B"), {})
    np.testing.assert_array_equal(found.curves[0].y, [0.5, 2.0, np.nan])
    for other, expected in ((edges.copy(), [0.5, 2.0, np.nan]), (edges + 1, [np.nan] * 3), (edges[:3], [np.nan] * 3)):
        kept = {"before": ChartData((Curve("A", other, second[: len(other) - 1]),))}
        np.testing.assert_array_equal(looked_at(bars, Look(over="run:before"), kept).curves[0].y, expected)
