"""The diffusion operator of a tissue, assembled once for as long as mesh and conductivities stay the same."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.cardiac.diffusion import assemble
from engines.cardiac.diffusion.sliced import SlicedMatrix, by_length, row_lengths
from engines.cardiac.diffusion.stability import stable_step
from engines.cardiac.diffusion.tensors import conductivity_tensors, diffusivity
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.stimulus import region_ids
from engines.geometry.adjacency import face_neighbours
from engines.geometry.mesh import TetMesh
from engines.geometry.ordering import hilbert_order, renumber


@dataclass(frozen=True)
class TissueOperator:
    """``matrix`` [1/ms] for a conductivity scale of 1, with rows in the order ``order`` of the mesh's cells.

    ``stable_step`` [ms] is the limit of eq. 3.6 for that scale (infinite where no cell has a neighbour);
    ``limited_cells`` counts the cells whose gradients had to be weakened.
    """

    order: Array
    matrix: SlicedMatrix
    stable_step: float
    limited_cells: int


_latest: weakref.WeakKeyDictionary[TetMesh, tuple[str, TissueOperator]] = weakref.WeakKeyDictionary()
_assembling = threading.Lock()
"""An estimate and a build ask on threads of their own: who comes second waits, and finds the operator made."""
_LOOK_SECONDS = 0.1


def tissue_operator(mesh: TetMesh, parameters: CardiacParameters, progress: Progress = no_progress) -> TissueOperator:
    """The operator for a conductivity scale of 1; the latest one of each mesh is kept. Raises ProblemError.

    May be called from any thread; what ``progress`` raises ends the waiting and the assembling.
    """
    key = parameters.tissue.model_dump_json() + "".join(
        f"{region.region}:{region.conductivity_scale};" for region in parameters.regions
    )
    while not _assembling.acquire(timeout=_LOOK_SECONDS):
        progress("Waiting for another assembly", 0.0)  # raises in a build that is no longer wanted
    try:
        kept = _latest.get(mesh)
        if kept is not None and kept[0] == key:
            return kept[1]
        operator = _assemble(mesh, parameters, progress)
        _latest[mesh] = (key, operator)
        return operator
    finally:
        _assembling.release()


def _assemble(mesh: TetMesh, parameters: CardiacParameters, progress: Progress) -> TissueOperator:
    progress("Ordering the cells", 0.0)
    order, neighbours = cell_order(mesh)
    ordered = mesh.take_cells(order)
    result = assemble(
        ordered,
        _diffusion_tensors(ordered, parameters),
        neighbours,
        progress=lambda message, fraction: progress(message, 0.1 + 0.7 * fraction),
    )
    return TissueOperator(
        order,
        result.matrix,
        stable_step=stable_step(result.matrix),
        limited_cells=int((result.correction < 1.0).sum()),
    )


def cell_order(mesh: TetMesh) -> tuple[Array, Array]:
    """``(order, neighbours)``: along a Hilbert curve, with rows of one length together; neighbours in that order.

    (n_cells,) int32 and (n_cells, 4) int32.
    """
    order = hilbert_order(mesh.centroids)
    neighbours = face_neighbours(mesh.cells[order])
    grouped = by_length(row_lengths(neighbours))
    return order[grouped], renumber(neighbours, grouped)


def _diffusion_tensors(mesh: TetMesh, parameters: CardiacParameters) -> Array:
    """(n_cells, 3, 3) [mm²/ms]; without fibres the tissue conducts as along them in all directions."""
    along, across = parameters.tissue.monodomain_conductivity()
    if mesh.fibres is None:
        across = along
    conductivity = conductivity_tensors(mesh.n_cells, along, across, fibres=mesh.fibres)
    scale = np.ones(mesh.n_cells)
    for region in parameters.regions:
        scale[np.isin(mesh.regions, region_ids(region.region, mesh))] = region.conductivity_scale
    if parameters.regions:
        conductivity *= scale[:, None, None]
    tissue = parameters.tissue
    return diffusivity(conductivity, tissue.surface_to_volume, tissue.membrane_capacitance)
