"""Spots and seeds that lie between cells are told before a run, by what is left of them there."""

import re

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.stencil.setup.fields import initial_field
from engines.stencil.setup.problem import GridProblem
from tests.engines.stencil import problems

GRID = {"kind": "2D", "cells_x": 32, "cells_y": 32, "size_x": 100.0, "size_y": 100.0}


def setup(equation) -> GridProblem:
    return GridProblem(problems.problem(equation, GRID), CpuBackend())


def spots(*given):
    return {"kind": "diffusion", "initial": {"kind": "spots", "spots": list(given)}}


def told(found: GridProblem):
    return [each for each in found.findings if "between cells" in each.message]


@pytest.mark.parametrize("center", [(50.0, 50.0, 0.0), (51.5625, 51.5625, 0.0), (50.6, 51.0, 0.0)])
@pytest.mark.parametrize("radius", [0.3, 1.0, 2.0, 3.0, 10.0])
def test_a_spot_of_another_content(center, radius):
    """π r² h, to a twentieth without a word; of 0.3 mm between cells of 3.1 mm nothing began, or 35 times as much."""
    found = setup(spots({}, {"center": center, "radius": radius, "height": -2.0}))
    alone = setup(spots({"center": center, "radius": radius}))
    on_cells = initial_field(alone.equation.initial, alone.grid, alone.parameters.sides, np.dtype(float)).sum()
    share = on_cells * (100 / 32) ** 2 / (np.pi * radius**2)
    if abs(share - 1) <= 0.05:
        assert told(found) == []
        return
    (finding,) = told(found)
    assert finding.place == ("equation", "initial", "spots", 1, "radius")
    assert finding.distorts
    assert float(re.search(r"begins with (\S+) of its content", finding.message)[1]) == pytest.approx(share, rel=0.06)
    assert finding.remedy.changes == {finding.place: 3.125}
    assert told(setup(spots({"center": center, "radius": 3.125}))) == []


def test_wide_ones_are_not_told_wherever_they_are():
    """At a side, mostly beside the grid, and of no height."""
    for center in ((0.0, 0.0, 0.0), (-5.0, 50.0, 0.0), (99.0, 103.0, 0.0), (-20.0, 50.0, 0.0)):
        for radius in (3.125, 10.0, 1000.0):
            assert told(setup(spots({"center": center, "radius": radius}))) == []
    assert told(setup(spots({"radius": 0.3, "height": 0.0}))) == []


@pytest.mark.parametrize(("width", "narrow"), [(1.0, True), (3.125, False), (10.0, False)])
def test_seeds_of_less_than_a_cell(width, narrow):
    found = setup({"kind": "Gray-Scott", "start": {"kind": "seeds", "width": width}})
    assert [each.place for each in told(found)] == [("equation", "start", "width")] * narrow
