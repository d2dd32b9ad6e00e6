"""Grids and collections, read back by meshio and by an XML parser."""

import base64
import os
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import meshio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import FieldInfo, Problem
from engines.api.errors import ProblemError
from engines.geometry.reading import read_mesh
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveParameters, block
from workbench.export.formats import split_by_location
from workbench.export.pvd import read_pvd, write_pvd
from workbench.export.results import export_results, take_results
from workbench.export.vtu import VtuWriter, data_array

KINDS = ["f4", "f8", "i4", "i8", "u1", ">f4", ">i4"]


@settings(max_examples=15)
@given(
    st.tuples(*[st.integers(1, 4)] * 3),
    st.integers(1, 3),
    st.sampled_from(["f4", "f8", "i4", "i8", "u1", ">f4", ">i4"]),
)
def test_read_back_by_meshio(tmp_path_factory, size, components, kind):
    mesh = block(*size, spacing=0.3)
    choose = np.random.default_rng(0)
    shape = (mesh.n_cells, components) if components > 1 else mesh.n_cells
    values = (100 * choose.normal(size=shape)).astype(kind)
    nodes = choose.normal(size=mesh.n_points).astype("f4")
    path = tmp_path_factory.mktemp("vtu") / "a.vtu"
    VtuWriter(mesh).write(path, {'v <&"> [mV]': values}, {"node": nodes})
    read = meshio.read(path)
    np.testing.assert_array_equal(read.points, mesh.points)
    np.testing.assert_array_equal(read.cells_dict["tetra"], mesh.cells)
    np.testing.assert_array_equal(read.cell_data['v <&"> [mV]'][0], values)
    np.testing.assert_array_equal(read.point_data["node"], nodes)
    np.testing.assert_array_equal(read.cell_data["region"][0], mesh.regions)


def test_fibres_and_sheets_go_along(tmp_path):
    mesh = block()
    fibres = np.tile(np.array([1, 0, 0], np.float32), (mesh.n_cells, 1))
    VtuWriter(replace(mesh, fibres=fibres, sheets=fibres[:, [1, 0, 2]])).write(tmp_path / "a.vtu", {})
    read = meshio.read(tmp_path / "a.vtu")
    np.testing.assert_array_equal(read.cell_data["fibres"][0], fibres)
    assert read.cell_data["sheets"][0].shape == (mesh.n_cells, 3)


def test_names_of_regions_come_back(tmp_path):
    mesh = block()
    regions = np.arange(mesh.n_cells, dtype=np.int32) % 2 + 3
    names = {3: "Wand außen", 4: "inner wall"}
    VtuWriter(replace(mesh, regions=regions, region_names=names)).write(tmp_path / "a.vtu", {})
    read = read_mesh(tmp_path / "a.vtu")
    assert read.region_names == names
    np.testing.assert_array_equal(read.regions, regions)
    assert meshio.read(tmp_path / "a.vtu").cells_dict["tetra"].shape == (mesh.n_cells, 4)


def test_regions_without_names_and_fields_without_values_are_as_well(tmp_path):
    VtuWriter(replace(block(), region_names={})).write(tmp_path / "a.vtu", {})
    assert b"region_names" not in (tmp_path / "a.vtu").read_bytes()
    assert meshio.read(tmp_path / "a.vtu").cells_dict["tetra"].shape == (216, 4)
    content = ElementTree.fromstring(data_array("none", np.empty((0, 3), np.float32)))
    assert (content.attrib["NumberOfComponents"], base64.b64decode(content.text)) == ("3", bytes(8))  # of 0 blocks


def test_fields_go_where_they_live_and_what_has_not_come_is_nan():
    cell = FieldInfo("t", "", "ms", "cell", (0, 1), missing=-1.0)
    node = FieldInfo("u", "", "", "node", (0, 1))
    cells, points = split_by_location((cell, node), {"t": np.array([-1.0, 2.0], "f4"), "u": np.array([-1.0])})
    np.testing.assert_array_equal(cells["t [ms]"], np.array([np.nan, 2.0], "f4"))
    assert cells["t [ms]"].dtype == np.float32
    np.testing.assert_array_equal(points["u"], [-1.0])


def test_a_collection_is_xml_that_comes_back(tmp_path):
    moments = [(0.0, "fields/a.vtu"), (0.1 + 0.2, 'fields/b & "c".vtu'), (1e-9, "d.vtu")]
    write_pvd(tmp_path / "x.pvd", moments)
    root = ElementTree.fromstring((tmp_path / "x.pvd").read_text())
    assert (root.tag, root.attrib["type"]) == ("VTKFile", "Collection")
    assert read_pvd(tmp_path / "x.pvd") == [(pytest.approx(time), name) for time, name in moments]
    (tmp_path / "x.pvd").write_text("<VTKFile>")
    with pytest.raises(ProblemError, match="no collection"):
        read_pvd(tmp_path / "x.pvd")


def test_the_present_moment_is_exported(tmp_path):
    simulation = WaveEngine().build(Problem(WaveParameters(), block()), FakeBackend())
    simulation.advance(150)
    results = take_results(simulation, [("here, or there", 0), ("far", 210)])
    simulation.advance(10)  # what was taken does not change any more
    written = export_results(results, tmp_path / "export.pvd")
    assert [path.name for path in written] == ["export.pvd", "export_000000150.vtu", "export_points.csv"]
    ((time, name),) = read_pvd(written[0])
    assert time == pytest.approx(3.0)
    read = meshio.read(tmp_path / name)
    np.testing.assert_array_equal(read.cell_data["voltage [mV]"][0], results.values["voltage"])
    lines = written[2].read_text().splitlines()
    assert lines[0] == "name,x [mm],y [mm],z [mm],element,activation_time [ms]"
    assert lines[1].startswith('"here, or there",')
    assert lines[2].endswith(",")


SHIPPED = sorted((Path(__file__).parents[3] / "sample_data").glob("*/*.vtu"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_others_read_the_meshes_that_are_shipped(path):
    """meshio ends the process on what it does not know ("Illegal data type 'String'")."""
    own, theirs = read_mesh(path), meshio.read(path)
    np.testing.assert_array_equal(theirs.cells_dict["tetra"], own.cells)
    np.testing.assert_allclose(theirs.points, own.points, rtol=1e-6)
    np.testing.assert_array_equal(theirs.cell_data["region"][0], own.regions)


@pytest.mark.parametrize(
    "content", [b'<?xml version="1.0" encoding="nonsense"?><a/>', b"<DataSet/>", b"\xff\xfe<", None]
)
def test_a_collection_that_is_none_is_one_sentence(tmp_path, content):
    path = tmp_path / "fields.pvd"
    path.write_bytes(content or b"")
    if content is None:  # takes no room on a disk, and took as much memory
        os.truncate(path, 3 << 30)
    with pytest.raises(ProblemError, match=r"^'fields.pvd' is "):
        read_pvd(path)
