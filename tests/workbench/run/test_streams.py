"""What grows without end is written while a run goes on: read back with h5py and NumPy alone."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import registry
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from tests.workbench.fake_engine import FakeBackend
from workbench.export.streams import spikes as files
from workbench.export.streams.cells import CellsFile
from workbench.project.document import Document, new_document
from workbench.project.presets import open_named
from workbench.run.frames import RunState
from workbench.run.recording import Recorder
from workbench.run.session import start
from workbench.run.states.checkpoint import problem_fingerprint, read_checkpoint
from workbench.run.streams import spikes
from workbench.run.streams.curves import read_curves, write_curves
from workbench.run.streams.traces import TraceBuffer, _extremes


@pytest.fixture(autouse=True)
def known_ceilings(monkeypatch):
    """Measuring what this machine's memory delivers takes seconds, and nothing here hangs on it."""
    for name in ("ceilings", "ceiling_over"):
        monkeypatch.setattr(CpuBackend, name, getattr(FakeBackend, name))


def network(**recording) -> Document:
    document = new_document(registry.engine("spiking"))
    given = type(document.parameters)().model_dump(mode="json")
    for population, number in zip(given["populations"], (320, 80), strict=True):
        population["number"] = number
    document.parameters = type(document.parameters).model_validate(given | {"drive": 8.0, "recording": recording})
    return document


def ensemble(**recording) -> Document:
    document = new_document(registry.engine("battery"))
    given = {
        "protocol": ["Discharge at 1C for 20 minutes"],
        "ensemble": {"cells": 30, "distributions": [{"parameter": "contact_resistance", "kind": "uniform"}]},
        "changes": [{"parameter": "contact_resistance", "value": 0.01}],
        "recording": {"interval": 25.0} | recording,
    }
    document.parameters = type(document.parameters).model_validate(given)
    return document


def run(document, folder, until=None, resume=False):
    resume = read_checkpoint(folder / "checkpoint.npz", problem_fingerprint(document, [])) if resume else None
    recorder = Recorder(folder, document, resume=resume)
    runner = start(
        document, "cpu", [recorder], autostart=True, until=until, resume_from=resume and resume.state, can_reset=False
    )
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    runner.close()
    assert runner.error is None
    return json.loads((folder / "run.json").read_text())


def test_every_spike_is_on_disk(tmp_path, monkeypatch):
    """The same whether it is written in many parts or, resumed, in two; as many as the neurons counted themselves."""
    monkeypatch.setattr(spikes, "GATHERED_SPIKES", 10)
    monkeypatch.setattr(files, "CHUNK", 64)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    document = network()
    outcome = run(document, whole, 60.0)
    assert {"spikes.h5", "spikes.npz"} <= set(outcome["files"])
    assert outcome["outcome"]["ending"] == "It has run to where it was to end."
    run(document, parts, 30.0)
    with h5py.File(parts / "spikes.h5", "r+") as file:  # as if it had gone on behind its checkpoint
        for name, value in (("time", 31.0), ("neuron", 3)):
            data = file[f"spikes/{name}"]
            data.resize(len(data) + 1, axis=0)
            data[-1] = value
    run(document, parts, 60.0, resume=True)
    with h5py.File(whole / "spikes.h5") as file, h5py.File(parts / "spikes.h5") as other:
        times, neurons = file["spikes/time"][:], file["spikes/neuron"][:]
        np.testing.assert_array_equal(other["spikes/time"][:], times)
        np.testing.assert_array_equal(other["spikes/neuron"][:], neurons)
        assert file["spikes/time"].attrs["unit"] == "ms"
        assert [name.decode() for name in file["populations/name"]] == ["Excitatory", "Inhibitory"]
        np.testing.assert_array_equal(file["populations/first"], [0, 320])
        np.testing.assert_array_equal(file["populations/stop"], [320, 400])
    assert len(times) > 500
    assert (np.diff(times) >= 0).all()
    _, state = start_state(whole)
    np.testing.assert_array_equal(np.bincount(neurons, minlength=400), state["spikes"])
    np.testing.assert_array_equal(np.unique(neurons), np.flatnonzero(state["spikes"]))
    with np.load(whole / "spikes.npz", allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["times"], times)
        np.testing.assert_array_equal(archive["neurons"], neurons)
        assert list(archive["names"]) == ["Excitatory", "Inhibitory"]


