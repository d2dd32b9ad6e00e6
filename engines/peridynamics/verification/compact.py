"""Compact tension specimens beside ASTM E399: what a crack would release, and what one takes that grows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.peridynamics.loading.quasistatic import QuasiStaticSimulation
from engines.peridynamics.material.toughness import BOND_BASED
from engines.peridynamics.verification.bodies import FRACTURE_ENERGY, YOUNG, at_rest, built, problem

WIDTH, CUT, LONGER = 80, 40, 2
"""[mm] W from the line of load to the back, a from there to the crack's tip, and by how much two a differ."""
FORCE, THICKNESS = 50.0, 1.0
"""[N] on each pin, [mm]"""
WITHIN = 0.08
"""The faces of the crack are a skin of softer bonds: up to half a spacing of length, 5 %; outer sides up to 3 %."""

OPENED, GRIP, STEPS, OPENING = 48, 6, 60, 9e-3
"""[mm] W of the specimen that is opened, how far around the pins bonds hold; load steps of 2 % of the opening [mm] at
which the crack begins to grow."""
WITHIN_GROWN = 0.15
"""As of the double cantilever: steps of load (4 % of G), the formula (2 %), the skins."""


def stress_intensity(length: float, width: float = WIDTH, force: float = FORCE) -> float:
    """[MPa √m] K of a crack of ``length`` [mm] by ASTM E399, 0.2 ≤ a/W ≤ 1."""
    r = length / width
    shape = (2 + r) * (0.886 + 4.64 * r - 13.32 * r**2 + 14.72 * r**3 - 5.6 * r**4) / (1 - r) ** 1.5
    return force / (THICKNESS * 1e-3 * math.sqrt(width * 1e-3)) * shape * 1e-6


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


def opened_compact_tension(backend: Backend) -> Sequence[Answer]:
    """One that is opened at its pins in small steps until the crack has grown by a spacing: G = K²/E of the largest
    force and a/W = 0.5."""
    height, load_line, pin, crack = 1.2 * OPENED, 0.25 * OPENED, 0.275 * OPENED, 0.5 * OPENED
    middle = height / 2
    pins = [(way, middle + way * pin) for way in (1, -1)]
    loads = [
        {"kind": "displacement", "x": None, "y": 0.5 * way * OPENING, "history": {"kind": "ramp"},
         "region": {"kind": "box", "low": (load_line - 1, y - 1, 0), "high": (load_line + 1, y + 1, 0)}}
        for way, y in pins
    ]  # fmt: skip
    back = {"kind": "box", "low": (1.25 * OPENED - 1, middle - 2, 0), "high": (1.25 * OPENED, middle + 2, 0)}
    given = problem(
        body={"kind": "plate", "size_x": 1.25 * OPENED, "size_y": height, "thickness": THICKNESS},
        bonds={"spacing": 1.0, "surfaces": "tension", "surface_correction": True},
        notches=[{"start": (-1, middle), "end": (load_line + crack, middle)}],
        unbreakable=[
            {"kind": "box", "low": (load_line - GRIP, y - GRIP, 0), "high": (load_line + GRIP, y + GRIP, 0)}
            for _, y in pins
        ],
        loads=[*loads, {"kind": "displacement", "region": back, "x": 0.0, "y": None}],
        numerics={"integrator": "dynamic relaxation", "precision": "fp64",
                  "relaxation": {"load_steps": STEPS, "tolerance": 1e-3, "most_iterations": 100_000}},
    )  # fmt: skip
    run, most, tip = built(given, backend), 0.0, 0.0
    assert isinstance(run, QuasiStaticSimulation)
    while not run.finished and tip < load_line + crack + 1:
        run.advance(100)
        seen = run.observe()
        most, tip = max(most, abs(seen["force_1_y"])), seen["tip"]
    run.close()
    rate = (stress_intensity(crack, OPENED, most) * 1e6) ** 2 / (YOUNG * 1e9)
    expected = BOND_BASED[2, 3].rows
    return [Answer("Energy release rate over G₀ when it grows", rate / FRACTURE_ENERGY, expected, WITHIN_GROWN)]


CASES = (
    VerificationCase(
        "compact-tension",
        "A compact tension specimen",
        "K by the formula of ASTM E399 at a/W = 0.5, G = K²/E of plane stress, in the mean over both lengths of crack: "
        "8 %, for the skins of the crack's faces and of the sides.",
        25.0,
        compact_tension,
    ),
    VerificationCase(
        "compact-tension-opened",
        "A compact tension specimen that is opened slowly",
        "K by the formula of ASTM E399 at the largest force, a/W = 0.5, G = K²/E of plane stress, and what a slow "
        "crack along the rows takes on this lattice by direct solutions (1.45 G₀): 10 %, for steps of load, the "
        "formula and the skins.",
        30.0,
        opened_compact_tension,
    ),
)
