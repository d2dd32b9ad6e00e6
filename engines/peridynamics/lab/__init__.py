"""The Kernel Lab's studies and tables of peridynamics; imported when they are asked for."""

from __future__ import annotations

from engines.api.lab import Study
from engines.api.lab_tables import LabTable


def studies() -> tuple[Study, ...]:
    """The forces of a body in the ways that people write them, in the plane and in space."""
    from engines.peridynamics.lab import forces

    return forces.STUDIES


def tables() -> tuple[LabTable, ...]:
    """Whole steps by size and neighbours, by what bonds are, and a published job from start to end."""
    from engines.peridynamics.lab.formulations import FormulationTable
    from engines.peridynamics.lab.job import JobTable
    from engines.peridynamics.lab.throughput import ThroughputTable

    return ThroughputTable(), FormulationTable(), JobTable()
