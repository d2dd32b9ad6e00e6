"""The tables of the Kernel Lab, in the order in which it lists them."""

from __future__ import annotations

from engines.api.lab import LabTable
from engines.fdtd.lab.fused import FusedLayersTable
from engines.fdtd.lab.launches import CoarseningTable, PassesTable
from engines.fdtd.lab.layout import LayoutTable
from engines.fdtd.lab.spectra import FourierTable
from engines.fdtd.lab.throughput import ThroughputTable

TABLES: tuple[LabTable, ...] = (
    ThroughputTable(),
    LayoutTable(),
    FusedLayersTable(),
    CoarseningTable(),
    PassesTable(),
    FourierTable(),
)
