"""Functions of a cell that are typed: rest at linear potentials, the set's own bit for bit, a file's law, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.bpx import read_bpx, write_bpx
from engines.battery.engine import BatteryEngine
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.balance import capacity
from engines.battery.parameters import BatteryParameters
from engines.battery.setup.cell import parameter_set_of
from engines.battery.setup.functions import with_functions
from engines.battery.tools.formulas import TypeFunctions
from tests.cuda_on_host import COMPILER, HostCudaBackend

ENGINE = BatteryEngine()
BOTH = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(COMPILER is None, reason="no C++ compiler"))]
SAMPLE = Path(__file__).parents[4] / "sample_data" / "bpx" / "lg_m50_chen2020.json"


def typed(name: str, *lines: str):
    return {"function": name, "lines": list(lines)}


def battery(*functions, **values) -> BatteryParameters:
    return BatteryParameters.model_validate({"functions": list(functions), **values})


def ran(parameters: BatteryParameters, steps: int, backend=None):
    run = ENGINE.build(Problem(parameters), backend or CpuBackend())
    run.advance(steps)
    return run.observe()["voltage"], run.state()


@pytest.mark.parametrize("device", BOTH)
def test_after_a_rest_the_voltage_is_that_of_linear_potentials(device):
    """V = U_p(x_p) − U_n(x_n) with x after a charge of I t over each electrode's capacity; fp64, 10 diffusion times."""
    cell = PARAMETER_SETS["Chen2020"]
    steps = ["Discharge at 2.5 A for 20 minutes", "Rest for 20 hours"]
    lines = typed("negative_ocp", "slope = 0.4", "f = 0.5 - slope*x"), typed("positive_ocp", "f = 4.4 - x/2")
    given = battery(*lines, protocol=steps, numerics={"step": 120.0, "precision": "fp64"})
    voltage, _ = ran(given, 610, CpuBackend() if device == "cpu" else HostCudaBackend())
    p, moved = cell.values(), 2.5 / 3
    x_n, x_p = (
        p[f"{e}_initial_concentration"] / p[f"{e}_maximum_concentration"] + sign * moved / capacity(cell, e)
        for e, sign in (("negative", -1), ("positive", 1))
    )
    assert voltage == pytest.approx(4.4 - x_p / 2 - (0.5 - 0.4 * x_n), abs=2e-6)


@pytest.mark.parametrize("name", PARAMETER_SETS)
def test_the_sets_own_functions_have_its_bits(name):
    plain = battery(parameter_set=name, protocol=["Discharge at 1C for 10 minutes"])
    made = TypeFunctions().run(Problem(plain), None, CpuBackend())
    assert len(made.parameters.functions) >= 3
    for each, right in zip(ran(made.parameters, 60)[1].items(), ran(plain, 60)[1].items(), strict=True):
        np.testing.assert_array_equal(each[1], right[1], err_msg=each[0])
    with pytest.raises(ProblemError, match="no function with a formula that is not under Functions"):
        TypeFunctions().run(Problem(made.parameters), None, CpuBackend())


def test_a_diffusivity_is_a_number_a_law_or_a_files(tmp_path):
    one, number = (
        battery(*functions, protocol=["Discharge at 1C for 10 minutes"], changes=changes)
        for functions, changes in (
            ([typed("negative_diffusivity", "f = 2.5e-14")], []),
            ([], [{"parameter": "negative_diffusivity", "value": 2.5e-14}]),
        )
    )
    assert ran(one, 60)[0] == ran(number, 60)[0]
    content = json.loads(SAMPLE.read_text())
    content["Parameterisation"]["Negative electrode"]["Diffusivity [m2.s-1]"] = "5e-14 * (1 - 0.8 * x) ** 2"
    path = tmp_path / "law.json"
    path.write_text(json.dumps(content))
    cell = parameter_set_of(battery(typed("negative_diffusivity", "rest = 1 - 0.8*x", "f = 5e-14*rest**2"),
                                    parameter_set="BPX file", bpx_file=str(SAMPLE)))  # fmt: skip
    right, x = read_bpx(path), np.linspace(0.05, 0.9, 50)
    laws = [each.values()["negative_diffusivity"] * each.laws["negative"](x) for each in (cell, right)]
    np.testing.assert_allclose(laws[0], laws[1], rtol=1e-12)
    assert cell.values()["negative_diffusivity"] == pytest.approx(right.values()["negative_diffusivity"], rel=0.01)
    assert "goes from" in cell.mean_findings["negative"]().message
    write_bpx(cell, tmp_path / "again.json")
    again = json.loads((tmp_path / "again.json").read_text())
    assert isinstance(again["Parameterisation"]["Negative electrode"]["Diffusivity [m2.s-1]"], str)
    reread = read_bpx(tmp_path / "again.json").laws["negative"](x)
    np.testing.assert_allclose(reread, cell.laws["negative"](x), rtol=1e-9)


def test_the_tool_says_what_a_file_has_as_tables(tmp_path):
    content = json.loads(SAMPLE.read_text())
    content["Parameterisation"]["Positive electrode"]["OCP [V]"] = {"x": [0.2, 0.6, 1.0], "y": [4.3, 3.8, 3.0]}
    content["Parameterisation"]["Negative electrode"]["Diffusivity [m2.s-1]"] = "3e-14 * exp(-x)"
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(content))
    result = TypeFunctions().run(Problem(battery(parameter_set="BPX file", bpx_file=str(path))), None, CpuBackend())
    assert "Of tables, and left as they are: positive potential" in result.message
    names = [each.function for each in result.parameters.functions]
    assert "negative_ocp" in names
    assert "positive_ocp" not in names


@pytest.mark.parametrize(("functions", "values", "sentence", "place"), [
    ([typed("negative_ocp", "f = log(x)")], {}, r"Negative potential \[V\] is -inf at x = 0: it must be a finite",
     ("functions", 0, "lines")),
    ([typed("positive_diffusivity", "f = 1e-14*(0.5 - x)")], {}, "it must be positive from", ("functions", 0, "lines")),
    ([typed("electrolyte_conductivity", "f = 1 - x/1000")], {"model": "SPMe"}, "must be positive from 500 to 1500",
     ("functions", 0, "lines")),
    ([typed("negative_ocp", "f = 1 - c")], {}, "Line 1 uses 'c', which is not known", ("functions", 0, "lines", 0)),
    ([typed("negative_ocp", "f = 1")] * 2, {}, "is typed twice", ("functions", 1, "function")),
    ([typed("negative_diffusivity", "f = 1e-14")], {"changes": [{"parameter": "negative_diffusivity", "value": 1e-14}]},
     "is a number under Changes, and a function", ("functions", 0, "function")),
])  # fmt: skip
def test_what_is_no_function_of_a_cell_is_told(functions, values, sentence, place):
    with pytest.raises(ProblemError, match=sentence) as refused:
        parameter_set_of(battery(*functions, **values))
    assert refused.value.place == place


def test_a_cell_without_an_electrolyte_takes_no_function_of_it():
    cell = PARAMETER_SETS["Chen2020"].changed({"transference_number": float("nan")}, "a file for the SPM")
    with pytest.raises(ProblemError, match="has no electrolyte to give 'Electrolyte diffusivity") as refused:
        with_functions(cell, battery(typed("electrolyte_diffusivity", "f = 1e-10")).functions)
    assert refused.value.place == ("functions", 0, "function")
