"""Cells, packs and particles: what their estimate and their files say."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from engines.battery.bpx.writing import content
from engines.battery.parameter_sets import PARAMETER_SETS
from tests.findings.cases import Case, project

PACK = {"arrangement": {"cells_x": 2, "voxels_x": 2, "voxels_y": 4, "voxels_z": 4, "gap": 1.0}}
CYCLE = {"times": [0, 1, 2, 3, 4], "currents": [1, 2, 3, 2, 1]}
NEGATIVE = "Negative electrode"


def case(*places: str, **values: Any) -> Case:
    return Case(project("battery", values), tuple(f"engines.battery.{place}" for place in places))


def bpx(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], dict[str, Any]]:
    """Chen2020's file, changed."""

    def values(folder: Path) -> dict[str, Any]:
        file = deepcopy(content(PARAMETER_SETS["Chen2020"]))
        change(file)
        (folder / "cell.json").write_text(json.dumps(file))
        return {"parameter_set": "BPX file", "bpx_file": str(folder / "cell.json")}

    return values


def _left_out(file: dict[str, Any]) -> None:
    parts = file["Parameterisation"]
    parts["Cell"] |= {"Ambience": 3, "Upper voltage cut-off [V]": 4.3}
    parts[NEGATIVE] |= {"OCP (lithiation) [V]": 1.0, "Diffusivity [m2.s-1]": "1e-14 + 2e-14 * x"}
    parts["User-defined"] = {"Colour": 3.0}
    file["State"]["Degradation"] = {"LLI": 0.1}


def _old(file: dict[str, Any]) -> None:
    file["Header"]["BPX"] = "0.1"
    del file["State"]
    file["Parameterisation"]["Electrolyte"].pop("Initial concentration [mol.m-3]", None)
    file["Parameterisation"]["Cell"]["Ambient temperature [K]"] = 298.15


IMPLICIT = {"model": "particles", "particles": {"scheme": "implicit", "step": 10.0}}
READER = "engines.battery.bpx.reading._Reader"
CASES = {
    "what of a BPX file is left out": Case(
        project("battery", bpx(_left_out)),
        tuple(
            f"{READER}.{name}" for name in ("_check_limits", "_electrode", "_say_unread#1", "_say_unread#2", "_unread")
        ),
    ),
    "a diffusivity that varies, of which the mean is taken": Case(
        project("battery", lambda folder: {**bpx(_left_out)(folder), **IMPLICIT}),
        ("engines.battery.bpx.mean_diffusivity.with_laws.cost",),
    ),
    "a BPX file for a model with electrolyte": Case(
        project("battery", bpx(lambda file: None)), ("engines.battery.setup.cell._without_electrolyte",)
    ),
    "an old BPX file": Case(project("battery", bpx(_old)), (f"{READER}._version", f"{READER}._electrolyte")),
    "a set that does not begin full": case(
        "setup.cell._start", parameter_set="Marquis2019", protocol=["Discharge at 1C until 3.2 V"]
    ),
    "a current that no cell carries": case(
        "cells.model._at_the_start", protocol=["Discharge at 50C until 2.5 V"], current_factor=2.0
    ),
    "a cell that is soon empty": case(
        "cells.model._findings#1",
        "cells.model._findings#2",
        "cells.model._findings#3",
        protocol=["Discharge at 20C (1 second period)"],
        ensemble={"distributions": [{"parameter": "negative_particle_radius"}]},
    ),
    "particles of one cell": case(
        "mpm.model._findings#1",
        "mpm.model._findings#2",
        "mpm.model._findings#3",
        model="MPM",
        thermal="lumped",
        sizes={"particles": 5},
        ensemble={"cells": 10},
    ),
    "a pack": case(
        "pack.model._findings#1",
        "pack.model._findings#2",
        "pack.model._findings#3",
        "pack.model._findings#4",
        model="pack",
        pack=PACK,
        protocol=["Discharge at 20C until 2.5 V"],
        numerics={"step": 20.0},
        ensemble={"cells": 7},
    ),
    "the lithium balance": case("parameter_sets.balance.balance_findings#1"),
    "a cut-off that is never met": case(
        "parameter_sets.balance.balance_findings#2", changes=[{"parameter": "lower_cutoff", "value": 0.1}]
    ),
    "particles whose step is lowered": case(
        "particles.model._Setup._chosen_step",
        "particles.model._Setup._look_ahead#2",
        model="particles",
        particles={"scheme": "explicit", "step": 100.0, "lower_step": True, "flux_factor": 100.0},
    ),
    "no flux": case("particles.model._Setup._look_ahead#1", model="particles", particles={"flux_factor": 0.0}),
    "a step over rows": case(
        "protocol.plan.cycle_findings", protocol=["Run drive cycle"], drive_cycle=CYCLE, numerics={"step": 5.0}
    ),
    "a drive cycle that is asked for longer than it lasts": case(
        "protocol.plan._longer_than", protocol=["Run drive cycle for 500 seconds"], drive_cycle=CYCLE
    ),
    "a drive cycle that is not run": case("protocol.plan._unused", drive_cycle=CYCLE),
    "a duration of no whole time steps": case(
        "protocol.plan.duration_findings", protocol=["Discharge at 1C for 3 s"], numerics={"step": 2.0}
    ),
    "a charge of a full cell": case("protocol.plan.start_findings#1", protocol=["Charge at 1C"]),
    "a discharge of an empty cell": case(
        "protocol.plan.start_findings#2", protocol=["Discharge at 1C"], initial_state_of_charge=0.01
    ),
    "a change in another unit": case(
        "setup.cell._far_off", changes=[{"parameter": "negative_particle_radius", "value": 5.86}]
    ),
    "surroundings that a cell does not begin with": case(
        "setup.cell._apart", thermal="lumped", changes=[{"parameter": "ambient_temperature", "value": 283.15}]
    ),
    "a temperature that is left aside": case(
        "setup.cell._held",
        changes=[
            {"parameter": "ambient_temperature", "value": 273.15},
            {"parameter": "initial_temperature", "value": 310.0},
        ],
    ),
}

FILLED = ["Discharge at 1C until 2.5 V", "Rest for 30 minutes", "Charge at 1C until 4.2 V", "Hold at 4.2 V until C/20"]
AT_THE_END = {
    "particles that a charge fills": Case(
        project(
            "battery",
            {"model": "MPM", "sizes": {"particles": 50}, "protocol": FILLED, "numerics": {"step": 10.0}},
            until=14_000.0,
        ),
        ("engines.battery.watch.overfilled.Overfilled.noticed",),
    ),
}
"""What only a run can say."""
