"""Fields over time in one file: its structure read with h5py and NumPy alone, by the words of the formats."""

import re
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from engines.api import FieldInfo
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.geometry.meshes.box import box_mesh
from engines.geometry.particles import Particles
from engines.recording import FieldSeries, moments_on_disk, series_on_disk
from workbench.cli import BAD_INPUT, main
from workbench.export.moments import vtkhdf
from workbench.export.moments.igb import Igb
from workbench.export.moments.vtkhdf import VtkHdf
from workbench.run.streams.fields import FieldStream, open_sink

VOLTAGE = FieldInfo("voltage", "Voltage", "mV", "cell", (0, 1))
FIELD = FieldInfo("E", "Field", "V/m", "cell", (0, 1), components=3)
TIME = FieldInfo("activation", "Activation", "ms", "cell", (0, 1), summary=True, missing=-1e9)


def moment(n, step):
    return {"voltage": np.arange(n, dtype=np.float32) + step, "E": np.full((n, 3), step, np.float32)}


@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 5)])
def test_uniform_grids_are_images_with_an_axis_of_time(tmp_path, shape):
    grid = Grid(shape, (0.5, 1.0, 2.0)[: len(shape)], (1.0, 2.0, 3.0))
    sink = VtkHdf(tmp_path, grid, (VOLTAGE, FIELD), "as computed")
    sink.make()
    for step in (0, 10, 20):
        sink.append(step, step * 0.1, moment(grid.n_cells, step))
    with h5py.File(tmp_path / "fields.vtkhdf") as file:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"ImageData"
        assert root.attrs["Version"].tolist() == [2, 0]
        extent = [0, 5, 0, 3, 0, 0] if len(shape) == 2 else [0, 5, 0, 3, 0, 2]
        assert root.attrs["WholeExtent"].tolist() == extent
        assert root.attrs["Origin"].tolist() == [1.0, 2.0, 3.0]
        assert root["Steps"].attrs["NSteps"] == 3
        np.testing.assert_allclose(root["Steps/Values"], [0.0, 1.0, 2.0])
        voltage = root["CellData/voltage [mV]"]
        assert voltage.shape == (3, *shape)
        assert voltage.compression == "gzip"
        assert voltage.attrs["unit"] == "mV"
        np.testing.assert_array_equal(voltage[2].ravel(), np.arange(grid.n_cells) + 20)
        assert root["CellData/E [V per m]"].shape == (3, *shape, 3)
        assert root["CellData/E [V per m]"].attrs["unit"] == "V/m"
        assert root["Steps/CellDataOffsets/voltage [mV]"][:].tolist() == [0, 1, 2]


def test_meshes_stand_once_and_moments_begin_at_their_offsets(tmp_path):
    mesh = box_mesh((2, 1, 1), (2.0, 1.0, 1.0))
    sink = VtkHdf(tmp_path, mesh, (VOLTAGE, FIELD), "float64")
    sink.make()
    for step in (0, 10, 20, 30):
        sink.append(step, float(step), moment(mesh.n_cells, step))
    assert sink.times() == [0.0, 10.0, 20.0, 30.0]
    sink.keep(2)  # as a resumed run does
    sink.append(25, 25.0, moment(mesh.n_cells, 25))
    with h5py.File(tmp_path / "fields.vtkhdf") as file:
        root, steps = file["VTKHDF"], file["VTKHDF/Steps"]
        assert steps["Values"][:].tolist() == [0.0, 10.0, 25.0]
        assert {len(steps[name]) for name in ("PartOffsets", "PointOffsets", "CellOffsets")} == {3}
        assert steps["CellOffsets"].shape == steps["ConnectivityIdOffsets"].shape == (3, 1)
        assert steps["NumberOfParts"][:].tolist() == [1, 1, 1]
        assert root["NumberOfCells"][:].tolist() == [mesh.n_cells]
        np.testing.assert_array_equal(root["Connectivity"][:].reshape(-1, 4), mesh.cells)
        np.testing.assert_array_equal(np.diff(root["Offsets"]), 4)
        assert set(root["Types"][:].tolist()) == {10}
        for index, step in enumerate((0, 10, 25)):
            at = int(steps["CellDataOffsets/voltage [mV]"][index])
            np.testing.assert_array_equal(
                root["CellData/voltage [mV]"][at : at + mesh.n_cells], moment(mesh.n_cells, step)["voltage"]
            )
        assert steps["CellDataOffsets/region"][:].tolist() == [0, 0, 0]


