"""Whole steps by particles and neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.api.lab import Column, LabTable, Row
from engines.peridynamics.lab.benchmarks import counts_near, sized
from engines.peridynamics.lab.stepping import bonds_in, problem_seconds
from engines.peridynamics.lattice.family import family

FAMILIES = ((2, 2), (2, 3), (2, 4), (3, 2), (3, 3))
"""Dimensions and horizon in spacings."""
PLAIN: dict[str, Any] = {"notches": [], "loads": [], "unbreakable": []}


def title_of(dimensions: int, reach: int) -> str:
    return f"{dimensions}D, m = {reach} ({family(dimensions, reach).bonds})"


class ThroughputTable(LabTable):
    id = "peridynamics-throughput"
    title = "Peridynamic steps by particles and neighbours"
    summary = (
        "Bonds per second of whole steps of brittle squares and cubes in fp32, launches included. A bond of two "
        "particles counts once; m is the horizon in spacings, in brackets the neighbours of a particle. pypd goes "
        "through 147 million bonds a second on two CPU cores (2D, m = 3, 80,000 particles)."
    )
    columns = (
        Column("Particles, about", result=False),
        *(Column(title_of(d, reach), "Mbonds/s") for d, reach in FAMILIES),
    )
    heat = True
    quick: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    thorough: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        """A size that the device has no memory for has no figure."""
        sizes = self.thorough if thorough else self.quick
        rows: list[Row] = []
        for number, particles in enumerate(sizes):
            rates: list[float | None] = []
            for place, (d, reach) in enumerate(FAMILIES):
                done = (number + place / len(FAMILIES)) / len(sizes)
                progress(f"Stepping {particles:,} particles, {title_of(d, reach)}", done)
                counts = counts_near(particles, d)
                try:
                    seconds = problem_seconds(backend, sized(counts, bonds={"reach": reach}, **PLAIN))
                    rates.append(bonds_in(counts, reach) / seconds / 1e6)
                except (WorkbenchError, MemoryError):
                    rates.append(None)
            rows.append((f"{particles:,}", *rates))
        return rows
