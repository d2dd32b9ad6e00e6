"""What a full disk has refused is tried again, and is there once: spikes, moments of fields and slices."""

import errno

import h5py
import numpy as np
import pytest

from engines.api import FieldInfo
from engines.api.values import Population, Spikes
from engines.geometry.meshes.box import box_mesh
from tests.faults.disks import FaultyDisk, in_place
from workbench.export.moments.igb import HEADER, Igb
from workbench.export.moments.series import COLLECTION, Series
from workbench.export.pvd import read_pvd
from workbench.export.streams.spikes import SpikesFile
from workbench.run.streams.stream import in_turn
from workbench.storage.atomic import StorageError
from workbench.storage.patience import Patience

MESH = box_mesh((2, 1, 1), (2.0, 1.0, 1.0))
VOLTAGE = FieldInfo("voltage", "Voltage", "mV", "cell", (0, 1))


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr("workbench.storage.patience.AGAIN_SECONDS", 0.01)


def fired(of_steps):
    """Neurons by the step in which they did."""
    return Spikes(np.array([*of_steps], np.int32), np.array([*of_steps.values()], np.int32), 0.5)


def at_every_call(folder, job_of, check):
    """``job_of()`` gives a job on files made anew; the disk is full at each of its calls once. How many those are."""
    for at in range(100):
        job = job_of()
        disk = FaultyDisk(folder, errno.ENOSPC, at)
        with in_place(disk):
            Patience(60.0, lambda text, disk=disk: disk.mend() if "waits" in text else None).keep_trying(job)
        check(at)
        if disk.calls <= at:
            return at
    raise AssertionError("it calls for ever")


def test_spikes_are_written_once_whatever_call_is_refused(tmp_path):
    file = SpikesFile(tmp_path / "spikes.h5", [Population("all", 0, 9, True)], 0.5, "ms")
    before = fired({1: 3})
    found = fired({2: 5, 3: 7})

    def job_of():
        file.make()
        file.append([before])
        return in_turn(lambda: file.append([found]), lambda: file.write_npz(tmp_path / "spikes.npz"))

    def check(at):
        with h5py.File(file.path) as written:
            assert written["spikes/time"][:].tolist() == [0.5, 1.0, 1.5], at
            assert written["spikes/neuron"][:].tolist() == [3, 5, 7]
        assert np.load(tmp_path / "spikes.npz")["times"].tolist() == [0.5, 1.0, 1.5]
        assert not list(tmp_path.glob(".*.journal"))

    assert at_every_call(tmp_path, job_of, check) > 5


def test_a_change_that_is_decided_says_what_is_left_of_it(tmp_path):
    file = SpikesFile(tmp_path / "spikes.h5", [Population("all", 0, 9, True)], 0.5, "ms")
    file.make()
    spikes = [fired({1: 3})]
    kinds = set()
    for at in range(20):
        left = None
        with in_place(FaultyDisk(tmp_path, errno.ENOSPC, at)):
            try:
                file.append(spikes)
            except StorageError as error:
                left = error.finish
                kinds.add(left is not None)
            else:
                break
        if left is not None:
            left()
    assert kinds == {False, True}


def test_a_moment_stands_in_the_collection_once(tmp_path):
    def job_of():
        series = Series(tmp_path, MESH, (VOLTAGE,), "float32", 0.5)
        series.append(0, 0.0, {"voltage": np.zeros(MESH.n_cells, np.float32)})
        return in_turn(lambda: series.append(1, 0.5, {"voltage": np.ones(MESH.n_cells, np.float32)}))

    def check(at):
        assert [time for time, _ in read_pvd(tmp_path / COLLECTION)] == [0.0, 0.5], at

    (tmp_path / "fields").mkdir()
    assert at_every_call(tmp_path, job_of, check) > 1


def test_a_slice_stands_behind_the_one_before(tmp_path):
    def job_of():
        sink = Igb(tmp_path, MESH, (VOLTAGE,), 0.5, "ms", "float32")
        sink.make()
        sink.append(0, 0.0, {"voltage": np.zeros(MESH.n_points, np.float32)})
        return in_turn(lambda: sink.append(1, 0.5, {"voltage": np.ones(MESH.n_points, np.float32)}))

    def check(at):
        content = (tmp_path / "fields" / "voltage.igb").read_bytes()
        slices = np.frombuffer(content[HEADER:], "<f4").reshape(-1, MESH.n_points)
        assert slices.tolist() == [[0.0] * MESH.n_points, [1.0] * MESH.n_points], at
        assert b" t:2 " in content[:HEADER]

    (tmp_path / "fields").mkdir()
    assert at_every_call(tmp_path, job_of, check) > 0