@pytest.mark.parametrize("geometry", [Grid((8, 3, 5), (1.0,) * 3), box_mesh((6, 3, 2), (1.0, 1.0, 1.0))])
def test_a_chunk_is_of_so_many_bytes_at_most_however_many_numbers_an_element_has(tmp_path, monkeypatch, geometry):
    monkeypatch.setattr(vtkhdf, "CHUNK_BYTES", 400)
    sink = VtkHdf(tmp_path, geometry, (VOLTAGE, FIELD), "as computed")
    sink.make()
    sink.append(0, 0.0, moment(geometry.n_cells, 0))
    with h5py.File(tmp_path / "fields.vtkhdf") as file:
        for data in (file["VTKHDF/CellData/voltage [mV]"], file["VTKHDF/CellData/E [V per m]"]):
            assert 200 < np.prod(data.chunks) * data.dtype.itemsize <= 400, data.name
            assert data.chunks[-1] == 3 or "voltage" in data.name, "numbers of an element stay together"


@pytest.mark.parametrize("counts", [(4, 3), (4, 3, 2)])
def test_cells_of_a_graded_grid_span_from_line_to_line(tmp_path, counts):
    lines = tuple(0.5 * n + np.cumsum(np.arange(n + 1.0)) for n in counts)
    grid = Grid(counts[::-1], (1.0,) * len(counts), (2.0, 1.5, 1.0), lines=lines)
    VtkHdf(tmp_path, grid, (VOLTAGE,), "as computed").make()
    with h5py.File(tmp_path / "fields.vtkhdf") as file:
        root = file["VTKHDF"]
        corners = root["Points"][:][root["Connectivity"][:].reshape(grid.n_cells, -1)]
        assert set(root["Types"][:].tolist()) == {8 if len(counts) == 2 else 11}
        np.testing.assert_array_equal(np.diff(root["Offsets"]), 2 ** len(counts))
    cells = np.unravel_index(np.arange(grid.n_cells), grid.shape)[::-1]
    for axis, (places, cell) in enumerate(zip(lines, cells, strict=True)):
        np.testing.assert_array_equal(corners[:, 0, axis], places[cell])  # x first, then y, then z
        np.testing.assert_array_equal(corners[:, -1, axis], places[cell + 1])
        np.testing.assert_array_equal(corners[:, 1, axis], places[cell + (axis == 0)])
    if len(counts) == 2:
        assert set(corners[..., 2].ravel()) == {1.0}


def test_a_file_goes_on_with_the_fields_that_it_has(tmp_path):
    balls = Particles(np.eye(3), np.ones(3))
    sink = VtkHdf(tmp_path, balls, (VOLTAGE,), "as computed")
    sink.make()
    sink.append(0, 0.0, {"voltage": np.ones(3, np.float32)})
    with h5py.File(tmp_path / "fields.vtkhdf") as file:  # spheres have all at their points
        assert file["VTKHDF/PointData/voltage [mV]"].shape == (3,)
    with pytest.raises(ProblemError, match="other fields than are asked for"):
        VtkHdf(tmp_path, balls, (VOLTAGE, FIELD), "as computed").check()


def read_igb(path):
    """(header, (slices, points)), by the words of openCARP's manual."""
    content = path.read_bytes()
    assert content[1023:1024] == b"\f"
    head = dict(word.split(":") for word in content[:1023].decode().split())
    assert all(len(line) <= 80 for line in content[:1023].decode().split("\n"))
    kind = {"float": "<f4", "double": "<f8"}[head["type"]]
    return head, np.frombuffer(content[1024:], kind).reshape(int(head["t"]), int(head["x"]))


class Means:
    """A simulation as far as this format asks it: means over runs of cells, without what misses."""

    def __init__(self, values):
        self.values = values

    def select(self, selection):
        return selection

    def gather(self, name, selection):
        parts = np.split(self.values[name][selection.elements], selection.offsets[1:-1])
        kept = [part[part != TIME.missing] for part in parts]
        return np.array([part.mean() if len(part) else TIME.missing for part in kept], np.float32)


