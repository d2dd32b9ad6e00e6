"""The parameter set that a problem asks for."""

import json
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.bpx import read_bpx, write_bpx
from engines.battery.engine import BatteryEngine
from engines.battery.parameter_sets import PARAMETER_SETS, SCALARS
from engines.battery.parameter_sets.changes import LABELS, Change
from engines.battery.parameter_sets.ranges import RANGES
from engines.battery.parameters import BatteryParameters
from engines.battery.setup.cell import held_temperature, parameter_set_findings, parameter_set_of
from engines.battery.verification import series
from workbench.project.parameter_files import with_values

SAMPLE = Path(__file__).parents[4] / "sample_data" / "bpx" / "lg_m50_chen2020.json"
BPX = {"parameter_set": "BPX file", "bpx_file": str(SAMPLE)}
HEAT = [
    {"parameter": "heat_capacity", "value": 80.0},
    {"parameter": "cooling_area", "value": 0.006},
    {"parameter": "heat_transfer_coefficient", "value": 10.0},
]


def chosen(**values):
    return parameter_set_of(BatteryParameters.model_validate(values))


def test_as_published():
    for name, parameters in PARAMETER_SETS.items():
        assert chosen(parameter_set=name) is parameters


def test_from_a_file():
    assert chosen(**BPX) is read_bpx(SAMPLE)
    with pytest.raises(ProblemError, match="No BPX file is chosen"):
        chosen(parameter_set="BPX file")
    with pytest.raises(ProblemError, match="is missing: put it back"):
        chosen(parameter_set="BPX file", bpx_file="/nowhere/cell.json")


def test_a_file_runs_as_the_set_it_was_written_from():
    """2e-6 V: float32 of 4 V, and the last digit of some coefficients."""
    backend, seen = CpuBackend(), []
    for values in (BPX, {"parameter_set": "Chen2020"}):
        problem = Problem(BatteryParameters.model_validate({**values, "model": "SPMe", "numerics": {"step": 10}}))
        run = BatteryEngine().build(problem, backend)
        run.advance(90)
        seen.append(run.observe()["voltage"])
    assert seen[0] == pytest.approx(seen[1], abs=2e-6)


