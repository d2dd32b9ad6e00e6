"""Regions of a mesh: found in the file's cell data, named, counted, measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.api import Array, Finding
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.raw import RawMesh

ARRAY_NAMES = (
    "region",
    "regions",
    "region_id",
    "regionid",
    "gmsh:physical",
    "physical",
    "medit:ref",
    "cell_tags",
    "elemtag",
    "tag",
    "tags",
    "material",
    "materials",
    "material_id",
    "materialid",
    "attribute",
    "attributes",
    "label",
    "labels",
    "subdomain",
    "domain",
    "group",
    "cellentityids",
    "gmsh:geometrical",
)
WHOLE = {1: "tissue"}
"""The one region of a mesh that tells none."""
FEWEST_CELLS = 2
"""Of a region, in the mean."""
LARGEST = 2**31 - 1
"""Number of a region."""
MOST_REGIONS = 1000
"""An array with more values than this numbers cells, not regions."""


@dataclass(frozen=True)
class Region:
    """One region: its key in ``TetMesh.regions``, name, number of cells and volume [mm³]."""

    id: int
    name: str
    n_cells: int
    volume: float


def find_regions(raw: RawMesh) -> tuple[Array, dict[int, str]]:
    """(n,) int32 and the name of each: the first array that can be one of regions; :data:`WHOLE` without any, which is
    told where one is called so."""
    by_name = {name.lower().replace(" ", "_"): name for name in raw.cell_data}
    called = [by_name[name] for name in ARRAY_NAMES if name in by_name]
    for name in called:
        values = _as_integers(raw.cell_data[name])
        if values is not None:
            present = np.unique(values)
            if len(present) <= MOST_REGIONS:
                names = {int(i): _clean(raw.region_names.get(int(i), "")) or f"region {i}" for i in present}
                return values, names
    broken = [name for name in called if _as_integers(raw.cell_data[name]) is None]
    if broken:
        far = _beyond(raw.cell_data[broken[0]])
        wrong = "is not a whole number for each cell" if far is None else (
            f"has the number {far:,.15g}, and regions are numbered up to {LARGEST:,}")  # fmt: skip
        told = f"'{_clean(broken[0])}' {wrong}: all cells are of one region."
        raw.findings.append(Finding(told))
    elif alike := [name for name, data in raw.cell_data.items() if name not in called and _tells_groups(data)]:
        meant = " and ".join(f"'{_clean(name)}'" for name in alike[:3])
        told = f"All cells are of one region: {meant} may be meant, and counts as regions where it is called 'region'."
        raw.findings.append(Finding(told, "info"))
    return np.ones(len(raw.cells), np.int32), dict(WHOLE)


def _tells_groups(values: Array) -> bool:
    """Whether few whole numbers are there, each of several cells."""
    whole = _as_integers(values)
    return whole is not None and 1 < len(np.unique(whole)) <= len(whole) / FEWEST_CELLS


def _beyond(values: Array) -> float | None:
    """The largest of whole numbers, one for each cell, where it is no number of a region."""
    if values.dtype == object or values.size != len(values):
        return None
    numbers = values.astype(np.float64).ravel()
    largest = float(numbers[np.abs(numbers).argmax()])
    return largest if LARGEST < abs(largest) < np.inf and (numbers == np.floor(numbers)).all() else None


def _as_integers(values: Array | None) -> Array | None:
    if values is None or values.dtype == object:
        return None
    values = values.reshape(len(values), math.prod(values.shape[1:]))
    if values.shape[1] != 1:
        return None
    values = values[:, 0]
    if not np.isfinite(values).all() or np.abs(values.astype(np.float64)).max(initial=0) > LARGEST:
        return None
    whole = values.astype(np.int32)
    return whole if np.array_equal(whole, values) else None


def _clean(name: str) -> str:
    return "".join(c for c in name if c.isprintable()).strip()[:80]


def region_table(mesh: TetMesh) -> list[Region]:
    """Every region that has cells, by key."""
    keys, inverse = np.unique(mesh.regions, return_inverse=True)
    counts = np.bincount(inverse, minlength=len(keys))
    volumes = np.bincount(inverse, mesh.volumes, minlength=len(keys))
    return [
        Region(int(key), mesh.region_names.get(int(key), f"region {key}"), int(count), float(volume))
        for key, count, volume in zip(keys, counts, volumes, strict=True)
    ]
