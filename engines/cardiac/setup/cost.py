"""What a step costs on a device before anything is placed there: memory, bytes moved, seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api.device import Backend
from engines.cardiac.cells.tt06 import ROWS
from engines.cardiac.cells.tt06_tissue import reaction_traffic
from engines.cardiac.compiler.tissue import compiled_traffic
from engines.cardiac.diffusion.forward_euler import DIFFUSION_TYPES, expected_traffic
from engines.cardiac.multirate.groups import thinned
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.setup.cells import REACTION_TYPES, compiled_step
from engines.cardiac.setup.speed import compiled_seconds, reaction_seconds
from engines.cardiac.step.stepping import times
from engines.cardiac.tissue.operator import TissueOperator
from engines.cardiac.watch.watchers import watchers_memory, watchers_traffic


@dataclass(frozen=True)
class StepCost:
    """``memory`` [B] on the device; ``moved`` [B] and ``seconds`` of one step."""

    memory: int
    moved: int
    seconds: float


def step_cost(
    parameters: CardiacParameters, operator: TissueOperator, backend: Backend, heaviest: float = 1.0
) -> StepCost:  # fmt: skip
    """Diffusion takes what its bytes take at the device's best bandwidth, reaction what was measured of a cell. Memory
    is that of as many devices as share the problem, where each has as much as the one with the ``heaviest`` part of the
    mean. Raises ProblemError.
    """
    numerics, sites = parameters.numerics, operator.sites
    size = np.dtype(REACTION_TYPES[numerics.precision]).itemsize
    matrix = expected_traffic(backend, operator.matrix, DIFFUSION_TYPES[numerics.precision])
    diffusion = times(matrix, numerics.diffusion_substeps)
    compiled = compiled_step(parameters)
    if compiled is None:
        reaction, rows = reaction_traffic(sites.n_cells, size), len(ROWS)
        per_cell = reaction_seconds(backend, REACTION_TYPES[numerics.precision])
    else:
        reaction, rows = compiled_traffic(compiled, sites.n_cells), len(compiled.model.rows)
        per_cell = compiled_seconds(backend, compiled)
    reaction, share = times(reaction, numerics.reaction_substeps), 1.0 * numerics.reaction_substeps
    if numerics.multirate.on:
        share = numerics.multirate.expected_share(numerics.step)
        reaction = thinned(reaction, share, sites.n_cells * size)
    watching = sum(each.bytes for each in watchers_traffic(parameters, sites, size))
    memory = matrix.bytes + sites.n_cells * ((rows + 1) * size + 5) + watchers_memory(parameters, sites, size)
    return StepCost(
        memory=round(heaviest * memory),
        moved=diffusion.bytes + reaction.bytes + watching,
        seconds=diffusion.bytes / backend.ceilings().best + share * sites.n_cells * per_cell,
    )
