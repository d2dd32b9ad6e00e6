"""Which watchers a problem asks for, how they are made and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.cardiac.cells.tissue import Tissue
from engines.cardiac.diffusion.kernels import least_squares
from engines.cardiac.diffusion.patch import rings
from engines.cardiac.diffusion.tensors import conductivity_tensors
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.stimulus.protocol import Protocol
from engines.cardiac.tissue.operator import (
    CellOperator,
    TissueOperator,
    VertexTissueOperator,
    diffusion_tensors,
    region_scales,
)
from engines.cardiac.tissue.population import insulators
from engines.cardiac.tissue.rows import ALL_ROWS, Rows
from engines.cardiac.tissue.scar import painted_patch
from engines.cardiac.tissue.silent import Silent
from engines.cardiac.tissue.sites import Sites
from engines.cardiac.watch.ecg import Ecg, Repaint, ecg_traffic
from engines.cardiac.watch.kernels import KERNELS
from engines.cardiac.watch.leads import LeadPlaces, lead_places, lead_weights, vertex_lead_weights
from engines.cardiac.watch.maps import ARRAYS, FirstActivation, Maps, maps_traffic
from engines.cardiac.watch.phase import Phase, phase_looks, phase_traffic
from engines.cardiac.watch.rhythm import Gathered, Rhythm
from engines.cardiac.watch.watcher import TissueWatcher
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.shell import Shell, shell_of
from engines.watching import Watchers

RINGS_OF_LEADS = 2
"""How far from a cell that conducts less weights of leads change: its neighbours' gradients do, and these are of
voltages one ring further."""
SAMPLE_MILLISECONDS = 0.5
"""Spacing of the samples of probes and series: the upstroke of an action potential lasts about 1 ms."""


def sample_steps(step: float) -> int:
    """Steps between two samples."""
    return max(1, round(SAMPLE_MILLISECONDS / step))


def open_watchers(
    backend: Backend,
    mesh: TetMesh,
    operator: TissueOperator,
    tissue: Tissue,
    parameters: CardiacParameters,
    protocol: Protocol,
    rows: Rows = ALL_ROWS,
    ecg: Callable[..., Ecg] = Ecg,
    phase: Callable[..., Phase] = Phase,
    gathered: Gathered | None = None,
) -> Watchers[TissueWatcher]:
    """In the order in which their fields are offered; voltages are those of ``rows`` of ``operator``. ``ecg``,
    ``phase``: make these watchers, as their classes do; ``gathered`` as of :class:`Rhythm`. Raises ProblemError."""
    recording, step = parameters.recording, parameters.numerics.step
    kernels = KERNELS.open(backend, tissue.n_cells, tissue.dtype)
    silent = Silent(backend, insulators(operator.sites, parameters)[operator.order], rows)
    watchers: list[TissueWatcher] = [FirstActivation(tissue, silent)]
    maps = None
    if recording.maps:
        every = _looks(recording.interval, step)
        threshold = parameters.numerics.activation_threshold
        maps = Maps(kernels, tissue.n_padded, threshold, recording.repolarisation, every, every * step, silent)
        watchers.append(maps)
    if recording.ecg != "off":
        names, weights, repaint = _leads(mesh, operator, parameters)
        watchers.append(ecg(kernels, names, rows.own(weights), sample_steps(step), repaint))
    if recording.phase:
        every, looks = phase_looks(recording.phase_delay, step)
        shell = _shell(mesh, operator)
        watchers.append(phase(kernels, tissue.n_padded, shell, recording.phase_origin, every, looks, step))
    if maps is not None:
        watchers.append(Rhythm(kernels, maps, protocol, step, sample_steps(step), gathered))
    return Watchers(watchers)


def watchers_traffic(parameters: CardiacParameters, mesh: Sites, value_bytes: int) -> tuple[KernelTraffic, ...]:
    """Per step, of the watchers that these parameters ask for. Raises ProblemError."""
    recording, step, found = parameters.recording, parameters.numerics.step, []
    if recording.maps:
        found.append(maps_traffic(mesh.n_cells, value_bytes, _looks(recording.interval, step)))
    leads = len(lead_places(recording, mesh))
    if leads:
        found.append(ecg_traffic(mesh.n_cells, value_bytes, leads, sample_steps(step)))
    if recording.phase:
        found.append(phase_traffic(mesh.n_cells, value_bytes, phase_looks(recording.phase_delay, step)[0]))
    return tuple(found)


def watchers_memory(parameters: CardiacParameters, mesh: Sites, value_bytes: int) -> int:
    """Bytes on the device."""
    recording = parameters.recording
    per_cell = ARRAYS * value_bytes * recording.maps + 4 * len(lead_places(recording, mesh))
    if recording.phase:
        per_cell += (phase_looks(recording.phase_delay, parameters.numerics.step)[1] + 2) * value_bytes
    return mesh.n_cells * per_cell


def _looks(interval: float, step: float) -> int:
    return max(1, round(interval / step))


def _shell(mesh: TetMesh, operator: TissueOperator) -> Shell:
    """With the cells in the operator's order; each vertex of the surface is a run of its own if it is a site."""
    if not isinstance(operator, VertexTissueOperator):
        return shell_of(mesh.take_cells(operator.order))
    shell = shell_of(mesh)
    place = np.empty(len(operator.order), np.int32)
    place[operator.order] = np.arange(len(operator.order), dtype=np.int32)
    own = place[operator.sites.of_points(shell.nodes)]
    return replace(shell, cells=own, offsets=np.arange(len(own) + 1, dtype=np.int32))


