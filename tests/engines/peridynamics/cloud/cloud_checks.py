"""What runs of irregular points are held against, of one material and of several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engines.api import Problem, Simulation
from engines.peridynamics.cloud.reference import CloudReference
from engines.peridynamics.cloud.solver import POINT_SOLVER, Cloud, CloudSolver
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lattice.family import WORD
from engines.peridynamics.parameters import PeridynamicParameters

DECAY = 0.999
COUNTS_OF_BLOCK = (14, 13, 12)


def run_like(
    device: Any, made: Cloud, table: np.ndarray, reference: CloudReference, pairs: Any, columns: Any, precision: str
) -> CloudSolver:
    """A solver after the steps of ``table``, measured, that is where ``reference`` is: in fp64 to the rounding of 40
    steps, in fp32 to 40 steps of 1e-7 each times the sensitivity of a wave."""
    solver = POINT_SOLVER.open(device, made, "float32" if precision == "fp32" else "float64")
    with device.active():
        solver.advance(table, True, DECAY)
        solver.measure()
    held = {name: device.to_host(values) for name, values in solver.arrays.items()}
    tolerance, loose = (1e-11, 1e-9) if precision == "fp64" else (2e-5, 2e-4)
    assert np.abs(held["u"].T - reference.u).max() <= tolerance * np.abs(reference.u).max()
    assert np.abs(held["v"].T - reference.v).max() <= tolerance * np.abs(reference.v).max()
    intact = {tuple(pair) for pair in reference.pairs[reference.intact]}
    for (i, j), column in zip(pairs, columns, strict=True):  # at both ends
        assert bool(held["words"][column // WORD, i] >> np.uint32(column % WORD) & 1) == (
            (min(i, j), max(i, j)) in intact
        )
    assert held["loss"].sum() == pytest.approx(reference.loss, rel=loose)
    assert held["work"].sum() == pytest.approx(reference.work, rel=loose)
    assert held["damped"].sum() == pytest.approx(reference.damped, rel=loose)
    pull = reference.force() / reference.masses[:, None]
    assert np.abs(device.to_host(solver.kick_values).T - pull).max() <= 5e-5 * np.abs(pull).max()
    assert device.to_host(solver.energy_values).sum(dtype=float) == pytest.approx(reference.elastic, rel=1e-4)
    return solver


def are_alike_without_shared_memory(on_host: Any, made: Cloud, table: np.ndarray) -> bool:
    """Whether families that are read through the caches give the same bits."""
    from engines.peridynamics.cloud.cuda import THREADS, CudaCloudSolver

    found = []
    for threads in (THREADS, ()):
        solver = CudaCloudSolver(on_host, made, "float64", threads)
        assert solver.local == bool(threads)
        solver.advance(table, True, DECAY)
        solver.measure()
        found.append([solver.arrays[name] for name in ("u", "v", "words", "loss")] + [solver.kick_values])
    return all(np.array_equal(first, second) for first, second in zip(*found, strict=True))


def runs_of_lattice_and_points(cpu: Any, given: PeridynamicParameters) -> tuple[list[Simulation], np.ndarray]:
    """30 steps of a block of COUNTS_OF_BLOCK particles on the lattice, and of ``given``, the same as points; which of
    the points each particle of the lattice is."""
    sizes = {f"size_{axis}": count for axis, count in zip("xyz", COUNTS_OF_BLOCK, strict=True)}
    body = PeridynamicParameters.model_validate({"body": {"kind": "block", **sizes}}).body
    lattice = given.model_copy(update={"body": body})
    runs = [PeridynamicsEngine().build(Problem(each), cpu) for each in (lattice, given)]
    for run in runs:
        run.advance(30)
    # the particles of the block run through x first, those of the file through z
    return runs, np.arange(np.prod(COUNTS_OF_BLOCK)).reshape(COUNTS_OF_BLOCK).transpose(2, 1, 0).ravel()
