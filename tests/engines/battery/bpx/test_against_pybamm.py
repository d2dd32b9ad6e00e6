"""The same BPX file in PyBaMM (with its package bpx) and here: voltages of the SPM and the balance."""

import json
from pathlib import Path

import numpy as np
import pytest

from engines.battery.bpx import read_bpx
from engines.battery.parameter_sets.balance import window
from tests.engines.battery.against_pybamm import compare, ours, pybamm, theirs

pytestmark = [pytest.mark.pybamm, pytest.mark.filterwarnings("ignore")]
SAMPLES = Path(__file__).parents[4] / "sample_data" / "bpx"
TIMES = np.array([60, 300, 900, 1800, 2400, 3000, 3400])


@pytest.mark.parametrize("name", ["lg_m50_chen2020", "kokam_marquis2019"])
@pytest.mark.parametrize("thermal", ["isothermal", "lumped"])
def test_the_spm_at_1c(name, thermal, tmp_path):
    """0.05 mV: with heat the temperature is of first order in our time step."""
    pytest.importorskip("bpx", reason="needs the package bpx: pip install bpx")
    path = SAMPLES / f"{name}.json"
    content = json.loads(path.read_text())
    if content["Parameterisation"]["Separator"]["Porosity"] == 1.0:  # of which PyBaMM divides by the logarithm
        content["Parameterisation"]["Separator"] |= {"Porosity": 0.999, "Transport efficiency": 0.999}
    (tmp_path / "theirs.json").write_text(json.dumps(content))
    values = pybamm.ParameterValues.create_from_bpx(tmp_path / "theirs.json")
    solved = theirs(pybamm.lithium_ion.SPM({"thermal": thermal}), values, TIMES)
    cell = {"parameter_set": "BPX file", "bpx_file": str(path), "protocol": ["Discharge at 1C"]}
    found = ours(TIMES, **cell, thermal=thermal)
    compare(f"SPM, {path.name}, {thermal}", TIMES, found["voltage"], solved["Voltage [V]"](TIMES), 0.05)
    own = window(read_bpx(path))
    expected = pybamm.lithium_ion.get_min_max_stoichiometries(values)
    assert (*own.empty, *own.full) == pytest.approx([expected[k] for k in (0, 3, 1, 2)], abs=1e-6)
