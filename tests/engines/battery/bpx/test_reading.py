"""BPX files as parameter sets: what the entries become, and a sentence for each that is wrong."""

import json
import re
from contextlib import suppress
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import ProblemError, WorkbenchError
from engines.battery.bpx import is_bpx, read_bpx, write_bpx
from engines.battery.bpx.reading import parameter_set
from engines.battery.bpx.writing import content
from engines.battery.cells.coefficients import tables
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.balance import balance_findings
from engines.battery.parameter_sets.constants import FARADAY, GAS
from engines.battery.setup.cell import ELECTROLYTE, HEAT

CHEN = PARAMETER_SETS["Chen2020"]
FUNCTIONS = (
    "negative_ocp", "positive_ocp", "negative_entropic", "positive_entropic",
    "electrolyte_diffusivity", "electrolyte_conductivity",
)  # fmt: skip
NEGATIVE, POSITIVE = "Negative electrode", "Positive electrode"


@pytest.fixture
def file():
    """Chen2020 as the decoded JSON of a file."""
    return deepcopy(content(CHEN))


class Opaque:
    """A function that wants numbers."""

    def __init__(self, function):
        self.function = function

    def __call__(self, x):
        return self.function(np.asarray(x, float))


def part(file, name):
    return file["Parameterisation"][name]


def read(file):
    return parameter_set(json.loads(json.dumps(file)), "cell.json")


def test_entries_become_the_quantities_of_the_engine(file):
    """By hand from the standard's definitions, not by the exporter's inverse."""
    cell, negative = part(file, "Cell"), part(file, NEGATIVE)
    cell["Number of electrode pairs connected in parallel to make a cell"] = 3
    cell["Volume [m3]"], cell["Density [kg.m-3]"], cell["Specific heat capacity [J.K-1.kg-1]"] = 2e-5, 2000.0, 900.0
    negative |= {
        "Surface area per unit volume [m-1]": 3e5, "Particle radius [m]": 5e-6, "Porosity": 0.3,
        "Transport efficiency": 0.3**1.8, "Reaction rate constant [mol.m-2.s-1]": 2e-6,
        "Maximum concentration [mol.m-3]": 30000.0, "Minimum stoichiometry": 0.1, "Maximum stoichiometry": 0.9,
    }  # fmt: skip
    file["State"]["Initial conditions"] |= {
        "Initial electrolyte concentration [mol.m-3]": 1200.0, "Initial state-of-charge": 0.25,
    }  # fmt: skip
    got = read(file).values()
    assert got["electrode_area"] == pytest.approx(3 * 0.1027)
    assert got["heat_capacity"] == pytest.approx(36.0)
    assert got["negative_active_fraction"] == pytest.approx(0.5)
    assert got["negative_bruggeman"] == pytest.approx(1.8)
    assert got["negative_initial_concentration"] == pytest.approx(30000 * 0.3)
    low, high = (part(file, POSITIVE)[f"{which} stoichiometry"] for which in ("Minimum", "Maximum"))
    assert got["positive_initial_concentration"] == pytest.approx(63104 * (high - 0.25 * (high - low)))
    # The exchange current at x = 0.5 and twice the salt is F k √2 /2.
    engine = got["negative_reaction_constant"] * np.sqrt(2400.0 * 15000.0 * 15000.0)
    assert engine == pytest.approx(FARADAY * 2e-6 * np.sqrt(2) * 0.5)


@pytest.mark.parametrize("identifier", list(PARAMETER_SETS))
def test_what_is_written_reads_the_same(identifier, tmp_path):
    """1e-12: rounding of products and quotients; the functions take the same operations again."""
    parameters = PARAMETER_SETS[identifier]
    write_bpx(parameters, tmp_path / "cell.json")
    got = read_bpx(tmp_path / "cell.json")
    for name, value in parameters.values().items():
        assert got.values()[name] == pytest.approx(value, rel=1e-12, abs=0, nan_ok=True), name
    x = np.linspace(0, 1, 2001)
    for name in FUNCTIONS:
        at = 4000 * x if name.startswith("electrolyte") else x
        assert np.array_equal(getattr(got, name)(at), np.broadcast_to(getattr(parameters, name)(at), at.shape)), name
    assert [finding.message for finding in got.findings] == []
    assert got.title == parameters.title


