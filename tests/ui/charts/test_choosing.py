"""Which charts stand open: those of the project, those that a person chose, or as many as have room."""

import pytest
from PySide6.QtCore import QSettings

from engines.api.charts import ChartInfo
from ui.charts.arithmetic import Look
from ui.charts.choosing import Choice
from workbench.project.project import ChartView

NAMES = ("a", "b", "c", "d")


@pytest.fixture
def settings(tmp_path):
    return QSettings(str(tmp_path / "charts.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def choice(settings):
    made = Choice(settings)
    made.open("cardiac", [])
    return made


def test_where_nobody_chose_as_many_are_shown_as_have_room(choice):
    assert choice.shown(NAMES, 3) == ("a", "b", "c")
    assert choice.shown(NAMES, 9) == NAMES
    assert choice.views() == []


def test_what_a_person_chose_is_shown_the_next_time_for_the_same_engine(choice, settings):
    choice.choose(["d", "b"])
    assert choice.shown(NAMES, 1) == ("b", "d"), "in their order, whether or not there is room"
    assert [view.name for view in choice.views()] == ["d", "b"]
    again = Choice(settings)
    again.open("cardiac", [])
    assert again.shown(NAMES, 1) == ("b", "d")
    assert again.views() == [], "the next project says nothing of them"
    assert again.shown(("x", "y"), 1) == ("x",), "of charts that are others as many as have room"
    again.open("fdtd", [])
    assert again.shown(NAMES, 1) == ("a",)


def test_a_project_says_which_and_how_until_the_person_does(choice, settings):
    views = [ChartView(name="c", log_x=True), ChartView(name="a", over="run:1"), ChartView(name="b", over="d")]
    choice.open("cardiac", views)
    charts = [ChartInfo(name, name.upper(), "1") for name in NAMES]
    assert [chart.name for chart in choice.in_order(charts)] == ["c", "a", "b", "d"]
    assert choice.shown(NAMES, 2) == ("a", "b")
    assert choice.look("c") == Look(log_x=True)
    assert choice.look("d") == Look()
    assert [(view.name, view.log_x, view.over) for view in choice.views()] == [
        ("c", True, ""), ("a", False, ""), ("b", False, "d")
    ]  # fmt: skip
    choice.choose(["d"])
    assert choice.shown(NAMES, 4) == ("d",)
    assert [view.name for view in choice.views()] == ["d"]
    assert settings.allKeys() == [], "it is a choice of this project"
    choice.put_first("d")
    assert [chart.name for chart in choice.in_order(charts)] == ["d", "c", "a", "b"]


def test_of_the_charts_of_a_project_those_without_room_are_counted_until_a_person_chose(choice):
    assert choice.left_out(NAMES, 1) == 0, "an engine has many, and nobody asked for them"
    choice.open("cardiac", [ChartView(name=name) for name in ("c", "a", "b", "gone")])
    assert [choice.left_out(NAMES, room) for room in (1, 2, 3, 9)] == [2, 1, 0, 0]
    choice.choose(["d"])
    assert choice.left_out(NAMES, 1) == 0


def test_a_chart_that_is_looked_at_in_a_way_of_its_own_is_told_to_the_project(choice):
    choice.keep_looks({"a": Look(), "b": Look(log_x=True)})
    assert [(view.name, view.log_x) for view in choice.views()] == [("b", True)]
