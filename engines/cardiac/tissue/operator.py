"""The diffusion operator of a tissue, assembled once for as long as mesh and conductivities stay the same."""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.backend.fields.rows import taken
from engines.cardiac.diffusion.sliced import SlicedMatrix, by_length, row_lengths, slice_rows
from engines.cardiac.diffusion.stability import stable_step, step_limits
from engines.cardiac.diffusion.tensors import conductivity_tensors, diffusivity
from engines.cardiac.diffusion.weights import assemble
from engines.cardiac.p1.sites import VertexSites
from engines.cardiac.p1.stiffness import assemble_vertices
from engines.cardiac.parameters import VERTEX_CENTRED, CardiacParameters
from engines.cardiac.parameters.cells import NON_CONDUCTING
from engines.cardiac.tissue.placed import placed_scale
from engines.cardiac.tissue.population import cut, insulators, piece_sizes, pieces
from engines.cardiac.tissue.sites import Sites, region_cells
from engines.geometry.meshes.adjacency import face_neighbours
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.ordering import hilbert_order, renumber


@dataclass(frozen=True)
class TissueOperator:
    """``matrix`` [1/ms] for a conductivity scale of 1, with rows in the order ``order`` of the ``sites``.

    ``stable_step`` [ms] is the limit of eq. 3.6 for that scale (infinite where no site has a neighbour);
    ``worst_cell`` is the site that sets the limit, and ``pieces`` are the sizes of the parts of conducting tissue that
    nothing joins, largest first.
    """

    noun: ClassVar[str]
    """What the sites are, in messages."""
    sites: Sites
    order: Array
    matrix: SlicedMatrix
    stable_step: float
    worst_cell: int
    pieces: tuple[int, ...]


@dataclass(frozen=True)
class CellOperator(TissueOperator):
    """Of finite volumes around centroids; ``sites`` are the mesh itself.

    ``limited_cells`` counts the cells whose gradients had to be weakened;
    ``correction: (n_cells,)`` is the share of each cell's gradient that was kept, ``neighbours: (n_cells, 4)`` the
    cells across its faces, both in the operator's order.
    """

    noun = "cells"
    limited_cells: int
    correction: Array
    neighbours: Array


@dataclass(frozen=True)
class VertexTissueOperator(TissueOperator):
    """Of linear elements with lumped mass (:mod:`engines.cardiac.p1`)."""

    noun = "vertices"
    sites: VertexSites


class _Kept:
    """An operator without the mesh that it may stand on: a value that held its key would keep both for ever."""

    def __init__(self, key: str, operator: TissueOperator, mesh: TetMesh) -> None:
        self.key = key
        self._kind = type(operator)
        self._parts: dict[str, Any] = {each.name: getattr(operator, each.name) for each in fields(operator)}
        self._on_the_mesh = operator.sites is mesh
        if self._on_the_mesh:
            del self._parts["sites"]
        self._made = weakref.ref(operator)

    def operator(self, mesh: TetMesh) -> TissueOperator:
        """The same object as long as somebody holds it."""
        operator = self._made()
        if operator is None:
            parts = {**self._parts, "sites": mesh} if self._on_the_mesh else self._parts
            operator = self._kind(**parts)
            self._made = weakref.ref(operator)
        return operator


_latest: weakref.WeakKeyDictionary[TetMesh, _Kept] = weakref.WeakKeyDictionary()
_assembling = threading.Lock()
"""An estimate and a build ask on threads of their own: who comes second waits, and finds the operator made."""
_LOOK_SECONDS = 0.1


def tissue_operator(mesh: TetMesh, parameters: CardiacParameters, progress: Progress = no_progress) -> TissueOperator:
    """The operator for a conductivity scale of 1; the latest one of each mesh is kept. Raises ProblemError.

    May be called from any thread; what ``progress`` raises ends the waiting and the assembling.
    """
    key = f"{parameters.numerics.discretisation}:{parameters.tissue.model_dump_json()}" + "".join(
        f"{region.region}:{region.conductivity_scale}:{region.condition == NON_CONDUCTING};"
        for region in parameters.regions
    )
    while not _assembling.acquire(timeout=_LOOK_SECONDS):
        progress("Waiting for another assembly", 0.0)  # raises in a build that is no longer wanted
    try:
        kept = _latest.get(mesh)
        if kept is not None and kept.key == key:
            return kept.operator(mesh)
        vertices = parameters.numerics.discretisation == VERTEX_CENTRED
        operator = (_assemble_vertices if vertices else _assemble)(mesh, parameters, progress)
        _latest[mesh] = _Kept(key, operator, mesh)
        return operator
    finally:
        _assembling.release()