@pytest.mark.parametrize("identifier", ["Chen2020", "Marquis2019"])
def test_functions_without_a_formula_become_tables(identifier, tmp_path):
    """1e-6 V: 8,001 points, monotone cubics between them."""
    parameters = PARAMETER_SETS[identifier]
    opaque = {name: Opaque(getattr(parameters, name)) for name in ("negative_ocp", "positive_ocp")}
    write_bpx(type(parameters)(**{**vars(parameters), **opaque}), tmp_path / "cell.json")
    assert isinstance(json.loads((tmp_path / "cell.json").read_text())["Parameterisation"][NEGATIVE]["OCP [V]"], dict)
    got = read_bpx(tmp_path / "cell.json")
    x = np.linspace(0, 1, 77_777)
    for name in opaque:
        assert np.abs(getattr(got, name)(x) - getattr(parameters, name)(x)).max() < 1e-6
    write_bpx(got, tmp_path / "again.json")
    first, second = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("cell", "again"))
    assert second["Parameterisation"][NEGATIVE]["OCP [V]"] == first["Parameterisation"][NEGATIVE]["OCP [V]"]


def test_the_sample_files_are_the_published_sets():
    folder = Path(__file__).parents[4] / "sample_data" / "bpx"
    for name, identifier in (("lg_m50_chen2020", "Chen2020"), ("kokam_marquis2019", "Marquis2019")):
        path = folder / f"{name}.json"
        assert is_bpx(path)
        assert json.loads(path.read_text()) == content(PARAMETER_SETS[identifier])


def test_a_contact_resistance_travels_among_the_users_own(tmp_path):
    write_bpx(CHEN.changed({"contact_resistance": 0.01}, "me"), tmp_path / "cell.json")
    assert read_bpx(tmp_path / "cell.json").values()["contact_resistance"] == 0.01


def test_older_versions_have_temperatures_and_salt_elsewhere(file):
    del file["State"]
    file["Header"]["BPX"] = 0.4
    part(file, "Cell").update({"Ambient temperature [K]": 293.15, "Thermal conductivity [W.m-1.K-1]": 1.0})
    part(file, "Electrolyte")["Initial concentration [mol.m-3]"] = 1100.0
    got = read(file)
    assert got.values()["initial_temperature"] == got.values()["ambient_temperature"] == 293.15
    assert got.values()["electrolyte_concentration"] == 1100.0
    assert got.values()["negative_initial_concentration"] == pytest.approx(0.9106180 * 33133, rel=1e-6)  # full
    with pytest.raises(ProblemError, match=r"does not give: heat transfer coefficient\. A cell with heat needs them"):
        got.require(HEAT, "A cell with heat")
    file["Header"]["BPX"] = "0.1"
    assert "2 j0 sinh" in read(file).findings[0].message


def test_values_move_to_the_temperature_of_the_engine(file):
    """Arrhenius for rates, the entropic change for potentials."""
    part(file, "Cell")["Reference temperature [K]"] = 308.15
    part(file, POSITIVE)["Entropic change coefficient [V.K-1]"] = "-1e-4 * x"
    got = read(file)
    factor = np.exp(17800 / GAS * (1 / 308.15 - 1 / 298.15))
    assert factor < 1
    assert got.values()["positive_reaction_constant"] == pytest.approx(3.42e-6 * factor, rel=1e-12)
    x = np.linspace(0, 1, 11)
    assert got.positive_ocp(x) == pytest.approx(CHEN.positive_ocp(x) + 1e-3 * x)
    assert got.positive_entropic(x) == pytest.approx(-1e-4 * x)


def test_a_file_for_the_spm_has_no_electrolyte(file):
    for name in ("Electrolyte", "Separator"):
        del file["Parameterisation"][name]
    for name in (NEGATIVE, POSITIVE):
        for entry in ("Porosity", "Transport efficiency", "Conductivity [S.m-1]"):
            del part(file, name)[entry]
    file["Header"]["Model"] = "SPM"
    got = read(file)
    assert got.findings == ()
    assert got.values()["negative_reaction_constant"] == pytest.approx(6.48e-7)
    with pytest.raises(ProblemError, match="does not give: transference number, separator thickness"):
        got.require(ELECTROLYTE, "A model with an electrolyte")
    again = parameter_set(content(got), "again.json")
    assert again.values() == pytest.approx(got.values(), rel=1e-12, nan_ok=True)


