"""The tables of the Kernel Lab."""

from __future__ import annotations

from engines.api.lab import LabTable
from engines.peridynamics.lab.formulations import FormulationTable
from engines.peridynamics.lab.job import JobTable
from engines.peridynamics.lab.throughput import ThroughputTable


def tables() -> tuple[LabTable, ...]:
    """Whole steps by size and neighbours, by what bonds are, and a published job from start to end."""
    return ThroughputTable(), FormulationTable(), JobTable()