def _assemble(mesh: TetMesh, parameters: CardiacParameters, progress: Progress) -> CellOperator:
    progress("Ordering the cells", 0.0)
    insulating = insulators(mesh, parameters)
    order, neighbours = cell_order(mesh, insulating)
    ordered = mesh.take_cells(order)
    with ThreadPoolExecutor(1, "pieces") as beside:  # on one core, while others assemble
        in_pieces = beside.submit(pieces, neighbours, insulating[order])
        result = assemble(
            ordered,
            diffusion_tensors(ordered, parameters),
            neighbours,
            progress=lambda message, fraction: progress(message, 0.1 + 0.7 * fraction),
        )
    return CellOperator(
        mesh,
        order,
        result.matrix,
        stable_step=stable_step(result.matrix),
        limited_cells=int((result.correction < 1.0).sum()),
        correction=result.correction,
        neighbours=neighbours,
        worst_cell=int(order[np.argmin(step_limits(result.matrix))]),
        pieces=in_pieces.result(),
    )


def _assemble_vertices(mesh: TetMesh, parameters: CardiacParameters, progress: Progress) -> VertexTissueOperator:
    insulating = insulators(mesh, parameters)
    result = assemble_vertices(
        mesh,
        diffusion_tensors(mesh, parameters),
        lambda message, fraction: progress(message, 0.6 * fraction),
        insulating,
    )
    progress("Ordering the vertices", 0.6)
    order = hilbert_order(result.sites.centroids)
    order = order[by_length(np.diff(result.rates.indptr)[order])]
    matrix = slice_rows(result.rates, order)
    return VertexTissueOperator(
        result.sites,
        order,
        matrix,
        stable_step=stable_step(matrix),
        worst_cell=int(order[np.argmin(step_limits(matrix))]),
        pieces=piece_sizes(result.rates, insulators(result.sites, parameters)),
    )


def cell_order(mesh: TetMesh, insulating: Array | None = None) -> tuple[Array, Array]:
    """``(order, neighbours)``: along a Hilbert curve, with rows of one length together; neighbours in that order.

    (n_cells,) int32 and (n_cells, 4) int32. insulating: (n_cells,) bool in the mesh's order, cells whose faces are cut.
    """
    order = hilbert_order(mesh.centroids)
    neighbours = face_neighbours(taken(mesh.cells, order))
    if insulating is not None and insulating.any():
        neighbours = cut(neighbours, insulating[order])
    grouped = by_length(row_lengths(neighbours))
    return taken(order, grouped), renumber(neighbours, grouped)


def diffusion_tensors(mesh: TetMesh, parameters: CardiacParameters) -> Array:
    """(n_cells, 3, 3) [mm²/ms]; without fibres the tissue conducts as along them in all directions."""
    along, across = parameters.tissue.monodomain_conductivity()
    if mesh.fibres is None:
        across = along
    scales = region_scales(mesh, parameters)
    conductivity = conductivity_tensors(mesh.n_cells, along, across, fibres=mesh.fibres, scales=scales)
    tissue = parameters.tissue
    return diffusivity(conductivity, tissue.surface_to_volume, tissue.membrane_capacitance)


def region_scales(mesh: TetMesh, parameters: CardiacParameters) -> Array:
    """(n_cells,) factor of each cell's place and region on its conductivities. Raises ProblemError."""
    scale = np.ones(mesh.n_cells)
    for region in parameters.regions:
        scale[region_cells(region.region, mesh)] = region.conductivity_scale
    return scale * placed_scale(parameters.tissue.place_scale, mesh)