def start_state(folder):
    with np.load(folder / "checkpoint.npz", allow_pickle=False) as archive:
        return archive["step"], {name: archive[name] for name in ("spikes", "last")}


def test_nothing_is_written_where_nothing_is_wanted(tmp_path):
    """And what is written has no part in what a checkpoint belongs to."""
    document = network(spikes="none")
    run(document, tmp_path, 5.0)
    assert not list(tmp_path.glob("spikes*"))
    assert problem_fingerprint(document, []) == problem_fingerprint(network(), [])
    run(network(), tmp_path, 10.0, resume=True)
    with h5py.File(tmp_path / "spikes.h5") as file:
        assert len(file["spikes/time"])
        assert file["spikes/time"][0] >= 5.0


def refused(document, folder):
    """What a run that goes on in ``folder`` says, which leaves all that is there as it is."""
    resume = read_checkpoint(folder / "checkpoint.npz", problem_fingerprint(document, []))
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    recorder = Recorder(folder, document, resume=resume)
    runner = start(document, "cpu", [recorder], autostart=True, until=9e9, resume_from=resume.state, can_reset=False)
    runner.wait(RunState.FAILED)
    runner.close()
    assert isinstance(runner.error, ProblemError)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    return str(runner.error)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({}, "has spikes of 'Inhibitory', this run writes 'Excitatory', 'Inhibitory': resume with recording.spikes"),
        ({"spikes": "populations", "populations": ["Excitatory"]}, "of 'Inhibitory', this run writes 'Excitatory'"),
        ({"spikes": "none"}, "has spikes, and this run would write none from here on: resume with recording.spikes"),
    ],
)
def test_spikes_go_on_for_the_populations_that_they_began_with(tmp_path, other, told):
    run(network(spikes="populations", populations=["Inhibitory"]), tmp_path, 5.0)
    assert told in refused(network(**other), tmp_path)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"cells": 12}, "has current, voltage of 20 cells, this run writes current, voltage of 12 cells: "),
        ({"cells": 0}, "has rows of cells, and this run would write none from here on: resume with recording.cells"),
        ({"cells": 20, "current": False}, "this run writes voltage of 20 cells: resume with recording.cells"),
    ],
)
def test_cells_go_on_as_they_began(tmp_path, other, told):
    """They are whole, and not said to be damaged."""
    run(ensemble(cells=20), tmp_path, 310.0)
    assert told in refused(ensemble(**other), tmp_path)


@pytest.mark.parametrize(
    ("form", "before", "after", "told"),
    [
        ("igb", {}, {"interval": 1.5}, "has a moment each 1 ms in numbers of type float, this run would write a moment "
         "each 1.5 ms in numbers of type float: resume with recording.fields.interval"),
        ("igb", {"interval": 0.0}, {}, "has the end alone in numbers of type float, this run would write a moment"),
        ("igb", {"precision": "float64"}, {}, "in numbers of type double, this run would write a moment each 1 ms"),
        ("vtkhdf", {"names": ["voltage"]}, {}, "holds other fields than are asked for now"),
    ],
)  # fmt: skip
def test_moments_go_on_as_they_began(tmp_path, form, before, after, told):
    """The header of an .igb has one interval for all of its slices: those of before would stand at other times."""

    def heart(**fields):
        document = open_named("small_slab")
        series = {"format": form, "interval": 1.0} | fields
        given = document.parameters.model_dump(mode="json") | {"recording": {"fields": series}}
        document.parameters = type(document.parameters).model_validate(given)
        document.project.probes = []
        return document

    run(heart(**before), tmp_path, 2.0)
    assert told in refused(heart(**after), tmp_path)


