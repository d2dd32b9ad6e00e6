"""Whole cells whose diffusivities depend on the stoichiometry, from a file as people have them, against collocation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from engines.api import Array, Problem, no_progress
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.battery.bpx import bpx_text
from engines.battery.cells.model import SingleParticle
from engines.battery.mpm.model import ManyParticleModel
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters import BatteryParameters
from engines.battery.verification import collocation

FORMULAE = {"negative": "10 ** (-15 + 2 * (1 - x) ** 2)", "positive": "10 ** (-13.8 - 1.5 * x)"}
"""D [m²/s]: two decades, and one and a half."""
TIMES = np.array([20.0, 60.0, 300.0, 900.0, 1800.0, 2400.0, 2680.0])
"""[s]; the last is at nine tenths of the discharge."""
TOLERANCE, TOLERANCE_OF_MANY = 3e-4, 5e-4
"""[V]"""
SIZES, SHARES = np.array([0.5, 1.0, 1.6]), np.array([1.0, 2.0, 1.0])
"""Of many particles: radii over that of the set, and how much of the surface they have."""


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
    many = model == "MPM"
    with TemporaryDirectory() as folder:
        given = {"parameter_set": "BPX file", "bpx_file": str(write_file(Path(folder))), "model": model}
        settings = {"protocol": ["Discharge at 5 A until 2.5 V"], "numerics": {"step": 2.0}}
        problem = Problem(
            BatteryParameters.model_validate({**given, **settings, **({"sizes": _sizes()} if many else {})})
        )
        run = (ManyParticleModel() if many else SingleParticle()).build(problem, backend, no_progress)
    found, most = [], TOLERANCE_OF_MANY if many else TOLERANCE
    for time, volts in zip(TIMES, expected(model), strict=True):
        run.advance(round(time / run.dt) - run.step)
        seen = run.observe()["voltage"]
        found.append(Answer(f"voltage at {time:g} s, {model}", seen, float(volts), most, "V"))
    run.close()
    return found


@cache
def expected(model: str) -> Array:
    """(TIMES,) [V]"""
    laws, cell = {"negative": negative, "positive": positive}, PARAMETER_SETS["Chen2020"]
    if model != "MPM":
        return collocation.voltage(cell, laws, 5.0, TIMES, electrolyte=model == "SPMe")
    radii = {name: SIZES * cell.values()[f"{name}_particle_radius"] for name in laws}
    phi = {
        name: collocation.potential_of_many(cell, name, law, radii[name], SHARES / SHARES.sum(), 5.0, TIMES)
        for name, law in laws.items()
    }
    return phi["positive"] - phi["negative"] - 5.0 * cell.values()["contact_resistance"]


def _sizes() -> dict[str, Any]:
    """Four particles, two of which are alike."""
    p = PARAMETER_SETS["Chen2020"].values()
    given = {"kind": "measured", "weighting": "area", "weights": SHARES.tolist()}
    radii = {name: (SIZES * p[f"{name}_particle_radius"] * 1e6).tolist() for name in FORMULAE}
    return {"particles": 4, **{name: {**given, "radii": each} for name, each in radii.items()}}


CASES = (
    VerificationCase(
        "varying-diffusivity", "Discharge at 1C with diffusivities that vary by two decades, SPM and SPMe",
        "Chebyshev collocation of the particles (48 points: 1e-8 V) and 40 volumes a layer of the salt (0.01 mV), by "
        "an ODE solver. 24 shells leave 0.16 mV, the salt at the start 0.25 at steps of 2 s; the mean of these "
        "diffusivities is 78 mV off.", 4.0, lambda backend: [*answers(backend, "SPM"), *answers(backend, "SPMe")],
    ),
    VerificationCase(
        "varying-sizes", "Discharge at 1C with diffusivities that vary by two decades, particles of three sizes (MPM)",
        "Chebyshev collocation of three particles an electrode (32 points: 1e-6 V), whose currents an ODE solver finds "
        "anew at each moment. 24 shells leave 0.36 mV, steps of 2 s 0.01; the mean of these diffusivities is 128 mV "
        "off.", 6.0, lambda backend: answers(backend, "MPM"),
    ),
)  # fmt: skip
