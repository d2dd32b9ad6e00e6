"""Problems that are timed: pypd's crack branching, and plates and blocks with a notch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engines.api import Benchmark, Problem
from engines.peridynamics.parameters import PeridynamicParameters

PLATE = (1000, 1000)
BLOCKS = ((100, 100, 100), (250, 200, 200))
JOB_PARTICLES, JOB_STEPS = 80_000, 5000
"""Of pypd's example."""
JOB_STEP = 0.3
"""[us]: the crack is through the plate after 3,000 steps."""


def branching() -> Problem:
    """pypd's example crack_branching: Homalite (Bobaru and Zhang 2015), 400 × 200 mm; the 21 outermost rows at top and
    bottom are pulled apart by 0.1 mm each. Particles stand at 0, 1, … mm there, here in the middles of cells."""
    sides: list[dict[str, Any]] = [
        {
            "kind": "displacement", "region": {"kind": "side", "side": side, "rows": 21}, "x": None, "y": way * 0.1,
            "history": {"kind": "smooth step", "rise": JOB_STEPS * JOB_STEP},
        }
        for side, way in (("bottom", -1), ("top", 1))
    ]  # fmt: skip
    return _problem(
        body={"kind": "plate", "size_x": 400.0, "size_y": 200.0, "thickness": 1.0},
        material={"young": 4.55, "density": 1230.0, "fracture_energy": 38.46},
        notches=[{"start": (-1.0, 100.0), "end": (200.5, 100.0)}],
        loads=sides,
        unbreakable=[],
        numerics={"step": JOB_STEP},
    )


def sized(counts: tuple[int, ...], **changes: Any) -> Problem:
    """A plate or a block of so many particles, 1 mm apart, notched to its middle and pulled at top and bottom."""
    sizes = {f"size_{axis}": float(count) for axis, count in zip("xyz", counts, strict=False)}
    half = counts[1] / 2
    given: dict[str, Any] = {
        "body": {"kind": "plate" if len(counts) == 2 else "block", **sizes},
        "notches": [{"start": (0.0, half), "end": (counts[0] / 2, half)}] if min(counts) > 1 else [],
    }
    bonds = {"spacing": 1.0, **changes.pop("bonds", {})}
    return _problem(**given | changes, bonds=bonds)


def _problem(**given: Any) -> Problem:
    return Problem(PeridynamicParameters.model_validate({"bonds": {"spacing": 1.0}, **given}))


@dataclass(frozen=True)
class Sized:
    """A size, by name; made when called."""

    counts: tuple[int, ...]

    @property
    def particles(self) -> int:
        return math.prod(self.counts)

    @property
    def name(self) -> str:
        return f"{len(self.counts)}D {'×'.join(map(str, self.counts))} particles, m = 3"

    def __call__(self) -> Problem:
        return sized(self.counts)


def counts_near(particles: int, dimensions: int) -> tuple[int, ...]:
    """Of a square or a cube of about so many particles; at least 8 along each axis."""
    return (max(8, round(particles ** (1 / dimensions))),) * dimensions


def benchmarks(elements: Sequence[int] = ()) -> list[Benchmark]:
    """Of pypd's job, a plate and two blocks; with ``elements`` of a square and a cube of about each size."""
    if elements:
        found = [Sized(counts_near(count, d)) for count in elements for d in (2, 3)]
        return [Benchmark(one.name, one.particles, one) for one in found]
    job = Benchmark(f"crack branching of pypd, {JOB_PARTICLES:,} particles", JOB_PARTICLES, branching)
    return [job, *(Benchmark(one.name, one.particles, one) for one in map(Sized, (PLATE, *BLOCKS)))]
