"""What a slow crack takes: the estimate against direct solutions and runs; what is said, and what is offered."""

from __future__ import annotations

import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lattice.family import family
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.influence import INFLUENCES
from engines.peridynamics.material.toughness import trapping_of
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.setup.bonds import BondSetup
from engines.peridynamics.setup.theory import setup_of
from engines.peridynamics.state.material import StateLattice
from engines.peridynamics.verification.trapping import Strip, slow_rate

ENGINE, PLANE = PeridynamicsEngine(), "plane strain"
GIVEN = (72e9, 2440.0, 3.8, 0.5e-3, 2e-3)
CUBES = (*GIVEN[:-1], GIVEN[-2])


def state(poisson: float, reach: int = 3, dimensions: int = 2, flat: str = "plane stress") -> StateLattice:
    formulation = "3D" if dimensions == 3 else flat
    given = CUBES if dimensions == 3 else GIVEN
    return StateLattice(family(dimensions, reach), formulation, *given, poisson=poisson, constraint=1.0)


SHORT = Strip(44, 28, 18, 3)
CASES = {
    "m=2": (Lattice(family(2, 2), "plane stress", *GIVEN), SHORT),
    "3D m=2": (Lattice(family(3, 2), "3D", *CUBES), SHORT),
    "state m=2": (state(0.25, 2), SHORT),
    "state m=2 in plane strain": (state(0.4, 2, flat="plane strain"), SHORT),
}
LONG = {
    "m=3": (Lattice(family(2, 3), "plane stress", *GIVEN), Strip(60, 36, 24, 6)),
    "3D m=3": (Lattice(family(3, 3), "3D", *CUBES), Strip(passed=3)),
    "state 0.2": (state(0.2), Strip()),
    "state 0.2 in plane strain": (state(0.2, flat="plane strain"), Strip()),
    "triangular": (Lattice(family(2, 3), "plane stress", *GIVEN, influence=INFLUENCES["triangular"]), Strip()),
    "3D state 0.4": (state(0.4, 3, 3), Strip(50, 34, 20, 3)),
}


def is_known(lattice: Lattice, strip: Strip) -> None:
    assert slow_rate(lattice, strip) == pytest.approx(trapping_of(lattice).rows, rel=0.04)


