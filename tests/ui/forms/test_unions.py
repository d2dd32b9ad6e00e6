"""Which values a form takes over from one kind of thing to another: those that are of the same shape."""

import pytest

from ui.forms.unions import _alike


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