def test_a_diffusivity_that_varies_has_a_mean_and_a_law(file):
    low, high = (part(file, NEGATIVE)[f"{which} stoichiometry"] for which in ("Minimum", "Maximum"))
    part(file, NEGATIVE)["Diffusivity [m2.s-1]"] = "1e-14 + 2e-14 * x"
    got = read(file)
    assert got.values()["negative_diffusivity"] == pytest.approx(1e-14 + 1e-14 * (low + high))
    x = np.array([0.0, low, 0.5, high, 1.0])
    law = got.values()["negative_diffusivity"] * got.laws["negative"](x)
    assert law == pytest.approx(1e-14 + 2e-14 * np.clip(x, low, high), rel=1e-12)
    again = parameter_set(content(got), "again.json")
    assert again.laws["negative"](x) == pytest.approx(got.laws["negative"](x), rel=1e-3)
    assert not got.changed({"negative_diffusivity": 2e-14}, "by hand").laws
    assert got.findings == ()
    (asked,) = got.mean_findings.values()
    finding = asked()
    assert "diffusivity of the negative particles goes from 1.05e-14 to 2.82e-14" in finding.message
    assert re.search(r"In a discharge at 1C that is up to \d+ mV and \d+\.\d % of the charge away\.$", finding.message)


def test_tables_are_sorted_and_go_on_beyond_their_ends(file):
    part(file, NEGATIVE)["OCP [V]"] = {"x": [0.9, 0.1, 0.5], "y": [0.1, 1.0, 0.3]}
    part(file, "Electrolyte")["Diffusivity [m2.s-1]"] = {"x": [500, 1500], "y": [3e-10, 2e-10]}
    got = read(file)
    assert got.negative_ocp(np.array([0.0, 0.1, 0.5, 0.9, 1.0])) == pytest.approx([1.175, 1.0, 0.3, 0.1, 0.05])
    assert got.electrolyte_diffusivity(np.array([0.0, 4000.0])) == pytest.approx([3e-10, 2e-10])


@pytest.mark.parametrize(
    ("where", "entry", "value", "sentence"),
    [
        ("Cell", "Electrode area [m2]", None, "'Electrode area .*' of 'Parameterisation › Cell' is missing"),
        ("Cell", "Electrode area [m2]", "wide", "must be a number, not 'wide'"),
        ("Cell", "Electrode area [m2]", True, "must be a number, not True"),
        ("Cell", "Electrode area [m2]", -1.0, "is -1 and must be above 0"),
        ("Cell", "Electrode area [m2]", float("nan"), "is nan and must be above 0"),
        ("Cell", "Number of electrode pairs connected in parallel to make a cell", 1.5, "whole number"),
        ("Cell", "Lower voltage cut-off [V]", 5.0, "lower cut-off of 5 V must be below"),
        ("Electrolyte", "Conductivity [S.m-1]", "-x", "is -500 at x = 500: it must be positive"),
        ("Electrolyte", "Diffusivity [m2.s-1]", "1 / x", "is inf at x = 0: it must be a finite number"),
        ("Electrolyte", "Cation transference number", 2.0, "is 2 and must be at most 1"),
        (NEGATIVE, "OCP [V]", "lorentz(x)", "'OCP .*' of '.*Negative electrode' calls the unknown function 'lorentz'"),
        (NEGATIVE, "OCP [V]", "log(x)", "is -inf at x = 0"),
        (NEGATIVE, "OCP [V]", [1, 2], "a number, a formula in x, or a table"),
        (NEGATIVE, "OCP [V]", {"x": [0, 1], "y": [1]}, "table of 2 x and 1 y"),
        (NEGATIVE, "OCP [V]", {"x": [0, 1], "y": [1, "a"]}, "number 2 of 'y' is 'a'"),
        (NEGATIVE, "OCP [V]", {"x": [0, 0], "y": [1, 2]}, "x = 0 is there twice"),
        (NEGATIVE, "Minimum stoichiometry", -0.1, "'Minimum stoichiometry'.* is -0.1 and must be at least 0"),
        (NEGATIVE, "Maximum stoichiometry", 1.1, "is 1.1 and must be at least 0 and at most 1"),
        (NEGATIVE, "Minimum stoichiometry", 0.95, "must be below the maximum one"),
        (NEGATIVE, "Surface area per unit volume [m-1]", 1e9, "times radius over 3 is .* at most 1"),
        (NEGATIVE, "Porosity", 1.0, "must be 1 where the porosity is 1"),
        (NEGATIVE, "Particle", {"Graphite": {}, "Silicon": {}}, r"blends several materials \(Graphite, Silicon\)"),
        (NEGATIVE, "Diffusivity [m2.s-1]", "x - 0.5", "must be positive"),
    ],
)
def test_what_is_wrong_is_named(file, where, entry, value, sentence):
    part(file, where)[entry] = value
    with pytest.raises(ProblemError, match=f"cell.json.*{sentence}"):
        parameter_set(file, "cell.json")