def _leads(
    mesh: TetMesh, operator: TissueOperator, parameters: CardiacParameters
) -> tuple[list[str], Array, Repaint | None]:
    """Names, (leads, n) weights in the order of the operator, and what makes them anew where scar is painted."""
    leads = lead_places(parameters.recording, mesh)
    names = [lead.name for lead in leads]
    if isinstance(operator, CellOperator):
        repaint = partial(_painted_weights, mesh, operator, parameters, leads)
        return names, _cell_weights(mesh, operator, parameters, leads), repaint
    assert isinstance(operator, VertexTissueOperator)
    return names, _vertex_weights(mesh, operator, parameters, leads), None


def _cell_weights(
    mesh: TetMesh, operator: CellOperator, parameters: CardiacParameters, leads: Sequence[LeadPlaces]
) -> Array:
    ordered = mesh.take_cells(operator.order)
    # Cells that do not conduct are a boundary, as in the diffusion: the step to their rest is no source.
    neighbours = operator.neighbours
    geometry = (ordered.points, ordered.cells, ordered.volumes, ordered.centroids)
    gradients = least_squares(*geometry, diffusion_tensors(ordered, parameters), neighbours)
    conductivity = _intracellular(ordered, parameters)
    return lead_weights(ordered, neighbours, gradients, conductivity, leads, parameters.recording.bath_conductivity)


def _painted_weights(
    mesh: TetMesh,
    operator: CellOperator,
    parameters: CardiacParameters,
    leads: Sequence[LeadPlaces],
    changed: Array,
    left: Array,
) -> tuple[Array, Array]:
    """The cells whose weights ``changed`` ones change, and these weights, (leads, m): what conducts less is a weaker
    source, and cells without conductivity are a boundary again."""
    patch, part = painted_patch(mesh, parameters, operator, changed, left)
    conductivity = _intracellular(part, parameters) * left[patch.cells].astype(np.float64)[:, None, None]
    bath = parameters.recording.bath_conductivity
    weights = lead_weights(part, patch.neighbours, patch.gradients, conductivity, leads, bath)
    near = rings(changed, operator.neighbours, RINGS_OF_LEADS)
    return near, weights[:, np.searchsorted(patch.cells, near)]


def _vertex_weights(
    mesh: TetMesh, operator: VertexTissueOperator, parameters: CardiacParameters, leads: Sequence[LeadPlaces]
) -> Array:
    conducting = np.flatnonzero(~insulators(mesh, parameters))
    part, corners = mesh.take_cells(conducting), operator.sites.corners[conducting]
    conductivity, bath = _intracellular(part, parameters), parameters.recording.bath_conductivity
    return vertex_lead_weights(part, corners, operator.sites.n_cells, conductivity, leads, bath)[:, operator.order]


def _intracellular(mesh: TetMesh, parameters: CardiacParameters) -> Array:
    """(n_cells, 3, 3) [S/m]"""
    tissue = parameters.tissue
    across = tissue.sigma_il if mesh.fibres is None else tissue.sigma_it
    scales = region_scales(mesh, parameters)
    return conductivity_tensors(mesh.n_cells, tissue.sigma_il, across, fibres=mesh.fibres, scales=scales)