def test_single_numbers_are_changed():
    got = chosen(
        changes=[{"parameter": "positive_diffusivity", "value": 1e-14}, {"parameter": "upper_cutoff", "value": 4.1}]
    )
    assert got.values() == {**PARAMETER_SETS["Chen2020"].values(), "positive_diffusivity": 1e-14, "upper_cutoff": 4.1}
    assert got.scalars["upper_cutoff"].source == "changed by hand"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([("negative_porosity", 1.2)], r"change of 'Negative porosity' is 1.2 and must be above 0 and at most 1"),
        ([("negative_thickness", -1e-6)], r"'Negative thickness \[m\]' is -1e-06 and must be above 0"),
        ([("initial_temperature", 25.0)], r"'Initial temperature \[K\]' is 25 and must be above 150"),
        ([("upper_cutoff", 4.1), ("upper_cutoff", 4.0)], r"'Upper cutoff \[V\]' is changed twice"),
        ([("upper_cutoff", 2.0)], "lower cut-off of 2.5 V must be below the upper one of 2 V"),
        ([("negative_initial_concentration", 40000.0)], "stoichiometry of 1.20726, outside of 0 to 1"),
    ],
)
def test_changes_that_make_no_sense(changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        chosen(changes=[{"parameter": name, "value": value} for name, value in changes])


def test_a_number_that_no_set_has():
    with pytest.raises(ValidationError, match="negative_thickness"):
        chosen(changes=[{"parameter": "colour", "value": 1}])


def test_heat_is_refused_until_its_numbers_are_given():
    with pytest.raises(ProblemError, match=r"Prada.* does not give: heat capacity, cooling area, heat transfer"):
        chosen(parameter_set="Prada2013", thermal="lumped")
    assert chosen(parameter_set="Prada2013", thermal="lumped", model="MPM")  # which has one temperature
    assert chosen(parameter_set="Prada2013", thermal="lumped", changes=HEAT).values()["heat_capacity"] == 80.0
    run = BatteryEngine().build(
        Problem(BatteryParameters.model_validate({"parameter_set": "Prada2013", "thermal": "lumped", "changes": HEAT})),
        CpuBackend(),
    )
    run.advance(60)
    assert 25.0 < run.observe()["temperature"] < 40.0


def test_an_electrolyte_is_refused_where_a_file_has_none(tmp_path):
    lacking = {name: float("nan") for name in ("transference_number", "negative_porosity")}
    write_bpx(PARAMETER_SETS["Chen2020"].changed(lacking, "nobody"), tmp_path / "cell.json")
    values = {"parameter_set": "BPX file", "bpx_file": str(tmp_path / "cell.json")}
    assert chosen(**values, model="SPM")
    with pytest.raises(ProblemError, match=r"does not give: transference number, .* A model with an electrolyte needs"):
        chosen(**values, model="SPMe")


def test_the_state_of_charge_at_the_start(tmp_path):
    full, empty = (chosen(**BPX, initial_state_of_charge=soc).values() for soc in (1, 0))
    assert full["negative_initial_concentration"] / 33133 == pytest.approx(0.9106180, abs=1e-6)
    assert empty["positive_initial_concentration"] / 63104 == pytest.approx(0.8539747, abs=1e-6)
    for wrong in (-0.1, 1.1):
        with pytest.raises(ValidationError):
            chosen(initial_state_of_charge=wrong)


def test_findings_of_the_set():
    parameters = BatteryParameters.model_validate({"changes": [{"parameter": "initial_temperature", "value": 310}]})
    said = [finding.message for finding in parameter_set_findings(parameters, parameter_set_of(parameters))]
    assert "N/P 1.13" in said[0]
    assert said[-1] == ("The cell is held at 310 K; that it is surrounded by 298.15 K matters with lumped heat alone.")


@pytest.mark.parametrize("model", ["SPM", "SPMe", "MPM"])
def test_a_temperature_that_is_left_aside_is_said(model):
    """With the heat that mends it, where the model has heat; a cell that has it is not told."""
    temperatures = {"ambient_temperature": 263.15, "initial_temperature": 310}
    changes = [{"parameter": name, "value": value} for name, value in temperatures.items()]
    values = {"model": model, "changes": changes}
    parameters = BatteryParameters.model_validate(values)
    told = parameter_set_findings(parameters, parameter_set_of(parameters))[-1]
    assert "held at 263.15 K; that it starts at 310 K" in told.message
    assert told.severity == "warning"
    assert told.place == (("model",) if model == "MPM" else ("thermal",))
    assert (told.remedy is None) == (model == "MPM")
    if told.remedy is not None:
        warm = BatteryParameters.model_validate(with_values(values, told.remedy.changes))
        assert all("lumped heat" not in each.message for each in parameter_set_findings(warm, parameter_set_of(warm)))


def test_no_cell_takes_the_mean_of_a_diffusivity(tmp_path):
    """Nor do those that age. What bare particles say of their schemes: ``particles/test_simulation.py``."""
    file = json.loads(SAMPLE.read_text())
    file["Parameterisation"]["Negative electrode"]["Diffusivity [m2.s-1]"] = "1e-14 + 2e-14 * x"
    path = tmp_path / "varies.json"
    path.write_text(json.dumps(file))
    settings = {"parameter_set": "BPX file", "bpx_file": str(path)}
    for more in ({"model": each} for each in ("SPM", "SPMe", "MPM", "pack")):
        solved = BatteryParameters.model_validate({**settings, **more, "ageing": {"sei": "reaction limited"}})
        chosen = parameter_set_of(solved)
        assert chosen.laws
        assert not any("diffusivity" in each.message for each in parameter_set_findings(solved, chosen))


def test_every_number_has_a_range_and_a_label():
    assert set(RANGES) == set(LABELS) == set(SCALARS)
    for parameters in PARAMETER_SETS.values():
        for name, value in parameters.values().items():
            if value == value:  # given
                RANGES[name].check(value, name)
    assert LABELS["negative_particle_radius"] == "Negative particle radius [m]"
    assert LABELS["transference_number"] == "Transference number"


@pytest.mark.parametrize(
    ("ambient", "start", "held"),
    [(263.15, 263.15, 263.15), (263.15, 298.15, 263.15), (298.15, 310, 310), (280, 310, 280)],
)
def test_which_temperature_a_cell_is_held_at(ambient, start, held):
    assert held_temperature({"ambient_temperature": ambient, "initial_temperature": start}) == held


@pytest.mark.parametrize("model", ["SPM", "MPM", "particles"])
def test_each_model_is_held_at_the_temperature_that_is_set(model, backend):
    """SPM and MPM of one size against the series with Arrhenius' law and dU/dT; D of bare particles alike. They were at
    25 °C whatever was set: 90 mV of Chen2020 at −10 °C."""
    cold = [{"parameter": "ambient_temperature", "value": 263.15}]
    one_size = {"kind": "lognormal", "spread": 0.0}
    given = {"model": model, "changes": cold, "sizes": {"particles": 3, "negative": one_size, "positive": one_size}}
    if model == "particles":
        given |= {"parameter_set": "Marquis2019", "particles": {"scheme": "eigenmodes", "step": 5.0}}
        run = BatteryEngine().build(Problem(BatteryParameters.model_validate(given)), backend)
        p = PARAMETER_SETS["Marquis2019"].values()
        colder = (1 / 298.15 - 1 / 263.15) / 8.314462618
        D = p["negative_diffusivity"] * np.exp(p["negative_diffusivity_activation"] * colder)
        assert run.spheres.law.value == pytest.approx(D)
        return
    run = BatteryEngine().build(Problem(BatteryParameters.model_validate(given)), backend)
    run.advance(60)
    steady = np.array([0.0, 600.0]), np.array([5.0, 5.0])
    expected = series.voltage(PARAMETER_SETS["Chen2020"], *steady, 300.0, 263.15)
    assert run.observe()["voltage"] == pytest.approx(expected, abs=1e-5)
    assert expected < series.voltage(PARAMETER_SETS["Chen2020"], *steady, 300.0) - 0.05


@pytest.mark.parametrize(
    ("meant", "model", "told"),
    [("DFN", "SPM", True), ("SPMe", "SPM", True), ("DFN", "SPMe", False), ("SPM", "SPM", False)],
)
def test_a_file_that_is_for_a_model_with_electrolyte_says_so_where_it_is_left_out(tmp_path, meant, model, told):
    written = json.loads(SAMPLE.read_text())
    written["Header"]["Model"] = meant
    file = tmp_path / "cell.json"
    file.write_text(json.dumps(written))
    parameters = BatteryParameters(parameter_set="BPX file", bpx_file=str(file), model=model)
    found = [
        each for each in parameter_set_findings(parameters, parameter_set_of(parameters)) if each.place == ("model",)
    ]
    assert [each.remedy.changes for each in found] == [{("model",): "SPMe"}] * told
    assert all(f"for {meant}" in each.message for each in found)


@pytest.mark.parametrize(
    ("name", "said", "told"), [("Marquis2019", None, "80.5 %"), ("Marquis2019", 0.7, ""), ("Chen2020", None, "")]
)
def test_a_set_that_does_not_begin_full_says_where_it_begins(name, said, told):
    """Marquis 2019: stoichiometry 0.8 between 0.1832 and 0.9493."""
    parameters = BatteryParameters(parameter_set=name, initial_state_of_charge=said)
    found = parameter_set_findings(parameters, parameter_set_of(parameters))
    begins = [each.message for each in found if each.place == ("initial_state_of_charge",)]
    assert len(begins) == bool(told)
    assert all(told in sentence for sentence in begins)


@pytest.mark.parametrize("changed", ["ambient", "initial"])
def test_temperatures_of_which_one_was_changed_are_told(changed):
    """A cell in surroundings of 10 °C began at 25 °C without a word."""
    one, both = (
        BatteryParameters(
            thermal="lumped", changes=[{"parameter": f"{name}_temperature", "value": 283.15} for name in names]
        )
        for names in ([changed], ["ambient", "initial"])
    )
    (told,) = [each for each in parameter_set_findings(one, parameter_set_of(one)) if "Cells begin at" in each.message]
    assert told.place == ("changes", 0, "value")
    assert ("begin at 298.15 K and are surrounded by 283.15 K" in told.message) == (changed == "ambient")
    (other,) = {"ambient", "initial"} - {changed}
    (mended,) = told.remedy.changes.values()
    assert mended[1] == {"parameter": f"{other}_temperature", "value": 283.15}
    assert not [each for each in parameter_set_findings(both, parameter_set_of(both)) if "Cells begin" in each.message]


def far_off(parameters):
    return [
        each for each in parameter_set_findings(parameters, parameter_set_of(parameters)) if "its unit" in each.message
    ]


def test_a_change_in_another_unit_is_told_with_the_way_back():
    """Micrometres for metres; and 298.15 that was left from a temperature: it made a radius of 298 m without a word."""
    for value in (5.86, 298.15):
        changes = [{"parameter": "negative_particle_radius", "value": value}]
        (told,) = far_off(BatteryParameters(changes=changes))
        assert f"Negative particle radius [m] is changed to {value:g}, from 5.86e-06" in told.message
        assert told.remedy.changes == {("changes", 0, "value"): 5.86e-6}
    assert not far_off(BatteryParameters(changes=[{"parameter": "negative_particle_radius", "value": 1e-6}]))
    of_own_heat = BatteryParameters(parameter_set="Prada2013", changes=[{"parameter": "heat_capacity", "value": 1e3}])
    assert not far_off(of_own_heat), "the set does not give it"


@pytest.mark.parametrize("name", sorted(PARAMETER_SETS))
def test_a_new_change_changes_nothing(name):
    """It made another radius of a set's own, at the click that adds it."""
    parameters = BatteryParameters(parameter_set=name, changes=[Change()])
    assert parameter_set_of(parameters).values() == pytest.approx(PARAMETER_SETS[name].values(), nan_ok=True)
