"""The same BPX file in PyBaMM, where it is installed (with its package bpx): the same voltages of the SPM."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.battery.bpx import read_bpx
from engines.battery.cells import Instruction, Kind, make_cells
from engines.battery.parameter_sets.balance import window

SAMPLES = Path(__file__).parents[4] / "sample_data" / "bpx"
TIMES = np.array([60, 300, 900, 1800, 2400, 3000, 3400])


@pytest.mark.parametrize("name", ["lg_m50_chen2020", "kokam_marquis2019"])
@pytest.mark.parametrize("thermal", ["isothermal", "lumped"])
@pytest.mark.filterwarnings("ignore")
def test_the_spm_at_1c(name, thermal, tmp_path):
    """1 mV is asked for; 0.1 mV is PyBaMM's mesh of 100 shells."""
    pybamm, _ = pytest.importorskip("pybamm"), pytest.importorskip("bpx")
    path = SAMPLES / f"{name}.json"
    content = json.loads(path.read_text())
    if content["Parameterisation"]["Separator"]["Porosity"] == 1.0:  # of which PyBaMM divides by the logarithm
        content["Parameterisation"]["Separator"] |= {"Porosity": 0.999, "Transport efficiency": 0.999}
    (tmp_path / "theirs.json").write_text(json.dumps(content))
    values = pybamm.ParameterValues.create_from_bpx(tmp_path / "theirs.json")
    points = {"x_n": 20, "x_s": 20, "x_p": 20, "r_n": 100, "r_p": 100}
    model = pybamm.lithium_ion.SPM({"thermal": thermal})
    solved = pybamm.Simulation(model, parameter_values=values, var_pts=points, C_rate=1).solve(np.arange(0, 3451, 10.0))
    backend, parameters = CpuBackend(), read_bpx(path)
    current = parameters.scalars["nominal_capacity"].value
    cells = make_cells(
        backend, parameters, [Instruction(Kind.CURRENT, current)], 1.0, thermal=thermal == "lumped", precision="float64"
    )
    trace = cells.new_trace(3400)
    with backend.active():
        cells.advance(0, 3400, trace)
    assert trace[TIMES - 1, 0] == pytest.approx(solved["Voltage [V]"](TIMES), abs=1.5e-4)
    found = window(parameters)
    theirs = pybamm.lithium_ion.get_min_max_stoichiometries(values)
    assert (*found.empty, *found.full) == pytest.approx([theirs[k] for k in (0, 3, 1, 2)], abs=1e-6)
