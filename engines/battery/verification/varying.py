"""Whole cells whose diffusivities depend on the stoichiometry, from a file as people have them, against collocation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from engines.api import Array, Problem, no_progress
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.battery.bpx import bpx_text
from engines.battery.cells.model import SingleParticle
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters import BatteryParameters
from engines.battery.verification import collocation

FORMULAE = {"negative": "10 ** (-15 + 2 * (1 - x) ** 2)", "positive": "10 ** (-13.8 - 1.5 * x)"}
"""D [m²/s]: two decades, and one and a half."""
TIMES = np.array([20.0, 60.0, 300.0, 900.0, 1800.0, 2400.0, 2680.0])
"""[s]; the last is at nine tenths of the discharge."""
TOLERANCE = 3e-4
"""[V]"""


def negative(x: Array) -> Array:
    return np.asarray(10 ** (-15 + 2 * (1 - x) ** 2))


def positive(x: Array) -> Array:
    return np.asarray(10 ** (-13.8 - 1.5 * x))


def write_file(folder: Path) -> Path:
    """Chen2020 with these diffusivities as a BPX file; its limits of stoichiometry, between which formulae hold, go
    from where the set starts to what an electrode holds."""
    cell = PARAMETER_SETS["Chen2020"]
    content, p = json.loads(bpx_text(cell)), cell.values()
    for name, formula in FORMULAE.items():
        start = p[f"{name}_initial_concentration"] / p[f"{name}_maximum_concentration"]
        low, high = (0.0, start) if name == "negative" else (start, 1.0)
        content["Parameterisation"][f"{name.capitalize()} electrode"] |= {
            "Diffusivity [m2.s-1]": formula, "Minimum stoichiometry": low, "Maximum stoichiometry": high,
        }  # fmt: skip
    content["State"]["Initial conditions"]["Initial state-of-charge"] = 1.0
    path = folder / "varying.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def answers(backend: Backend, model: str) -> Sequence[Answer]:
    """Voltages of a discharge at 1C, of which the cell has 5 A."""
    with TemporaryDirectory() as folder:
        given = {"parameter_set": "BPX file", "bpx_file": str(write_file(Path(folder))), "model": model}
        settings = {"protocol": ["Discharge at 5 A until 2.5 V"], "numerics": {"step": 2.0}}
        problem = Problem(BatteryParameters.model_validate({**given, **settings}))
        run = SingleParticle().build(problem, backend, no_progress)
    laws, cell = {"negative": negative, "positive": positive}, PARAMETER_SETS["Chen2020"]
    expected = collocation.voltage(cell, laws, 5.0, TIMES, electrolyte=model == "SPMe")
    found = []
    for time, volts in zip(TIMES, expected, strict=True):
        run.advance(round(time / run.dt) - run.step)
        seen = run.observe()["voltage"]
        found.append(Answer(f"voltage at {time:g} s, {model}", seen, float(volts), TOLERANCE, "V"))
    run.close()
    return found


def both(backend: Backend) -> Sequence[Answer]:
    return [*answers(backend, "SPM"), *answers(backend, "SPMe")]


CASES = (
    VerificationCase(
        "varying-diffusivity", "Discharge at 1C with diffusivities that vary by two decades, SPM and SPMe",
        "Chebyshev collocation of the particles (48 points: 1e-8 V) and 40 volumes a layer of the salt (0.01 mV), by "
        "an ODE solver. 24 shells leave 0.16 mV, the salt at the start 0.25 at steps of 2 s; the mean of these "
        "diffusivities is 78 mV off.", 4.0, both,
    ),
)  # fmt: skip
