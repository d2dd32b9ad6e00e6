"""The small parts: bounded traces, numbers as text, the gauge, the log, the theme, the estimate, the tick."""

import time as clock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QComboBox, QSpacerItem, QTabBar, QWidget

from engines.api import Finding
from tests.ui.pictures.walk import faults
from ui.forms.notes import NoteLabel
from ui.session.running.phase import Phase
from ui.widgets.banner import Banner
from ui.widgets.flow import FlowLayout
from ui.widgets.formatting import at_most_text, bytes_text, count_text, moment_text, rate_text
from ui.widgets.icons import icon
from ui.widgets.theme import THEMES, palette, theme
from workbench.run.frames import Message
from workbench.run.streams.traces import TraceBuffer
from workbench.words.numbers import spaced


def test_a_full_trace_keeps_its_peaks_and_its_bounds():
    buffer = TraceBuffer(capacity=256)
    times = np.arange(20_000) * 0.1
    values = np.full(20_000, -85.0)
    values[::1000] = 40.0  # single points, as thin as peaks can be
    for start in range(0, 20_000, 37):
        buffer.append(times[start : start + 37], values[start : start + 37])
    assert len(buffer) <= 256 + 4 * 20_000 / 256  # the stored points and a run that is not yet full
    assert (np.diff(buffer.times) > 0).all()
    assert buffer.values.min() == -85.0
    assert buffer.times[-1] == times[-1]
    assert (buffer.values == 40.0).sum() == 20
    gaps = np.diff(buffer.times)
    assert gaps.max() <= 2 * 2 * 0.1 * 20_000 / 128  # one resolution from the first point to the last


@given(st.lists(st.integers(1, 500), max_size=30), st.integers(2, 75))
def test_a_trace_is_bounded_and_always_ordered(sizes, quarter):
    buffer, time = TraceBuffer(4 * quarter), 0
    for size in sizes:
        times = np.arange(time, time + size, dtype=float)
        buffer.append(times, np.sin(times))
        time += size
        assert len(buffer) <= 4 * quarter + 4 * time / quarter / 4 + 4
        assert buffer.times[-1] == time - 1
        assert buffer.at(time) == np.sin(time - 1)
    assert (np.diff(buffer.times) > 0).all()


@pytest.mark.parametrize(
    ("text", "number", "wanted"),
    [(bytes_text, 1.5e6, "1.50 MB"), (rate_text, 18.23e9, "18.2 GB/s"), (rate_text, 4.22e12, "4.22 TB/s"),
     (count_text, 12_437, "12\u202f400"), (count_text, 3.4567, "3.46"), (bytes_text, 0, "0 B"),
     (bytes_text, 999.9, "1.00 kB")],
)  # fmt: skip
def test_numbers_as_text(text, number, wanted):
    assert text(number) == wanted


def test_both_themes_have_all_colours_and_dress_the_icons(qapp):
    for name in THEMES:
        theme().apply(name, qapp)
        assert palette(name).name == name
        assert qapp.styleSheet().count("$") == 0
        image = icon("play").pixmap(16, 16).toImage()
        assert image.pixelColor(8, 8).name() == palette(name).text
    theme().apply("dark", qapp)


