"""Checkpoints of strangers: cells stand at places of a protocol that there is, for kernels look there."""

from __future__ import annotations

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.battery.step.cell_rows import Row
from engines.battery.step.many_particle_rows import CellRow
from workbench.project.presets import open_named

INSTRUCTION, ELAPSED = int(Row.INSTRUCTION), int(Row.ELAPSED)


@pytest.fixture(scope="module")
def opened():
    """Simulations by preset, opened once."""
    found, backend = {}, CpuBackend()

    def get(preset: str):
        if preset not in found:
            document = open_named(preset)
            found[preset] = document.engine.build(document.complete_problem(), backend)
        return found[preset]

    return get


@pytest.mark.parametrize(
    ("preset", "name", "row", "value"),
    [
        ("motorway", "cells", INSTRUCTION, -1e9),
        ("motorway", "cells", INSTRUCTION, 1e9),
        ("motorway", "cells", INSTRUCTION, np.nan),
        ("motorway", "cells", ELAPSED, -1e9),
        ("motorway", "cells", ELAPSED, 1e9),  # of a drive cycle, which ends before that
        ("particle_sizes", "cell", int(CellRow.INSTRUCTION), -1e9),
        ("particle_sizes", "cell", int(CellRow.ELAPSED), -1e9),
        ("pack_cooling", "cells", INSTRUCTION, -1e9),
        ("pack_cooling", "place", 0, -100),
        ("pack_cooling", "place", 0, 100),
        ("pack_cooling", "place", 1, -(10**8)),
    ],
)
def test_a_place_that_the_protocol_does_not_have_is_refused(opened, preset, name, row, value):
    """The first, fourth, fifth, sixth and eighth ended the process."""
    simulation = opened(preset)
    state = {key: np.array(values) for key, values in simulation.state().items()}
    simulation.restore(state)
    state[name][row] = value
    with pytest.raises(ValueError, match="protocol"):
        simulation.restore(state)
