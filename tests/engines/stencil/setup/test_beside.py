"""What lies beside the grid counts for nothing, and says so."""

import pytest

from engines.backend.cpu import CpuBackend
from engines.stencil.setup.problem import GridProblem
from tests.engines.stencil import problems

GRID = {"kind": "2D", "cells_x": 32, "cells_y": 24, "size_x": 100.0, "size_y": 80.0}


def told(equation) -> list[tuple[str, tuple[str | int, ...]]]:
    found = GridProblem(problems.problem(equation, GRID), CpuBackend()).findings
    return [(each.message, each.place) for each in found if "beside" in each.message]


@pytest.mark.parametrize(
    ("center", "beside"),
    [((50.0, 40.0, 500.0), False), ((115.0, 40.0, 0.0), False), ((50.0, -45.0, 0.0), True), ((-1e3, 40.0, 0.0), True)],
)
def test_of_a_spot(center, beside):
    """10 mm in radius: of one 15 mm away there is a tenth of its height on the grid."""
    spots = {"kind": "spots", "spots": [{"center": (50.0, 40.0, 0.0)}, {"center": center}]}
    said = "Spot 2 lies beside the grid: it counts for nothing. Move it inside or remove it."
    expected = [(said, ("equation", "initial", "spots", 1, "center"))] if beside else []
    assert told({"kind": "diffusion", "initial": spots}) == expected


@pytest.mark.parametrize("kind", ["diffusion", "Poisson"])
@pytest.mark.parametrize(("x", "beside"), [(105.0, False), (110.0, True)])
def test_of_an_inclusion(kind, x, beside):
    inclusions = {"kind": "inclusions", "inclusions": [{"center": (x, 40.0, 0.0)}]}
    expected = [("equation", "conductivity", "inclusions", 0, "center")] if beside else []
    assert [place for _, place in told({"kind": kind, "conductivity": inclusions})] == expected
