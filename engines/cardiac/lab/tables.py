"""The tables of the thesis that this engine follows, measured anew: one module per chapter or so.

It optimises a solver of the monodomain model for P100 and V100 GPUs. Its figures are in ``published.json``, those of
tables 6.5 and 6.6 for one GPU alone.
"""

from __future__ import annotations

from engines.api.lab import LabTable
from engines.cardiac.lab.cells.expressions import ExponentialsTable, PassTable, PathInstructionsTable
from engines.cardiac.lab.cells.kernels import BoundTable, KernelTimeTable
from engines.cardiac.lab.cells.schemes import SchemeErrorTable, SchemeInstructionsTable, SchemeTimeTable
from engines.cardiac.lab.cells.single_core import SingleCoreTable
from engines.cardiac.lab.cells.throughput import CodePathTable, ProblemSizeTable
from engines.cardiac.lab.diffusion.clusters import ClusterTable
from engines.cardiac.lab.diffusion.convergence import ConvergenceTable
from engines.cardiac.lab.diffusion.orders import OrderTable
from engines.cardiac.lab.steps import WholeStepTable
from engines.cardiac.lab.stream import StreamTable

TABLES: tuple[LabTable, ...] = (
    StreamTable(),
    ConvergenceTable(),
    SchemeErrorTable(),
    SchemeInstructionsTable(),
    SchemeTimeTable(),
    OrderTable(),
    ClusterTable(),
    PathInstructionsTable(),
    PassTable(),
    ExponentialsTable(),
    KernelTimeTable(),
    BoundTable(),
    CodePathTable(),
    ProblemSizeTable(),
    WholeStepTable(),
    SingleCoreTable(),
)
