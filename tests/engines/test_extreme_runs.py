"""Numbers at the ends of what is accepted, run for a few steps: finite fields, or an ending in a sentence.

The long form is ``python -m tests.long extremes``.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from engines.api import Problem, Simulation
from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.backend.cpu import CpuBackend
from tests.engines.test_extreme_values import changed, leaves
from workbench.project.document import Document
from workbench.project.presets import open_preset, preset_called

FACTORS = (0.0, 1e-9, 1e-3, 0.1, 10.0, 1e3, 1e9)
"""Of the number that a preset has; what is not accepted is no case."""
MOST_BYTES, MOST_SECONDS = 64 << 20, 2.0
STEPS = 3
SHORT = ("one_particle", "hundred_cycles", "small_slab", "fdtd_slab", "notched_concrete_beam", "cuba_4000", "sine_mode")
"""One of each engine, and of each kind of battery."""


def numbers(given: Any) -> list[tuple[tuple[str | int, ...], float]]:
    found = []
    for place in leaves(given):
        value = given
        for key in place:
            value = value[key]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append((place, value))
    return found


def ran(document: Document, parameters: Any, backend: Backend) -> str:
    """``refused``, ``too large``, ``finite``, ``told`` of what is no number any more, or what is wrong."""
    problem = Problem(parameters, document.loaded)
    with np.errstate(all="ignore"):
        try:
            estimate = document.engine.estimate(problem, backend)
            seconds = (estimate.seconds_per_simulated_unit or 0.0) * estimate.step * STEPS
            if estimate.memory_bytes > MOST_BYTES or seconds > MOST_SECONDS:
                return "too large"
            simulation = document.engine.build(problem, backend)
        except WorkbenchError as error:
            return "refused" if str(error).count("\n") == 0 else f"long: {error}"
        try:
            simulation.advance(STEPS * simulation.whole_batch)
            simulation.synchronize()
            simulation.observe()
            return looked_at(simulation)
        except WorkbenchError:
            return "told"
        finally:
            simulation.close()


def looked_at(simulation: Simulation) -> str:
    if (bad := simulation.non_finite()) is not None:
        return "told" if bad.field and bad.advice.endswith(".") else f"no advice for {bad.field}"
    for info in simulation.fields:
        values = np.asarray(simulation.field(info.name))
        if np.isinf(values).any():
            return f"{info.name} is infinite"
    return "finite"


def tried(document: Document, place: tuple[str | int, ...], value: float, backend: Backend) -> str:
    given = document.parameters.model_dump(mode="json")
    try:
        parameters = type(document.parameters).model_validate(changed(given, place, value))
    except ValidationError:
        return "refused"
    try:
        return ran(document, parameters, backend)
    except Exception as error:  # whatever it is, it is what this looks for
        return f"{type(error).__name__}: {error}"


def attacked(name: str, chance: random.Random, count: int, backend: Backend) -> tuple[Counter[str], list[str]]:
    document = open_preset(preset_called(name))
    known, counts, wrong = numbers(document.parameters.model_dump(mode="json")), Counter[str](), []
    for _ in range(count):
        place, value = chance.choice(known)
        factor = chance.choice(FACTORS)
        new = type(value)(value * factor) if value else type(value)(factor)
        told = tried(document, place, new, backend)
        if told in ("refused", "too large", "finite", "told"):
            counts[told] += 1
        else:
            wrong.append(f"{name} {place} = {new}: {told}")
    return counts, wrong


@pytest.mark.parametrize("name", SHORT)
def test_a_number_at_its_end_runs_or_ends_in_a_sentence(name):
    backend = CpuBackend()
    assert attacked(name, random.Random(name), 6, backend)[1] == []
    backend.close()
