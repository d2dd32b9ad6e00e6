"""Tables of no project yet: one file for the same tables, named in the parameters, until nobody needs it any more."""

import os

import numpy as np

from engines.api import Imported
from engines.battery.parameters import BatteryParameters
from workbench.project.autosave import Autosave
from workbench.project.document import Document
from workbench.project.kept_meshes import keep_tables
from workbench.project.parameter_files import named_files
from workbench.project.project import Project
from workbench.project.reading.unpacking import KEPT_SECONDS

NAMED = BatteryParameters(bpx_file="cell.npz")


def kept(**columns):
    tables = {"cell.npz": {name: np.asarray(values) for name, values in columns.items()}}
    return keep_tables(Imported(NAMED, tables=tables))


def test_the_same_tables_are_one_file_which_the_parameters_name():
    content, (file,) = kept(x=[1.0, 2.0], y=[3.0, 4.0])
    assert list(named_files(BatteryParameters.model_validate(content)).values()) == [file]
    assert NAMED.bpx_file == "cell.npz", "what was read is left alone"
    with np.load(file) as columns:
        assert {name: list(columns[name]) for name in columns} == {"x": [1.0, 2.0], "y": [3.0, 4.0]}
    assert kept(x=[1.0, 2.0], y=[3.0, 4.0])[1] == [file]
    others = [kept(x=[1.0, 2.5], y=[3.0, 4.0]), kept(z=[1.0, 2.0], y=[3.0, 4.0])]
    assert len({file, *(path for _, (path,) in others)}) == 3, "another value or name of a column"
    assert {path.name for _, (path,) in others} == {"cell.npz"}


def test_old_tables_go_unless_an_autosave_stands_on_them(house):
    content, (stood_on,) = kept(x=[1.0])
    (old,), (young,) = (kept(x=values)[1] for values in ([2.0], [3.0]))
    for file, seconds in ((stood_on, 10), (old, 10), (young, -60)):
        age = os.stat(file.parent).st_mtime - KEPT_SECONDS - seconds
        os.utime(file.parent, (age, age))
    document = Document.__new__(Document)
    document.portable_project = lambda: Project(title="a", engine="battery", parameters=content)
    document.path, document.files = None, list
    assert Autosave().tick(document, now=True)
    kept(x=[4.0])
    assert [file.exists() for file in (stood_on, old, young)] == [True, False, True]