def test_points_of_a_mesh_are_slices_behind_a_header(tmp_path):
    (tmp_path / "fields").mkdir()
    mesh = box_mesh((2, 1, 1), (2.0, 1.0, 1.0))
    activation = np.where(np.arange(mesh.n_cells) == 3, 7.0, TIME.missing)
    sink = Igb(tmp_path, mesh, (VOLTAGE, TIME), 0.5, "ms", "float32")
    sink.make()
    simulation = None
    for step in range(3):
        simulation = Means({"voltage": mesh.centroids[:, 0] + step, "activation": activation})
        sink.append(step, 0.5 * step, sink.take(simulation))
    sink.last(simulation)()
    head, slices = read_igb(tmp_path / "fields" / "voltage.igb")
    assert (head["systeme"], head["unites"], head["unites_t"], head["dim_t"]) == ("little_endian", "mV", "ms", "1")
    corner = np.flatnonzero((mesh.cells == 0).any(axis=1))
    np.testing.assert_allclose(slices[:, 0], mesh.centroids[corner, 0].mean() + np.arange(3), rtol=1e-6)
    times = np.loadtxt(tmp_path / "fields" / "activation.dat")
    np.testing.assert_array_equal(np.flatnonzero(times != -1.0), np.sort(mesh.cells[3]))
    assert set(times[mesh.cells[3]]) == {7.0}
    points = np.loadtxt(tmp_path / "fields" / "mesh.pts", skiprows=1)
    assert len(points) == len(times) == slices.shape[1]
    with (tmp_path / "fields" / "voltage.igb").open("ab") as file:
        file.write(b"half a slice")  # of a run that was killed
    again = Igb(tmp_path, mesh, (VOLTAGE, TIME), 0.5, "ms", "float32")
    assert again.times() == [0.0, 0.5, 1.0]
    again.keep(2)
    again.append(9, 1.0, {"voltage": np.full(mesh.n_points, 9.0, np.float32)})
    _, slices = read_igb(tmp_path / "fields" / "voltage.igb")
    assert slices.shape == (3, mesh.n_points)
    assert set(slices[2]) == {9.0}


def test_fields_are_chosen_by_name_and_a_wrong_one_gets_the_nearest(tmp_path):
    info = SimpleNamespace(fields=(VOLTAGE, FIELD, TIME), geometry=Grid((3, 5), (0.5, 1.0)), time_unit="ms")
    sink = open_sink(info, FieldSeries(names=["E"], format="vtkhdf"), tmp_path, "ms")
    simulation = SimpleNamespace(field=lambda name: np.zeros((15, 3)), geometry=info.geometry)
    assert list(sink.take(simulation)) == ["E"]
    with pytest.raises(ProblemError, match=r"no field 'voltge' to be written.*voltage") as error:
        open_sink(info, FieldSeries(names=["E", "voltge"]), tmp_path, "ms")
    assert error.value.place == ("recording", "fields", "names", 1)


def test_a_field_that_is_not_there_is_refused_before_anything_is_written(tmp_path, capsys):
    (tmp_path / "series.csv").write_text("of an earlier run")
    (tmp_path / "run.json").write_text('{"outcome": {"state": "finished"}}')
    small = ["--set", "grid.cells_x=32", "--set", "grid.cells_y=32", "--until", "0.01", "--device", "cpu"]
    small += ["--set", "numerics.step=0.002"]
    wrong = ["--set", 'recording.fields.names=["U"]', "--snapshot-every", "0.002", "--out", str(tmp_path)]
    assert main(["run", "sine_mode", *small, *wrong]) == BAD_INPUT
    told = capsys.readouterr().err
    assert "Moments on disk of 1 field: 6" in told  # of --snapshot-every too
    assert "recording.fields.names.0: There is no field 'U' to be written; the nearest is 'u'" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json", "series.csv"]
    assert (tmp_path / "series.csv").read_text() == "of an earlier run"


def test_room_on_disk_is_told_before():
    assert series_on_disk(FieldSeries(), 1000, 10.0, 0.1, 4) == ()
    moments, room = series_on_disk(FieldSeries(interval=0.5, precision="float64"), 1000, 10.0, 0.1, 4)
    assert (moments.value, room.value, room.unit) == (21, 21 * 1000 * 8 / 1e6, "MB")
    *_, room = series_on_disk(FieldSeries(interval=0.5, names=["u", "v"]), 1000, 10.0, 0.1, 4)
    assert room.value == 21 * 1000 * 4 * 2 / 1e6
    for precision, each in (("as computed", 8), ("float32", 4)):
        *_, room = series_on_disk(FieldSeries(interval=0.5, precision=precision), 1000, 10.0, 0.1, 8)
        assert room.value == 21 * 1000 * each / 1e6


