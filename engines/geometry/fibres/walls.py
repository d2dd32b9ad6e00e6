"""The surfaces of a heart: base, epicardium and endocardia, found on the boundary of its mesh.

The base is cut away first (a flat cut, everything beyond a plane, or the boundary of regions). What is left of the
boundary falls into pieces: the epicardium is the one that encloses the largest volume against the base, and the
cavities, whose surfaces look inwards, enclose a negative one. The left cavity has the thicker wall round it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.meshes.adjacency import boundary_faces, face_neighbours
from engines.geometry.meshes.mesh import TetMesh

FLAT_ANGLE = np.radians(30.0)
"""Between the base's normal and that of a triangle of a flat cut."""
FLAT_DEPTH = 0.03
"""How deep a flat cut may be dented, as a part of the mesh's diagonal."""
SMALLEST_CAVITY = 0.002
"""Of the volume that the epicardium encloses; smaller hollows are vessels or holes, and have no condition."""
CANDIDATES = 300
SAMPLED = 20_000
REGION_HINTS = (("lv", "left"), ("rv", "right"))


@dataclass(frozen=True)
class Boundary:
    """The outer triangles: vertices (n, 3), the cell behind each (n,), area vectors [mm²] and centres [mm] (n, 3)."""

    triangles: Array
    owners: Array
    areas: Array
    centres: Array

    @classmethod
    def of(cls, mesh: TetMesh) -> Boundary:
        triangles, owners = boundary_faces(mesh.cells, face_neighbours(mesh.cells))
        a, b, c = (mesh.points[triangles[:, k]] for k in range(3))
        return cls(triangles, owners, 0.5 * np.cross(b - a, c - a), (a + b + c) / 3.0)

    def of_regions(self, mesh: TetMesh, names: str, surface: str) -> Array:
        """(n,) bool: triangles of cells in the regions ``names``, separated by commas. Raises ProblemError."""
        wanted = {name.strip() for name in names.split(",") if name.strip()}
        unknown = sorted(wanted - set(mesh.region_names.values()))
        if unknown:
            known = ", ".join(sorted(set(mesh.region_names.values())))
            raise ProblemError(f"The mesh has no region “{unknown[0]}” for the {surface}; its regions are {known}.")
        ids = [key for key, name in mesh.region_names.items() if name in wanted]
        chosen = np.isin(mesh.regions[self.owners], ids)
        if not chosen.any():
            raise ProblemError(
                f"The regions for the {surface} ({names}) have no cell at the boundary of the mesh: name others."
            )
        return chosen


@dataclass(frozen=True)
class Walls:
    """Points on each surface, (n,) each; ``rv`` is empty in a single ventricle. ``axis`` points to the base."""

    epi: Array
    lv: Array
    rv: Array
    base: Array
    axis: Array


def flat_cut(boundary: Boundary, diagonal: float, axis: Array | None = None) -> tuple[Array, Array]:
    """``(triangles, axis)``: (n,) bool, the flat part of the boundary, and its normal (3,).

    Without ``axis`` the part is the largest that is flat: of some hundred triangles the one whose plane holds most
    area of the boundary, its normals within :data:`FLAT_ANGLE`.
    """
    size = np.linalg.norm(boundary.areas, axis=1)
    normals = boundary.areas / np.maximum(size, np.finfo(float).tiny)[:, None]
    if axis is not None:
        height = boundary.centres @ axis
        facing = normals @ axis > np.cos(FLAT_ANGLE)
        if not facing.any():
            raise ProblemError("No surface of the mesh looks towards the base: turn the direction to the base round.")
        # the cut is flat at the height where most of the area that looks up lies
        heights, edges = np.histogram(height[facing], bins=60, weights=size[facing])
        peak = int(heights[30:].argmax()) + 30
        level = 0.5 * (edges[peak] + edges[peak + 1])
        return facing & (np.abs(height - level) < FLAT_DEPTH * diagonal), axis
    generator = np.random.default_rng(0)
    share = size / size.sum()
    some = generator.choice(len(size), min(CANDIDATES, len(size)), p=share)
    sample = generator.choice(len(size), min(SAMPLED, len(size)), replace=len(size) > SAMPLED, p=share)
    best, found = -1, 0
    for candidate in some:
        offsets = np.abs((boundary.centres[sample] - boundary.centres[candidate]) @ normals[candidate])
        flat = (normals[sample] @ normals[candidate] > np.cos(FLAT_ANGLE / 3)) & (offsets < FLAT_DEPTH / 3 * diagonal)
        if (count := int(flat.sum())) > best:
            best, found = count, int(candidate)
    near = np.abs((boundary.centres - boundary.centres[found]) @ normals[found]) < FLAT_DEPTH / 3 * diagonal
    flat = near & (normals @ normals[found] > np.cos(FLAT_ANGLE / 3))
    axis = _unit(boundary.areas[flat].sum(axis=0))
    level = np.average(boundary.centres[flat] @ axis, weights=size[flat])
    near = np.abs(boundary.centres @ axis - level) < FLAT_DEPTH * diagonal
    return near & (normals @ axis > np.cos(FLAT_ANGLE)), axis


