"""Sums over a lattice: its energy in a dilation, waves along it, and strips that are pulled."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.peridynamics.lattice.family import family
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.verification.bodies import DENSITY, YOUNG, at_rest, built, problem

DILATIONS = {(2, 3): 1.0409, (2, 4): 0.9624, (3, 3): 1.1208}
"""Energy of a dilation of the lattice over that of the continuum with the same micromodulus."""


def dilations(backend: Backend) -> Sequence[Answer]:
    found = []
    for (dimensions, reach), expected in DILATIONS.items():
        lattice = Lattice(family(dimensions, reach), "3D" if dimensions == 3 else "plane stress", 1, 1, 1, 1, 1)
        found.append(Answer(f"{dimensions}D, m = {reach}", lattice.lattice_ratio, expected, 5e-5))
    return found


LONG, WIDE = 64, 24


def waves(backend: Backend) -> Sequence[Answer]:
    """The acceleration that a plane wave of small displacements has, from the bonds of a run."""
    given = problem(body={"kind": "plate", "size_x": LONG, "size_y": WIDE}, bonds={"spacing": 1.0},
                    numerics={"precision": "fp64"})  # fmt: skip
    run, found = built(given, backend), []
    cells = np.asarray(run.geometry.cells)
    inside = (cells[:, 0] > 3) & (cells[:, 0] < LONG - 4) & (np.abs(cells[:, 1] - WIDE / 2) < 6)
    for wave in (1 / 3, 2 / 3, 1.0):  # kδ = 1, 2, 3
        squares = []
        for axis in (0, 1):
            moved = np.zeros((2, run._solver.body.size))
            places = run._solver.body.places
            moved[axis, places] = 1e-7 * np.sin(wave * cells[:, 0])
            state = dict(run.state())
            run.restore({**state, "u": moved})
            with backend.active():
                run._solver.measure()
            pull = backend.to_host(run._solver.kick_values)[axis, places[inside]]
            shape = moved[axis, places[inside]]
            squares.append(-float(pull @ shape) / float(shape @ shape) / (run.dt * 1e-6) ** 2)
        for axis, square in enumerate(squares):
            name = ("along", "across")[axis]
            expected = _frequency(wave, axis)
            found.append(
                Answer(f"ω {name} at kδ = {3 * wave:.0f}", math.sqrt(square), expected, 1e-6 * expected, "1/s")
            )
    run.close()
    return found


def _frequency(wave: float, axis: int) -> float:
    """[1/s] of a plane wave along x, by ω² = (c V/ρ) Σ (1 − cos k·ξ) n²/|ξ| over all lattice points within three
    spacings of 1 mm, with c from the modulus of dilation: ¼ c V Σ |ξ| = E/(1 − ν)."""
    points = [(a, b) for a in range(-3, 4) for b in range(-3, 4) if 0 < a * a + b * b <= 9]
    lengths = [math.hypot(*point) for point in points]
    micromodulus = 4 * YOUNG * 1e9 / (1 - 1 / 3) / (1e-3 * sum(lengths))  # times V
    terms = ((1 - math.cos(wave * point[0])) * (point[axis] / length) ** 2 / length
             for point, length in zip(points, lengths, strict=True))  # fmt: skip
    return math.sqrt(micromodulus / DENSITY * sum(terms) / 1e-3)


def strips(backend: Backend) -> Sequence[Answer]:
    """Young's modulus and Poisson's ratio between gauges of strips 20 and 10 particles wide."""
    found = []
    for across, theory, poisson in ((20, "bond-based", 1 / 3), (10, "state-based", 0.2), (10, "state-based", 0.4)):
        long, pulled = 4.0 * across, 1e-3
        corner = {"kind": "box", "low": (0, 0, 0), "high": (1, 1, 0)}
        loads = [
            {"kind": "displacement", "region": {"kind": "side", "side": side}, "x": way * pulled, "y": None}
            for side, way in (("left", -1), ("right", 1))
        ]
        middle, half = 0.5 * long, 0.5 * across
        gauges = [
            {"kind": "opening", "name": "long", "first": (middle - half + 0.5, half, 0),
             "second": (middle + half - 0.5, half, 0), "axis": "x"},
            {"kind": "opening", "name": "wide", "first": (middle, 1.5, 0), "second": (middle, across - 1.5, 0)},
        ]  # fmt: skip
        seen = at_rest(
            problem(
                body={"kind": "plate", "size_x": long, "size_y": float(across)},
                bonds={"spacing": 1.0, "theory": theory, "surfaces": "tension",
                       "surface_correction": theory == "bond-based"},
                material={"poisson": poisson, "fracture_energy": 1e6},
                loads=[*loads, {"kind": "displacement", "region": corner, "x": None, "y": 0.0}],
                measuring={"gauges": gauges},
                numerics={"integrator": "dynamic relaxation", "precision": "fp64",
                          "relaxation": {"load_steps": 1, "tolerance": 1e-6}},
            ),
            backend,
        )  # fmt: skip
        strain = seen["long"] * 1e-3 / (across - 1)
        name = f"{theory}, ν {poisson:.2f}, {across} wide"
        young = seen["force_2_x"] / (across * 1e-6) / strain * 1e-9
        found.append(Answer(f"E: {name}", young, YOUNG, 0.03 * YOUNG, "GPa"))
        ratio = -seen["wide"] * 1e-3 / (across - 3) / strain
        found.append(Answer(f"ν: {name}", ratio, poisson, 0.02))
    return found


CASES = (
    VerificationCase(
        "lattice-sums",
        "Energy of a dilation",
        "Sums over the points of a square or cubic lattice within m spacings over the integrals 2πδ³/3 and πδ⁴ "
        "(Silling and Askari 2005); to the digits given.",
        0.1,
        dilations,
    ),
    VerificationCase(
        "dispersion",
        "Waves along the rows of a lattice",
        "The dispersion relation of the lattice, Σ (1 − cos k·ξ) n²/|ξ| over its points; rounding and the waves' "
        "height, 1e-6.",
        5.0,
        waves,
    ),
    VerificationCase(
        "strips",
        "Strips in tension",
        "Young's modulus and Poisson's ratio that were set. Surfaces are corrected for tension; a lattice with m = 3 "
        "is 2.4 % stiffer along its rows and narrows by 0.01 to 0.016 less (sums of n⁴): 3 % and 0.02.",
        15.0,
        strips,
    ),
)
