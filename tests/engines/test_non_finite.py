"""What is no longer a number is found wherever it stands in a state, and told with its place and a remedy."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.device import Backend
from engines.battery.step.cell_rows import Row
from engines.battery.step.many_particle_rows import Row as ParticleRow
from workbench.project.presets import open_preset, preset_called

CASES = [
    # preset, the array and entry of its state that is spoilt, and how the sentence begins
    ("hundred_cycles", "cells", (int(Row.POSITIVE_MODES) + 3, 5), "The stoichiometry", 5),
    ("particle_sizes", "particles", (int(ParticleRow.MODES) + 2, 40), "The stoichiometry", 40),
    ("one_particle", "deviation", (3, 0), "The stoichiometry", 0),
    ("cuba_4000", "g_e", (123,), "The ", 123),
    ("cuba_4000", "g_i", (321,), "The ", 321),
    ("small_slab", "voltage", (17,), "The voltage", None),
    ("gray_scott_coral", "u", (5, 7), "The field", None),
]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(("preset", "name", "place", "title", "element"), CASES)
def test_it_is_found_after_the_next_step(cpu: Backend, preset, name, place, title, element, bad):
    document = open_preset(preset_called(preset))
    simulation = document.engine.build(document.complete_problem(), cpu)
    simulation.advance(2)
    assert simulation.non_finite() is None
    state = {key: np.array(values) for key, values in simulation.state().items()}
    values = state[name].reshape(state[name].shape[-len(place) :])
    values[place] = bad
    simulation.restore(state | {name: values.reshape(state[name].shape)})
    simulation.advance(2)
    found = simulation.non_finite()
    assert found is not None
    assert found.field.startswith(title)
    assert element in (None, found.element)
    assert found.advice.endswith(".")
    simulation.close()
