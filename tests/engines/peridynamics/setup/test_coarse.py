"""A horizon of two spacings is told with what it does to Young's modulus, and what is closer."""

from __future__ import annotations

import pytest

from engines.api import Problem, registry
from engines.backend.cpu import CpuBackend
from engines.peridynamics.parameters import PeridynamicParameters
from workbench.project.presets import open_preset, presets

PLATE = {"kind": "plate", "size_x": 16.0, "size_y": 12.0}
BLOCK = {"kind": "block", "size_x": 12.0, "size_y": 12.0, "size_z": 12.0}
LESS = {("bonds", "reach"): 3}


def told(problem: Problem) -> list:
    found = registry.engine("peridynamics").estimate(problem, CpuBackend()).findings
    return [each for each in found if each.place == ("bonds", "reach")]


@pytest.mark.parametrize(
    ("body", "bonds", "words", "changes"),
    [
        # Young's modulus of these lattices along an axis over the solid's, from sums by hand: 1.2139 and 1.0226.
        (PLATE, {}, "21 % too stiff in tension along the axes: a horizon of 3 spacings would make it 2.3 %", LESS),
        (PLATE, {"theory": "state-based"}, "20 % too stiff", LESS),
        (BLOCK, {}, "3 spacings and triangular influence would", {**LESS, ("bonds", "influence"): "triangular"}),
        (BLOCK, {"theory": "state-based"}, "a horizon of 3 spacings would make it 11 % too soft", None),
    ],
)
def test_two_spacings_are_a_warning(body, bonds, words, changes):
    values = {"body": body, "notches": [], "loads": [], "unbreakable": []}
    given = PeridynamicParameters.model_validate({**values, "bonds": {"spacing": 1.0, "reach": 2, **bonds}})
    (found,) = told(Problem(given))
    assert (found.severity, found.distorts) == ("warning", True)
    assert found.message.startswith("A horizon of 2 spacings makes the body ")
    assert words in found.message
    assert (found.remedy and dict(found.remedy.changes)) == changes
    assert not told(Problem(given.model_copy(update={"bonds": given.bonds.model_copy(update={"reach": 3})})))


def test_young_s_modulus_along_an_axis_by_hand():
    """Of a square lattice in plane stress, all bonds within two spacings alike: E = C11 - C12²/C11 of sums of
    n⁴ and n_x² n_y² times lengths, calibrated so that C11 + C12 is right; Poisson's ratio of the solid is 1/3."""
    sums = {}
    for reach in (2, 3):
        lattice = [(x, y) for x in range(-4, 5) for y in range(-4, 5) if 0 < x * x + y * y <= reach * reach]
        c11 = sum(x**4 / (x * x + y * y) ** 1.5 for x, y in lattice)
        c12 = sum(x * x * y * y / (x * x + y * y) ** 1.5 for x, y in lattice)
        sums[reach] = (c11 - c12**2 / c11) / (2 / 3 * (c11 + c12))
    assert sums[2] == pytest.approx(1.2139, abs=1e-4)
    assert sums[3] == pytest.approx(1.0226, abs=1e-4)


def test_no_preset_is_told():
    own = [each for each in presets() if each.engine == "peridynamics"]
    assert len(own) > 5
    for preset in own:
        document = open_preset(preset)
        assert not told(Problem(document.parameters, document.loaded)), preset.id
