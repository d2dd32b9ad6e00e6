"""Leads of the pseudo-ECG: which electrodes there are, and what each cell's voltage adds to each lead.

In an infinite volume of conductivity σ_b around and in the tissue the potential is (Gima & Rudy 2002, doi
10.1161/01.RES.0000016960.61087.86; Bishop & Plank 2011, doi 10.1109/TBME.2011.2148718)

    φ(x_e) = −1/(4π σ_b) ∫ (σ_i ∇v) · ∇(1/r) dV,    r = |x − x_e|, gradients with respect to x,

with the intracellular conductivity σ_i. With the gradients of the diffusion (least squares, differences of voltages
of neighbours) and one point in each cell this is a weighted sum of voltages; the weights add up to zero.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba as nb
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.backend.threads import in_parts
from engines.cardiac.p1.stiffness import CHUNK
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.tissue.sites import Sites
from engines.geometry.meshes.linear_elements import shape_gradients
from engines.geometry.meshes.mesh import TetMesh

AWAY = 1.0
"""Electrodes of a ready set are so many diagonals of the mesh's box from its middle: twice as far as its corners."""
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class LeadPlaces:
    """A lead and where its electrodes are [mm]; ``minus`` None: far away."""

    name: str
    plus: tuple[float, float, float]
    minus: tuple[float, float, float] | None = None


def lead_places(recording: Recording, mesh: Sites) -> tuple[LeadPlaces, ...]:
    """The leads that are asked for. Raises ProblemError for names that are not there, or there twice."""
    if recording.ecg == "off":
        return ()
    if recording.ecg == "own":
        return _own(recording)
    low, high = mesh.bounds
    middle, away = (low + high) / 2, AWAY * float(np.linalg.norm(high - low))

    def place(axis: tuple[float, float, float], sign: float) -> tuple[float, float, float]:
        x, y, z = (float(value) for value in middle + sign * away * np.array(axis))
        return x, y, z

    if recording.ecg == "across":
        return tuple(LeadPlaces(name, place(axis, 1.0), place(axis, -1.0)) for name, axis in AXES.items())
    return tuple(
        LeadPlaces(f"{mark}{name.lower()}", place(axis, sign))
        for name, axis in AXES.items()
        for mark, sign in (("+", 1.0), ("−", -1.0))
    )


def _own(recording: Recording) -> tuple[LeadPlaces, ...]:
    places = {electrode.name: electrode.position for electrode in recording.electrodes}
    if not places:
        raise ProblemError("The pseudo-ECG has no electrode: add one, or choose a ready set.")
    _check_unique("electrodes", [electrode.name for electrode in recording.electrodes])
    if not recording.leads:
        return tuple(LeadPlaces(name, position) for name, position in places.items())
    _check_unique("leads", [lead.name for lead in recording.leads])
    for lead in recording.leads:
        for name in (lead.plus, lead.minus):
            if name and name not in places:
                raise ProblemError(
                    f"Lead '{lead.name}' names electrode '{name}', which there is not; there are: {', '.join(places)}."
                )
    return tuple(
        LeadPlaces(lead.name, places[lead.plus], places[lead.minus] if lead.minus else None) for lead in recording.leads
    )


