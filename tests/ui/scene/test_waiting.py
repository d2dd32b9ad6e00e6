"""A view that awaits values: it is patient for three tenths of a second, and then shows the shape without them."""

from types import SimpleNamespace

import numpy as np
import pytest

from engines.geometry.grid import Grid
from tests.ui.scene.grids import info
from tests.ui.scene.test_categories import STATE
from ui.scene import scene as module
from ui.scene.scene import Scene
from workbench.run.frames import Frame


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(time=5000.0)
    monkeypatch.setattr(module, "clock", SimpleNamespace(monotonic=lambda: clock.time))
    return clock


@pytest.fixture
def awaiting(clock):
    scene = Scene()
    scene.aspect = 1.5
    request = scene.set_simulation(info(Grid((4, 4), (1.0, 1.0)), STATE))
    return scene, request


def test_a_view_without_a_geometry_awaits_nothing(clock):
    scene = Scene()
    assert not scene.waiting
    assert not scene.overdue()


def test_an_answer_is_overdue_once_after_three_tenths_of_a_second(awaiting, clock):
    scene, _ = awaiting
    assert scene.waiting
    clock.time += 0.29
    assert not scene.overdue()
    assert scene.waiting
    clock.time += 0.02
    assert scene.overdue()
    assert not scene.waiting
    assert not scene.overdue(), "once"


def test_a_simulation_that_is_built_anew_is_asked_though_an_answer_of_the_one_before_is_awaited(awaiting):
    scene, request = awaiting
    assert scene.replan() is None, "one question at a time"
    again = scene.set_simulation(info(scene.layer.geometry, STATE))
    assert again.serial == request.serial + 1
    assert scene.waiting


def test_an_answer_in_time_ends_the_waiting_and_one_to_another_question_does_not(awaiting, clock):
    scene, request = awaiting
    values = {part: np.zeros(len(selection)) for part, (_, selection) in request.parts.items()}
    assert not scene.show_frame(Frame(request.serial - 1, 1, 0.5, values))
    assert scene.waiting
    assert scene.show_frame(Frame(request.serial, 1, 0.5, values))
    assert not scene.waiting
    clock.time += 1.0
    assert not scene.overdue()
