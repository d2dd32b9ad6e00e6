"""Grids as .vti, read back by an XML parser and the format's rules for appended data."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid, rectilinear
from tests.workbench.fake_engine import FakeBackend
from tests.workbench.fake_grid_engine import FadeEngine, FadeParameters, GridSize
from workbench.export import vti
from workbench.export.formats import format_of
from workbench.export.pvd import read_pvd
from workbench.export.results import export_results, take_results
from workbench.export.vti import VtiWriter

NUMPY = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4", "Int64": "<i8", "UInt8": "u1"}


def read_vti(path: Path, kind: str = "ImageData") -> tuple[dict[str, str], dict[str, Any]]:
    """(attributes of the image, cell arrays by name). The raw bytes are no XML: they are cut out before parsing."""
    content = path.read_bytes()
    begin = content.index(b"_", content.index(b"<AppendedData")) + 1
    end = content.rindex(b"\n</AppendedData>")
    root = ElementTree.fromstring(content[:begin] + content[end:])
    assert (root.tag, root.attrib["type"], root.attrib["header_type"]) == ("VTKFile", kind, "UInt64")
    assert "compressor" not in root.attrib
    image, _ = root
    data, arrays, used = content[begin:end], {}, 0
    for entry in image.iter("DataArray"):
        offset, dtype = int(entry.attrib["offset"]), np.dtype(NUMPY[entry.attrib["type"]])
        assert offset == used  # one after the other, nothing between
        length = int.from_bytes(data[offset : offset + 8], "little")
        used = offset + 8 + length
        values = np.frombuffer(data[offset + 8 : used], dtype)
        components = int(entry.attrib.get("NumberOfComponents", 1))
        arrays[entry.attrib["Name"]] = values.reshape(-1, components) if components > 1 else values
    assert used == len(data)
    return image.attrib, arrays


@settings(max_examples=20)
@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=3),
    st.integers(1, 3),
    st.sampled_from(["f4", "f8", "i4", "i8", "u1", ">f4", ">i8"]),
    st.sampled_from([3, 10_000]),
)
def test_what_was_written_reads_back(tmp_path_factory, shape, components, kind, slab):
    grid = Grid(tuple(shape), tuple(0.1 * (k + 1) for k in range(len(shape))), (0.1, -2.0, 1e-7))
    size = (grid.n_cells, components) if components > 1 else grid.n_cells
    values = (100 * np.random.default_rng(0).normal(size=size)).astype(kind)
    path = tmp_path_factory.mktemp("vti") / "a.vti"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vti, "SLAB", slab)
        VtiWriter(grid).write(path, {'u <&"> [mV]': values, "again": values[::-1]})
    image, arrays = read_vti(path)
    np.testing.assert_array_equal(arrays['u <&"> [mV]'], values)
    np.testing.assert_array_equal(arrays["again"], values[::-1])
    extent = [int(word) for word in image["WholeExtent"].split()]
    assert extent[0::2] == [0, 0, 0]
    assert extent[1::2] == [*shape[::-1], 0][:3]
    # 17 digits are a float64 without loss, so what VTK computes from them is exact.
    assert tuple(map(float, image["Origin"].split())) == grid.origin
    assert tuple(map(float, image["Spacing"].split()))[: len(shape)] == grid.spacing


def test_an_export_replaces_nothing_that_no_export_has_left(tmp_path):
    simulation = FadeEngine().build(Problem(FadeParameters(grid=GridSize(nx=5, ny=3, nz=2))), FakeBackend())
    results = replace(
        take_results(simulation, [("middle", 7)]), others={"a [mV]": np.arange(3.0)}, files={"x.s1p": "!"}
    )
    for name in ("data.h5", "data_points.csv", "data_x.s1p", "data_000000000.vti"):
        (tmp_path / name).write_text("of a person")
        with pytest.raises(ProblemError, match=f"{name}' is there already, and no 'data.pvd'"):
            export_results(results, tmp_path / "data.pvd")
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_text() == "of a person"
        (tmp_path / name).unlink()
    first = export_results(results, tmp_path / "data.pvd")
    assert export_results(results, tmp_path / "data.pvd") == first  # that of before is replaced
    assert sorted(tmp_path.iterdir()) == sorted(first)


def test_the_present_moment_of_a_grid_is_exported(tmp_path):
    parameters = FadeParameters(grid=GridSize(nx=5, ny=3, nz=2))
    simulation = FadeEngine().build(Problem(parameters), FakeBackend())
    simulation.advance(3)
    results = take_results(simulation, [("middle", 7)])
    written = export_results(results, tmp_path / "export.pvd")
    assert [path.name for path in written] == ["export.pvd", "export_000000003.vti", "export_points.csv"]
    assert read_pvd(written[0]) == [(1.5, "export_000000003.vti")]
    image, arrays = read_vti(written[1])
    assert image["WholeExtent"] == "0 5 0 3 0 2"
    assert set(arrays) == {"u [mol/m³]", "flow"}
    along_x = arrays["u [mol/m³]"].reshape(2, 3, 5)[1, 2]
    np.testing.assert_allclose(along_x, 0.95**3 * (np.arange(5) + 0.5) / 5, rtol=1e-6)  # float32
    np.testing.assert_array_equal(arrays["flow"], simulation.field("flow"))
    lines = written[2].read_text().splitlines()
    assert lines[0] == "name,x [um],y [um],z [um],element,flow_0,flow_1"
    assert lines[1] == "middle,2.25,2.75,3.25,7,2.25,2.75"  # cell (2, 1, 0): origin + (index + ½) · 0.5


def test_a_grid_with_lines_is_written_with_its_coordinates(tmp_path):
    lines = [np.array([0.5, 1.0, 3.0]), np.array([0.0, 0.1, 0.3, 0.9])]
    for grid, heights in ((rectilinear(lines, 0.25), [0.25]), (rectilinear([*lines, lines[0]]), [0.5, 1.0, 3.0])):
        found = format_of(grid)
        assert found.suffix == ".vtr"
        values = np.arange(grid.n_cells, dtype=np.float32)
        found.writer(grid).write(tmp_path / "a.vtr", {"u": values})
        attributes, arrays = read_vti(tmp_path / "a.vtr", "RectilinearGrid")
        assert attributes == {"WholeExtent": f"0 2 0 3 0 {len(heights) - 1}"}
        assert list(arrays) == ["u", "x", "y", "z"]
        for name, right in zip("xyz", [*lines, heights], strict=True):
            np.testing.assert_array_equal(arrays[name], right)
        np.testing.assert_array_equal(arrays["u"], values)


def test_a_geometry_without_a_format_is_refused_in_a_sentence():
    with pytest.raises(ProblemError, match="TetMesh, Grid"):
        format_of(object())