def beyond_plane(boundary: Boundary, axis: Array, height: float) -> Array:
    """(n,) bool: triangles whose centre lies further along ``axis`` than ``height`` [mm]. Raises ProblemError."""
    along = boundary.centres @ axis
    chosen = along > height
    if not chosen.any() or chosen.all():
        raise ProblemError(
            f"The plane of the base at {height:.4g} mm does not cut the mesh, which lies between {along.min():.4g} and "
            f"{along.max():.4g} mm in that direction: choose a height between them."
        )
    return chosen


def ventricle_walls(mesh: TetMesh, boundary: Boundary, base: Array, axis: Array, swapped: bool = False) -> Walls:
    """Epicardium and cavities of a mesh whose ``base: (n,) bool`` is known. Raises ProblemError.

    ``swapped`` takes the other of two cavities for the left one.
    """
    rest = np.flatnonzero(~base)
    labels = _pieces(boundary.triangles[rest])
    level = np.average(boundary.centres[base], axis=0, weights=np.linalg.norm(boundary.areas[base], axis=1))
    flux = np.einsum("ij,ij->i", boundary.centres[rest] - level, boundary.areas[rest]) / 3.0
    enclosed = np.bincount(labels, flux)
    epi = int(enclosed.argmax())
    cavities = [int(k) for k in np.argsort(enclosed)[:2] if enclosed[k] < -SMALLEST_CAVITY * enclosed[epi]]
    if not cavities:
        raise ProblemError(
            "No cavity was found: without its base the surface of the mesh does not fall into epicardium and "
            "endocardium; choose the base another way (a plane further down, or regions), or the shape slab."
        )
    surfaces = [np.unique(boundary.triangles[rest[labels == k]]) for k in (epi, *cavities)]
    if len(cavities) == 2 and _second_is_left(mesh, boundary, rest, labels, cavities, surfaces) != swapped:
        surfaces[1:] = surfaces[:0:-1]
    none = np.empty(0, np.int32)
    return Walls(
        surfaces[0], surfaces[1], surfaces[2] if len(cavities) == 2 else none, np.unique(boundary.triangles[base]), axis
    )


def named_walls(mesh: TetMesh, boundary: Boundary, names: tuple[str, str, str], base: Array, axis: Array) -> Walls:
    """Walls by regions: ``names`` of those that hold epicardium, left and right endocardium ("" for none).

    Triangles of the base belong to no wall, whatever their region. Raises ProblemError.
    """
    titles = ("epicardium", "left endocardium", "right endocardium")
    found = []
    for name, title in zip(names, titles, strict=True):
        if not name.strip() and title == titles[2]:
            found.append(np.empty(0, np.int32))
            continue
        if not name.strip():
            raise ProblemError(f"Name the regions of the {title}, or have the surfaces found.")
        chosen = boundary.of_regions(mesh, name, title) & ~base
        found.append(np.unique(boundary.triangles[chosen]))
    epi, lv, rv = found
    epi = np.setdiff1d(epi, np.concatenate([lv, rv]))  # a rim that two regions share belongs to the cavity
    return Walls(epi, lv, np.setdiff1d(rv, lv), np.unique(boundary.triangles[base]), axis)


def slab_walls(boundary: Boundary, across: Array, axis: Array) -> Walls:
    """A piece of wall: the epicardium looks along ``across`` (3,), the endocardium against it; ``axis`` to the base."""
    size = np.linalg.norm(boundary.areas, axis=1)
    facing = boundary.areas @ across / np.maximum(size, np.finfo(float).tiny)
    epi, endo = (np.unique(boundary.triangles[side > np.cos(np.radians(45.0))]) for side in (facing, -facing))
    if not len(epi) or not len(endo):
        raise ProblemError("No surface of the mesh looks across the wall: choose another direction for it.")
    none = np.empty(0, np.int32)
    return Walls(np.setdiff1d(epi, endo), endo, none, none, axis)


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def _pieces(triangles: Array) -> Array:
    """(n,): the piece of each triangle; pieces connect through edges, so that two that touch in a point stay two."""
    n = len(triangles)
    corners = triangles.astype(np.int64)
    ends = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    _, edge = np.unique(ends[:, 0] * (corners.max() + 1) + ends[:, 1], return_inverse=True)
    face = np.tile(np.arange(n), 3)
    total = n + int(edge.max()) + 1
    graph = scipy.sparse.coo_matrix((np.ones(3 * n, np.int8), (face, n + edge)), shape=(total, total))
    return np.asarray(scipy.sparse.csgraph.connected_components(graph, directed=False)[1][:n])


def _second_is_left(
    mesh: TetMesh, boundary: Boundary, rest: Array, labels: Array, cavities: list[int], surfaces: list[Array]
) -> bool:
    """Whether the second cavity is the left one: by the names of the regions round them, else by the thicker wall."""
    shares = []
    for cavity in cavities:
        regions = mesh.regions[boundary.owners[rest[labels == cavity]]]
        names = {key: name.lower() for key, name in mesh.region_names.items()}
        left, right = (
            np.isin(regions, [key for key, name in names.items() if any(hint in name for hint in hints)]).mean()
            for hints in REGION_HINTS
        )
        shares.append(left - right)
    if abs(shares[0] - shares[1]) > 0.5:
        return bool(shares[1] > shares[0])
    tree = scipy.spatial.cKDTree(mesh.points[surfaces[0]])
    walls = [float(np.median(tree.query(mesh.points[surface])[0])) for surface in surfaces[1:]]
    return walls[1] > walls[0]
