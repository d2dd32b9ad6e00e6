"""Tours: each step of each is walked in the window with the real engines, by mouse and keyboard; and who strays."""

import shutil
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QRect, QSettings, Qt
from PySide6.QtWidgets import QComboBox, QLineEdit

from ui.session.house import HouseServices
from ui.session.running.phase import Phase
from ui.viewport.viewport import Viewport
from ui.widgets.theme import theme
from ui.window.centre.workspaces import SIMULATE
from ui.window.help.tours.guide import TourGuide, _beside
from ui.window.help.tours.places import DONE, PLACES, _widget, controls, has_come_about, path_of
from ui.window.help.tours.steps import tours
from ui.window.main_window import MainWindow
from workbench.project.presets import open_preset, preset_called
from workbench.storage.paths import config_dir, state_dir

# Written out: what the sources have is held against these.
LINGER_TICKS = 4
SLOW_READER = 180.0

LEFT = Qt.MouseButton.LeftButton
OF_ENGINES = [tour for tour in tours() if tour.preset]


@pytest.fixture
def window(qtbot, qapp, tmp_path):
    """Everything real, the 3D view too, in the smallest window that is promised."""
    theme().apply("dark", qapp)
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    window = MainWindow(HouseServices(), Viewport, settings)
    qtbot.addWidget(window)
    window.resize(1280, 720)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close_at_once()
    for folder in (state_dir(), config_dir()):
        shutil.rmtree(folder, ignore_errors=True)


def start(window, title, qtbot):
    """From the menu; the problem is open then and can be run."""
    action = next(action for action in window.tour_menu.actions() if action.text() == title)
    action.trigger()
    guide = window.help.tour
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY and not guide.strayed, timeout=60_000)
    qtbot.waitUntil(lambda: guide.card.title.text() == guide.tour.steps[0].title, timeout=60_000)
    return guide


def do(window, step, qtbot):
    """What a step asks for, as a person does it."""
    if step.until == "running":
        qtbot.mouseClick(window.timeline.run_button, LEFT)
        return
    if step.at == "reset":
        qtbot.mouseClick(window.timeline.reset_button, LEFT)
        qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=60_000)
        return
    editor = window.problem.form.editor_at(path_of(step.at))
    if (box := editor.findChild(QComboBox)) is not None:
        qtbot.keyClick(box, Qt.Key.Key_Down)
        return
    line = editor.findChild(QLineEdit)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "0.5")
    qtbot.keyClick(line, Qt.Key.Key_Return)


def test_steps_are_few_and_name_what_there_is():
    ids = [engine.id for engine in HouseServices().engines()]
    assert sorted(tour.id for tour in OF_ENGINES) == sorted(ids)
    for tour in tours():
        assert 3 <= len(tour.steps) <= 8
        for step in tour.steps:
            assert step.at in PLACES or step.at.partition(" ")[0] in ("field", "chart", "dock"), step.at
            assert step.until in ("", *DONE), step.until


def test_what_is_changed_during_a_run_is_asked_for_while_it_lasts():
    for tour in OF_ENGINES:
        run = open_preset(preset_called(tour.preset)).project.run.model_copy(update=dict(tour.run))
        if any(step.live for step in tour.steps):
            assert run.until / run.pace >= SLOW_READER, tour.id


@pytest.mark.parametrize("tour", OF_ENGINES, ids=lambda tour: tour.id)
def test_every_step_points_at_something_and_goes_on(window, qtbot, tour):
    guide = start(window, tour.title, qtbot)
    assert all(getattr(window.controller.runner, name) == value for name, value in tour.run.items())
    for place, step in enumerate(tour.steps):
        assert guide.place == place
        qtbot.waitUntil(guide.frame.isVisible, timeout=20_000)
        assert window.rect().contains(guide.card.geometry())
        assert guide.card.title.text() == step.title
        assert guide.card.height() == guide.card.heightForWidth(guide.card.width())
        if place and "view" not in step.at:
            assert not guide.frame.geometry().intersects(guide.card.geometry())
        assert not any(guide.card.geometry().intersects(each) for each in controls(window)), step.title
        if step.until:
            do(window, step, qtbot)
            qtbot.waitUntil(lambda: guide.place > place, timeout=60_000)  # noqa: B023  # waited for at once
        else:
            if step.at == "reset":
                do(window, step, qtbot)
            qtbot.mouseClick(guide.card.next, LEFT)
    assert guide.tour is None
    assert not guide.card.isVisible()
    assert window.focusWidget() is window.viewport
    assert [each.text for each in window.log.lines.messages if each.severity != "info"] == []


class Anything:
    """Has whatever part it is asked for, and says by which way."""

    def __init__(self, way):
        self.way = way

    def __getattr__(self, name):
        made = Anything(f"{self.way}.{name}".lstrip("."))
        setattr(self, name, made)
        return made

    def __call__(self, *asked):
        return self

    def __getitem__(self, key):
        return key


def test_each_place_is_the_part_of_the_window_that_has_its_name():
    ways = {place: getattr(_widget(Anything(""), place), "way", None) for place in PLACES}
    assert ways == {
        "view": "viewport", "run": "timeline.run_button", "reset": "timeline.reset_button", "timeline": "timeline.bar",
        "objects": "problem.objects", "gallery": "toolbar.widgetForAction", "brush": "toolbar.widgetForAction",
        "meter": "meters", "lab runs": "pages.lab.setup.extent", "lab run": "pages.lab.setup.run_button",
        "lab table": "pages.lab.views.table", "lab roofline": "pages.lab.views.tabBar",
    }  # fmt: skip


@pytest.mark.parametrize("phase", Phase)
def test_a_step_that_asks_for_a_run_is_done_while_one_goes_on(phase):
    window = SimpleNamespace(pages=SimpleNamespace(lab=None), controller=SimpleNamespace(phase=phase))
    assert has_come_about(window, "running") == (phase is Phase.RUNNING)


