"""Fibre and sheet directions: found in a file's data, brought to cells, normalised."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError
from engines.geometry.raw import RawMesh

ENDINGS = ("s", "", "_direction", "_directions", "_orientation", "_orientations", "_dir", "direction", "directions")
FIBRE_NAMES = (*(stem + ending for ending in ENDINGS for stem in ("fibre", "fiber")), "f0", "longitudinal", "fib")
SHEET_NAMES = (*("sheet" + ending for ending in ENDINGS), "s0", "transverse")
SHORT = 1e-6
"""Length below which a direction is none."""


def find_fibres(raw: RawMesh, name: str) -> tuple[Array | None, Array | None, list[Finding]]:
    """Fibres and sheets, (n, 3) float32 unit vectors or None, and findings.

    Cell data come before point data; six components are fibre and sheet, nine a whole frame. Raises MeshError where
    an array with a name of fibres cannot be one.
    """
    fibres = _directions(raw, FIBRE_NAMES, name)
    if fibres is None:
        return None, None, []
    sheets = fibres[:, 3:6] if fibres.shape[1] > 3 else _directions(raw, SHEET_NAMES, name)
    findings: list[Finding] = []
    fibres, none = _normalised(fibres[:, :3])
    if none.all():
        return None, None, [Finding(f"The fibres in {name} are all zero: the tissue conducts isotropically.")]
    if none.any():
        fibres[none] = (1.0, 0.0, 0.0)
        first = int(none.argmax())
        findings.append(
            Finding(
                f"{int(none.sum()):,} cells have no fibre direction (the first is {first}); theirs was set along x."
            )
        )
    if sheets is None:
        return fibres, None, findings
    given = bool(np.any(sheets[:, :3]))
    across = sheets[:, :3] - np.einsum("ij,ij->i", sheets[:, :3], fibres)[:, None] * fibres
    sheets, none = _normalised(across)
    if none.all():
        if given:
            findings.append(
                Finding(
                    f"The sheets in {name} all lie along the fibres and are left out: give directions across these."
                )
            )
        return fibres, None, findings
    if none.any():
        sheets[none] = _any_normal(fibres[none])
        findings.append(
            Finding(f"{int(none.sum()):,} cells have no sheet direction across their fibre; one was chosen.", "info")
        )
    return fibres, sheets, findings


def _directions(raw: RawMesh, names: tuple[str, ...], file: str) -> Array | None:
    found = _lookup(raw.cell_data, names)
    if found is None:
        at_points = _lookup(raw.point_data, names)
        if at_points is None:
            return None
        label, values = at_points
        _require_vectors(values, label, file)
        values = np.concatenate([_cell_means(values[:, k : k + 3], raw.cells) for k in range(0, values.shape[1], 3)], 1)
        return values
    label, values = found
    _require_vectors(values, label, file)
    return np.asarray(values, np.float64)


def _lookup(data: Mapping[str, Array], names: tuple[str, ...]) -> tuple[str, Array] | None:
    by_name = {key.lower().replace(" ", "_"): key for key in data}
    return next(((by_name[n], data[by_name[n]]) for n in names if n in by_name), None)


def _require_vectors(values: Array, label: str, file: str) -> None:
    columns = values.shape[1] if values.ndim == 2 else 1
    if values.dtype == object or columns not in (3, 6, 9):
        raise MeshError(
            f"{file} has an array “{label}” of {columns} components where fibres take 3 (or 6 with sheets); "
            "rename the array or export it again."
        )


def _cell_means(at_points: Array, cells: Array) -> Array:
    """Means over the corners. f and −f are the same fibre, so each is first turned towards the first."""
    corners = at_points[cells].astype(np.float64)
    along = np.sign(np.einsum("nkj,nj->nk", corners, corners[:, 0]))
    along[along == 0] = 1.0
    return np.einsum("nk,nkj->nj", along, corners) / 4.0


def _normalised(vectors: Array) -> tuple[Array, Array]:
    """Unit vectors (n, 3) float32, and which had no direction (too short or not a number)."""
    vectors = np.array(vectors, np.float64)
    length = np.linalg.norm(vectors, axis=1)
    none = ~(length > SHORT) | ~np.isfinite(length)
    vectors[none], length[none] = 0.0, 1.0
    return (vectors / length[:, None]).astype(np.float32), none


def _any_normal(vectors: Array) -> Array:
    """Unit vectors orthogonal to unit ``vectors``."""
    axis = np.eye(3, dtype=np.float32)[np.abs(vectors).argmin(axis=1)]
    across = np.cross(vectors, axis)
    return across / np.linalg.norm(across, axis=1, keepdims=True)
