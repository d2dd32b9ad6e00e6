"""A writer that is told to end when all is written but the name: what had that name before is there, whole."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench.export.hdf5 import write_hdf5
from workbench.export.movies import encoder, finished, open_movie
from workbench.export.png import encode_png
from workbench.export.tables import write_table
from workbench.storage.atomic import write_bytes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")


def save_project(path: Path) -> None:
    wb.open("gray_scott_coral").save(path)


def movie(path: Path) -> None:
    with finished(open_movie(path, 10.0)) as film:
        for shade in range(5):
            film.add(np.full((32, 32, 4), 20 * shade, np.uint8))


WRITERS = {
    "project.zip": save_project,
    "movie.gif": movie,
    "movie.mp4": movie,
    "results.h5": lambda path: write_hdf5(path, {"u": np.zeros((200, 200))}),
    "series.csv": lambda path: write_table(path, ["t"], [[number] for number in range(1000)]),
    "picture.png": lambda path: write_bytes(path, encode_png(np.zeros((64, 64, 4), np.uint8))),
}


def until_renamed(write, path: Path, told: int) -> None:
    """Write, and say so and wait instead of giving the file its name. Never returns."""

    def wait(*_: object) -> None:
        os.write(told, b".")
        time.sleep(60)

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Path.replace = os.replace = wait
    try:
        write(path)
    finally:
        os._exit(1)


@pytest.mark.parametrize("replaced", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("name", WRITERS)
def test_nothing_half_written_has_the_name(tmp_path, name, replaced):
    if name.endswith("mp4") and encoder() is None:
        pytest.skip("no encoder")
    path = tmp_path / name
    if replaced:
        WRITERS[name](path)
    before = path.read_bytes() if replaced else b""
    ready, told = os.pipe()
    process = os.fork()
    if not process:
        until_renamed(WRITERS[name], path, told)
    os.close(told)
    try:
        assert os.read(ready, 1) == b".", "it was to be renamed"
    finally:
        os.kill(process, signal.SIGTERM)
        _, status = os.waitpid(process, 0)
        os.close(ready)
    assert os.WTERMSIG(status) == signal.SIGTERM
    assert (path.read_bytes() if path.exists() else b"") == before
    assert all(each.name.startswith(".") for each in tmp_path.iterdir() if each != path)
