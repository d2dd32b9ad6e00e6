"""Files of HDF5 among results that somebody else packed: nothing beyond the file itself is read or written."""

import os
from contextlib import nullcontext

import h5py
import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.api.values import CellQuantity, Population
from workbench.export.hdf5 import changed, readable, write_hdf5
from workbench.export.streams import nwb
from workbench.export.streams.cells import CellsFile
from workbench.export.streams.nwb import convert_spikes
from workbench.export.streams.spikes import SpikesFile

TIMES = "spikes/time"
SECRET = np.arange(500.0)


@pytest.fixture
def spikes(tmp_path):
    """Of a run, and beside it a file that is none of its business."""
    found = SpikesFile(tmp_path / "spikes.h5", [Population("all", 0, 9, True)], 0.1, "ms")
    found.make()
    (tmp_path / "private").write_bytes(SECRET.tobytes())
    with h5py.File(tmp_path / "private.h5", "w") as file:
        file.create_dataset("values", data=SECRET, chunks=(100,), maxshape=(None,))
    return found


def _raw(file, folder):
    there = [(str(folder / "private"), 0, h5py.h5f.UNLIMITED)]
    file.create_dataset(TIMES, (500,), "f8", maxshape=(None,), external=there)


def _virtual(file, folder):
    layout = h5py.VirtualLayout((500,), "f8", maxshape=(None,))
    layout[:] = h5py.VirtualSource(str(folder / "private.h5"), "values", (500,))
    file.create_virtual_dataset(TIMES, layout)


def _linked(file, folder):
    file[TIMES] = h5py.ExternalLink(str(folder / "private.h5"), "/values")


def _unwritten(file, folder):
    file.create_dataset(TIMES, (1 << 33,), "f8", maxshape=(None,), chunks=(1 << 14,))


def _nested(file, folder):
    file.create_dataset(TIMES, (0,), "f8", maxshape=(None,))
    file["elsewhere"] = h5py.ExternalLink(str(folder / "private.h5"), "/")


@pytest.mark.parametrize("put", [_raw, _virtual, _linked, _unwritten, _nested])
def test_a_file_that_reaches_beyond_itself_is_neither_read_nor_changed(spikes, tmp_path, put):
    with h5py.File(spikes.path, "r+") as file:
        del file[TIMES]
        put(file, tmp_path)
    before = [(tmp_path / name).read_bytes() for name in ("private", "private.h5")]
    for opened in (changed, readable):
        with pytest.raises(ProblemError, match="is damaged: run without --resume"), opened(spikes.path) as file:
            file[TIMES][:10]
    assert before == [(tmp_path / name).read_bytes() for name in ("private", "private.h5")]


@pytest.mark.parametrize(
    ("times", "neurons"),
    [
        ([0.1, 0.3, 0.2], [1, 2, 3]),
        ([0.1, float("nan"), 0.2], [1, 2, 3]),
        ([0.1, 0.2, 0.3], [1]),
        ([b"a", b"b"], [1, 2]),
        (0.5, 1),
        (np.ones((2, 2)), np.ones((2, 2), int)),
    ],
)
def test_spikes_that_are_none_are_not_gone_on_from(spikes, times, neurons):
    """A neuron that is missing would be told as neuron 0."""
    with h5py.File(spikes.path, "r+") as file:
        for name, values in (("time", times), ("neuron", neurons)):
            del file[f"spikes/{name}"]
            more = {} if np.ndim(values) == 0 else {"maxshape": (None, *np.shape(values)[1:])}
            file.create_dataset(f"spikes/{name}", data=values, **more)
    with pytest.raises(ProblemError, match="is damaged: run without --resume"):
        spikes.keep_before(0.25)


def test_spikes_before_a_time_are_counted_in_parts(spikes, monkeypatch):
    monkeypatch.setattr("workbench.export.streams.spikes.COPIED", 3)
    with h5py.File(spikes.path, "r+") as file:
        for name, values in (("time", np.arange(10) * 0.1), ("neuron", np.arange(10) % 9)):
            file[f"spikes/{name}"].resize(10, axis=0)
            file[f"spikes/{name}"][:] = values
    spikes.keep_before(0.7)
    with h5py.File(spikes.path) as file:
        np.testing.assert_array_equal(file["spikes/time"][:], np.arange(7) * 0.1)


