"""Single neurons that a constant current lets fire."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Problem
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.spiking.engine import SpikingEngine
from engines.spiking.neurons.accuracy import SPAN
from engines.spiking.parameters import SpikingParameters

STEP = 0.1
EXACT = (
    ("hodgkin-huxley", 600.0, -60.0, 19, 10.669759),
    ("hodgkin-huxley", 200.0, -60.0, 10, 21.758763),
    ("adaptive exponential", 900.0, -70.6, 7, 29.159395),
)
"""Model, current [pA], first voltage [mV], spikes and the mean of the intervals between them [ms], from rest."""


def intervals(backend: Backend) -> Sequence[Answer]:
    answers = []
    for kind, current, rest, spikes, exact in EXACT:
        population = {"name": "one", "number": 1, "neuron": {"kind": kind}, "external": {"current": current},
                      "start": {"kind": "uniform", "lowest": rest, "highest": rest}}  # fmt: skip
        values = {"populations": [population], "connections": [], "numerics": {"step": STEP}}
        simulation = SpikingEngine().build(Problem(SpikingParameters.model_validate(values)), backend)
        times: list[float] = []
        while simulation.time < SPAN + 20 and len(times) < spikes:
            before = int(simulation.state()["spikes"][0])
            simulation.advance(10)
            state = simulation.state()
            if int(state["spikes"][0]) > before:  # at most one in 1 ms
                times.append(float(state["last"][0]) * STEP)
        mean = float(np.diff(times).mean()) if len(times) == spikes else float("nan")
        answers.append(Answer(f"mean interval, {kind}, {current:g} pA", mean, exact, 2e-3 * exact, "ms"))
    return answers


SINGLE = VerificationCase(
    "intervals",
    "Intervals of Hodgkin-Huxley and adaptive exponential neurons",
    "Their equations by LSODA of SciPy, tolerances 1e-10; at the default step of 0.1 ms within 0.2 %. The "
    "estimate says how far intervals are off with the chosen one.",
    5,
    intervals,
)
