"""Thin bodies: how stiff they are, by the numbers of the estimate and by pulling them."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lattice.family import family
from engines.peridynamics.material.bars import DILATION, UNCORRECTED, power_in_tension, pulled, surface_effect
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.state.material import StateLattice

ENGINE = PeridynamicsEngine()
GIVEN = (72e9, 2440.0, 3.8, 1e-3, 1e-3)


def plate(reach: int = 3) -> Lattice:
    return Lattice(family(2, reach), "plane stress", *GIVEN)


def solid(dimensions: int, poisson: float) -> StateLattice:
    formulation = "3D" if dimensions == 3 else "plane stress"
    return StateLattice(family(dimensions, 3), formulation, *GIVEN, poisson=poisson, constraint=1.0)


LATTICES = {
    "bonds": plate(),
    "bonds m=4": plate(4),
    "bonds 3D": Lattice(family(3, 3), "3D", *GIVEN),
    "state 0.2": solid(2, 0.2),
    "state 0.4": solid(2, 0.4),
}


@pytest.mark.parametrize("name", LATTICES)
def test_a_correction_for_tension_leaves_the_modulus_of_the_lattice(name):
    """1 % at 5 particles across and 0.3 % at 10, where it was up to 30 and 14 %."""
    lattice = LATTICES[name]
    power, axis = power_in_tension(lattice), lattice.stiffness_along_axis
    for across, tolerance in ((5, 0.01), (10, 0.003)):
        if across * lattice.family.dimensions <= 20:
            assert pulled(lattice, across, power).young == pytest.approx(axis, rel=tolerance)
    wrong = max(abs(surface_effect(lattice, each)) for each in (UNCORRECTED, DILATION))
    assert wrong > 0.55  # over the particles across


def test_surfaces_matter_by_one_over_the_width():
    """5 % of the effect."""
    lattice = LATTICES["state 0.4"]
    effect, axis = surface_effect(lattice, DILATION), lattice.stiffness_along_axis
    for across in (8, 16, 24):
        assert pulled(lattice, across, DILATION).young / axis - 1 == pytest.approx(effect / across, rel=0.05)


def strip(across: int, **bonds) -> Problem:
    """24 mm long, drawn by its ends."""
    loads = [
        {"kind": "displacement", "region": {"kind": "side", "side": side}, "x": move, "y": None}
        for side, move in (("left", -1e-3), ("right", 1e-3))
    ]
    corner = {"kind": "box", "low": (0, 0, 0), "high": (1, 1, 0)}
    middle = {"first": (6.5, across / 2, 0), "second": (17.5, across / 2, 0)}
    given = {
        "body": {"kind": "plate", "size_x": 24.0, "size_y": float(across)},
        "bonds": {"spacing": 1.0, **bonds},
        "material": {"fracture_energy": 1e6, "poisson": 0.4},
        "notches": [],
        "unbreakable": [],
        "loads": [*loads, {"kind": "displacement", "region": corner, "x": None, "y": 0.0}],
        "measuring": {"gauges": [{"kind": "opening", "name": "long", **middle, "axis": "x"}]},
        "numerics": {
            "integrator": "dynamic relaxation",
            "precision": "fp64",
            "relaxation": {"load_steps": 1, "tolerance": 1e-6},
        },
    }
    return Problem(PeridynamicParameters.model_validate(given))


@pytest.mark.parametrize(
    ("theory", "corrected"),
    [("bond-based", False), ("bond-based", True), ("state-based", False), ("state-based", True)],
)
def test_a_thin_strip_is_as_stiff_as_the_estimate_says(device, theory, corrected):
    """Pulled from rest to rest: 1 % of the modulus, for its ends are held."""
    bonds = {"theory": theory}
    if corrected:
        bonds |= {"surfaces": "tension", "surface_correction": theory == "bond-based"}
    problem = strip(5, **bonds)
    lattice = plate() if theory == "bond-based" else solid(2, 0.4)
    natural = UNCORRECTED if theory == "bond-based" else DILATION
    expected = pulled(lattice, 5, power_in_tension(lattice) if corrected else natural).young
    findings = [each for each in ENGINE.estimate(problem, device).findings if "particles across" in each.message]
    assert len(findings) == (not corrected)
    run = ENGINE.build(problem, device)
    run.advance(2000)
    seen = run.observe()
    stress = seen["force_2_x"] / (5e-3 * 1e-3)
    assert stress / (seen["long"] * 1e-6 / 11e-3) / 72e9 == pytest.approx(expected, rel=0.01)
    assert np.isfinite(stress)
    run.close()
