"""Specimens whose answers stand in handbooks: a double cantilever that is opened, a disc that is pressed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.peridynamics.loading.quasistatic import QuasiStaticSimulation
from engines.peridynamics.verification.bodies import FRACTURE_ENERGY, YOUNG, built, problem

LONG, ARM, CUT, STEPS, OPENING = 64, 12, 32, 40, 34e-3
TRAPPING = 1.45
"""Of a slow crack along the rows, m = 3 (``trapping.py``)."""


def double_cantilever(backend: Backend) -> Sequence[Answer]:
    """Two arms of 12 mm that are opened at their ends in small steps until the crack begins to grow. The energy
    release rate follows from force and length, after Gross and Srawley (1966)."""
    ends = (("top", 1, ARM), ("bottom", -1, ARM - 1))
    loads = [
        {"kind": "displacement", "x": None, "y": 0.5 * way * OPENING, "history": {"kind": "ramp"},
         "region": {"kind": "box", "low": (0, row, 0), "high": (1, row + 1, 0)}}
        for _, way, row in ends
    ]  # fmt: skip
    back = {"kind": "side", "side": "right", "rows": 1}
    given = problem(
        body={"kind": "plate", "size_x": LONG, "size_y": 2 * ARM},
        bonds={"spacing": 1.0, "surfaces": "tension", "surface_correction": True},
        notches=[{"start": (-1, ARM), "end": (CUT, ARM)}],
        unbreakable=[{"kind": "side", "side": "left", "rows": 8}],
        loads=[*loads, {"kind": "displacement", "region": back, "x": 0.0, "y": None}],
        numerics={"integrator": "dynamic relaxation", "precision": "fp64",
                  "relaxation": {"load_steps": STEPS, "tolerance": 1e-3, "most_iterations": 100_000}},
    )  # fmt: skip
    run, most, tip = built(given, backend), 0.0, 0.0
    assert isinstance(run, QuasiStaticSimulation)
    while not run.finished and tip < CUT + 1:
        run.advance(100)
        seen = run.observe()
        most, tip = max(most, abs(seen["force_1_y"])), seen["tip"]
    run.close()
    length, height, thick = (CUT - 0.5) * 1e-3, ARM * 1e-3, 1e-3
    rate = 12 * (most * length * (1 + 0.677 * height / length)) ** 2 / (YOUNG * 1e9 * thick**2 * height**3)
    return [Answer("Energy release rate over G₀ when it grows", rate / FRACTURE_ENERGY, TRAPPING, 0.15)]


RADIUS = 24


def pressed_disc(backend: Backend) -> Sequence[Answer]:
    """A disc between two jaws, elastic: stress in its middle."""
    middle = RADIUS
    half = 2.0
    jaws = [
        {"kind": "displacement", "x": 0.0, "y": -way * 1e-3,
         "region": {"kind": "box", "low": (middle - half, low, 0), "high": (middle + half, low + 1.0, 0)}}
        for way, low in ((1, 2 * RADIUS - 1.0), (-1, 0.0))
    ]  # fmt: skip
    given = problem(
        body={"kind": "disc", "center": (middle, middle), "radius": RADIUS},
        bonds={"spacing": 1.0},
        material={"fracture_energy": 1e6},
        loads=jaws,
        numerics={"integrator": "dynamic relaxation", "precision": "fp64",
                  "relaxation": {"load_steps": 1, "tolerance": 1e-5}},
    )  # fmt: skip
    run = built(given, backend)
    assert isinstance(run, QuasiStaticSimulation)
    while not run.finished:
        run.advance(500)
    force = 0.5 * sum(abs(run.observe()[f"force_{number}_y"]) for number in (1, 2))
    near = np.linalg.norm(np.asarray(run.geometry.positions)[:, :2] - middle, axis=1) < 2
    mean, mises = (float(np.mean(run.field(name)[near])) for name in ("mean_stress", "von_mises"))
    run.close()
    tension = 2 * force / (math.pi * 2 * RADIUS * 1e-3 * 1e-3)
    return [
        Answer("Mean stress in the middle over 2P/πDt", mean * 1e6 / tension, -2 / 3, 0.03),
        Answer("Von Mises stress in the middle over 2P/πDt", mises * 1e6 / tension, math.sqrt(13), 0.12),
    ]


CASES = (
    VerificationCase(
        "double-cantilever",
        "A double cantilever that is opened slowly",
        "The energy release rate of a double cantilever, 12 P² a² (1 + 0.677 h/a)²/(E b² h³) (Gross and Srawley 1966), "
        "and what a slow crack takes on this lattice by direct solutions (1.45 G₀): 10 %, for steps of load, the "
        "lattice's modulus and surfaces of the cut.",
        20.0,
        double_cantilever,
    ),
    VerificationCase(
        "pressed-disc",
        "A disc between jaws",
        "Tension 2P/πDt across and pressure three times that along the diameter, in the middle (Hertz 1883; Hondros "
        "1959); 4 %, for the width of the jaws and the lattice's directions.",
        10.0,
        pressed_disc,
    ),
)
