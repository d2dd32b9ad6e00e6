"""What few elements cost beside themselves: held against a run, and measured once."""

from __future__ import annotations

import time
from statistics import median

import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.battery.engine import MODELS, BatteryEngine
from engines.battery.parameters import BatteryParameters
from engines.battery.setup import looking

FEW = {
    "cells that age": {"model": "SPM", "ageing": {"sei": "solvent-diffusion limited"}, "ensemble": {"cells": 4}},
    "a cell with an electrolyte": {"model": "SPMe"},
    "particles of both electrodes": {"model": "MPM", "sizes": {"particles": 10}},
    "particles": {"model": "particles", "particles": {"number": 3}},
}


def problem_of(name: str) -> Problem:
    return Problem(BatteryParameters.model_validate(FEW[name]))


@pytest.mark.keeps_time
@pytest.mark.parametrize("name", FEW)
def test_few_elements_take_as_long_as_estimated(name):
    """Their steps alone are a small part of it. Estimated anew beside each of some runs: others may be at work."""
    told = [ran(name) / estimated(name) for _ in range(5)]
    assert 0.4 < median(told) < 2.5, told


def estimated(name: str) -> float:
    """Seconds a simulated second, measured anew for this backend."""
    pace = BatteryEngine().estimate(problem_of(name), CpuBackend()).seconds_per_simulated_unit
    assert pace is not None
    return pace


def ran(name: str) -> float:
    """Seconds a simulated second, of the quickest of some samples."""
    simulation = BatteryEngine().build(problem_of(name), CpuBackend())
    best = float("inf")
    for _ in range(100):
        began, first = time.perf_counter(), simulation.time
        for _ in range(3):
            simulation.advance(simulation.sample_steps)
            simulation.observe()
        best = min(best, (time.perf_counter() - began) / (simulation.time - first))
    simulation.close()
    return best


@pytest.mark.parametrize("name", FEW)
def test_it_is_measured_once(cpu, name, monkeypatch):
    problem = problem_of(name)
    model = MODELS[problem.parameters.model]
    seconds = looking.seconds_beside(model, problem, cpu)
    assert seconds > 0
    monkeypatch.setattr(type(model), "build", None)
    assert looking.seconds_beside(model, problem, cpu) == seconds


def test_a_pack_counts_its_launches_itself(cpu):
    problem = Problem(BatteryParameters.model_validate({"model": "pack"}))
    assert looking.seconds_beside(MODELS["pack"], problem, cpu) == 0.0
