"""A BPX file opens as a new project, travels with it, and is written again."""

import json
import shutil
from pathlib import Path

import pytest

from engines.api.errors import ProblemError
from engines.battery.bpx import read_bpx, write_bpx
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.changes import Change
from workbench.cli import main
from workbench.project.document import export_parameters, new_document, open_document, save_document
from workbench.project.findings import findings_of
from workbench.project.project import Probe

SAMPLE = Path(__file__).parents[3] / "sample_data" / "bpx" / "kokam_marquis2019.json"


@pytest.fixture
def file(tmp_path):
    return Path(shutil.copy(SAMPLE, tmp_path / "kokam.json"))


def test_a_file_becomes_a_project(file):
    document = open_document(file)
    assert (document.engine.id, document.project.title, document.path) == ("battery", "kokam", None)
    parameters = document.parameters
    assert (parameters.parameter_set, parameters.bpx_file) == ("BPX file", str(file))
    assert parameters.protocol == ["Discharge at 1C until 3.105 V"]
    assert document.geometry.radii == pytest.approx([10.0, 10.0])


@pytest.mark.parametrize("name", ["saved", "saved.zip"])
def test_the_file_travels_with_the_project(file, tmp_path, name):
    document = open_document(file)
    save_document(document, tmp_path / name)
    file.unlink()
    again = open_document(tmp_path / name)
    assert again.findings == ()
    assert read_bpx(Path(again.parameters.bpx_file)).title == PARAMETER_SETS["Marquis2019"].title
    if name == "saved":
        (tmp_path / name / "kokam.json").unlink()
        lacking = open_document(tmp_path / name)  # opens, so that another can be chosen
        assert [finding.message for finding in lacking.findings] == [
            f"The file '{tmp_path / name / 'kokam.json'}' of 'BPX file' is missing: put it back or choose another BPX "
            "file."
        ]
        lacking.project.probes = [Probe(name="far", position=(1e9, 0.0, 0.0))]
        assert findings_of(lacking, None) == lacking.findings, "where a probe is cannot be known yet"
        for attempt in (lacking.complete_problem, lambda: lacking.geometry):
            with pytest.raises(ProblemError, match=r"kokam\.json"):
                attempt()


def test_the_command_makes_a_project_of_it_where_there_is_none(file, tmp_path, capsys):
    assert main(["convert", str(file), str(tmp_path / "made"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["engine"], answer["project"]) == ("battery", str(tmp_path / "made"))
    assert open_document(tmp_path / "made").parameters.parameter_set == "BPX file"
    assert main(["convert", str(file), str(tmp_path / "made")]) == 2
    assert "exists already: choose another name." in capsys.readouterr().err


def test_a_project_of_any_name_is_still_a_project(file, tmp_path):
    folder = save_document(open_document(file), tmp_path / "saved")
    renamed = folder / "renamed.json"
    (folder / "project.json").rename(renamed)
    assert open_document(renamed).project.title == "kokam"
    renamed.write_text("[]")
    with pytest.raises(ProblemError, match="is not a project"):
        open_document(renamed)


def test_what_is_wrong_in_the_file_is_said(file):
    content = json.loads(file.read_text())
    content["Header"]["BPX"] = "3.0"
    file.write_text(json.dumps(content))
    with pytest.raises(ProblemError, match=r"kokam\.json: the BPX version '3\.0' is unknown"):
        open_document(file)


def test_the_cell_is_written_with_its_changes(file, tmp_path):
    document = open_document(file)
    document.parameters.changes = [Change(parameter="separator_thickness", value=2e-5)]
    export_parameters(document, tmp_path / "out.json")
    got = read_bpx(tmp_path / "out.json").values()
    expected = {**PARAMETER_SETS["Marquis2019"].values(), "separator_thickness": 2e-5}
    assert got == pytest.approx(expected, rel=1e-12, nan_ok=True)  # it gives no ageing numbers
    slab = new_document(document.engine)
    slab.engine = type("Other", (type(document.engine),), {"parameter_file": None})()
    with pytest.raises(ProblemError, match="writes no such file"):
        export_parameters(slab, tmp_path / "none.json")


def test_a_file_runs_on_the_command_line(file, tmp_path, capsys):
    write_bpx(PARAMETER_SETS["Prada2013"], file)
    out = tmp_path / "out"
    arguments = ["run", str(file), "--device", "cpu", "--until", "60", "--out", str(out), "--pictures", "0"]
    assert main(arguments) == 0
    assert (out / "series.csv").is_file()
