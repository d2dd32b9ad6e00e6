"""What kinds of fields can be drawn how: by isochrones, isosurfaces, a logarithm, a range that follows."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from engines.api import FieldInfo
from ui.scene.fields import follows, has_levels, is_timed, own_range, takes_logarithm
from workbench.project.project import ViewSettings

PLAIN = FieldInfo("u", "u", "mV", "cell", (0.0, 1.0))
TIME = replace(PLAIN, unit="ms", missing=-1.0)
MS = SimpleNamespace(time_unit="ms")


@pytest.mark.parametrize(
    ("field", "info", "timed"),
    [
        (TIME, MS, True),
        (TIME, None, False),
        (TIME, SimpleNamespace(time_unit="s"), False),
        (replace(TIME, missing=None), MS, False),
        (replace(TIME, components=3), MS, False),
        (replace(TIME, cyclic=True), MS, False),
        (replace(TIME, missing=0.0), MS, True),
    ],
)
def test_a_time_that_comes_to_each_element_has_isochrones(field, info, timed):
    assert is_timed(field, info) == timed


@pytest.mark.parametrize(
    ("other", "leveled"),
    [({}, True), ({"components": 2}, False), ({"missing": -1.0}, False), ({"cyclic": True}, False),
     ({"names": ("rest", "torn")}, False)],
)  # fmt: skip
def test_numbers_that_are_everywhere_have_isosurfaces(other, leveled):
    assert has_levels(replace(PLAIN, **other)) == leveled


@pytest.mark.parametrize(
    ("limits", "cyclic", "taken"),
    [((0.0, 1.0), False, True), ((0.5, 1.0), False, True), ((-0.1, 1.0), False, False), ((0.0, 0.0), False, False),
     ((0.0, 1e-9), False, True), ((0.0, 6.28), True, False)],
)  # fmt: skip
def test_what_is_of_one_sign_above_zero_takes_a_logarithm(limits, cyclic, taken):
    assert takes_logarithm(replace(PLAIN, range=limits, cyclic=cyclic)) == taken


@pytest.mark.parametrize(
    ("guessed", "view", "does"),
    [
        (False, {}, False),
        (False, {"follow": True}, True),
        (True, {}, True),
        (True, {"range": (0.0, 2.0)}, False),
        (True, {"range": (0.0, 2.0), "field": "u"}, False),
        (True, {"range": (0.0, 2.0), "field": "v"}, True),
        (True, {"range": (0.0, 2.0), "follow": True}, True),
    ],
)
def test_a_range_follows_where_a_person_wants_it_or_nothing_else_is_known(guessed, view, does):
    assert follows(replace(PLAIN, guessed=guessed), ViewSettings(**view)) == does


@pytest.mark.parametrize(("named", "range_"), [(None, (0.0, 2.0)), ("u", (0.0, 2.0)), ("v", None)])
def test_a_range_is_of_the_field_that_it_was_given_for(named, range_):
    assert own_range(PLAIN, ViewSettings(range=(0.0, 2.0), field=named)) == range_