def _check_unique(what: str, names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ProblemError(f"Two {what} of the pseudo-ECG are called '{twice}': give each a name of its own.")


def lead_weights(
    mesh: TetMesh,
    neighbours: Array,
    gradients: Array,
    conductivity: Array,
    leads: Sequence[LeadPlaces],
    bath_conductivity: float,
) -> Array:
    """(leads, n_cells) float64 [mV/mV]: what each cell's voltage adds to each lead.

    neighbours: (n_cells, 4); gradients: (n_cells, 4, 3) of :func:`diffusion.kernels.least_squares` [1/mm];
    conductivity: (n_cells, 3, 3) of the intracellular space, ``bath_conductivity`` of the volume around, both [S/m].
    """
    weights, shares = np.empty((len(leads), mesh.n_cells)), np.empty((mesh.n_cells, 4))
    geometry = mesh.centroids, mesh.volumes, conductivity, gradients, neighbours
    for row, lead in zip(weights, leads, strict=True):
        plus, minus = np.array(lead.plus), np.array(lead.plus if lead.minus is None else lead.minus)
        between, scale = lead.minus is not None, 4 * np.pi * bath_conductivity
        _fill_shares(mesh.n_cells, *geometry, plus, minus, between, scale, shares)
        _gather_shares(mesh.n_cells, neighbours, shares, row)
    return weights


@in_parts
@nb.njit(cache=True, nogil=True)
def _fill_shares(
    first, last, centroids, volumes, conductivity, gradients, neighbours, plus, minus, between, scale, shares
):
    """shares: (n_cells, 4), what the voltage beyond each face adds to a lead through a cell's gradient."""
    for i in range(first, last):
        field = _field_at(centroids[i], volumes[i], plus)
        if between:
            other = _field_at(centroids[i], volumes[i], minus)
            field = field[0] - other[0], field[1] - other[1], field[2] - other[2]
        v, s = volumes[i] / scale, conductivity[i]
        x = (s[0, 0] * field[0] + s[0, 1] * field[1] + s[0, 2] * field[2]) * v
        y = (s[1, 0] * field[0] + s[1, 1] * field[1] + s[1, 2] * field[2]) * v
        z = (s[2, 0] * field[0] + s[2, 1] * field[1] + s[2, 2] * field[2]) * v
        for k in range(4):
            g = gradients[i, k]
            shares[i, k] = x * g[0] + y * g[1] + z * g[2] if neighbours[i, k] >= 0 else 0.0


@in_parts
@nb.njit(cache=True, nogil=True)
def _gather_shares(first, last, neighbours, shares, row):
    """row: (n_cells,), what a cell's voltage adds through its neighbours' gradients and its own."""
    for i in range(first, last):
        total = 0.0
        for k in range(4):
            j = neighbours[i, k]
            if j < 0:
                continue
            total -= shares[i, k]
            for m in range(4):
                if neighbours[j, m] == i:
                    total += shares[j, m]
        row[i] = total


@nb.njit(nogil=True)
def _field_at(centroid, volume, electrode):
    """−∇(1/r) at a centroid [1/mm²]; within a cell's size of the electrode r is that size."""
    x, y, z = centroid[0] - electrode[0], centroid[1] - electrode[1], centroid[2] - electrode[2]
    squared = max(x * x + y * y + z * z, volume ** (2 / 3))
    cubed = squared * np.sqrt(squared)
    return x / cubed, y / cubed, z / cubed


def vertex_lead_weights(
    mesh: TetMesh,
    corners: Array,
    n_sites: int,
    conductivity: Array,
    leads: Sequence[LeadPlaces],
    bath_conductivity: float,
) -> Array:
    """(leads, n_sites) float64: the same for voltages at vertices, whose gradient is constant in each cell of ``mesh``.

    corners: (n_cells, 4), the sites at the corners of the cells.
    """
    weights, moments = np.zeros((len(leads), n_sites)), np.zeros((len(leads), mesh.n_cells, 3))
    for moment, lead in zip(moments, leads, strict=True):
        field = _lead_field(mesh, np.array(lead.plus))
        if lead.minus is not None:
            field -= _lead_field(mesh, np.array(lead.minus))
        moment[:] = np.einsum("nij,nj,n->ni", conductivity, field, mesh.volumes / (4 * np.pi * bath_conductivity))
    for first in range(0, mesh.n_cells, CHUNK):
        part = slice(first, first + CHUNK)
        slopes, _ = shape_gradients(mesh.points, mesh.cells[part])
        for row, moment in zip(weights, moments, strict=True):
            shares = np.einsum("ni,nki->nk", moment[part], slopes)
            row += np.bincount(corners[part].ravel(), shares.ravel(), minlength=n_sites)
    return weights


def _lead_field(mesh: TetMesh, electrode: Array) -> Array:
    """(n_cells, 3): −∇(1/r) at the centroids [1/mm²]; within a cell's size of the electrode r is that size."""
    away = mesh.centroids - electrode
    squared = np.maximum(np.einsum("ni,ni->n", away, away), mesh.volumes ** (2 / 3))
    return np.asarray(away / (squared * np.sqrt(squared))[:, None])
