"""Where a run ends, why, and what it has come to do not hang on how its steps are batched, in any engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import workbench as wb
from engines.backend.cpu import CpuBackend
from tests.engines.peridynamics.loading.test_quasistatic import BAR
from workbench.project.presets import open_preset, preset_called
from workbench.run import pacing
from workbench.sweep import running
from workbench.sweep.plan import SweepPlan, variation
from workbench.sweep.workers import run_sweep

RELAXATION = {"integrator": "dynamic relaxation", "relaxation": {"load_steps": 3, "tolerance": 1e-4}}
OF_THEIR_OWN: Mapping[str, tuple[str, dict[str, Any]]] = {
    "cells": ("voltage_losses", {}),
    "a particle": ("one_particle", {}),
    "many particles": ("particle_sizes", {}),
    "a pack": ("pack_cooling", {}),
    "waves that die down": ("fdtd_slab", {}),
    "slow loading": ("plate_with_a_hole", {**BAR, "numerics": RELAXATION, "probes": []}),
}
"""Problems that come to an end of their own, of each engine that has such ones."""
TO_A_TIME = {
    "crack_branching": 1.0, "small_slab": 2.0, "cuba_4000": 20.0, "heat_on_a_plate": 0.05, "gray_scott_coral": 50.0,
}  # fmt: skip


def came_to(problem: str, changes: Mapping[str, Any], until: float | None, batch: int, monkeypatch) -> dict[str, Any]:
    """Where a run in batches of so many steps has ended, in words, its last values, and its state."""
    monkeypatch.setattr(pacing.Pacer, "steps", lambda self, steps_per_second=0.0: batch)
    project = wb.open(problem)
    for name, value in changes.items():
        if name in type(project.parameters).model_fields:
            project.set(name, value)
    with project.simulate(device="cpu") as run:
        run.run(until)
        return run._ask(lambda each: {"step": each.step, "ending": each.ending, **each.observe(), **each.state()})


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    assert one.keys() == other.keys()
    for name, value in one.items():
        if not np.array_equal(value, other[name], equal_nan=isinstance(value, float)):
            yield name


@pytest.mark.parametrize("name", OF_THEIR_OWN)
def test_an_end_of_its_own_is_the_same_in_any_batches(name, monkeypatch):
    few, many = (came_to(*OF_THEIR_OWN[name], None, batch, monkeypatch) for batch in (37, 1000))
    assert few["ending"].endswith(".")
    assert not list(differing(few, many))


@pytest.mark.parametrize("problem", TO_A_TIME)
def test_a_run_to_a_time_is_the_same_in_any_batches(problem, monkeypatch):
    few, many = (came_to(problem, {}, TO_A_TIME[problem], batch, monkeypatch) for batch in (7, 1000))
    assert few["step"] > 1
    assert not list(differing(few, many))


def test_a_case_of_a_sweep_is_the_same_in_any_batches(monkeypatch):
    """Also where a step's last digits hang on how many are taken at once: pieces are whole there too."""
    found = []
    for batch in (3, 1000):
        monkeypatch.setattr(running.Pacer, "steps", lambda self, steps_per_second=0.0, batch=batch: batch)
        document = open_preset(preset_called("one_particle"))
        plan = SweepPlan(document, (variation(document, "particles.drive.c_rate", "2,3"),))
        rows = list(run_sweep(plan, CpuBackend()))
        curves = [
            (row.place, info.name, curve) for row in rows for info, data, _ in row.charts for curve in data.curves
        ]
        found.append({f"{place} {name} {curve.title}": curve.y for place, name, curve in curves})
        found[-1] |= {f"{row.place} end": row.time for row in rows}
    assert not list(differing(*found))
