"""How variants keep the bonds: lists made from the study's box, as if nothing were known of a lattice."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.lab import Inputs
from engines.backend.lab.variants import Layout
from engines.peridynamics.lab.variants.inputs import box, dimensions_of, intact, offsets

NOBODY = -1


def places(inputs: Inputs) -> Array:
    """(d, n) float32 at rest, in spacings."""
    z, y, x = np.indices(tuple(int(count) for count in inputs["counts"][::-1]), np.float32).reshape(3, -1)
    return np.stack([x, y, z][: dimensions_of(inputs)])


def steps(inputs: Inputs) -> Array:
    """(bonds,) int64 from a particle's number to those of its neighbours."""
    nx, ny, _ = inputs["counts"]
    x, y, z = offsets(dimensions_of(inputs)).T
    return np.asarray((z * ny + y) * nx + x)


def exists(inputs: Inputs, bond: int) -> Array:
    """(n,) bool: which particles have this neighbour inside the box."""
    found = np.zeros(inputs["counts"][::-1], bool)
    found[box(inputs["counts"], offsets(dimensions_of(inputs))[bond])[0]] = True
    return found.ravel()


def columns(inputs: Inputs) -> Array:
    """(K, n) int32 numbers of the neighbours; -1: none."""
    number = np.arange(inputs["u"].shape[1], dtype=np.int32)
    return np.stack(
        [np.where(exists(inputs, bond), number + step, NOBODY) for bond, step in enumerate(steps(inputs))],
        dtype=np.int32,
        casting="unsafe",
    )


def damages(inputs: Inputs) -> Array:
    """(K, n) float32: 0 of bonds that hold, else 1."""
    return np.stack([~intact(inputs, bond) for bond in range(len(steps(inputs)))], dtype=np.float32, casting="unsafe")


def by_rows(inputs: Inputs) -> list[Array]:
    """x, u; neighbours and damages (n, K)."""
    lists = [np.ascontiguousarray(values.T) for values in (columns(inputs), damages(inputs))]
    return [places(inputs), inputs["u"], *lists]


def by_columns(inputs: Inputs) -> list[Array]:
    """x, u; neighbours (K, n) and words."""
    return [places(inputs), inputs["u"], columns(inputs), inputs["words"]]


def by_deltas(inputs: Inputs) -> list[Array]:
    """x, u; neighbours less the particle's own number, 16 bits (K, n), and words. Raises ProblemError."""
    away = steps(inputs)
    if np.abs(away).max() >= 2**15:
        raise ProblemError("The neighbours of a particle are more than 32,767 numbers away: 16 bits do not hold them.")
    list_ = np.broadcast_to(away.astype(np.int16)[:, None], (len(away), inputs["u"].shape[1]))
    return [places(inputs), inputs["u"], np.ascontiguousarray(list_), inputs["words"]]


def pairs(inputs: Inputs) -> tuple[Array, Array]:
    """(m, 2) int32 ends of each bond once, sorted by the first; (m,) bool, which are broken."""
    away = steps(inputs)
    half = range(len(away) // 2, len(away))
    there = np.stack([exists(inputs, bond) for bond in half], axis=1)
    broken = np.stack([~intact(inputs, bond) for bond in half], axis=1)[there]
    first, bond = np.nonzero(there)
    second = first + away[len(away) // 2 :][bond]
    return np.stack([first, second], axis=1, dtype=np.int32, casting="unsafe"), broken


def by_pairs(inputs: Inputs) -> list[Array]:
    """x, u; pairs and damages."""
    ends, broken = pairs(inputs)
    return [places(inputs), inputs["u"], ends, broken.astype(np.float32)]


def as_pypd(inputs: Inputs) -> list[Array]:
    """x, u (n, d); pairs; damages and room for the forces of bonds, (m, d): all in float64."""
    ends, broken = pairs(inputs)
    vectors = [np.ascontiguousarray(values.T, float) for values in (places(inputs), inputs["u"])]
    return [*vectors, ends, broken.astype(float), np.zeros((len(ends), dimensions_of(inputs)))]


def as_structures(inputs: Inputs) -> list[Array]:
    """x, u (n, d); neighbours and damages (n, K)."""
    x, u, *lists = by_rows(inputs)
    return [np.ascontiguousarray(x.T), np.ascontiguousarray(u.T), *lists]


def by_full_rows(inputs: Inputs) -> list[Array]:
    """As :func:`by_rows`; where there is no neighbour, any other particle, whose bond is broken."""
    x, u, neighbours, damage = by_rows(inputs)
    other = (np.arange(len(neighbours), dtype=np.int32) + 1) % len(neighbours)
    return [x, u, np.where(neighbours == NOBODY, other[:, None], neighbours), damage]


def with_matrix(inputs: Inputs) -> list[Array]:
    """As :func:`by_rows`, and room for the forces of bonds (d, n, K)."""
    rows = by_rows(inputs)
    return [*rows, np.zeros((dimensions_of(inputs), *rows[2].shape), np.float32)]


def stencil(inputs: Inputs) -> list[Array]:
    """u and words."""
    return [inputs["u"], inputs["words"]]


def _forces(inputs: Inputs) -> tuple[tuple[int, ...], type]:
    return inputs["u"].shape, np.float32


def _turned(output: Array) -> Array:
    return output.T


ROWS, FULL_ROWS, COLUMNS, DELTAS, PAIRS, MATRIX, STENCIL = (
    Layout(pack, _forces) for pack in (by_rows, by_full_rows, by_columns, by_deltas, by_pairs, with_matrix, stencil)
)
STRUCTURES = Layout(as_structures, lambda inputs: (inputs["u"].shape[::-1], np.float32), _turned)
PYPD = Layout(as_pypd, lambda inputs: (inputs["u"].shape[::-1], np.float64), _turned)