def test_text_stands_out_from_its_ground_in_both_themes():
    """WCAG 2.2 contrast: 4.5 for text, 3 for large text and muted notes would be the least; muted meets 4.5 too."""

    def luminance(color):
        parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one, other):
        light, dark = sorted((luminance(one), luminance(other)), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    for name in THEMES:
        colors = palette(name)
        for ground in (colors.window, colors.surface, colors.raised):
            assert contrast(colors.text, ground) >= 7
            assert contrast(colors.muted, ground) >= 4.5
            assert contrast(colors.bad, ground) >= 4.5
        assert contrast(colors.accent_text, colors.accent) >= 4.5


def test_the_log_copies_clears_and_asks_for_attention(opened, qapp):
    log = opened.log
    opened.dock_layout.docks["log"].hide()
    log.add(Message("All is well."))
    log.add(Message("The disk is full: free some room.", "error"))
    assert opened.status.errors.isVisible()
    assert opened.status.errors.text() == "1"
    log.copy()
    assert "error    The disk is full: free some room." in qapp.clipboard().text()
    opened.status.errors.click()
    assert log.isVisible()
    assert not opened.status.errors.isVisible()
    log.clear()
    assert log.lines.rowCount() == 0


def test_the_log_has_a_badge_until_it_is_looked_at(opened, qtbot):
    dock, log = opened.dock_layout.docks["log"], opened.log
    dock.hide()
    for severity in ("info", "warning", "warning"):
        log.add(Message("Something.", severity))
    assert dock.windowTitle() == "Log (2)"
    assert opened.status.errors.text() == "2"
    qtbot.mouseClick(opened.status.errors, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(log.isVisible)
    assert dock.windowTitle() == "Log"


def test_a_finding_is_said_once_and_its_field_is_marked(opened, qtbot):
    """Whole at its field, too; closed, it is shown again from the count in the estimate."""
    panel, banner = opened.estimates, opened.findings
    sentence = "Its conductivity is far beyond what tissue has, whoever measured it and however the fibres run there."
    found = (Finding(sentence, "warning", ("tissue", "sigma_il")),)
    qtbot.waitUntil(lambda: panel.estimate is not None)
    opened.controller.noticed.disconnect(panel.show_noticed)  # the run that stands there has none to tell
    panel.show_noticed(found)
    assert panel.findings.text() == "2 warnings"
    (mark,) = [label for label in opened.problem.form.findChildren(NoteLabel) if label.text() == sentence]
    qtbot.waitUntil(mark.isVisible)
    line = mark.fontMetrics().height()
    qtbot.waitUntil(lambda: mark.height() >= mark.heightForWidth(mark.width()) > 1.9 * line)
    banner._close()
    assert not banner.isVisible()
    qtbot.mouseClick(panel.findings, Qt.MouseButton.LeftButton)
    assert banner.isVisible()
    assert len(banner.findings) == 2


def test_the_estimate_follows_edits_and_names_an_unstable_step(opened, qtbot):
    panel = opened.estimates
    qtbot.waitUntil(lambda: panel.estimate is not None, timeout=3000)
    assert panel.names["pace"].text() == "Wall time per beat"
    assert panel.figures["pace"].text() == "about 1.0 s"
    assert panel.findings.text() == "1 warning"
    opened.model.edit(("parameters", "numerics", "step"), 0.12)
    qtbot.waitUntil(lambda: panel.figures["step"].text() == "0.12 ms", timeout=3000)
    assert panel.sentence.text() == spaced("The step is above the largest stable one: set it to 0.1 ms or less.")
    assert panel.figures["step"].property("wrong")
    opened.model.edit(("parameters", "tissue", "sigma_il"), -1.0)
    qtbot.waitUntil(lambda: panel.estimate is None, timeout=3000)


@pytest.mark.keeps_time
def test_the_window_ticks_while_the_run_goes_on(opened, qtbot):
    """p95 of the time between two ticks of a 10 ms timer, the promise of llvmpipe with two cores: 100 ms."""
    from PySide6.QtCore import QTimer

    window = opened
    for x in (2.0, 10.0, 18.0):
        window.probes.add((x, 4.0, 2.0))
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == "running")
    ticks = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(clock.perf_counter()))
    timer.start(10)
    qtbot.wait(3000)
    timer.stop()
    gaps = np.diff(ticks) * 1000
    p95 = float(np.percentile(gaps, 95))
    print(f"GUI tick: median {np.median(gaps):.1f} ms, p95 {p95:.1f} ms, longest {gaps.max():.1f} ms")
    assert p95 <= 100


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1600, 1000)])
def test_the_window_fits_the_screen_and_the_panels_get_their_widths(opened, qtbot, width, height):
    """The smallest laptop screen is 1366 pixels wide; the page of the gallery, hidden, asks for no room."""
    opened.resize(width, height)
    opened.dock_layout.first_layout()
    opened.timeline.bar.set_note("1 min 41 s left")
    qtbot.wait(50)
    assert opened.width() == width
    assert opened.minimumSizeHint().width() <= 1366
    assert opened.dock_layout.docks["problem"].width() >= 340
    assert opened.dock_layout.docks["meters"].width() >= 296
    bar = opened.timeline.bar
    assert bar.bar_width() >= min(60, bar.width())


