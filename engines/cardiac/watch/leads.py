"""Leads of the pseudo-ECG: which electrodes there are, and what each cell's voltage adds to each lead.

In an infinite volume of conductivity σ_b around and in the tissue the potential is (Gima & Rudy 2002, doi
10.1161/01.RES.0000016960.61087.86; Bishop & Plank 2011, doi 10.1109/TBME.2011.2148718)

    φ(x_e) = −1/(4π σ_b) ∫ (σ_i ∇v) · ∇(1/r) dV,    r = |x − x_e|, gradients with respect to x,

with the intracellular conductivity σ_i. With the gradients of the diffusion (least squares, differences of voltages
of neighbours) and one point in each cell this is a weighted sum of voltages; the weights add up to zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
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
    weights = np.zeros((len(leads), mesh.n_cells))
    for row, lead in zip(weights, leads, strict=True):
        field = _lead_field(mesh, np.array(lead.plus))
        if lead.minus is not None:
            field -= _lead_field(mesh, np.array(lead.minus))
        scale = mesh.volumes / (4 * np.pi * bath_conductivity)
        moment = np.einsum("nij,nj,n->ni", conductivity, field, scale)
        for k in range(4):
            inner = np.flatnonzero(neighbours[:, k] >= 0)
            share = np.einsum("ni,ni->n", moment[inner], gradients[inner, k])
            row += np.bincount(neighbours[inner, k], share, minlength=mesh.n_cells)
            row[inner] -= share
    return weights


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
