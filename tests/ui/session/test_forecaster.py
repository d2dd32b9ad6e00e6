"""The forecast follows edits and live parameters: the latest wins, a run is left alone, the window never waits."""

import sys
import threading
import time as clock

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication

from engines.api.charts import ChartData, ChartInfo, Curve, Forecast
from engines.api.errors import ProblemError
from engines.battery.engine import BatteryEngine
from tests.ui.doubles import FakeServices
from ui.session.controller import Controller
from ui.session.forecaster import Forecaster
from ui.session.house import HouseServices
from ui.session.model import DocumentModel
from ui.session.running.phase import Phase
from ui.widgets.background import Background
from workbench.project.document import new_document

FACTOR = ("parameters", "current_factor")


class Slow(Forecast):
    """Says what it was asked; takes as long as it is told."""

    charts = (ChartInfo("voltage", "Voltage", "V", ("voltage",)),)

    def __init__(self, parameters):
        self.parameters, self.asked, self.closed = parameters, [], False
        self.go, self.begun = threading.Event(), threading.Event()
        self.go.set()

    def solve(self, controls):
        assert threading.current_thread().name.startswith("workbench-forecast")
        self.begun.set()
        self.go.wait(5)
        self.asked.append(dict(controls))
        factor = controls.get("current_factor", self.parameters.current_factor)
        return {"voltage": ChartData((Curve("Forecast", np.array([0.0, 1.0]), np.array([4.0, factor])),))}

    def close(self):
        self.closed = True


class Services(FakeServices):
    def __init__(self):
        super().__init__()
        self.forecasts = []

    def forecast(self, document):
        if document.parameters.protocol == ["Rest for 1 s"]:
            raise ProblemError("Not that.")
        self.forecasts.append(Slow(document.parameters))
        return self.forecasts[-1]


class Desk:
    def __init__(self, services):
        self.services = services
        self.background = Background()
        self.model = DocumentModel()
        self.controller = Controller(self.model, services, self.background)
        self.controller.build = lambda autostart=False: None
        self.forecaster = Forecaster(self.controller)
        self.got = []
        self.forecaster.solved.connect(lambda charts, infos: self.got.append((charts, infos)))

    @property
    def last(self):
        """The last value of the last curve."""
        charts = self.got[-1][0] if self.got else None
        return None if charts is None else charts["voltage"].curves[0].y[-1]


@pytest.fixture
def desk(qapp):
    desk = Desk(Services())
    yield desk
    for forecast in desk.services.forecasts:
        forecast.go.set()
    desk.forecaster.stop()
    desk.background.close()
    desk.forecaster.close()


@pytest.fixture
def followed(desk, qtbot):
    desk.model.open(new_document(BatteryEngine()))
    qtbot.waitUntil(lambda: desk.last == 1.0, timeout=5000)
    return desk


def test_a_problem_is_forecast_when_it_is_opened(followed):
    assert followed.got[-1][1] == Slow.charts
    assert len(followed.services.forecasts) == 1


@pytest.mark.keeps_time
def test_what_moves_is_solved_with_the_same_forecast_and_the_latest_wins(followed, qtbot):
    (forecast,) = followed.services.forecasts
    forecast.go.clear()
    started = clock.perf_counter()
    for factor in np.linspace(1.1, 3.0, 50):
        followed.model.edit(FACTOR, float(factor))
    assert clock.perf_counter() - started < 1.0  # nobody waited for the solver, which waits for us
    forecast.go.set()
    qtbot.waitUntil(lambda: followed.last == 3.0, timeout=5000)
    assert len(followed.services.forecasts) == 1
    assert [each.get("current_factor") for each in forecast.asked] == [None, 1.1, 3.0]


def test_other_edits_make_another_forecast_a_moment_later(followed, qtbot):
    followed.model.edit(FACTOR, 2.0)
    for hours in (1, 2, 3):
        followed.model.edit(("parameters", "protocol"), [f"Discharge at C/2 for {hours} hours"])
    qtbot.waitUntil(lambda: len(followed.services.forecasts) == 2, timeout=5000)
    qtbot.waitUntil(lambda: len(followed.services.forecasts[1].asked) == 1, timeout=5000)
    first, second = followed.services.forecasts
    assert first.closed
    assert second.parameters.protocol == ["Discharge at C/2 for 3 hours"]
    qtbot.waitUntil(lambda: not followed.forecaster.busy, timeout=5000)
    assert followed.last == 2.0


def test_what_moves_beside_another_edit_waits_for_the_forecast_of_both(followed, qtbot):
    """Of the one before, curves of a problem that is no more would be shown."""
    (first,) = followed.services.forecasts
    before = len(first.asked)
    followed.model.edit(("parameters", "protocol"), ["Discharge at C/2 for 1 hour"])
    followed.model.edit(FACTOR, 2.0)
    qtbot.waitUntil(lambda: len(followed.services.forecasts) == 2 and not followed.forecaster.busy, timeout=5000)
    assert len(first.asked) == before


