"""Exports opened by programs that are not ours, where these are installed: vtk, meshio, scikit-rf, bpx, PyNWB."""

import json
import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.api.errors import ProblemError
from engines.api.values import Population, Spikes
from engines.battery.bpx import write_bpx
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.fdtd.ports.touchstone import Network, suffix, touchstone_text
from engines.geometry.grid import Grid
from engines.geometry.meshes.box import box_mesh
from engines.geometry.particles import Particles
from workbench.api.arrays import Quantity
from workbench.api.runs.recording import SpikeTrains
from workbench.cli import main
from workbench.export.moments.series import Series
from workbench.export.moments.vtkhdf import VtkHdf
from workbench.export.streams.nwb import convert_spikes
from workbench.export.streams.spikes import SpikesFile

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


@pytest.mark.parametrize(("ports", "version"), [(1, "1.1"), (2, "1.1"), (5, "1.1"), (3, "2.0")])
def test_scikit_rf_reads_touchstone_files(ports, version, tmp_path):
    skrf = pytest.importorskip("skrf")
    chance = np.random.default_rng(ports)
    scattering = chance.random((4, ports, ports)) + 1j * chance.random((4, ports, ports))
    known = Network(np.linspace(1e9, 4e9, 4), scattering, np.full(ports, 75.0))
    path = tmp_path / f"antenna{suffix(ports, version)}"
    path.write_text(touchstone_text(known, version=version))
    found = skrf.Network(str(path))
    np.testing.assert_allclose(found.f, known.frequencies)
    np.testing.assert_allclose(found.s, scattering, rtol=1e-9)
    np.testing.assert_array_equal(found.z0, np.full((4, ports), 75.0))


@pytest.mark.parametrize("name", list(PARAMETER_SETS))
def test_bpx_reads_parameter_sets(name, tmp_path):
    bpx = pytest.importorskip("bpx")
    cell = PARAMETER_SETS[name]
    try:
        write_bpx(cell, tmp_path / "cell.json")
    except ProblemError as error:
        pytest.skip(str(error))
    found = bpx.parse_bpx_file(str(tmp_path / "cell.json")).parameterisation
    assert found.cell.electrode_area == cell.values()["electrode_area"]
    assert found.cell.nominal_cell_capacity == cell.values()["nominal_capacity"]
    for x in (0.2, 0.5, 0.8):
        theirs = found.negative_electrode.ocp.to_python_function()(x)
        assert theirs == pytest.approx(float(cell.negative_ocp(x)), abs=1e-6)


POPULATIONS = (
    Population("Excitatory", 0, 3),
    Population("Noise", 3, 5, recorded=False),
    Population("Inhibitory", 5, 7),
)
FOUND = Spikes(np.array([0, 2, 2, 7, 9], np.int32), np.array([6, 0, 2, 6, 0], np.int32), 0.1)
TRAINS = {0: [2e-4, 9e-4], 1: [], 2: [2e-4], 5: [], 6: [0.0, 7e-4]}
"""[s] by neuron, of FOUND."""


def test_pynwb_reads_spike_trains(tmp_path, capsys):
    pynwb = pytest.importorskip("pynwb")
    file = SpikesFile(tmp_path / "spikes.h5", POPULATIONS, 0.1, "ms")
    file.make()
    file.append([FOUND])
    assert main(["convert", str(file.path), str(tmp_path / "told.nwb")]) == 0
    assert "5 neurons, 5 spikes" in capsys.readouterr().out
    trains = SpikeTrains(FOUND.neurons, Quantity(FOUND.times, "ms", "Time"), POPULATIONS)
    for path in (tmp_path / "told.nwb", trains.save(tmp_path / "saved.nwb")):
        assert pynwb.validate(path=str(path)) == []
        with pynwb.NWBHDF5IO(str(path), "r") as opened:
            units = opened.read().units
            assert list(units.id[:]) == list(TRAINS)
            for found, wanted in zip(units["spike_times"][:], TRAINS.values(), strict=True):
                assert list(found) == pytest.approx(wanted)
            assert list(units["population"][:]) == ["Excitatory"] * 3 + ["Inhibitory"] * 2


@pytest.fixture
def nwb(monkeypatch):
    """PyNWB's classes as what they are given, and what was written: its files are read by itself above."""
    told, written = (lambda **given: given), []

    class Writer(nullcontext):
        def __init__(self, file, mode):
            super().__init__(self)

        def write(self, session):
            written.append(vars(session))

    pynwb = ModuleType("pynwb")
    pynwb.NWBFile, pynwb.NWBHDF5IO = SimpleNamespace, Writer
    pynwb.H5DataIO = lambda values, **how: values
    common, misc = ModuleType("hdmf.common"), ModuleType("pynwb.misc")
    common.ElementIdentifiers = common.VectorData = common.VectorIndex = misc.Units = told
    parts = {"pynwb": pynwb, "pynwb.misc": misc, "hdmf": ModuleType("hdmf"), "hdmf.common": common}
    for name, module in parts.items():
        monkeypatch.setitem(sys.modules, name, module)
    return written


def test_spike_trains_are_handed_to_pynwb_by_neuron_and_in_seconds(nwb, tmp_path, capsys):
    """From a file and from a script; each neuron's train ends where the index says."""
    file = SpikesFile(tmp_path / "spikes.h5", POPULATIONS, 0.1, "ms")
    file.make()
    file.append([FOUND])
    assert main(["convert", str(file.path), str(tmp_path / "told.nwb"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["neurons"], answer["spikes"]) == (5, 5)
    saved = SpikeTrains(FOUND.neurons, Quantity(FOUND.times, "ms", "Time"), POPULATIONS).save(tmp_path / "saved.nwb")
    assert saved == tmp_path / "saved.nwb"
    with pytest.raises(ProblemError, match=r"must end in \.nwb"):
        SpikeTrains(FOUND.neurons, Quantity(FOUND.times, "ms", "Time"), POPULATIONS).save(tmp_path / "saved.csv")
    before, now = (each["session_start_time"].timestamp() for each in nwb)
    assert before == pytest.approx(file.path.stat().st_mtime, abs=1e-4)  # whole microseconds
    assert before <= now
    for session, step in zip(nwb, (pytest.approx(1e-4), None), strict=True):
        units = session["units"]
        trains, ends, names = units["columns"]
        assert units["resolution"] == step
        assert units["id"]["data"].tolist() == list(TRAINS)
        assert names["data"] == ["Excitatory"] * 3 + ["Inhibitory"] * 2
        found = np.split(trains["data"], ends["data"].astype(int))
        assert [list(train) for train in found[:-1]] == [pytest.approx(train) for train in TRAINS.values()]


def test_a_network_that_is_silent_is_written_and_other_files_are_not_read(tmp_path):
    pynwb = pytest.importorskip("pynwb")
    file = SpikesFile(tmp_path / "spikes.h5", POPULATIONS, 0.1, "ms")
    file.make()
    assert convert_spikes(file.path, tmp_path / "silent.nwb") == (5, 0)
    with pynwb.NWBHDF5IO(str(tmp_path / "silent.nwb"), "r") as opened:
        assert [len(train) for train in opened.read().units["spike_times"][:]] == [0] * 5
    (tmp_path / "other.h5").write_bytes(b"no HDF5")
    with pytest.raises(ProblemError, match=r"other.h5' holds no spikes of a run: name its spikes.h5"):
        convert_spikes(tmp_path / "other.h5", tmp_path / "other.nwb")
