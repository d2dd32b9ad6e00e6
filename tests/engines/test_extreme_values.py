"""Every number of every problem that ships, set to what nobody means: refused in a sentence, or estimated as finite."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from engines.api import Problem, registry
from engines.api.errors import WorkbenchError
from engines.backend.cpu import CpuBackend
from workbench.project.presets import open_preset, presets

VALUES = (-1, 0, 1, 1e-30, 1e30, -1e30, 1e-12, 1e12, -1e-6, 10**9, 1e300, math.nan, math.inf, "text", None, [], {})
SHARE = {"cardiac": 150, "peridynamics": 60}
"""One in so many of the changes is tried in the short form, always the same ones; else one in 30."""
Place = tuple[str | int, ...]


def leaves(node: Any, place: Place = ()) -> Iterator[Place]:
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in parts:
        yield from leaves(value, (*place, key))
    if not isinstance(node, (dict, list)) or not node:
        yield place


def changed(node: Any, place: Place, value: Any) -> Any:
    """A copy of ``node`` with ``value`` at ``place``; what does not lead there is shared."""
    if not place:
        return value
    copy = node.copy()
    copy[place[0]] = changed(node[place[0]], place[1:], value)
    return copy


def chosen(engine: str, preset: str, place: Place, value: Any) -> bool:
    return zlib.crc32(f"{preset} {place} {value}".encode()) % SHARE.get(engine, 30) == 0


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "all"])
@pytest.mark.parametrize("engine", sorted(registry.engines()))
def test_a_number_that_nobody_means_is_refused_or_estimated(engine, whole):
    backend = CpuBackend()
    tried = estimated = 0
    for preset in presets():
        if preset.engine not in ("", engine):
            continue
        document = open_preset(preset)
        if document.engine.id != engine:
            continue
        given = document.parameters.model_dump(mode="json")
        for place in leaves(given):
            for value in VALUES:
                if not (whole or chosen(engine, preset.id, place, value)):
                    continue
                tried += 1
                try:
                    parameters = document.engine.Parameters.model_validate(changed(given, place, value))
                    with np.errstate(all="ignore"):
                        estimate = document.engine.estimate(Problem(parameters, document.loaded), backend)
                except (ValidationError, WorkbenchError):
                    continue
                estimated += 1
                told = (estimate.step, estimate.stable_step, estimate.seconds_per_simulated_unit)
                assert all(math.isfinite(each) for each in told if each is not None), (preset.id, place, value, told)
        assert given == document.parameters.model_dump(mode="json")  # parts of it were shared with what was tried
    assert tried > 20
    assert estimated
    backend.close()
