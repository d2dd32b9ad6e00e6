"""Bodies in contact that the tests of contact share."""

from __future__ import annotations

from engines.api import Problem
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters

ENGINE = PeridynamicsEngine()

PLAIN = {
    "notches": [],
    "loads": [],
    "unbreakable": [],
    "bonds": {"spacing": 1.0},
    "numerics": {"precision": "fp64"},
    "material": {"fracture_energy": 1e6},
}


def problem(**changes) -> Problem:
    return Problem(PeridynamicParameters.model_validate({**PLAIN, **changes}))


def ball(center, radius, motion, **changes) -> dict:
    return {"form": {"kind": "ball", "center": center, "radius": radius}, "motion": motion, **changes}


FREE = {"kind": "free", "mass": 0.5}

SCENES = {
    "plate": {
        "body": {"kind": "plate", "size_x": 12, "size_y": 8},
        "notches": [{"start": (-1, 4), "end": (13, 4)}],
        "contact": {"kind": "repulsion", "radius": 1.0},
        "penetrators": [
            ball((5, 12.01, 0), 4, {**FREE, "velocity": (20, -60, 0)}, friction=0.4),
            {"form": {"kind": "plane", "normal": (0.1, 1, 0), "point": (0, 0, 0)}, "motion": {"kind": "fixed"}},
            {
                "form": {"kind": "cuboid", "low": (12.02, 1, 0), "high": (15, 6.2, 0)},
                "motion": {"kind": "driven", "velocity": (-30, 8, 0), "rise": 1.0},
                "friction": 0.2,
            },
        ],
    },
    "block": {
        "body": {"kind": "block", "size_x": 8, "size_y": 6, "size_z": 5},
        "notches": [{"start": (-1, 3), "end": (9, 3)}],
        "contact": {"kind": "repulsion", "radius": 1.0},
        "penetrators": [
            {
                "form": {
                    "kind": "cylinder",
                    "center": (4, 8.03, 2),
                    "direction": (1, 0, 0.4),
                    "radius": 2,
                    "length": 5,
                },
                "motion": {**FREE, "velocity": (5, -60, 9)},
                "friction": 0.3,
            },
            {
                "form": {"kind": "cuboid", "low": (8.01, 2, 1), "high": (12, 4.2, 3.3)},
                "motion": {"kind": "shifted", "displacement": (-0.2, 0, 0), "rise": 3.0},
            },
        ],
    },
}

PLATE = {"kind": "plate", "size_x": 12, "size_y": 8}
