"""Fields on a box of particles that are each other's mirror image."""

from __future__ import annotations

from typing import Any

import numpy as np


def mirrored(field: np.ndarray) -> np.ndarray:
    """(d, nx, ny, nz) made symmetric: component k is odd along axis k, even along the others."""
    for axis in range(len(field)):
        field = (field + _sign(field, axis) * np.flip(field, axis + 1)) / 2
    return field


def is_mirrored(field: np.ndarray) -> bool:
    """(d, nx, ny, nz) as :func:`mirrored` makes it, or (nx, ny, nz) even along all axes; to the last bit."""
    if field.ndim == 3:
        return all((field == np.flip(field, axis)).all() for axis in range(3))
    return all((field == _sign(field, axis) * np.flip(field, axis + 1)).all() for axis in range(len(field)))


def assert_stays_mirrored(device, solver, body, loads, cells: np.ndarray) -> None:
    """Of random displacements with mirror symmetry two steps keep it to the last bit, and energies have it; some bonds
    break. The forces of a bond's two ends are opposite to the last bit: their sum is the rounding of the sums."""
    d, counts = body.layout.dimensions, body.layout.counts
    field = mirrored(np.random.default_rng(3).normal(size=(d, *counts)) * 3e-3)
    u = np.zeros((d, body.layout.size), np.float32)
    u[:, body.places] = field[:, cells[:, 0], cells[:, 1], cells[:, 2]]
    solver.restore({**{name: device.to_host(values) for name, values in solver.arrays.items()}, "u": u})
    with device.active():
        solver.advance(loads.table(0, 2), half=False)
    intact = np.bitwise_count(device.to_host(solver.arrays["words"])).sum() / np.bitwise_count(body.words).sum()
    assert 0.02 < 1 - intact < 0.98
    assert is_seen_mirrored(device, solver, body.places, cells, counts)
    v = device.to_host(solver.arrays["v"]).astype(float)
    assert np.abs(v.sum(axis=1)).max() <= 1e-6 * np.abs(v).sum()


def is_seen_mirrored(device, solver, places: np.ndarray, cells: np.ndarray, counts: tuple[int, ...]) -> bool:
    """Displacements and energies, as float32, of a solver whose particles at ``places`` are ``cells``."""
    with device.active():
        solver.measure()
    return all(
        is_mirrored(_boxed(np.asarray(device.to_host(values), np.float32)[..., places], cells, counts))
        for values in (solver.arrays["u"], solver.energy_values)
    )


def _boxed(values: np.ndarray, cells: np.ndarray, counts: tuple[int, ...]) -> np.ndarray:
    box: Any = np.zeros((*values.shape[:-1], *counts), values.dtype)
    box[..., cells[:, 0], cells[:, 1], cells[:, 2]] = values
    return box


def _sign(field: np.ndarray, axis: int) -> np.ndarray:
    sign = np.ones(len(field), field.dtype).reshape(-1, 1, 1, 1)
    sign[axis] = -1
    return sign
