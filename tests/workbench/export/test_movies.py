"""Movies: pictures that come back out of the file as they went in."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from engines.api.errors import ProblemError
from workbench.export import movies
from workbench.export.movies import NO_ENCODER, encoder, finished, open_movie
from workbench.storage.atomic import FORGOTTEN_SECONDS, StorageError, sweep


def pictures():
    """Three of 25 × 16 pixels: red, green and blue, with a white corner."""
    for channel in range(3):
        rgba = np.zeros((16, 25, 4), np.uint8)
        rgba[:, :, [channel, 3]] = 255
        rgba[:4, :4] = 255
        yield rgba


def written(path, rate=10.0):
    with finished(open_movie(path, rate)) as movie:
        for picture in pictures():
            movie.add(picture)
    return path


def test_a_gif_holds_each_picture_for_its_time(tmp_path):
    with Image.open(written(tmp_path / "run.gif")) as file:
        assert (file.n_frames, file.size, file.info["duration"], file.info["loop"]) == (3, (25, 16), 100, 0)
        for place, picture in enumerate(pictures()):
            file.seek(place)
            np.testing.assert_array_equal(np.asarray(file.convert("RGB")), picture[:, :, :3])
    assert [path.name for path in tmp_path.iterdir()] == ["run.gif"]


def test_a_gif_keeps_the_colours_of_what_is_small(tmp_path):
    """A wide dark ground that runs from shade to shade, and in it a narrow bar of all hues."""
    rows, columns = np.indices((360, 640))
    picture = np.full((360, 640, 4), 255, np.uint8)
    ground = (16 + columns // 20, 16 + rows // 12, 20 + (rows + columns) // 30)
    picture[..., :3] = np.stack(ground, axis=-1)
    turn = np.linspace(0, 2 * np.pi, 60)[:, None, None]
    bar = np.round(127.5 + 127.5 * np.cos(turn + np.array([0, 2, 4])))
    picture[60:120, 300:304, :3] = bar
    with finished(open_movie(tmp_path / "run.gif", 10.0)) as movie:
        movie.add(picture)
    with Image.open(tmp_path / "run.gif") as file:
        seen = np.asarray(file.convert("RGB")).astype(int)
    assert np.abs(seen[60:120, 300:304] - bar).max() <= 32, "a median cut is 141 off"


def test_a_folder_holds_them_as_png(tmp_path):
    folder = written(tmp_path / "run")
    assert sorted(path.name for path in folder.iterdir()) == [f"frame_0000{n}.png" for n in range(3)]
    with Image.open(folder / "frame_00002.png") as file:
        np.testing.assert_array_equal(np.asarray(file), list(pictures())[2])
    with pytest.raises(ProblemError, match="not an empty folder"):
        open_movie(folder, 10.0)


def own() -> str | None:
    """The machine's."""
    return shutil.which("ffmpeg")


def of_extra() -> str | None:
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        return None
    import imageio_ffmpeg

    return imageio_ffmpeg.get_ffmpeg_exe()


