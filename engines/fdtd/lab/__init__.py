"""What the Kernel Lab measures of the FDTD engine: whole steps by size, and the choices that its kernels made.

Kernels in this folder exist for these measurements alone; no run launches them.
"""

from __future__ import annotations

from engines.api.lab_tables import LabTable
from engines.fdtd.lab.fused import FusedLayersTable
from engines.fdtd.lab.launches import CoarseningTable, PassesTable
from engines.fdtd.lab.layout import LayoutTable
from engines.fdtd.lab.spectra import FourierTable
from engines.fdtd.lab.studies import studies
from engines.fdtd.lab.throughput import ThroughputTable

TABLES: tuple[LabTable, ...] = (
    ThroughputTable(),
    LayoutTable(),
    FusedLayersTable(),
    CoarseningTable(),
    PassesTable(),
    FourierTable(),
)

__all__ = ["TABLES", "studies"]
