"""Exports opened by programs that are not ours, where they are installed (pyvista and vtk, meshio)."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.geometry.grid import Grid
from engines.geometry.meshes.box import box_mesh
from engines.geometry.particles import Particles
from workbench.export.moments.series import Series
from workbench.export.moments.vtkhdf import VtkHdf

CELL = FieldInfo("voltage", "Voltage", "mV", "cell", (0, 1))
VECTOR = FieldInfo("E", "Field", "V/m", "cell", (0, 1), components=3)
GEOMETRIES = {
    "plane": Grid((3, 5), (0.5, 1.0), (1.0, 2.0, 3.0)),
    "space": Grid((2, 3, 5), (0.5, 1.0, 2.0)),
    "graded": Grid((2, 3, 4), (1.0, 1.0, 1.0), lines=tuple(np.cumsum(np.arange(n + 1.0)) for n in (4, 3, 2))),
    "graded plane": Grid((3, 4), (1.0, 1.0), lines=tuple(np.cumsum(np.arange(n + 1.0)) for n in (4, 3))),
    "mesh": box_mesh((2, 1, 1), (2.0, 1.0, 1.0)),
    "spheres": Particles(np.random.default_rng(1).random((7, 3)), np.ones(7)),
}


@pytest.mark.parametrize("name", GEOMETRIES)
def test_vtk_reads_the_same_from_one_file_as_from_many(name, tmp_path):
    vtk, pyvista = pytest.importorskip("vtk"), pytest.importorskip("pyvista")
    geometry, fields = GEOMETRIES[name], (CELL, VECTOR)
    one, many = VtkHdf(tmp_path, geometry, fields, "as computed"), Series(tmp_path, geometry, fields, "as computed")
    one.make()
    chance = np.random.default_rng(2)
    for step in range(3):
        n = geometry.n_cells
        values = {"voltage": chance.random(n).astype("f4"), "E": chance.random((n, 3)).astype("f4")}
        for sink in (one, many):
            sink.append(step, 0.25 * step, values)
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(tmp_path / "fields.vtkhdf"))
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert times == (0.0, 0.25, 0.5)
    series = pyvista.get_reader(str(tmp_path / "fields.pvd"))
    for step, time in enumerate(series.time_values):
        reader.SetStep(step)
        reader.Update()
        series.set_active_time_value(time)
        found, wanted = pyvista.wrap(reader.GetOutputDataObject(0)), series.read()[0]
        np.testing.assert_allclose(found.cell_centers().points, wanted.cell_centers().points, atol=1e-6)
        assert np.isclose(found.volume, wanted.volume)
        for section in ("cell_data", "point_data"):
            for array in getattr(wanted, section):
                shown = getattr(found, section)[array.replace("/", " per ")]
                np.testing.assert_array_equal(shown, getattr(wanted, section)[array])


def test_meshio_reads_a_moment_of_a_mesh(tmp_path):
    meshio = pytest.importorskip("meshio")
    mesh = GEOMETRIES["mesh"]
    series = Series(tmp_path, mesh, (CELL,), "as computed")
    series.append(3, 1.0, {"voltage": np.arange(mesh.n_cells, dtype="f4")})
    found = meshio.read(tmp_path / "fields" / "fields_000000003.vtu")
    np.testing.assert_array_equal(found.cells_dict["tetra"], mesh.cells)
    np.testing.assert_array_equal(found.cell_data_dict["voltage [mV]"]["tetra"], np.arange(mesh.n_cells))
