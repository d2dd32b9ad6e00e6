"""Cracks: a strip that is opened slowly, and a plate that is pulled suddenly so that its crack branches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.peridynamics.lattice.family import family
from engines.peridynamics.loading.quasistatic import QuasiStaticSimulation
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.step.simulation import PeridynamicSimulation
from engines.peridynamics.verification.bodies import DENSITY, FRACTURE_ENERGY, YOUNG, built, problem
from engines.peridynamics.verification.trapping import Strip, slow_rate

LONG, HIGH, CUT, REACH, STEPS, MOST = 44, 28, 18, 2, 60, 2.6


def slow(backend: Backend) -> Sequence[Answer]:
    """A strip with held rows above and below, opened in small steps until its crack has run three spacings."""
    between = (HIGH - 2 * REACH + 1) * 1e-3
    confined = YOUNG * 1e9 / (1 - 1 / 9)
    opening = np.sqrt(2 * MOST * FRACTURE_ENERGY * between / confined) * 1e3
    sides = (("top", 1), ("bottom", -1))
    rows = [{"kind": "side", "side": side, "rows": REACH} for side, _ in sides]
    loads = [
        {"kind": "displacement", "region": row, "x": 0.0, "y": 0.5 * way * opening, "history": {"kind": "ramp"}}
        for row, (_, way) in zip(rows, sides, strict=True)
    ]
    given = problem(
        body={"kind": "plate", "size_x": LONG, "size_y": HIGH},
        bonds={"spacing": 1.0, "reach": REACH},
        notches=[{"start": (-1, HIGH / 2), "end": (CUT, HIGH / 2)}],
        unbreakable=rows,
        loads=loads,
        numerics={"integrator": "dynamic relaxation", "precision": "fp64", "relaxation": {"load_steps": STEPS}},
    )
    run = built(given, backend)
    assert isinstance(run, QuasiStaticSimulation)
    done, tip = 0.0, 0.0
    while not run.finished and tip < CUT + 3:
        run.advance(50)
        seen = run.observe()
        done, tip = seen["load_step"] + 1, seen["tip"]
    run.close()
    lattice = Lattice(family(2, REACH), "plane stress", YOUNG * 1e9, DENSITY, FRACTURE_ENERGY, 1e-3, 1e-3)
    taken = MOST * (done / STEPS) ** 2 * _confined_along_axis(lattice)
    expected = slow_rate(lattice, Strip(LONG, HIGH, CUT, 3))
    return [Answer("Energy release rate of a slow crack over G₀, m = 2", taken, expected, 0.07 * expected)]


def _confined_along_axis(lattice: Lattice) -> float:
    """What the lattice resists a stretch along an axis with, nothing else moving, over the solid's E/(1 − ν²): by the
    sum of n⁴ over its points, 9/8 E in the mean of all directions."""
    points = lattice.family.offsets[:, :2]
    lengths = lattice.family.lengths
    return float((points[:, 0] ** 4 / lengths**3).sum() / lengths.sum() / (3 / 8))


SPACING, HEIGHT, LENGTH, NOTCH, HORIZON = 1 / 3, 40.0, 100.0, 50.0, 1.0
LOOKED = 0.2
"""[µs] between looks."""


def branching(backend: Backend) -> Sequence[Answer]:
    """As ``presets/crack_branching``."""
    sides = (("top", 1), ("bottom", -1))
    given = problem(
        body={"kind": "plate", "size_x": LENGTH, "size_y": HEIGHT},
        bonds={"spacing": SPACING, "reach": 3},
        notches=[{"start": (0, HEIGHT / 2), "end": (NOTCH, HEIGHT / 2)}],
        loads=[{"kind": "stress", "side": side, "stress": (0, 2.0 * way, 0), "rise": 0.0} for side, way in sides],
        unbreakable=[{"kind": "side", "side": side, "rows": 3} for side, _ in sides],
    )
    run = built(given, backend)
    cells = np.asarray(run.geometry.cells)
    grown = branched = place = np.nan
    worst = 0.0
    while run.time < 30 and np.isnan(branched):
        run.advance(max(1, round(LOOKED / run.dt)))
        seen = run.observe()
        worst = max(worst, seen["imbalance"])
        if np.isnan(grown) and seen["tip"] > NOTCH + HORIZON:
            grown = run.time
        split = _split(run, cells)
        if split is not None:
            branched, place = run.time, split
    damage = run.field("damage")
    order = np.lexsort((cells[:, 0], cells[:, 1])), np.lexsort((cells[:, 0], cells[:, 1].max() - cells[:, 1]))
    uneven = float(np.abs(damage[order[0]] - damage[order[1]]).max())
    run.close()
    return [
        Answer("The crack begins to grow", grown, 8.4, 0.5, "µs"),
        Answer("It branches", branched, 22.0, 1.5, "µs"),
        Answer("Where it branches", place, 68.2, 2.0, "mm"),
        Answer("Difference of mirror images", uneven, 0.0, 0.0),
        Answer("Energy that is missing", worst, 0.0, 0.1, "%"),
    ]


def _split(run: PeridynamicSimulation, cells: Array) -> float | None:
    """[mm] the first column in which the crack's arms are two horizons apart."""
    nx, ny = cells[:, 0].max() + 1, cells[:, 1].max() + 1
    beside = np.zeros((nx, ny), bool)
    beside[cells[:, 0], cells[:, 1]] = run.field("damage") >= run._watched.threshold
    middle, reach = ny // 2, 3
    gap = ~beside[:, middle - reach : middle + reach].any(axis=1)
    outside = beside[:, :middle].any(axis=1) & beside[:, middle:].any(axis=1)
    columns = np.flatnonzero(gap & outside & (np.arange(nx) * SPACING > NOTCH + HORIZON))
    return float((columns[0] + 0.5) * SPACING) if len(columns) else None


CASES = (
    VerificationCase(
        "slow-crack",
        "A crack that is opened slowly",
        "A direct solution of the balance of all particles, bond by bond (lattice trapping); the load of the run by "
        "the continuum's ½ E δ²/((1 − ν²) h) with the lattice's sum of n⁴: 7 %, its steps of load and the held rows.",
        20.0,
        slow,
    ),
    VerificationCase(
        "crack-branching",
        "Crack branching in glass",
        "Times and place by a program of its own for bond-based peridynamics (100 × 40 mm, ±2 MPa, δ 1 mm, m = 3). "
        "Growth is by a horizon, and arms are two when no family reaches from one to the other, two horizons; others "
        "count otherwise, by up to 1.5 µs and 2 mm. Mirror images agree to the last bit, energy to 0.1 %.",
        15.0,
        branching,
    ),
)