@pytest.mark.parametrize("version", [2.0, "2.0.0", "one", None, True, "1", [1]])
def test_unknown_versions_are_refused(file, version):
    file["Header"]["BPX"] = version
    with pytest.raises(ProblemError, match=r"(version .* is unknown|'BPX' of 'Header' is missing)"):
        read(file)


@pytest.mark.parametrize("version", [0.1, 0.5, 1, 1.0, "1.0", "0.4.0", "1.7.3"])
def test_known_versions_are_read(file, version):
    file["Header"]["BPX"] = version
    read(file)


def test_what_is_left_out_is_said(file):
    part(file, "Cell")["Ambience"] = 3
    part(file, NEGATIVE)["OCP (lithiation) [V]"] = 1.0
    part(file, NEGATIVE)["Diffusivity activation energy"] = 1.0  # its unit is missing
    file["Parameterisation"]["User-defined"] = {"Colour": 3.0}
    file["State"]["Degradation"] = {"LLI": 0.1}
    part(file, "Cell")["Upper voltage cut-off [V]"] = 4.3
    said = " ".join(finding.message for finding in read(file).findings)
    for piece in (
        "'Ambience' of 'Parameterisation › Cell' is not known", "hysteresis of the negative",
        "entries are left out: Colour",
        "'Diffusivity activation energy' of", "'Degradation' is left out", "give 4.2 V, the upper cut-off is 4.3 V",
    ):  # fmt: skip
        assert piece in said


def test_files_that_are_none(tmp_path):
    path = tmp_path / "file.json"
    for text in ("{", "[1]", '{"Header": 3}', '{"Header": {"Title": "x"}}', "[" * 100_000):
        path.write_text(text)
        assert not is_bpx(path)
        with pytest.raises(ProblemError, match=r"file\.json"):
            read_bpx(path)
    assert not is_bpx(tmp_path / "none.json")
    with pytest.raises(ProblemError, match="is missing: put it back"):
        read_bpx(tmp_path / "none.json")
    with pytest.raises(WorkbenchError, match="cannot be written"):
        write_bpx(CHEN, tmp_path / "no folder" / "cell.json")


def test_a_file_that_changed_is_read_again(tmp_path, file):
    path = tmp_path / "cell.json"
    path.write_text(json.dumps(file))
    first = read_bpx(path)
    assert read_bpx(path) is first
    file["Header"]["Title"] = "another"
    path.write_text(json.dumps(file))
    assert read_bpx(path).title == "another"


def paths(tree, path=()):
    """Where anything stands in a tree of dicts."""
    for key, value in tree.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from paths(value, (*path, key))


ODD = [
    None, True, 0, -1, 0.0, 1, 1e-300, 1e300, float("nan"), float("inf"), 10**400, "", "x", "1e400", "1/x", "-x",
    "x*1e300",
    [], [1], {}, {"x": [], "y": []}, {"x": [0, 1], "y": [1, float("nan")]}, {"x": [0, 10**400], "y": [1, 2]},
    {"x": 1, "y": 2}, {"x": [0, 1e-320], "y": [1, 2]}, {"x": [0, 1], "y": [-1e308, 1e308]},
]  # fmt: skip


@pytest.mark.parametrize("path", list(paths(content(CHEN))), ids=lambda path: path[-1])
def test_whatever_stands_in_a_file_is_read_or_refused_in_a_sentence(path):
    for odd in [*ODD, "left out"]:
        file = deepcopy(content(CHEN))
        owner = file
        for key in path[:-1]:
            owner = owner[key]
        if odd == "left out":
            del owner[path[-1]]
        else:
            owner[path[-1]] = odd
        with suppress(ProblemError):
            got = parameter_set(file, "cell.json")
            balance_findings(got)  # what the window asks next
            tables(got)