def test_every_menu_can_be_worked_by_its_letters(opened):
    """Two entries with the same letter would need it twice and Return."""

    def check(menu):
        letters = []
        for action in menu.actions():
            place = action.text().replace("&&", "").find("&")
            if place >= 0:
                letters.append(action.text().replace("&&", "")[place + 1].lower())
            if action.menu() is not None:
                check(action.menu())
        assert len(letters) == len(set(letters)), f"{menu.title()}: {letters}"

    for action in opened.menuBar().actions():
        check(action.menu())


def test_the_button_says_go_on_where_an_earlier_session_stood(opened):
    opened.timeline.set_phase(Phase.READY)
    opened.timeline.set_time(0.0)
    assert opened.timeline.run_button.text() == "Run"
    opened.timeline.set_time(425.95)
    assert opened.timeline.run_button.text() == "Go on"
    opened.timeline.set_phase(Phase.FINISHED)
    assert opened.timeline.run_button.text() == "Run"


@pytest.mark.parametrize("width", [1024, 1200, 1366])
def test_a_small_window_lays_nothing_over_anything(opened, qtbot, width):
    opened.resize(width, 700)
    opened.dock_layout.first_layout()
    qtbot.wait(50)
    assert opened.width() == width
    docks = [
        dock for dock in opened.dock_layout.docks.values() if dock.isVisible() and not dock.visibleRegion().isEmpty()
    ]
    places = [dock.geometry() for dock in docks]
    assert not any(a.intersects(b) for i, a in enumerate(places) for b in places[:i])
    line = opened.timeline
    meters = opened.dock_layout.docks["meters"]
    assert meters.isVisible() == (width >= 1366)
    for pace_has_room in (True, width >= 1366):
        assert line.width() <= opened.dock_layout.docks["timeline"].width()
        shown = [part for part in (line.run_button, line.time_label, line.pace, line.until) if part.isVisible()]
        assert all(line.rect().contains(part.geometry()) for part in shown)
        assert line.pace.isVisible() == pace_has_room
        meters.show()
        qtbot.wait(50)


def test_docks_at_the_right_give_way_to_the_view_in_a_window_that_becomes_narrow(opened, qtbot):
    opened.resize(1500, 800)
    opened.dock_layout.first_layout()
    meters, probes = (opened.dock_layout.docks[name] for name in ("meters", "probes"))
    opened.dock_layout.docks["probes"].hide()  # the person closed them
    opened.resize(1200, 800)
    assert not meters.isVisible()
    opened.actions_["gallery"].trigger()
    opened.resize(1500, 800)
    opened.actions_["back"].trigger()
    assert meters.isVisible()
    assert not probes.isVisible()


def test_resetting_the_layout_again_and_again_leaves_no_tabs_behind(opened, qtbot):
    for width in (1200, 1600, 1300, 1600):
        opened.resize(width, 900)
        opened.actions_["layout"].trigger()
        qtbot.wait(20)
    tabs = [bar for bar in opened.findChildren(QTabBar) if bar.parent() is opened and not bar.visibleRegion().isEmpty()]
    assert len(tabs) == 2  # problem and view; charts and log
    assert not faults(opened)


@given(st.floats(1e-6, 1e3))
def test_a_limit_is_never_rounded_up(limit):
    assert float(at_most_text(limit)) <= limit * (1 + 1e-12)
    assert float(at_most_text(limit)) > 0.98 * limit


