"""Zips where the machine's clock is off: a board whose battery is empty begins in 1970."""

import io
import os
import time
import zipfile

import numpy as np
import pytest

from tests.workbench.fake_engine import WaveEngine
from workbench.project.document import open_document, save_document
from workbench.run.states.checkpoint import CheckpointMeta, read_checkpoint, write_checkpoint
from workbench.storage.zips import write_npz

OFF = (-5.0, 0.0, 4.5e9)
"""Seconds since 1970; zips tell 1980 to 2107."""


@pytest.mark.parametrize("now", OFF)
def test_a_checkpoint_is_written_whatever_the_clock_says(tmp_path, monkeypatch, now):
    state = {"u": np.arange(5.0), "empty": np.zeros((0, 3))}
    written = []
    for seconds in (1.8e9, now):
        monkeypatch.setattr(time, "time", lambda seconds=seconds: seconds)
        write_checkpoint(tmp_path / "c.npz", CheckpointMeta("p", "cpu", 3, 1.5), state)
        written.append((tmp_path / "c.npz").read_bytes())
    assert written[0] == written[1]
    found = read_checkpoint(tmp_path / "c.npz", "p")
    assert {name: values.tolist() for name, values in found.state.items()} == {
        name: values.tolist() for name, values in state.items()
    }


@pytest.mark.parametrize("now", OFF)
def test_a_project_is_saved_as_a_zip_whatever_the_clock_said(project, tmp_path, monkeypatch, now):
    document = open_document(project)
    for file in project.rglob("*"):
        os.utime(file, (now, now))
    monkeypatch.setattr(time, "time", lambda: now)
    save_document(document, tmp_path / "p.zip")
    assert open_document(tmp_path / "p.zip").engine.id == WaveEngine().id
    with zipfile.ZipFile(tmp_path / "p.zip") as archive:
        infos = archive.infolist()
        assert all(info.compress_size < info.file_size for info in infos if info.file_size > 200)
        assert all(info.external_attr >> 16 & 0o400 for info in infos), "unzip gives files that can be read"


def test_arrays_are_as_those_that_numpy_saves():
    stream = io.BytesIO()
    arrays = {"a b": np.arange(6).reshape(2, 3), "c": np.array("text")}
    write_npz(stream, arrays)
    stream.seek(0)
    with np.load(stream) as found:
        assert {name: found[name].tolist() for name in found.files} == {"a b": [[0, 1, 2], [3, 4, 5]], "c": "text"}