def test_a_step_that_is_done_is_read_for_a_moment_and_the_last_one_stays():
    gone = []
    fake = SimpleNamespace(tour=SimpleNamespace(steps=(1, 2)), strayed=False, place=0, _linger=0)
    fake._done, fake._go, fake._show = lambda: True, gone.append, lambda: None
    for _ in range(LINGER_TICKS):
        TourGuide.tick(fake)
    assert gone == []
    TourGuide.tick(fake)
    assert gone == [1]
    fake.place = 1
    TourGuide.tick(fake)
    assert gone == [1], "there is none after it"


def test_a_step_that_asks_for_nothing_waits_for_its_reader():
    quiet = [step for tour in tours() for step in tour.steps if not step.until]
    assert quiet
    for step in quiet:
        assert not TourGuide._done(SimpleNamespace(step=step, _window=Anything("")))


@pytest.mark.parametrize(
    ("area", "place"),
    [
        ((100, 200, 100, 50), (218, 194)),  # right of it
        ((700, 200, 100, 50), (481, 194)),  # left of it
        ((10, 100, 780, 50), (299, 168)),  # below
        ((10, 500, 780, 50), (299, 421)),  # above
        ((10, 10, 780, 580), (24, 510)),  # in its lower left corner
        (None, (299, 479)),
    ],
)
def test_a_card_covers_nothing_of_what_it_is_about(area, place):
    """A card of 200 × 60 in a window of 800 × 600."""
    found = _beside(None if area is None else QRect(*area), QRect(0, 0, 200, 60), QRect(0, 0, 800, 600))
    assert found.toTuple() == place


@pytest.mark.parametrize("area", [(10, 400, 300, 30), (10, 440, 90, 30), (380, 20, 40, 40), (380, 440, 40, 40), None])
@pytest.mark.parametrize("corner", [True, False])
def test_a_card_leaves_the_controls_free(area, corner):
    """The tool bar on top, and how a run is steered low in the window, as at 1024 × 768."""
    window, card = QRect(0, 0, 800, 600), QRect(0, 0, 250, 130)
    controls = [QRect(0, 0, 800, 70), QRect(280, 430, 520, 70)]
    about = QRect() if area is None else QRect(*area)
    at = card.translated(_beside(about if area else None, card, window, controls, corner=corner))
    assert window.contains(at)
    assert not any(at.intersects(each) for each in (about, *controls))


def test_a_card_that_has_no_room_in_line_stands_beside_as_near_as_there_is_some():
    """What lies across the window from 200 to 350 leaves room above 140: nearer than what there is below it."""
    area, card, window = QRect(10, 250, 100, 40), QRect(0, 0, 200, 60), QRect(0, 0, 800, 600)
    found = _beside(area, card, window, [QRect(0, 200, 800, 150)])
    assert found.x() == area.right() + 19
    assert 140 - 16 < found.y() <= 140
    found = _beside(area, card, window, [QRect(0, 100, 800, 250)])
    assert 350 <= found.y() < 350 + 16


def test_who_strays_is_led_back_and_escape_ends(window, qtbot):
    guide = start(window, "Diffusion on grids", qtbot)
    qtbot.mouseClick(guide.card.next, LEFT)
    assert guide.card.title.text() == "Let it grow"
    qtbot.mouseClick(guide.card.next, LEFT)
    assert guide.place == 2
    qtbot.mouseClick(guide.card.back, LEFT)
    assert guide.card.title.text() == "Let it grow", "a step at a time"
    qtbot.mouseClick(guide.card.back, LEFT)
    assert guide.card.title.text() == "Two substances"
    assert not guide.card.back.isEnabled()
    window.actions_["gallery"].trigger()
    qtbot.waitUntil(lambda: guide.card.title.text() == "The tour waits")
    assert not guide.frame.isVisible()
    qtbot.mouseClick(guide.card.next, LEFT)
    qtbot.waitUntil(lambda: window.viewport.isVisible() and guide.card.title.text() == "Two substances")
    window.actions_["about"].trigger()  # another window's Escape is its own
    qtbot.keyClick(window.help.dialog, Qt.Key.Key_Escape)
    assert guide.tour is not None
    window.viewport.setFocus()
    qtbot.keyClick(window.viewport, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: guide.tour is None)
    assert not guide.card.isVisible()
    assert window.workspaces.place == SIMULATE


def test_a_run_that_is_over_is_run_again_from_the_card(window, qtbot):
    guide = start(window, "Diffusion on grids", qtbot)
    step = guide.tour.steps.index(next(step for step in guide.tour.steps if step.live))
    guide._go(step)
    assert "stands still" in guide.card.text.text()
    window.model.edit(("run", "until"), 2.0, "end of the run")
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FINISHED, timeout=60_000)
    qtbot.waitUntil(lambda: "The run is over" in guide.card.text.text())
    window.model.edit(("run", "until"), 2e6, "end of the run")
    window.controller.time = 2e6  # as if it had come as far
    qtbot.mouseClick(guide.card.next, LEFT)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=5000)
    qtbot.waitUntil(lambda: guide.card.next.text() == "&Next")
    assert guide.place == step


def test_a_tour_that_opens_its_problem_does_not_say_that_it_waits(window, qtbot):
    action = next(action for action in window.tour_menu.actions() if action.text() == "Fracture")
    action.trigger()
    guide, told = window.help.tour, []
    while guide.strayed:
        guide.tick()
        told.append(guide.card.title.text())
        qtbot.wait(5)
    assert set(told) == {"Fracture"}
    qtbot.waitUntil(lambda: guide.card.title.text() == "A notched plate of glass")