def test_every_cell_is_on_disk(tmp_path):
    """Rows at multiples of the interval, in few parts or resumed; parameters as drawn; the way that each has ended."""
    document = ensemble()
    outcome = run(document, tmp_path / "whole")
    assert "cells.h5" in outcome["files"]
    assert outcome["outcome"]["ending"].startswith("All 30 cells are through their protocol")
    run(document, tmp_path / "parts", 310.0)
    run(document, tmp_path / "parts", resume=True)
    with h5py.File(tmp_path / "whole" / "cells.h5") as file, h5py.File(tmp_path / "parts" / "cells.h5") as other:
        times = file["time"][:]
        np.testing.assert_allclose(times, np.arange(0, 1201, 25.0))
        assert file["time"].attrs["unit"] == "s"
        assert file["voltage"].attrs["unit"] == "V"
        assert file["voltage"].shape == file["current"].shape == (len(times), 30)
        assert "temperature" not in file
        again = np.isin(other["time"][:], times)  # where the first part ended there is a row more
        for name in ("voltage", "current"):
            np.testing.assert_array_equal(other[name][:][again], file[name][:])
        drawn = file["parameters/contact_resistance"]
        assert drawn.attrs["unit"] == "Ω"
        # what differs is what makes the voltages differ, at a current that is the same
        fallen = file["voltage"][0] - file["voltage"][1]
        assert np.corrcoef(fallen, drawn)[0, 1] > 0.999
        np.testing.assert_allclose(file["end/time"], 1200.0)


def test_cycles_and_ends_on_disk_know_their_axes_also_after_more_of_them(tmp_path):
    document = new_document(registry.engine("battery"))
    given = {"protocol": ["Discharge at 1C for 60 s"], "cycles": 2, "ageing": {"sei": "ec reaction limited"}}
    given |= {"parameter_set": "OKane2022", "ensemble": {"cells": 5, "distributions": [{}]}}
    document.parameters = type(document.parameters).model_validate(given)
    run(document, tmp_path)
    with h5py.File(tmp_path / "cells.h5", "r+") as file:  # as of a run that was resumed after its end
        results = {f"{name} [1]": file[name][:] for name in ("cycles/cycle", "cycles/discharge capacity")}
    CellsFile(tmp_path / "cells.h5", [], 5, 20.0, "s").end(
        results, {"cycles/discharge capacity": (("cycle", "cycles/cycle"), ("cell", ""))}
    )
    with h5py.File(tmp_path / "cells.h5") as file:
        assert [axis.label for axis in file["end/time"].dims] == ["cell"]
        assert [axis.label for axis in file["parameters/negative_particle_radius"].dims] == ["cell"]
        for name in ("discharge capacity", "charge in the SEI"):
            capacity = file[f"cycles/{name}"]
            assert [axis.label for axis in capacity.dims] == ["cycle", "cell"]
        assert file["cycles/discharge capacity"].dims[0][0][:].tolist() == [1, 2]


@pytest.mark.parametrize("model", ["pack", "MPM"])
def test_elements_of_a_pack_and_the_cell_of_many_particles_are_on_disk(model, tmp_path):
    """What every element does adds up to what the series say of all of them."""
    document = new_document(registry.engine("battery"))
    given = {"model": model, "protocol": ["Discharge at 1C for 3 minutes"], "recording": {"interval": 50.0}}
    given["pack"] = {"arrangement": {"cells_x": 2, "voxels_x": 2, "voxels_y": 4, "voxels_z": 4}}
    given["sizes"] = {"particles": 8}
    if model == "pack":
        given["changes"] = [{"parameter": "contact_resistance", "value": 0.01}]
        given["ensemble"] = {"distributions": [{"parameter": "contact_resistance", "kind": "uniform"}]}
    document.parameters = type(document.parameters).model_validate(given)
    outcome = run(document, tmp_path)
    assert "cells.h5" in outcome["files"]
    table = np.genfromtxt(tmp_path / "series.csv", delimiter=",", names=True)
    with h5py.File(tmp_path / "cells.h5") as file:
        assert [[axis.label for axis in file[name].dims] for name in ("time", "voltage")] == [
            ["time"],
            ["time", "cell"],
        ]
        assert file["voltage"].dims[0][0] == file["time"]
        n = file["voltage"].shape[1]
        assert n == (1 if model == "MPM" else 2 * document.parameters.pack.arrangement.cells_y)
        np.testing.assert_allclose(file["time"][:4], [0, 50, 100, 150])
        last = {name: file[name][-1] for name in ("voltage", "current")}
        assert file["end/voltage"][:] == pytest.approx(last["voltage"])
        if model == "MPM":
            assert last["voltage"][0] == pytest.approx(table["voltage_V"][-1], rel=1e-5)
        else:
            mean = table[next(name for name in table.dtype.names if name.startswith("mean"))][-1]
            assert last["voltage"].min() == pytest.approx(table["lowest_voltage_V"][-1], rel=1e-5)
            assert file["temperature"][-1].mean() == pytest.approx(mean, rel=1e-5)
            assert len(file["parameters/contact_resistance"]) == n


