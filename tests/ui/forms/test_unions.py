"""Which values a form takes over from one kind of thing to another: those that are of the same shape."""

import pytest

from engines.peridynamics.parameters import PeridynamicParameters
from tests.ui.forms.holder import Holder
from ui.forms.unions import _alike, _carry_deeper


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (1, 2.5, True),
        ("a", "b", True),
        (1, "a", False),
        ([1, 2], [3.0, 4.0], True),
        ([1, 2], [3], False),
        ([1, "a"], [1, 2], False),
        ({"a": 1}, {"a": "x"}, True),
        ({"a": 1}, {"b": 1}, False),
        ([1], {"a": 1}, False),
        (None, None, True),
        (None, 1, False),
    ],
)
def test_values_of_one_shape_are_alike(one, other, alike):
    assert _alike(one, other) == _alike(other, one) == alike


def test_a_load_of_another_kind_stays_at_its_side(qtbot):
    """A stress has a side, a displacement a region at one."""
    begun = PeridynamicParameters.model_validate({"loads": [{"kind": "stress", "side": "bottom"}]})
    holder = Holder(qtbot, PeridynamicParameters, begun)
    for kind in ("displacement", "velocity", "force"):
        holder.editor("loads", 0).kind.edited.emit((), kind)
        assert holder.values["loads"][0]["region"]["side"] == "bottom"
    holder.values["loads"] = [{"kind": "velocity", "region": {"kind": "side", "side": "left", "rows": 5}}]
    fresh = Holder(qtbot, PeridynamicParameters, PeridynamicParameters.model_validate(holder.values))
    fresh.editor("loads", 0).kind.edited.emit((), "stress")
    assert fresh.values["loads"][0]["side"] == "left"
    fresh.values["loads"] = [{"kind": "velocity", "region": {"kind": "box", "low": [0, 0, 0], "high": [1, 1, 1]}}]
    other = Holder(qtbot, PeridynamicParameters, PeridynamicParameters.model_validate(fresh.values))
    other.editor("loads", 0).kind.edited.emit((), "stress")
    assert other.values["loads"][0]["side"] == "top"


def test_what_nobody_has_set_is_that_of_the_new_kind():
    """Its own beginnings fit the problem."""
    usual = {"kind": "a", "size": 1.0, "place": {"side": "top", "rows": 3}}
    for changed, expected in (
        ({}, (7.0, "left")),
        ({"size": 2.0}, (2.0, "left")),
        ({"place": {"side": "top"}}, (7.0, "top")),
    ):
        values = {"kind": "b", "side": "left", "shape": {"size": 7.0}}
        _carry_deeper({**usual, **changed}, usual, values, "kind")
        assert (values["shape"]["size"], values["side"]) == expected
