"""Ten Tusscher and Panfilov's cells: currents at voltages, rest, and the first action potential."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Problem
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import (
    CardiacParameters,
    CellType,
    Numerics,
    Recording,
    RegionSetting,
    Stimulus,
    WholeRegion,
)
from engines.cardiac.step.simulation import CardiacSimulation
from engines.geometry.meshes.box import box_mesh

PULSE, STRENGTH = 1.0, 52.0
"""The stimulus of the published action potentials [ms, pA/pF]."""
BEATS: dict[CellType, tuple[float, float]] = {
    "epi": (-85.23, 290.13),
    "endo": (-86.709, 281.85),
    "M": (-85.423, 351.31),
}
"""Rest [mV] and APD90 [ms] of the first beat from the published state."""
SLOPES = {
    -85.23: -0.00125497911845,
    -60.0: -1.68092375569,
    -30.0: -0.471253610816,
    0.0: -0.391872071599,
    20.0: -0.919362101594,
    40.0: -2.24631179906,
}
"""dV/dt [mV/ms] of an epicardial cell by voltage [mV], all other states being the published ones at rest."""
INSTANT = 1e-5
"""A step [ms] in which no gate moves."""


def _block(
    backend: Backend, cell_type: CellType, precision: str, step: float, stimuli: list[Stimulus]
) -> CardiacSimulation:
    """Six cells that are alike: nothing diffuses."""
    mesh = box_mesh((1, 1, 1), (1.0, 1.0, 1.0))
    numerics = Numerics.model_validate({"step": step, "precision": precision, "initial_state": "published"})
    parameters = CardiacParameters(
        regions=[RegionSetting(region="tissue", cell_type=cell_type)],
        stimuli=stimuli,
        numerics=numerics,
        recording=Recording(ecg="off"),
    )
    return CardiacEngine().build(Problem(parameters, mesh), backend)


def _beat(backend: Backend, cell_type: CellType) -> CardiacSimulation:
    tissue = CardiacParameters().tissue
    amplitude = 1e3 * STRENGTH * tissue.surface_to_volume * tissue.membrane_capacitance  # µA/mm³ to µA/cm³
    pulse = Stimulus(site=WholeRegion(region="tissue"), duration=PULSE, amplitude=amplitude)
    return _block(backend, cell_type, "fp32", 0.02, [pulse])


def first_beats(backend: Backend) -> Sequence[Answer]:
    answers = []
    for cell_type, (rest, duration) in BEATS.items():
        run = _beat(backend, cell_type)
        answers.append(Answer(f"rest, {cell_type}", float(run.field("voltage").mean()), rest, 0.1, "mV"))
        run.advance(round(450.0 / run.dt))
        answers.append(Answer(f"APD90, {cell_type}", float(run.field("apd").mean()), duration, 1.0, "ms"))
        run.close()
    return answers


def slopes(backend: Backend) -> Sequence[Answer]:
    answers = []
    run = _block(backend, "epi", "fp64", INSTANT, [])
    start = run.state()
    for voltage, expected in SLOPES.items():
        run.restore({**start, "voltage": np.full_like(start["voltage"], voltage)})
        run.advance(1)
        after = run.state()["voltage"]
        slope = float((after - voltage).mean()) / INSTANT
        answers.append(Answer(f"dV/dt at {voltage:g} mV", slope, expected, 1e-6 * abs(expected) + 1e-8, "mV/ms"))
    run.close()
    return answers


CASES = (
    VerificationCase(
        "ten-tusscher-beats",
        "Rest and first action potential of ten Tusscher and Panfilov's cells",
        "An independent float64 integrator of the CellML model, 0.005 ms, 52 pA/pF for 1 ms from the published state; "
        "openCARP's bench has 289.8 ms for another pulse where that integrator has 288.5. A step of 0.02 ms is 0.2 ms "
        "off; 1 ms is what is asked of a good code.",
        10.0,
        first_beats,
    ),
    VerificationCase(
        "ten-tusscher-currents",
        "Currents of ten Tusscher and Panfilov's cell at voltages from rest to 40 mV",
        "The published expressions of all currents, evaluated by themselves at the published state. The voltage takes "
        "a step of 1e-5 ms by them; measured, 1e-9 of each.",
        1.0,
        slopes,
    ),
)
