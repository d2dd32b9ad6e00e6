"""Diffusion tensors from conductivities and fibres: D = sigma / (chi Cm)."""

# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError


def conductivity_tensors(
    n_cells: int,
    sigma_l: float,
    sigma_t: float | None = None,
    sigma_n: float | None = None,
    fibres: Array | None = None,
    sheets: Array | None = None,
) -> Array:
    """Conductivity of every cell: ``sigma_l f f' + sigma_t s s' + sigma_n n n'`` [S/m], (n_cells, 3, 3) float64.

    fibres: (n_cells, 3), direction f, any length but zero. sheets: (n_cells, 3), direction s; its part along f is
    removed.
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
        tensors = np.zeros((n_cells, 3, 3))
        tensors[:, range(3), range(3)] = sigma_n
        return tensors
    f = _unit(fibres, "fibre")
    if sigma_t == sigma_n:
        return _tensors(f, f, sigma_l, sigma_n, sigma_n)  # the sheets do not matter
    if sheets is None:
        raise ProblemError("sigma_t and sigma_n differ but the mesh has no sheets; add them or make both equal.")
    sheets = np.asarray(sheets, np.float64)
    s = _unit(sheets - np.einsum("ij,ij->i", sheets, f)[:, None] * f, "sheet")
    return _tensors(f, s, sigma_l, sigma_t, sigma_n)


@nb.njit(cache=True, nogil=True)
def _tensors(f, s, sigma_l, sigma_t, sigma_n):
    tensors = np.empty((len(f), 3, 3))
    for i in range(len(f)):
        for a in range(3):
            for b in range(3):
                value = (sigma_l - sigma_n) * f[i, a] * f[i, b] + (sigma_t - sigma_n) * s[i, a] * s[i, b]
                tensors[i, a, b] = value + (sigma_n if a == b else 0.0)
    return tensors


def diffusivity(conductivity: Array, chi: float, membrane_capacitance: float) -> Array:
    """``sigma / (chi Cm)`` [mm²/ms] for sigma [S/m], chi [1/mm] and Cm [µF/mm²]. S/m is mS/mm, and mS/µF is 1/ms."""
    for name, value in (("surface-to-volume ratio chi", chi), ("membrane capacitance", membrane_capacitance)):
        if not (np.isfinite(value) and value > 0):
            raise ProblemError(f"The {name} is {value}; it must be a positive number.")
    return conductivity / (chi * membrane_capacitance)


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
    cell = _first_bad(tensors)
    if cell >= 0:
        raise ProblemError(
            f"The diffusion tensor of cell {cell} is not symmetric positive definite; correct its conductivity."
        )
    return tensors


@nb.njit(cache=True, nogil=True)
def _first_bad(tensors):
    """The first one that is not symmetric positive definite (leading minors; Sylvester), or -1."""
    for i in range(len(tensors)):
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
    vectors = np.asarray(vectors, dtype=np.float64)
    length = np.linalg.norm(vectors, axis=1)
    good = np.isfinite(length) & (length > 1e-12)
    if not good.all():
        cell = int(np.argmin(good))
        raise ProblemError(f"Cell {cell} has no usable {what} direction (zero, NaN or parallel); give it a direction.")
    return vectors / length[:, None]
