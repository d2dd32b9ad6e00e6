"""Discharges at 1C with single particles, without and with an electrolyte, beside PyBaMM's IDAKLU solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Problem, Selection
from workbench.bench.peers.case import Answer, OurSide, PeerCase, Place, Side, Size, peer

END, EVERY = 3000.0, 60.0
"""[s] of the discharge, and between the voltages that are wanted."""
TIMES = np.arange(EVERY, END + EVERY / 2, EVERY)


def size(model: str, cells: int, step: float = 5.0) -> Size:
    name = f"{model}, {cells:,} cell{'s alike' if cells > 1 else ''}"
    return Size(name, {"model": model, "cells": cells, "step": step}, round(END / step), cells)


def largest_millivolts(ours: Answer, theirs: Answer) -> float:
    return 1e3 * float(np.abs(ours["voltage"] - theirs["voltage"]).max())


CASE = PeerCase(
    id="discharge",
    title="Discharge at 1C for 3000 s, Chen2020",
    peer="PyBaMM",
    module="pybamm",
    install="pip install pybamm",
    versions=("pybamm", "pybammsolvers", "casadi"),
    unit="discharges/s",
    precision="fp64",
    sizes={"cpu": (size("SPM", 1), size("SPMe", 1), size("SPM", 64)), "cuda": (size("SPM", 64), size("SPM", 1_000))},
    # Theirs: 20 shells a particle and tolerances of 1e-6, as it comes. Of the SPMe two averages besides, 0.8 mV.
    tolerance=2.0,
    measured="largest difference of the voltage [mV] from 60 s on",
    differ=largest_millivolts,
)


def ours(values: Mapping[str, Any], place: Place) -> Side:
    return Ours(values, place)


class Ours(OurSide):
    """The voltages are read as the run goes, and they alone: theirs works out no other of its variables either."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        from engines.battery.engine import BatteryEngine
        from engines.battery.parameters import BatteryParameters, Ensemble, Numerics

        parameters = BatteryParameters(
            parameter_set="Chen2020", model=values["model"], protocol=["Discharge at 1C"],
            ensemble=Ensemble(cells=values["cells"]), numerics=Numerics(step=values["step"], precision="fp64"),
        )  # fmt: skip
        self._between = round(EVERY / values["step"])
        super().__init__(BatteryEngine(), Problem(parameters), place, self._between, lambda _: {"voltage": self._seen})
        self._first = self.simulation.select(Selection(np.zeros(1, np.int32)))

    def run(self) -> None:
        self._seen = np.empty(len(TIMES))
        for number in range(len(TIMES)):
            super().run()
            self._seen[number] = self.simulation.gather("voltage", self._first)[0]


class Theirs(Side):
    """One simulation, discretised once; cells as a list of inputs, which its solver shares among threads."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        pybamm = peer("pybamm")

        self.threads = place.threads if values["cells"] > 1 else 1
        model = getattr(pybamm.lithium_ion, values["model"])()
        parameters = pybamm.ParameterValues("Chen2020")
        current = parameters["Current function [A]"]
        parameters["Current function [A]"] = "[input]"
        solver = pybamm.IDAKLUSolver(rtol=1e-6, atol=1e-6, options={"num_threads": self.threads})
        self._simulation = pybamm.Simulation(model, parameter_values=parameters, solver=solver)
        self._inputs: Any = {"Current function [A]": current}
        if values["cells"] > 1:
            self._inputs = [self._inputs] * values["cells"]
        self.note = "IDAKLU"

    def run(self) -> None:
        found = self._simulation.solve([0.0, END], t_interp=np.concatenate([[0.0], TIMES]), inputs=self._inputs)
        one = found[-1] if isinstance(found, list) else found
        self._seen = one["Voltage [V]"](TIMES)

    def answer(self) -> Answer:
        return {"voltage": np.asarray(self._seen)}


def theirs(values: Mapping[str, Any], place: Place) -> Side:
    return Theirs(values, place)
