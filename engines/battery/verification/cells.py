"""Whole cells: the published table, a cell in the cold, a current from rows, salt that runs out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Problem, Simulation, no_progress
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.battery.cells.model import SingleParticle
from engines.battery.cells.simulation import CellSimulation
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters import BatteryParameters
from engines.battery.verification import series

MILLIVOLT = 1e-3
TABLE = {
    10: 4.022704, 60: 3.990533, 300: 3.950433, 900: 3.805905, 1800: 3.568219, 2400: 3.458966, 3000: 3.292921,
    3500: 2.758989,
}  # fmt: skip
"""Chen2020 at 1C [V], computed from the series independently of this code."""
END = 3567.695
COLD = 263.15
ROWS = np.arange(121.0)
CURRENTS = 5.0 + 7.5 * np.sin(2 * np.pi * ROWS / 17)
EXHAUSTION = 49.94
"""[s] at which PyBaMM 26.10's SPMe of Chen2020 (80, 40 and 80 volumes, IDAKLU at 1e-8) has a thousandth of its salt
left at the positive collector, at 3C."""


def _built(backend: Backend, **given: Any) -> CellSimulation:
    return SingleParticle().build(Problem(BatteryParameters.model_validate(given)), backend, no_progress)


def _seen(run: Simulation, time: float, name: str = "voltage") -> float:
    run.advance(round(time / run.dt) - run.step)
    return run.observe()[name]


def discharge(backend: Backend) -> Sequence[Answer]:
    run = _built(backend, protocol=["Discharge at 1C until 2.5 V"], numerics={"step": 10.0})
    peers = {60: "PyBaMM 26.10, 400 shells: within 0.003 mV"}
    answers = [
        Answer(f"voltage at {time} s", _seen(run, time), volts, 5e-2 * MILLIVOLT, "V", peers.get(time, ""))
        for time, volts in TABLE.items()
    ]
    while not run.finished:
        run.advance(10)
        run.observe()
    return [*answers, Answer("end of discharge", run.ended, END, 0.01, "s")]


def cold(backend: Backend) -> Sequence[Answer]:
    run = _built(backend, changes=[{"parameter": "ambient_temperature", "value": COLD}], numerics={"step": 5.0})
    steady = np.array([0.0, 3600.0]), np.array([5.0, 5.0])
    return [
        Answer(
            f"voltage at {time} s", _seen(run, time),
            series.voltage(PARAMETER_SETS["Chen2020"], *steady, time, COLD), 0.02 * MILLIVOLT, "V",
        )
        for time in (60, 300, 900, 1800)
    ]  # fmt: skip


def rows(backend: Backend) -> Sequence[Answer]:
    cycle = {"times": ROWS.tolist(), "currents": CURRENTS.tolist()}
    run = _built(backend, protocol=["Run drive cycle"], drive_cycle=cycle, initial_state_of_charge=0.9)
    cell = run.cell
    return [
        Answer(f"voltage at {time} s", _seen(run, time), series.voltage(cell, ROWS, CURRENTS, time), 3 * MILLIVOLT, "V")
        for time in (4, 13, 38, 77, 119)
    ]


def exhaustion(backend: Backend) -> Sequence[Answer]:
    run = _built(backend, model="SPMe", protocol=["Discharge at 3C"], numerics={"step": 0.5})
    while not run.finished:
        run.advance(20)
        run.observe()
    seen = run.observe()
    flown = seen["capacity"] * 3600 / 15
    return [
        Answer("time at which the salt is gone", run.ended, EXHAUSTION, 0.2, "s", f"PyBaMM 26.10: {EXHAUSTION} s"),
        Answer("charge over current", flown, run.ended, 1e-3, "s"),
    ]


CASES = (
    VerificationCase(
        "spm-chen2020-1c", "Discharge of Chen2020 at 1C, SPM",
        "The series of a sphere under a steady flux and Butler-Volmer, computed elsewhere. 16 modes are 0.013 mV off "
        "at 10 s; float32 keeps 0.005 mV.", 1.0, discharge,
    ),
    VerificationCase(
        "spm-cold", "Discharge of Chen2020 at −10 °C, SPM, isothermal",
        "The same series with Arrhenius' law for D and j0 and dU/dT in the potentials; float32 keeps 0.005 mV.",
        1.0, cold,
    ),
    VerificationCase(
        "file-current", "A current from rows of 1 s, SPM",
        "Ramps superpose in the series of a sphere: exact for straight lines between rows. In the positive particles "
        "the 17th mode takes 2 s to settle; what follows only 16 settles at once: 2.4 mV where ±7.5 A come and go in "
        "17 s.", 1.0, rows,
    ),
    VerificationCase(
        "spme-exhaustion", "The electrolyte of Chen2020 runs out of salt at 3C, SPMe",
        "PyBaMM's SPMe on fine volumes. The salt is of first order in time (0.1 s at steps of 0.5 s), 8 volumes a "
        "layer are within 0.05 s.", 1.0, exhaustion,
    ),
)  # fmt: skip