def test_a_damaged_file_is_told(tmp_path):
    document = network()
    run(document, tmp_path, 2.0)
    (tmp_path / "spikes.h5").write_bytes(b"no HDF5")
    with pytest.raises(ProblemError, match="damaged: run without --resume"):
        files.SpikesFile(tmp_path / "spikes.h5", (), 0.1, "ms").keep_before(1.0)


@given(st.lists(st.integers(0, 30), unique=True, max_size=12).map(sorted), st.integers(-1, 31) | st.floats(0, 30))
def test_a_curve_is_read_at_until_and_after_any_time(times, time):
    buffer = TraceBuffer(16)
    buffer.append(np.array(times, float), 10 * np.array(times, float))
    until = [each for each in times if each <= time]
    after = [*until[-1:], *times[len(until) :]] if len(until) < len(times) else []
    assert buffer.at(time) == (10 * min(times, key=lambda each: (abs(each - time), -each)) if times else None)
    np.testing.assert_array_equal(buffer.since(time), [after, [10 * each for each in after]])
    for ended in (False, True):
        kept = buffer.until(time, ended=ended)
        np.testing.assert_array_equal([kept.times, kept.values], [until, [10 * each for each in until]])


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([3.0, 1.0, 2.0, 5.0, 5.0, 5.0, 5.0, 5.0, 9.0, 0.0, 4.0, 8.0], [1, 3, 4, 7, 8, 9]),
        ([1.0, 2.0, 3.0, 4.0, 4.0, 3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 0.0], [0, 3, 4, 7, 8, 9]),
    ],
)
def test_of_each_run_of_points_the_lowest_and_the_highest_stay_in_their_order(values, kept):
    """Of a constant one its ends."""
    times = np.arange(12.0)
    found = _extremes(times, np.array(values), 4)
    assert found[0].tolist() == kept
    assert found[1].tolist() == [values[place] for place in kept]


def test_curves_come_back_up_to_a_time_and_of_probes_that_stand_where_they_stood(tmp_path):
    times = np.arange(5.0)
    curves = {("mean",): (times, times**2), ("near", "v"): (times, -times), ("far", "v"): (times, 2 * times)}
    file = tmp_path / "a.curves"
    write_curves(file, curves, {"near": (1.0, 2.0), "far": (3.0, 4.0)})
    for asked, (keys, count) in (
        ((), (set(curves), 5)),
        ((3.0,), (set(curves), 4)),
        ((3.0 - 1e-10,), (set(curves), 4)),
        ((2.9,), (set(curves), 3)),
        ((9.0, {"near": (1.0, 2.0), "far": (3.0, 5.0)}), ({("mean",), ("near", "v")}, 5)),
        ((9.0, {"far": (3.0, 4.0)}), ({("mean",), ("far", "v")}, 5)),
        ((9.0, {}), ({("mean",)}, 5)),
    ):
        found = read_curves(file, *asked)
        assert (set(found), {len(each) for pair in found.values() for each in pair}) == (keys, {count})
        assert all(np.array_equal(found[key][1], curves[key][1][:count]) for key in found)