@pytest.mark.parametrize(("times", "rows"), [([0.0, 2.0, 1.0], 3), ([0.0, 1.0, 2.0], 2)])
def test_rows_of_cells_that_are_none_are_not_gone_on_from(tmp_path, times, rows):
    cells = CellsFile(tmp_path / "cells.h5", [CellQuantity("voltage", "Voltage", "V")], 4, 1.0, "s")
    cells.make({})
    with h5py.File(cells.path, "r+") as file:
        for name, values in (("time", times), ("voltage", np.ones((rows, 4)))):
            file[name].resize(len(values), axis=0)
            file[name][:] = values
    with pytest.raises(ProblemError, match="is damaged: run without --resume"):
        cells.keep_until(1.0, 1)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("spikes/neuron", [1, 12, 3]),
        ("spikes/neuron", [1, -1, 3]),
        ("spikes/neuron", [1.5, 2.0, 3.0]),
        ("spikes/neuron", [1]),
        ("spikes/time", [0.1, float("inf"), 0.3]),
        ("populations/stop", [1 << 31]),
        ("populations/first", [20]),
        ("populations/first", [-5]),
        ("populations/name", [b"x" * 100_000]),
        ("unit", "year"),
        ("step", float("nan")),
    ],
)
def test_spikes_that_would_go_missing_are_not_converted(spikes, tmp_path, name, values):
    """Those of no neuron were left out of the NWB file, and counted."""
    with h5py.File(spikes.path, "r+") as file:
        for place, given in (("time", [0.1, 0.2, 0.3]), ("neuron", [1, 2, 3])):
            file[f"spikes/{place}"].resize(3, axis=0)
            file[f"spikes/{place}"][:] = given
        if name in ("unit", "step"):
            file.attrs["unit of time" if name == "unit" else name] = values
        else:
            del file[name]
            file[name] = values
    with pytest.raises(ProblemError, match=r"holds no spikes of a run: name its spikes\.h5"):
        convert_spikes(spikes.path, tmp_path / "spikes.nwb")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.timeout(30)
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "spikes.h5")
    with pytest.raises(ProblemError, match="is a pipe or a device"):
        convert_spikes(tmp_path / "spikes.h5", tmp_path / "spikes.nwb")


def test_a_name_of_two_lines_is_a_name(tmp_path):
    """The run ended in an error that nobody expected, without the results of other monitors."""
    write_hdf5(tmp_path / "a.h5", {"of\ntwo/field [V/m]": np.arange(3.0)})
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["of\ntwo/field"].attrs["unit"] == "V/m"


@pytest.mark.parametrize(
    ("ends", "times", "neurons", "said"),
    [
        ([(0, 3), (3, 5)], [1.0, 2.0, 2.0], [0, 2, 4], None),
        ([(0, 3), (5, 6)], [], [], None),
        ([(0, 3), (5, 6)], [1.0], [3], "spikes of no neuron"),
        ([(0, 3), (5, 6)], [1.0], [6], "spikes of no neuron"),
        ([(2, 3)], [1.0], [1], "spikes of no neuron"),
        ([(0, 3)], [np.nan], [1], "at no time"),
        ([(0, 3)], [1.0, 2.0], [1], "at no time"),
        ([(0, 3), (2, 5)], [], [], "in no order"),
        ([(-1, 3)], [], [], "in no order"),
        ([(0, nwb.MOST_NEURONS + 1)], [], [], "or too large"),
        ([(0, nwb.MOST_NEURONS)], [], [], None),
        ([], [], [], "in no order"),
    ],
)
def test_spikes_that_are_converted_are_of_neurons_that_there_are(ends, times, neurons, said):
    populations = [Population("one", first, stop) for first, stop in ends]
    with nullcontext() if said is None else pytest.raises(ValueError, match=said):
        nwb._check_spikes(np.array(times, float), np.array(neurons, np.int64), populations)


def test_spikes_of_neurons_that_were_not_recorded_go_to_no_others():
    """They became the next neuron's that was."""
    populations = [Population("a", 0, 3), Population("b", 3, 6, recorded=False), Population("c", 6, 9)]
    with pytest.raises(ValueError, match="not recorded"):
        nwb._check_spikes(np.array([1.0]), np.array([4]), populations)
    nwb._check_spikes(np.array([1.0, 2.0]), np.array([0, 8]), populations)


def test_axes_that_are_known_have_labels_and_scales(tmp_path):
    """As netCDF and xarray read them. Where values along an axis are said by nothing in the file, a label alone."""
    results = {"tip/time [us]": np.arange(3.0), "tip/at [mm]": np.zeros((3, 2)), "tip/other [1]": np.zeros(4)}
    dims = {
        "tip/time": (("time", "tip/time"),),
        "tip/at": (("time", "tip/time"), ("component", "")),
        "tip/missing": (("time", "tip/time"),),
        "tip/other": (("time", "tip/gone"), ("too", "many")),
    }
    write_hdf5(tmp_path / "a.h5", results, dims=dims)
    with h5py.File(tmp_path / "a.h5") as file:
        at, time = file["tip/at"], file["tip/time"]
        assert [axis.label for axis in at.dims] == ["time", "component"]
        assert at.dims[0][0] == time
        assert len(at.dims[1]) == 0
        assert (time.is_scale, time.dims[0].label) == (True, "time")
        assert file["tip/other"].dims[0].label == ""
