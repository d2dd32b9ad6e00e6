"""How much a front is slowed by the edges of a mesh: what ``setup/slowing.json`` was measured with.

    python -m engines.cardiac.lab.slowing "Courtemanche 1998" cell-centred across 0.125 0.25 0.5 1 1.5

prints the velocity [m/s] at each edge [mm], a few seconds each on one core; 0 where the front stands still for 60 ms.
"""

from __future__ import annotations

import sys

import numpy as np

from engines.api.device import Backend
from engines.backend.cpu import CpuBackend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.tools.strand import BETWEEN, Strand
from engines.quantities import rounded_down

STEP, SHARE = 0.01, 0.8
"""Time step [ms], and the share of the stable one where that is less."""
THRESHOLD = -40.0
"""Upward crossing [mV] that counts: on coarse meshes some cells of weak models do not reach 0 mV."""
CHUNK, PATIENCE = 1.0, 60.0
"""Time between two looks at the front, and how long it may stand still [ms]."""
REACHED = 0.999
"""Share of the cells looked at that must have been activated."""


def strand(model: str, discretisation: str, across: bool, edge: float) -> Strand:
    """Of the default tissue, at a time step that it bears."""
    usual = CardiacParameters.model_validate({"cell_model": model})
    changes = {"discretisation": discretisation, "precision": "fp64", "activation_threshold": THRESHOLD, "step": STEP}
    numerics = usual.numerics.model_copy(update=changes)
    recording = usual.recording.model_copy(update={"ecg": "off", "maps": False})
    parameters = usual.model_copy(update={"numerics": numerics, "recording": recording})
    limit = Strand(parameters, None, edge, across).operator.stable_step
    numerics = numerics.model_copy(update={"step": min(STEP, rounded_down(SHARE * limit, 2))})
    return Strand(parameters.model_copy(update={"numerics": numerics}), None, edge, across)


def velocity(tissue: Strand, backend: Backend) -> float:
    """[m/s], by a straight line through the activation times; 0 where the front stands still."""
    simulation = CardiacEngine().build(tissue.problem, backend)
    try:
        x, length = tissue.mesh.centroids[:, 0], float(tissue.mesh.bounds[1][0])
        looked_at = (x > BETWEEN[0] * length) & (x < BETWEEN[1] * length)
        farthest, since = 0.0, 0.0
        while simulation.time - since <= PATIENCE:
            simulation.advance(max(1, round(CHUNK / simulation.dt)))
            times = simulation.field("activation").astype(float)
            reached = times >= 0
            if reached.any() and float(x[reached].max()) > farthest:
                farthest, since = float(x[reached].max()), simulation.time
            if reached[looked_at].mean() >= REACHED:
                slowness = np.polyfit(x[looked_at & reached], times[looked_at & reached], 1)[0]
                return float(1.0 / slowness) if slowness > 0 else 0.0
        return 0.0
    finally:
        simulation.close()


def main(model: str, discretisation: str, direction: str, *edges: str) -> None:
    for edge in edges:
        print(edge, round(velocity(strand(model, discretisation, direction == "across", float(edge)), CpuBackend()), 4))


if __name__ == "__main__":
    main(*sys.argv[1:])
