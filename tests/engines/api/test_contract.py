"""What the contract says to those who write an engine."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import ValidationError

import engines.api
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.parameters import ParameterGroup, quantity
from engines.api.presets import presets_in
from engines.api.simulation.contract import BrokenContract, check_chart, check_declared


def test_a_preset_that_cannot_be_read_is_named_and_the_others_stay(tmp_path, caplog):
    for name, text in (("good", '{"title": "Good", "engine": "wave"}'), ("torn", '{"title": '), ("list", "[]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "project.json").write_text(text)
    with caplog.at_level(logging.WARNING):
        (found,) = presets_in(tmp_path)
    assert (found.id, found.title, found.engine) == ("good", "Good", "wave")
    assert [record.args[0] for record in caplog.records] == ["list", "torn"]


def test_a_bound_that_nobody_knows_is_refused():
    with pytest.raises(TypeError, match="min: none of the bounds"):
        quantity(1.0, "1", "A number", min=0)


def test_every_name_of_the_contract_is_there():
    for name in engines.api.__all__:
        assert getattr(engines.api, name) is not None
    with pytest.raises(AttributeError):
        engines.api.nothing  # noqa: B018


@pytest.mark.parametrize("number", [1e31, -1e31, 1e-31, 10**31])
def test_a_number_that_no_unit_needs_is_refused(number):
    class Group(ParameterGroup):
        length: float = quantity(0.0, "m", "A length")
        place: tuple[float, float] = quantity((0.0, 0.0), "m", "A place")

    assert Group(length=1e30, place=(0.0, -1e-30)).length == 1e30
    for values in ({"length": number}, {"place": (0.0, number)}):
        with pytest.raises(ValidationError, match="between 1e-30 and 1e"):
            Group.model_validate(values)


X = np.arange(3.0)


@pytest.mark.parametrize(
    ("kind", "curve"),
    [
        ("line", Curve("c", X, X[:2])),
        ("line", Curve("c", X[:, None], X[:, None])),
        ("line", Curve("c", X, X.astype(complex))),
        ("line", Curve("c", X, np.array(["a", "b", "c"]))),
        ("line", Curve("c", X, X, low=X[:2], high=X)),
        ("line", Curve("c", X, X, told=3)),
        ("bar", Curve("c", X, X)),
        ("bar", Curve("c", X, X[:2], shade=X)),
        ("pattern", Curve("c", X, X, across=X[:2])),
        ("matrix", Curve("c", X, X)),
    ],
)
def test_a_chart_has_as_many_numbers_of_each_kind(kind, curve):
    """A plot ended in an error that nobody expected, with each frame anew."""
    check_chart(
        ChartInfo("c", "C", "V"), ChartData((Curve("c", X, X, low=X, high=X, told=-3), Curve("n", X[:0], X[:0])))
    )
    check_chart(ChartInfo("c", "C", "V", kind="bar"), ChartData((Curve("c", X, X[:2], shade=X[:2]),)))
    check_chart(ChartInfo("c", "C", "V", kind="matrix"), ChartData((Curve("c", X, X),), columns=("a", "b", "c")))
    with pytest.raises(BrokenContract, match="The chart 'C' has points"):
        check_chart(ChartInfo("c", "C", "V", kind=kind), ChartData((curve,), columns=("a", "b")))


@pytest.mark.parametrize("name", ["charts", "series", "brushes", "vectors", "front", "marked", "fields", "traffic"])
def test_what_a_run_draws_is_of_its_kind(name):
    """The window ended in a segmentation fault as it closed, after errors that nobody expected."""
    sound = {"step": 0, "sample_steps": 1, "whole_batch": 1, "dt": 0.1, "fields": (), "traffic": (), "charts": ()}
    check_declared(SimpleNamespace(**sound))
    for wrong in (5, (5,)):
        with pytest.raises(BrokenContract, match=f"The simulation's {name} (are|is) no .*for the author"):
            check_declared(SimpleNamespace(**{**sound, name: wrong}))
