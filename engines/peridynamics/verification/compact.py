"""A compact tension specimen, elastic: what its crack would release, against the formula of ASTM E399."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.peridynamics.verification.bodies import YOUNG, at_rest, problem

WIDTH, CUT, LONGER = 80, 40, 2
"""[mm] W from the line of load to the back, a from there to the crack's tip, and by how much two a differ."""
FORCE, THICKNESS = 50.0, 1.0
"""[N] on each pin, [mm]"""
WITHIN = 0.08
"""The faces of the crack are a skin of softer bonds: up to half a spacing of length, 5 %; outer sides up to 3 %."""


def stress_intensity(length: float) -> float:
    """[MPa √m] K of a crack of ``length`` [mm] by ASTM E399, 0.2 ≤ a/W ≤ 1."""
    r = length / WIDTH
    shape = (2 + r) * (0.886 + 4.64 * r - 13.32 * r**2 + 14.72 * r**3 - 5.6 * r**4) / (1 - r) ** 1.5
    return FORCE / (THICKNESS * 1e-3 * math.sqrt(WIDTH * 1e-3)) * shape * 1e-6


def _elastic(backend: Backend, length: float) -> float:
    """[mJ] in the specimen with a crack of this length, at rest."""
    height, load_line, pin = 1.2 * WIDTH, 0.25 * WIDTH, 0.275 * WIDTH
    middle = height / 2
    loads = [
        {"kind": "force", "force": (0.0, way * FORCE, 0.0), "history": {"kind": "ramp"},
         "region": {"kind": "box", "low": (load_line - 2, middle + way * pin - 2, 0),
                    "high": (load_line + 2, middle + way * pin + 2, 0)}}
        for way in (1, -1)
    ]  # fmt: skip
    back = {"kind": "box", "low": (1.25 * WIDTH - 1, middle - 2, 0), "high": (1.25 * WIDTH, middle + 2, 0)}
    given = problem(
        body={"kind": "plate", "size_x": 1.25 * WIDTH, "size_y": height, "thickness": THICKNESS},
        bonds={"spacing": 1.0, "surfaces": "tension", "surface_correction": True},
        material={"fracture_energy": 1e6},
        notches=[{"start": (-1, middle), "end": (load_line + length, middle)}],
        loads=[*loads, {"kind": "displacement", "region": back, "x": 0.0, "y": 0.0}],
        numerics={
            "integrator": "dynamic relaxation",
            "precision": "fp64",
            "relaxation": {"load_steps": 1, "tolerance": 1e-3},
        },
    )
    return at_rest(given, backend)["elastic"]


def compact_tension(backend: Backend) -> Sequence[Answer]:
    """At a given force the elastic energy grows by G with each area of crack: from two lengths."""
    ends = CUT - LONGER, CUT + LONGER
    shorter, longer = (_elastic(backend, length) for length in ends)
    found = (longer - shorter) * 1e-3 / (2 * LONGER * THICKNESS * 1e-6)
    lengths = np.linspace(*ends, 41)
    rates = [(stress_intensity(float(each)) * 1e6) ** 2 / (YOUNG * 1e9) for each in lengths]
    expected = float(np.trapezoid(rates, lengths) / (2 * LONGER))
    return [Answer("Energy release rate", found, expected, WITHIN * expected, "J/m²")]


CASES = (
    VerificationCase(
        "compact-tension",
        "A compact tension specimen",
        "K by the formula of ASTM E399 at a/W = 0.5, G = K²/E of plane stress, in the mean over both lengths of crack: "
        "8 %, for the skins of the crack's faces and of the sides.",
        25.0,
        compact_tension,
    ),
)
