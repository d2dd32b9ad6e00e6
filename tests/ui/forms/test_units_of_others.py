"""Units that another field says: lengths in the unit of the grid."""

from __future__ import annotations

import pytest

from engines.api.parameters import unit_among
from engines.fdtd.parameters import FdtdParameters, PointSource, Sphere
from tests.ui.forms.holder import Holder
from ui.forms.group import FieldLine


@pytest.mark.parametrize(
    ("unit", "found"),
    [("{grid.length_unit}", "µm"), ("A·{grid.length_unit}", "A·µm"), ("S/m", "S/m"), ("{grid.time_unit}", "")],
)
def test_braces_name_a_field_around(unit, found):
    assert unit_among(unit, ({"radius": 1.0}, {"grid": {"length_unit": "um"}})) == found


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