def test_a_moment_reads_as_a_person_remembers_it():
    def at(*parts):
        return clock.mktime((*parts, 0, 0, 0, -1))

    told = {
        "today 00:01": (2026, 3, 1, 0, 1), "yesterday 23:59": (2026, 2, 28, 23, 59),
        "27 Feb 23:59": (2026, 2, 27, 23, 59), "1 Mar 2025": (2025, 3, 1, 9, 5),
    }  # fmt: skip
    assert [moment_text(at(*then), at(2026, 3, 1, 9, 5)) for then in told.values()] == list(told)


def test_a_flow_is_as_large_as_its_largest_widget_at_least(qtbot):
    host = QWidget()
    qtbot.addWidget(host)
    flow = FlowLayout(gap=4, parent=host)
    for width, height in ((30, 10), (20, 25)):
        part = QWidget()
        part.setMinimumSize(width, height)
        flow.addWidget(part)
    assert (flow.minimumSize(), flow.sizeHint()) == (QSize(30, 25), QSize(30, 25))


@pytest.mark.parametrize(("width", "height"), [(54, 25), (53, 10 + 4 + 25), (10, 10 + 4 + 25), (200, 25)])
def test_a_flow_begins_a_line_where_a_widget_does_not_fit_and_not_before_the_first(qtbot, width, height):
    """Of 30 × 10 and 20 × 25 with a gap of 4."""
    host = QWidget()
    qtbot.addWidget(host)
    flow = FlowLayout(gap=4, parent=host)
    for size in ((30, 10), (20, 25)):
        flow.addItem(QSpacerItem(*size))
    assert flow.heightForWidth(width) == height


def test_nothing_in_a_flow_is_wider_than_it_is(qtbot):
    host, part = QWidget(), QComboBox()
    qtbot.addWidget(host)
    flow = FlowLayout(gap=4, parent=host)
    part.addItem("a text that is longer than there is room for")
    part.setMinimumWidth(20)
    flow.addWidget(part)
    flow.setGeometry(QRect(0, 0, 90, 200))
    assert part.geometry() == QRect(0, 0, 90, part.sizeHint().height())


def test_numbers_in_sentences_look_like_those_beside_them(qtbot):
    """An engine writes 38,400 and the status bar 4 800: in the window all have thin spaces."""
    banner, note = Banner(), NoteLabel()
    for widget in (banner, note):
        qtbot.addWidget(widget)
    banner.say("These are 38,400 cells.")
    assert banner.label.text() == "These are 38\u202f400 cells."
    assert banner.text == "These are 38,400 cells.", "it is compared with what was said"
    note.show_findings([Finding("Refine it to 7,317,120 cells.")])
    assert note.text() == "Refine it to 7\u202f317\u202f120 cells."


def test_information_goes_by_itself_but_not_from_under_the_pointer(qtbot, monkeypatch):
    """A press on its button would fall on what lies below."""
    page = QWidget()
    qtbot.addWidget(page)
    banner = Banner()
    banner.lie_over(page)
    page.show()
    banner.say("Something to know.", "info")
    with monkeypatch.context() as pointer:
        pointer.setattr(banner, "underMouse", lambda: True)
        banner._timer.timeout.emit()
        assert banner.isVisible()
    closed = []
    banner.closed.connect(lambda: closed.append(banner.text))
    banner._timer.start(1)
    qtbot.waitUntil(lambda: not banner.isVisible())
    qtbot.wait(20)
    assert closed == [""], "once"


def test_a_sentence_that_quotes_a_megabyte_is_cut(qtbot):
    banner = Banner()
    qtbot.addWidget(banner)
    banner.say("There is no " + "x" * 1_000_000)
    assert len(banner.label.text()) < 2100


@pytest.mark.parametrize(
    ("severity", "stays", "goes"), [("info", False, True), ("info", True, False), ("error", False, False)]
)
def test_information_goes_by_itself_and_what_is_wrong_stays(qtbot, severity, stays, goes):
    banner = Banner()
    qtbot.addWidget(banner)
    banner.say("These are many cells.", "info")
    assert banner._timer.isActive()
    banner.say("These are too many cells.", severity, stays)
    assert banner._timer.isActive() == goes