@pytest.mark.parametrize("which", [own, of_extra])
def test_an_mp4_is_written(tmp_path, monkeypatch, which):
    """By the machine's ffmpeg as by that of the extra."""
    if (program := which()) is None:
        pytest.skip("no encoder")
    if which is own:
        monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    assert encoder() == program
    path = written(tmp_path / "run.mp4")
    raw = [program, "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    shown = np.frombuffer(subprocess.run(raw, capture_output=True, check=True).stdout, np.uint8)
    for frame, picture in zip(shown.reshape(-1, 16, 24, 3), pictures(), strict=True):
        assert np.abs(frame[10, 15].astype(int) - picture[10, 15, :3]).max() < 12  # away from the corner
    assert [each.name for each in tmp_path.iterdir()] == ["run.mp4"]
    described = subprocess.run([program, "-i", str(path)], capture_output=True, text=True).stderr
    assert "yuv420p(tv, bt709" in described, "no player has to guess"
    for told in ("h264", "24x16", "10 fps"):  # sides of 4:2:0 colours are even
        assert told in described


def test_the_encoder_of_the_extra_comes_before_that_of_the_machine(monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", SimpleNamespace(get_ffmpeg_exe=lambda: Path("of_the_extra")))
    assert encoder() == "of_the_extra"

    def none():
        raise RuntimeError("No ffmpeg exe could be found.")

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", SimpleNamespace(get_ffmpeg_exe=none))
    assert encoder() == shutil.which("ffmpeg")


def test_without_an_encoder_one_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.export.movies.encoder", lambda: None)
    with pytest.raises(ProblemError) as caught:
        open_movie(tmp_path / "run.mp4", 10.0)
    assert str(caught.value) == NO_ENCODER


@pytest.mark.parametrize("count", [1, 200], ids=["at the end", "meanwhile"])
def test_what_an_encoder_says_that_fails_is_told_and_nothing_left(tmp_path, monkeypatch, count):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\nhead -c 9 >/dev/null\necho Working >&2; echo Unknown encoder libx264 >&2\nexit 8\n")
    program.chmod(0o755)
    monkeypatch.setattr("workbench.export.movies.encoder", lambda: str(program))
    path = tmp_path / "movies" / "run.mp4"
    path.parent.mkdir()
    told = pytest.raises(StorageError, match=r"'run.mp4' cannot be written: ffmpeg says 'Unknown encoder libx264'")
    with told, finished(open_movie(path, 10.0)) as movie:
        for _ in range(count):
            movie.add(np.zeros((64, 64, 3), np.uint8))
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("name", ["run.gif", "run", "run.mp4"])
def test_what_is_abandoned_leaves_nothing(tmp_path, name):
    if name.endswith("mp4") and encoder() is None:
        pytest.skip("no encoder")
    movie = open_movie(tmp_path / name, 10.0)
    for picture in pictures():
        movie.add(picture)
    movie.abandon()
    assert not list(tmp_path.iterdir())


def test_what_a_killed_export_left_is_gone_after_the_next(tmp_path, monkeypatch):
    if encoder() is None:
        pytest.skip("no encoder")
    path = tmp_path / "run.mp4"
    with monkeypatch.context() as killed:
        killed.setattr(Path, "replace", lambda *_: None)  # at the last moment
        written(path)
    (half,) = tmp_path.iterdir()
    other = half.with_name(".other.mp4.0123abcd.tmp")
    other.touch()
    written(path)
    assert half.exists(), "what was written to a moment ago may be somebody's"
    for file in (half, other):
        os.utime(file, times=(time.time() - 2 * FORGOTTEN_SECONDS,) * 2)
    written(path)
    assert {each.name for each in tmp_path.iterdir()} == {"run.mp4", other.name}
    sweep(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["run.mp4"]


@pytest.mark.parametrize("name", ["run.gif", "run.avi"])
def test_what_is_not_finished_leaves_nothing(tmp_path, name):
    refused = pytest.raises((StorageError, ProblemError), match=r"no picture|use .mp4")
    with refused, finished(open_movie(tmp_path / name, 10.0)):
        pass
    assert not list(tmp_path.iterdir())


def box(name, content=b"1234", more=0):
    return (8 + len(content) + more).to_bytes(4, "big") + name + content


HEAD, MOOV, MDAT = box(b"ftyp"), box(b"moov"), b"\0\0\0\1mdat" + (20).to_bytes(8, "big") + b"1234"


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script of a shell")
@pytest.mark.parametrize(
    ("content", "whole"),
    [
        (HEAD + MOOV + MDAT, True), (HEAD + MDAT + MOOV, True), (HEAD + MOOV + b"\0\0\0\0mdat12", True), (b"", False),
        (HEAD, False), (HEAD + MDAT, False), (HEAD + MOOV, False), (HEAD + MOOV + MDAT[:-1], False), (b"junk", False),
        (HEAD + MDAT + box(b"moov", more=1), False), (HEAD + MOOV + MDAT + b"1", False),
    ],
)  # fmt: skip
def test_a_movie_that_an_encoder_left_cut_off_is_not_announced(tmp_path, monkeypatch, content, whole):
    """On a full disk ffmpeg says so, and ends as if all were well: a movie was announced that nothing could play."""
    (tmp_path / "content").write_bytes(content)
    program = tmp_path / "ffmpeg"
    program.write_text(
        f'#!/bin/sh\nfor last; do :; done\ncat > /dev/null\ncp {tmp_path}/content "$last"\n'
        "echo 'No space left on device' >&2\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(movies, "encoder", lambda: str(program))
    if whole:
        assert written(tmp_path / "run.mp4").read_bytes() == content
        return
    with pytest.raises(StorageError, match="ffmpeg says 'No space left on device'"):
        written(tmp_path / "run.mp4")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["content", "ffmpeg"]


@pytest.mark.parametrize("name", ["run.mp4", "run"])
def test_a_disk_that_takes_nothing_any_more_is_told_of_once(tmp_path, monkeypatch, name):
    """What had been written cannot be removed from there either, over which commands ended in a traceback."""

    def refuse(path, *_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    movie = open_movie(tmp_path / name, 10.0) if name == "run" or encoder() else pytest.skip("no encoder")
    movie.add(next(pictures()))
    monkeypatch.setattr(Path, "unlink", refuse)
    movie.abandon()
    with pytest.raises(StorageError, match="first"), finished(movie):
        raise StorageError("What was refused first.")


def test_a_name_that_is_longer_than_names_may_be_is_told(tmp_path):
    with pytest.raises(StorageError, match="could not be written"):
        open_movie(tmp_path / ("x" * 300), 10.0)
