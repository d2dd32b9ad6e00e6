"""Arrays with units: kept by views, dropped by arithmetic, whose unit nobody knows."""

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api.errors import ProblemError
from workbench.api import arrays
from workbench.api.arrays import Quantity, named_quantity, needed

VOLTAGE = Quantity([3.0, 4.0, 5.0], "V", "Terminal voltage")


def test_views_keep_name_and_unit():
    assert (VOLTAGE.unit, VOLTAGE.name) == ("V", "Terminal voltage")
    for view in (VOLTAGE[1:], VOLTAGE.reshape(3, 1), VOLTAGE[VOLTAGE > 3.5], VOLTAGE.copy()):
        assert (view.unit, view.name) == ("V", "Terminal voltage")
    assert repr(VOLTAGE) == "Terminal voltage [V]\narray([3., 4., 5.])"
    back = pickle.loads(pickle.dumps(VOLTAGE))  # noqa: S301 (our own)
    assert (back.unit, list(back)) == ("V", [3.0, 4.0, 5.0])


@pytest.mark.parametrize(
    "compute",
    [
        lambda v: v * v, lambda v: v + 1, lambda v: 2 * v, np.exp, lambda v: np.dot(v, v), lambda v: v.dot(v),
        lambda v: v @ v, lambda v: v.cumprod(), lambda v: v.argsort(), lambda v: v.argpartition(1),
        lambda v: v.reshape(1, 3).argmax(axis=0), lambda v: v.reshape(1, 3).argmin(axis=0),
        lambda v: v.max(), lambda v: v.var(), lambda v: np.concatenate([v, v]),
        lambda v: np.interp(3.5, v, v), np.add.reduce, np.fft.rfft,
    ],
)  # fmt: skip
def test_what_is_computed_is_the_same_and_has_no_unit(compute):
    made = compute(VOLTAGE)
    assert not isinstance(made, Quantity)
    np.testing.assert_array_equal(made, compute(np.asarray(VOLTAGE)))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, Quantity.copy])
def test_copies_keep_their_axes(copied):
    """Copies had lost what their axes were."""
    field = Quantity(np.arange(6.0).reshape(2, 3), "V", "u", ("y", "x"), {"x": Quantity([1, 2, 3], "mm")})
    made = copied(field)
    made[0, 0] = 7.0
    assert field[0, 0] == 0.0
    assert (made.unit, made.name, made.dims) == ("V", "u", ("y", "x"))
    assert made.coordinates["x"].unit == "mm"


def test_computing_in_place_works():
    values = VOLTAGE.copy()
    np.add(values, 1.0, out=values)
    values *= 2.0
    assert list(values) == [8.0, 10.0, 12.0]


def test_a_result_by_its_title():
    found = named_quantity("ports/S [1]", np.ones(2))
    assert (found.name, found.unit) == ("ports/S", "")
    assert named_quantity("bare", np.ones(1)).name == "bare"


def test_an_optional_library_that_is_missing_is_named():
    with pytest.raises(ProblemError, match="needs no_such_library, which is not installed: pip install no_such"):
        needed("no_such_library")


@pytest.mark.parametrize(
    ("quantity", "dims", "name"),
    [(Quantity(np.zeros((2, 3)), "V"), ("dim_0", "dim_1"), None), (Quantity([1.0], "V", "U", ("t",)), ("t",), "U")],
)
def test_axes_without_names_are_numbered(monkeypatch, quantity, dims, name):
    monkeypatch.setattr(arrays, "needed", lambda _: SimpleNamespace(DataArray=lambda values, **how: how))
    assert quantity.to_xarray() == {"coords": {}, "dims": dims, "name": name, "attrs": {"units": "V"}}


def test_xarray_gets_axes_and_units():
    pytest.importorskip("xarray")
    field = Quantity(np.zeros((2, 3)), "V/m", "Ez", ("y", "x"), {"x": Quantity([0.0, 1.0, 2.0], "um", "x")})
    found = field.to_xarray()
    assert found.dims == ("y", "x")
    assert found.attrs["units"] == "V/m"
    assert found.x.attrs["units"] == "µm"  # as people write it, whatever an engine calls it
