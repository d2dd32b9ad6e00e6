"""Units that another field says: lengths in the unit of the grid."""

import pytest

from engines.api.parameters import unit_among
from engines.fdtd.parameters import FdtdParameters, PointSource, Sphere
from engines.fdtd.parameters.monitors import SPECTRAL
from tests.ui.forms.holder import Holder
from ui.forms.group import FieldLine


@pytest.mark.parametrize(
    ("unit", "found"),
    [("{grid.length_unit}", "µm"), ("A·{grid.length_unit}", "A·µm"), ("S/m", "S/m"), ("{grid.time_unit}", "")],
)
def test_braces_name_a_field_around(unit, found):
    assert unit_among(unit, ({"radius": 1.0}, {"grid": {"length_unit": "um"}})) == found


@pytest.mark.parametrize(
    ("given", "length", "found"),
    [("wavelength", "mm", "mm"), ("frequency", "um", "THz"), ("frequency", "mm", "GHz"), ("frequency", "m", "MHz")],
)
def test_what_a_number_is_given_as_says_its_unit(given, length, found):
    assert unit_among(SPECTRAL, ({"given": given}, {"grid": {"length_unit": length}})) == found
    assert unit_among(SPECTRAL, ()) == ""


def test_lengths_are_labelled_with_the_unit_of_the_grid(qtbot):
    """In a group, in an item of a list of unions, in a group within that, and in a row."""
    holder = Holder(qtbot, FdtdParameters, FdtdParameters(objects=[Sphere()], sources=[PointSource()]))

    def label(*path):
        line = holder.editor(*path).parentWidget()
        assert isinstance(line, FieldLine)
        return line.unit_text()

    places = [
        ("grid", "size_x"),
        ("objects", 0, "radius"),
        ("objects", 0, "center"),
        ("sources", 0, "signal", "wavelength"),
    ]
    assert {label(*path) for path in places} == {"µm"}
    assert label("sources", 0, "moment") == "A·µm"
    holder.edit(("grid", "length_unit"), "mm")
    assert {label(*path) for path in places} == {"mm"}
    assert label("grid", "cells_x") == ""
