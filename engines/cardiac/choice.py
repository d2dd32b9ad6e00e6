"""Which cells a problem asks for, and how they are made."""

from __future__ import annotations

import numpy as np

from engines.api import Array, Finding
from engines.backend.base import Backend
from engines.cardiac.cells import make_tissue
from engines.cardiac.cells.tt06 import CellType
from engines.cardiac.compiler.schemes import Precision as FloatType
from engines.cardiac.compiler.schemes import Step
from engines.cardiac.compiler.tissue import make_compiled_tissue, shipped_step
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.stimulus import Protocol, region_ids
from engines.cardiac.tissue import Tissue
from engines.geometry.mesh import TetMesh

PRECISIONS: dict[str, FloatType] = {"fp32": "float32", "fp64": "float64", "mixed": "float64"}
COMPILED = {
    "Mitchell-Schaeffer 2003": "mitchell_schaeffer_2003",
    "Aliev-Panfilov 1996": "aliev_panfilov_1996",
    "Bueno-Orovio 2008": "bueno_orovio_2008",
    "Courtemanche 1998": "courtemanche_1998",
}
"""Cell models that are compiled, and their files in ``models/``."""
STEEP = "courtemanche_1998"
"""Its ``release.u`` was 0.06 off in float32 at random states (measured on a GPU against the graph in float64)."""
STARTS = {"published": "initial", "paced at 1 Hz": "limit_cycle_1Hz"}
CELL_TYPES = {"epi": CellType.EPI, "endo": CellType.ENDO, "M": CellType.M}


def compiled_step(parameters: CardiacParameters) -> Step | None:
    """The compiled step of the cell model; None for TT06, which has kernels of its own."""
    name = COMPILED.get(parameters.cell_model)
    return None if name is None else shipped_step(name, PRECISIONS[parameters.numerics.precision])


def make_cells(backend: Backend, mesh: TetMesh, parameters: CardiacParameters, plan: Protocol, order: Array) -> Tissue:
    """The cells on the device, in the order of the operator."""
    numerics, compiled = parameters.numerics, compiled_step(parameters)
    if compiled is not None:
        threshold = numerics.activation_threshold
        return make_compiled_tissue(backend, compiled, mesh.n_cells, plan.mask[order], threshold)
    return make_tissue(
        backend,
        _cell_types(mesh, parameters)[order],
        plan.mask[order],
        precision=PRECISIONS[numerics.precision],
        start=STARTS[numerics.initial_state],
        threshold=numerics.activation_threshold,
    )


def cell_findings(parameters: CardiacParameters) -> list[Finding]:
    """What the owner of a problem should know about its cells."""
    if COMPILED.get(parameters.cell_model) == STEEP and parameters.numerics.precision == "fp32":
        return [Finding("A gate of this cell model depends on a difference that fp32 does not resolve: use fp64.")]
    return []


def _cell_types(mesh: TetMesh, parameters: CardiacParameters) -> Array:
    """(n_cells,) uint8 of :class:`CellType`; regions that no setting names are epicardial."""
    types = np.full(mesh.n_cells, CellType.EPI, np.uint8)
    for setting in parameters.regions:
        types[np.isin(mesh.regions, region_ids(setting.region, mesh))] = CELL_TYPES[setting.cell_type]
    return types
