"""Diffusion tensors from conductivities and fibres: D = sigma / (chi Cm)."""

# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.backend.threads import in_parts


def conductivity_tensors(
    n_cells: int,
    sigma_l: float,
    sigma_t: float | None = None,
    sigma_n: float | None = None,
    fibres: Array | None = None,
    sheets: Array | None = None,
    scales: Array | float = 1.0,
) -> Array:
    """Conductivity of every cell: ``sigma_l f f' + sigma_t s s' + sigma_n n n'`` [S/m], (n_cells, 3, 3) float64.

    fibres: (n_cells, 3), direction f, any length but zero. sheets: (n_cells, 3), direction s; its part along f is
    removed.
    scales: (n_cells,) or one, factors on the conductivities.
    ``sigma_t`` defaults to ``sigma_l``, ``sigma_n`` to ``sigma_t``. Without fibres the tissue must be isotropic,
    without sheets transversely isotropic. Raises ProblemError where the input cannot give a positive tensor.
    """
    sigma_t = sigma_l if sigma_t is None else sigma_t
    sigma_n = sigma_t if sigma_n is None else sigma_n
    for name, value in (("sigma_l", sigma_l), ("sigma_t", sigma_t), ("sigma_n", sigma_n)):
        if not (np.isfinite(value) and value > 0):
            raise ProblemError(f"The conductivity {name} is {value} S/m; it must be a positive number.")
    if fibres is None:
        if sigma_l != sigma_t or sigma_t != sigma_n:
            raise ProblemError(
                "An anisotropic conductivity needs fibres; add them to the mesh or make all sigma equal."
            )
        tensors = np.empty((n_cells, 3, 3))
        _diagonal(n_cells, np.broadcast_to(sigma_n * np.asarray(scales), n_cells), tensors)
        return tensors
    scales = np.ascontiguousarray(np.broadcast_to(np.asarray(scales, np.float64), n_cells))
    f, tensors = _unit(fibres, "fibre"), np.empty((n_cells, 3, 3))
    if sigma_t == sigma_n:  # the sheets do not matter
        _tensors(n_cells, f, f, sigma_l, sigma_n, sigma_n, scales, tensors)
        return tensors
    if sheets is None:
        raise ProblemError("sigma_t and sigma_n differ but the mesh has no sheets; add them or make both equal.")
    sheets = np.asarray(sheets, np.float64)
    s = _unit(sheets - np.einsum("ij,ij->i", sheets, f)[:, None] * f, "sheet")
    _tensors(n_cells, f, s, sigma_l, sigma_t, sigma_n, scales, tensors)
    return tensors


@in_parts
def _diagonal(first: int, last: int, values: Array, tensors: Array) -> None:
    entries = tensors[first:last].reshape(-1, 9)
    entries[...] = 0.0
    entries[:, ::4] = values[first:last, None]


@in_parts
@nb.njit(cache=True, nogil=True)
def _tensors(first, last, f, s, sigma_l, sigma_t, sigma_n, scales, tensors):
    for i in range(first, last):
        for a in range(3):
            for b in range(3):
                value = (sigma_l - sigma_n) * f[i, a] * f[i, b] + (sigma_t - sigma_n) * s[i, a] * s[i, b]
                tensors[i, a, b] = scales[i] * (value + (sigma_n if a == b else 0.0))


def diffusivity(conductivity: Array, chi: float, membrane_capacitance: float) -> Array:
    """``conductivity`` becomes ``sigma / (chi Cm)`` [mm²/ms], for sigma [S/m], chi [1/mm] and Cm [µF/mm²]. S/m is
    mS/mm, and mS/µF is 1/ms."""
    for name, value in (("surface-to-volume ratio chi", chi), ("membrane capacitance", membrane_capacitance)):
        if not (np.isfinite(value) and value > 0):
            raise ProblemError(f"The {name} is {value}; it must be a positive number.")
    _divide(len(conductivity), conductivity, chi * membrane_capacitance)
    return conductivity


@in_parts
def _divide(first: int, last: int, tensors: Array, divisor: float) -> None:
    tensors[first:last] /= divisor


def check_tensors(tensors: Array, n_cells: int) -> Array:
    """``tensors`` as a contiguous (n_cells, 3, 3) float64 array of symmetric positive definite matrices.

    A single (3, 3) tensor is used for all cells. Raises ProblemError that names the first bad cell.
    """
    tensors = np.asarray(tensors, dtype=np.float64)
    if tensors.shape == (3, 3):
        tensors = np.tile(tensors, (n_cells, 1, 1))
    if tensors.shape != (n_cells, 3, 3):
        raise ProblemError(f"Diffusion tensors have shape {tensors.shape}; the mesh needs ({n_cells}, 3, 3).")
    tensors = np.ascontiguousarray(tensors)
    cell = next((found for found in _first_bad(n_cells, tensors) if found >= 0), -1)
    if cell >= 0:
        raise ProblemError(
            f"The diffusion tensor of cell {cell} is not symmetric positive definite; correct its conductivity."
        )
    return tensors


@in_parts
@nb.njit(cache=True, nogil=True)
def _first_bad(first, last, tensors):
    """The first one that is not symmetric positive definite (leading minors; Sylvester), or -1."""
    for i in range(first, last):
        k = tensors[i]
        scale = 0.0
        for a in range(3):
            for b in range(3):
                if not np.isfinite(k[a, b]):
                    return i
                scale = max(scale, abs(k[a, b]))
        # the tolerance allows for tensors that came through float32 files
        skew = max(abs(k[0, 1] - k[1, 0]), abs(k[0, 2] - k[2, 0]), abs(k[1, 2] - k[2, 1]))
        minor2 = k[0, 0] * k[1, 1] - k[0, 1] * k[1, 0]
        determinant = (
            k[0, 0] * (k[1, 1] * k[2, 2] - k[1, 2] * k[2, 1])
            - k[0, 1] * (k[1, 0] * k[2, 2] - k[1, 2] * k[2, 0])
            + k[0, 2] * (k[1, 0] * k[2, 1] - k[1, 1] * k[2, 0])
        )
        if not (skew <= 1e-5 * scale and k[0, 0] > 0 and minor2 > 0 and determinant > 0):
            return i
    return -1


def _unit(vectors: Array, what: str) -> Array:
    vectors = np.ascontiguousarray(vectors)
    units = np.empty(vectors.shape)
    cell = next((found for found in _make_units(len(vectors), vectors, units) if found >= 0), -1)
    if cell >= 0:
        raise ProblemError(f"Cell {cell} has no usable {what} direction (zero, NaN or parallel); give it a direction.")
    return units


@in_parts
@nb.njit(cache=True, nogil=True)
def _make_units(first, last, vectors, units):
    """units: (n, 3) float64; returns the first without a direction, or -1."""
    for i in range(first, last):
        x, y, z = np.float64(vectors[i, 0]), np.float64(vectors[i, 1]), np.float64(vectors[i, 2])
        length = np.sqrt(x * x + y * y + z * z)
        if not (np.isfinite(length) and length > 1e-12):
            return i
        units[i, 0], units[i, 1], units[i, 2] = x / length, y / length, z / length
    return -1
