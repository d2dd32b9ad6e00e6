"""What few elements cost beside themselves: held against a run, and measured once."""

from __future__ import annotations

import time

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


@pytest.fixture
def cpu():
    return CpuBackend()


def problem_of(name: str) -> Problem:
    return Problem(BatteryParameters.model_validate(FEW[name]))


@pytest.mark.keeps_time
@pytest.mark.parametrize("name", FEW)
def test_few_elements_take_as_long_as_estimated(cpu, name):
    """Their steps alone are a small part of it."""
    engine, problem = BatteryEngine(), problem_of(name)
    pace = engine.estimate(problem, cpu).seconds_per_simulated_unit
    assert pace is not None
    simulation = engine.build(problem, cpu)
    best = float("inf")
    for _ in range(100):  # the best of some: others may be at work
        began, first = time.perf_counter(), simulation.time
        for _ in range(3):
            simulation.advance(simulation.sample_steps)
            simulation.observe()
        best = min(best, (time.perf_counter() - began) / (simulation.time - first))
    simulation.close()
    assert 0.4 < best / pace < 2.5


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