@pytest.mark.parametrize("name", CASES)
def test_what_the_estimate_says_of_slow_cracks(name):
    """4 %: the strip is short."""
    is_known(*CASES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_what_the_estimate_says_of_other_slow_cracks(name):
    is_known(*LONG[name])


def strip(rate: float, load_steps: int = 1, **changes) -> Problem:
    """Opened by held rows to ``rate`` times the fracture energy, by the continuum's ½ E δ²/((1 − ν²) h)."""
    long, high, energy = 30.0, 16.0, 3.8
    between = high - 2 * 2 + 1
    opening = (2 * rate * energy * between * 1e-3 * (1 - 1 / 9) / 72e9) ** 0.5 * 1e3
    loads = [
        {"kind": "displacement", "region": {"kind": "side", "side": side, "rows": 2}, "x": 0.0, "y": way * opening / 2}
        for side, way in (("top", 1), ("bottom", -1))
    ]
    relaxation = {"load_steps": load_steps, "tolerance": 1e-3}
    given = {
        "body": {"kind": "plate", "size_x": long, "size_y": high},
        "material": {"fracture_energy": energy, **changes.pop("material", {})},
        "notches": [{"start": (-1, high / 2), "end": (12, high / 2)}],
        "unbreakable": [{"kind": "side", "side": side, "rows": 2} for side in ("top", "bottom")],
        "loads": loads,
        "numerics": {"integrator": "dynamic relaxation", "precision": "fp64", "relaxation": relaxation},
    }
    bonds = {"spacing": 1.0, "reach": 2, **changes.pop("bonds", {})}
    return Problem(PeridynamicParameters.model_validate({**given, "bonds": bonds, **changes}))


@pytest.mark.parametrize(
    ("crack", "rate", "runs"),
    [("continuum", 1.5, False), ("continuum", 2.5, True), ("slow crack", 0.7, False), ("slow crack", 1.35, True)],
)
def test_a_slow_crack_runs_when_it_gets_that_much(device, crack, rate, runs):
    """1.85 times the fracture energy with a horizon of 2 spacings, and once where it is calibrated; the strip's modulus
    along the axis is a fifth too high. Where it runs, it has gone two spacings soon."""
    run = ENGINE.build(strip(rate, bonds={"crack": crack}), device)
    tip = 11.5
    for _ in range(60):
        if run.finished or tip > 13:
            break
        run.advance(50)
        tip = run.observe()["tip"]
    assert tip == pytest.approx(13.5 if runs else 11.5, abs=1e-3)
    run.close()


@pytest.mark.slow
@pytest.mark.parametrize(("poisson", "most"), [(1 / 3, 6.0), (0.45, 12.0)])
def test_what_the_estimate_says_of_slow_cracks_in_plane_strain(cpu, poisson, most):
    """Where pieces break off and no direct solution ends: a run from rest to rest, which takes 6 % more than these do
    where both are known; with the table's 10 %."""
    lattice = state(poisson, flat="plane strain")
    along = lattice.bulk_modulus + lattice.shear_modulus * lattice.shear_ratios[1]
    long, high, cut, reach, steps = 48.0, 30.0, 18.0, 3, 60
    opening = (2 * most * 3.8 * (high - 2 * reach + 1) * 1e-3 / along) ** 0.5 * 1e3
    rows = [{"kind": "side", "side": side, "rows": reach} for side in ("top", "bottom")]
    given = {
        "body": {"kind": "plate", "size_x": long, "size_y": high, "formulation": "plane strain"},
        "bonds": {"spacing": 1.0, "reach": reach, "theory": "state-based"},
        "material": {"poisson": poisson},
        "notches": [{"start": (-1, high / 2), "end": (cut, high / 2)}],
        "unbreakable": rows,
        "loads": [
            {"kind": "displacement", "region": row, "x": 0.0, "y": way * opening / 2, "history": {"kind": "ramp"}}
            for row, way in zip(rows, (1, -1), strict=True)
        ],
        "numerics": {"integrator": "dynamic relaxation", "precision": "fp64",
                     "relaxation": {"load_steps": steps, "tolerance": 1e-3}},
    }  # fmt: skip
    run = ENGINE.build(Problem(PeridynamicParameters.model_validate(given)), cpu)
    done, tip = 0.0, 0.0
    while not run.finished and tip < cut + 1:
        run.advance(50)
        seen = run.observe()
        done, tip = seen["load_step"] + 1, seen["tip"]
    run.close()
    assert most * (done / steps) ** 2 / 1.06 == pytest.approx(trapping_of(lattice).rows, rel=0.1)


@pytest.mark.parametrize("theory", ["bond-based", "state-based"])
def test_slow_cracks_are_told_and_calibrated_by_choice(cpu, theory):
    given = strip(1.0, material={"poisson": 1 / 3}, bonds={"theory": theory})
    (said,) = [each for each in ENGINE.estimate(given, cpu).findings if "slow crack" in each.message]
    assert "1.85 times the fracture energy" in said.message
    assert said.place == ("material", "fracture_energy")
    ((place, value),) = said.remedy.changes.items()
    assert place == ("bonds", "crack")
    calibrated = strip(1.0, material={"poisson": 1 / 3}, bonds={"theory": theory, "crack": value})
    assert not [each for each in ENGINE.estimate(calibrated, cpu).findings if "slow crack" in each.message]
    before, after = (setup_of(each.parameters, cpu).lattice.critical_stretch for each in (given, calibrated))
    assert (before / after) ** 2 == pytest.approx(1.85)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"bonds": {"theory": "state-based", "reach": 3}, "material": {"poisson": 0.4}}, "takes 2.4 times the"),
        ({"bonds": {"theory": "state-based", "reach": 4}, "material": {"poisson": 0.4}}, "By how much is not known"),
        ({"bonds": {"reach": 3, "influence": "quartic"}}, "takes 1.64 times the"),
        ({"bonds": {"reach": 2, "influence": "quartic"}}, "By how much is not known"),
        ({"bonds": {"reach": 3, "partial_volumes": True}}, "By how much is not known"),
    ],
)
def test_no_slow_crack_is_passed_over(cpu, changes, told):
    given = strip(1.0, **changes)
    plane = given.parameters.model_copy(
        update={"body": given.parameters.body.model_copy(update={"formulation": PLANE})}
    )
    (said,) = [each for each in ENGINE.estimate(Problem(plane), cpu).findings if "slow crack" in each.message]
    assert told in said.message
    assert said.place == ("material", "fracture_energy")


@pytest.mark.parametrize(
    "changes",
    [
        {"bonds": {"crack": "slow crack", "influence": "quartic"}},
        {"bonds": {"crack": "slow crack"}, "material": {"law": {"kind": "bilinear", "strength": 0.1}}},
    ],
)
def test_what_is_not_known_of_slow_cracks_is_refused(cpu, changes):
    with pytest.raises(ProblemError, match=r"is known of brittle|is not known of") as error:
        BondSetup(strip(1.0, **changes).parameters, cpu)
    assert error.value.place == ("bonds", "crack")