def test_nothing_is_asked_of_what_is_not_valid_or_not_open(followed, qtbot):
    before = followed.forecaster._document
    followed.model.edit(FACTOR, -1.0)
    assert not followed.model.valid
    followed.forecaster._anew()
    assert followed.forecaster._document is before
    nothing = Forecaster(Controller(DocumentModel(), followed.services, followed.background))
    nothing._anew()
    assert nothing._document is None


def test_a_problem_that_cannot_be_solved_has_no_curves(followed, qtbot):
    followed.model.edit(("parameters", "protocol"), ["Rest for 1 s"])
    qtbot.waitUntil(lambda: followed.got[-1][0] is None, timeout=5000)
    followed.model.edit(("parameters", "protocol"), ["Rest for 2 s"])
    qtbot.waitUntil(lambda: followed.last == 1.0, timeout=5000)


def test_a_run_has_the_device_to_itself(followed, qtbot):
    (forecast,) = followed.services.forecasts
    followed.controller.phase_changed.emit(Phase.RUNNING.value)
    followed.model.edit(FACTOR, 2.5)
    qtbot.wait(100)
    assert len(forecast.asked) == 1
    followed.controller.phase_changed.emit(Phase.PAUSED.value)
    qtbot.waitUntil(lambda: followed.last == 2.5, timeout=5000)


def test_nothing_is_solved_that_nobody_has_asked_for(desk, qtbot):
    """Before anything is open."""
    desk.controller.phase_changed.emit(Phase.READY.value)
    assert not desk.forecaster.busy
    assert desk.services.forecasts == desk.got == []


def test_an_engine_of_others_that_never_answers_holds_up_no_other(followed, qtbot, monkeypatch):
    """The window had no forecast any more until it was closed."""
    others = BatteryEngine()
    others.id = "theirs"
    document = new_document(BatteryEngine())
    document.project.engine, document.engine = others.id, others
    made, asked, answer = followed.services.forecast, threading.Event(), threading.Event()

    def forecast(document):
        if document.engine.id == "theirs":
            asked.set()
            answer.wait(30)
            return None
        return made(document)

    monkeypatch.setattr(followed.services, "forecast", forecast)
    followed.model.open(document)
    qtbot.waitUntil(asked.is_set, timeout=5000)
    (before,) = followed.services.forecasts
    qtbot.waitUntil(lambda: before.closed, timeout=5000)  # its memory is free for the other
    followed.model.open(new_document(BatteryEngine()))
    qtbot.waitUntil(lambda: followed.last == 1.0, timeout=5000)
    followed.model.edit(FACTOR, 2.0)
    qtbot.waitUntil(lambda: followed.last == 2.0, timeout=5000)
    shown = len(followed.got)
    answer.set()
    qtbot.waitUntil(lambda: not followed.forecaster._busy, timeout=5000)
    assert len(followed.got) == shown


def test_closing_frees_the_forecast_and_shows_nothing_more(followed):
    (forecast,) = followed.services.forecasts
    forecast.go.clear()
    forecast.begun.clear()
    followed.model.edit(FACTOR, 2.0)
    assert forecast.begun.wait(10), "is being solved while the window closes"
    shown, opened = len(followed.got), followed.forecaster._turn
    threading.Timer(0.1, forecast.go.set).start()
    followed.forecaster.stop()
    followed.background.close()
    followed.forecaster.close()
    followed.forecaster.close()
    QCoreApplication.processEvents()
    assert forecast.closed
    assert len(forecast.asked) == 2
    for turn in range(opened + 1):  # of any document that was open
        followed.forecaster._take("forecast", turn, {}, ())
    assert len(followed.got) == shown


def test_what_nobody_expected_is_reported_and_keeps_no_other_answer_back(followed, monkeypatch):
    reported, delivered = [], []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: reported.append(kind))
    (forecast,) = followed.services.forecasts
    begun = threading.Event()
    monkeypatch.setattr(forecast, "solve", lambda controls: (begun.set(), 1 / 0))
    followed.model.edit(FACTOR, 2.0)
    assert begun.wait(10)  # what has not begun when the window closes is dropped
    followed.background.submit("files", lambda: "saved", delivered.append)
    followed.forecaster.stop()
    followed.background.close()  # delivers both, as at the end of the window
    assert reported == [ZeroDivisionError]
    assert delivered == ["saved"]


def test_the_battery_answers_a_drag(qapp, qtbot):
    """With the real engine, on this device: the discharge ends sooner at twice the current."""
    desk = Desk(HouseServices())
    desk.model.open(new_document(BatteryEngine()))
    desk.model.edit(("run", "device"), "cpu")
    qtbot.waitUntil(lambda: bool(desk.got) and desk.last is not None and not desk.forecaster.busy, timeout=120_000)
    slow = desk.got[-1][0]["voltage"].curves[0]
    desk.model.edit(FACTOR, 2.0)
    qtbot.waitUntil(lambda: desk.got[-1][0]["voltage"].curves[0].x[-1] < 2000, timeout=10_000)
    assert slow.x[-1] == pytest.approx(3567.7, abs=0.1)
    desk.forecaster.stop()
    desk.background.close()