HEART = ("small_slab", "voltage", 1.0)
WRITTEN = [
    *((*HEART, precision, form) for precision in ("fp32", "fp64", "mixed") for form in ("vtkhdf", "igb")),
    *(("sine_mode", "u", 0.02, precision, "vtkhdf") for precision in ("fp32", "fp64")),
    *(("fdtd_dipole", "Ez", 2.0, precision, "vtkhdf") for precision in ("fp32", "fp64")),
    ("crack_branching", "damage", 0.4, "fp32", "vtkhdf"),
    ("thousand_cells", "voltage", 40.0, "fp32", "vtkhdf"),
    ("cuba_4000", "voltage", 4.0, None, "vtkhdf"),
]


@pytest.mark.parametrize(("name", "field", "until", "precision", "form"), WRITTEN)
def test_what_is_told_is_the_room_that_the_numbers_of_a_run_take(tmp_path, capsys, name, field, until, precision, form):
    """Of each engine: in double precision most of them give fields in single."""
    given = {"fields.names": f'["{field}"]', "fields.format": form, "fields.interval": until / 4}
    changes = [f"recording.{place}={value}" for place, value in given.items()]
    changes += [] if precision is None else [f"numerics.precision={precision}"]
    asked = ["--device", "cpu", "--no-pictures", "--until", str(until), "--out", str(tmp_path)]
    assert main(["run", name, *asked, *(part for change in changes for part in ("--set", change))]) == 0
    told = float(re.search(r"Room for 1 field at most, per component: (\S+) MB", capsys.readouterr().err)[1])
    if form == "igb":
        size = (tmp_path / "fields" / f"{field}.igb").stat().st_size - 1024
    else:
        with h5py.File(tmp_path / "fields.vtkhdf") as file:
            groups = [file["VTKHDF"][kind] for kind in ("CellData", "PointData") if kind in file["VTKHDF"]]
            named = [data for group in groups for key, data in group.items() if key.split(" [")[0] == field]
            (size,) = (data.size * data.dtype.itemsize for data in named)
    assert size / 1e6 == pytest.approx(told, rel=0.01)


@pytest.mark.parametrize("form", ["series", "vtkhdf", "igb"])
@pytest.mark.parametrize(
    ("interval", "until", "step"), [(0.5, 5, 2.4), (0.5, 4, 2.4), (0.1, 0.3, 0.1), (0.3, 1, 0.1), (0.25, 1, 0.1),
                                    (5, 1, 0.1), (0.04, 0.05, 0.1), (1, 10, 0.003)],
)  # fmt: skip
def test_moments_that_are_told_are_those_that_are_written(tmp_path, interval, until, step, form):
    """11 were said, and 3 written, where the interval is shorter than a step."""
    series = FieldSeries.model_construct(interval=interval, names=[], format=form)
    info = SimpleNamespace(fields=(), geometry=box_mesh((1, 1, 1), (1.0, 1.0, 1.0)), time_unit="s", dt=step)
    stream, last, now, steps = FieldStream(info, series, tmp_path, None), max(1, round(until / step)), -1, []
    while (now := stream.next_step(now)) <= last:
        steps.append(now)
    steps += [last] * (last not in steps and not stream._sink.regular)
    assert moments_on_disk(series, until, step) == len(steps)


def test_an_interval_shorter_than_a_step_is_told(tmp_path, capsys):
    small = ["--set", "grid.cells_x=32", "--set", "grid.cells_y=32", "--set", "numerics.step=0.01", "--device", "cpu"]
    often = ["--until", "0.04", "--snapshot-every", "0.002", "--set", "equation.diffusivity=1", "--no-pictures"]
    assert main(["run", "sine_mode", *small, *often, "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().err
    assert "Moments on disk of each field: 5" in told
    assert told.count("Fields are to be written every 0.002 s, and a step is 0.01 s: each step is written once.") == 1
    assert len(list((tmp_path / "fields").iterdir())) == 5


@pytest.mark.parametrize("kind", [VtkHdf, Igb])
def test_of_a_file_that_is_not_there_there_are_no_moments(tmp_path, kind):
    more = (1.0, "ms") if kind is Igb else ()
    assert kind(tmp_path, box_mesh((1, 1, 1), (1.0, 1.0, 1.0)), (VOLTAGE,), *more, "as computed").times() == []
