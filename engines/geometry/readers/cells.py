"""Picking the tetrahedra out of a mixed list of cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError

VTK_NAMES = {
    1: "vertex",
    2: "vertex",
    3: "line",
    4: "line",
    5: "triangle",
    6: "triangle",
    7: "polygon",
    8: "quadrilateral",
    9: "quadrilateral",
    10: "tetrahedron",
    11: "hexahedron",
    12: "hexahedron",
    13: "prism",
    14: "pyramid",
    21: "line",
    22: "triangle",
    23: "quadrilateral",
    24: "quadratic tetrahedron",
    25: "hexahedron",
    26: "prism",
    27: "pyramid",
    28: "quadrilateral",
    29: "hexahedron",
    71: "quadratic tetrahedron",
}
LINEAR, QUADRATIC = "tetrahedron", "quadratic tetrahedron"


def quadratic_finding(count: int) -> Finding:
    return Finding(
        f"{count:,} quadratic tetrahedra are used by their four corners; mid-edge points are dropped.", "info"
    )


def of_length(data: Mapping[str, Array], count: int, what: str, findings: list[Finding]) -> dict[str, Array]:
    """Arrays that have a value for each of the ``count`` points or cells; others are told."""
    others = [name for name, values in data.items() if len(values) != count]
    if others:
        findings.append(
            Finding(f"Left out: '{others[0][:40]}', with {len(data[others[0]]):,} values for {count:,} {what}.")
        )
    return {name: values for name, values in data.items() if len(values) == count}


def tetrahedra_of(
    types: Array, starts: Array, connectivity: Array, names: Mapping[int, str], file: str
) -> tuple[Array, Array, Counter[str], list[Finding]]:
    """The tetrahedra among cells of mixed kinds.

    types: (n,) kind of each cell; starts: (n,) its first entry in connectivity. Returns the tetrahedra (m, 4) int64,
    their rows (m,), how many cells of each other kind there are, and findings. Raises MeshError where the
    connectivity ends early.
    """
    kinds = [k for k, name in names.items() if name in (LINEAR, QUADRATIC)]
    counted = _counts(types)
    whole = len(counted) == 1 and counted[0][0] in kinds
    rows = np.arange(len(types)) if whole else np.flatnonzero(np.isin(types, kinds))
    first = starts if whole else starts[rows]
    if len(rows) and (first.min() < 0 or first.max() + 4 > len(connectivity)):
        raise MeshError(f"{file} ends early: its cells are incomplete; copy or export the file again.")
    if whole and len(connectivity) == 4 * len(rows) and (np.diff(first) == 4).all():
        tetrahedra = np.require(connectivity.reshape(-1, 4), np.int64, ["C", "A", "W"])
    else:
        tetrahedra = connectivity[first[:, None] + np.arange(4)].astype(np.int64)
    counts: Counter[str] = Counter()
    for kind, count in counted:
        counts[names.get(kind, f"cell of type {kind}")] += count
    counts.pop(LINEAR, None)
    quadratic = counts.pop(QUADRATIC, 0)
    return tetrahedra, rows, counts, [quadratic_finding(quadratic)] if quadratic else []


def _counts(types: Array) -> list[tuple[int, int]]:
    """Each kind and how many cells are of it."""
    if len(types) and (types == types[0]).all():  # as most are; else they are sorted
        return [(int(types[0]), len(types))]
    return [(int(kind), int(count)) for kind, count in zip(*np.unique(types, return_counts=True), strict=True)]
