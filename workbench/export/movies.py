"""Movies of pictures: MP4 (H.264, by ffmpeg), GIF, and numbered PNG pictures in a folder."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from workbench.export.png import encode_png
from workbench.storage.atomic import FORGOTTEN_SECONDS, StorageError, storing, sweep, write_atomically, write_bytes

KINDS = {".mp4": "Movie (*.mp4)", ".gif": "Animation (*.gif)", "": "Numbered pictures in a folder (*)"}
NO_ENCODER = (
    "MP4 needs an encoder: install ffmpeg or the extra 'movie' (pip install 'workbench-sim[movie]'), "
    "or choose .gif or a folder."
)
QUALITY = "17"
"""The constant rate factor of H.264: 17 is about where a difference is no longer seen."""
HD_COLOURS = ("-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_primaries", "bt709",
              "-color_trc", "bt709", "-color_range", "tv")  # fmt: skip
"""Colours as players take those of large pictures, and a word that they are: without it they guess, and may shift every
colour of a map by some per cent."""
COLOURS = 255
"""Of a picture of a GIF."""


class Movie(ABC):
    """Takes pictures of one size in the order of time. What is not finished leaves nothing behind."""

    def __init__(self, path: Path, frames_per_second: float) -> None:
        self.path, self.rate = path, frames_per_second
        self.frames = 0

    def add(self, picture: Array) -> None:
        """``picture: (h, w, 3 or 4) uint8``. Raises StorageError."""
        with storing(self.path):
            self.take(np.ascontiguousarray(picture[:, :, :3]))
        self.frames += 1

    @abstractmethod
    def take(self, rgb: Array) -> None: ...

    @abstractmethod
    def finish(self) -> None:
        """Complete the file. Raises StorageError."""

    def abandon(self) -> None:
        """Leave nothing behind."""


class Mp4(Movie):
    """Every player of the last fifteen years shows it: H.264 with 4:2:0 colours, whose sides are even."""

    def __init__(self, path: Path, frames_per_second: float) -> None:
        super().__init__(path, frames_per_second)
        program = encoder()
        if program is None:
            raise ProblemError(NO_ENCODER)
        self._program = program
        sweep(path.parent, path.name, FORGOTTEN_SECONDS)
        self._part = path.with_name(f".{path.name[:40]}.{uuid.uuid4().hex[:8]}.tmp")  # which sweeps know
        self._encoding: subprocess.Popen[bytes] | None = None

    def take(self, rgb: Array) -> None:
        height, width = (side - side % 2 for side in rgb.shape[:2])
        if self._encoding is None:
            raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(self.rate), "-i", "-"]
            how = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", QUALITY, "-movflags", "+faststart", *HD_COLOURS]
            self._encoding = subprocess.Popen(
                [self._program, "-v", "error", *raw, *how, "-f", "mp4", str(self._part)],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
        assert self._encoding.stdin is not None
        try:
            self._encoding.stdin.write(np.ascontiguousarray(rgb[:height, :width]).data)
        except BrokenPipeError:
            self._end()

    def finish(self) -> None:
        self._end()
        with storing(self.path):
            self._part.replace(self.path)

    def _end(self) -> None:
        """No more pictures come. Raises StorageError with what ffmpeg says where it failed."""
        if self._encoding is not None:
            _, said = self._encoding.communicate()
            if self._encoding.returncode or not _is_whole(self._part):
                *_, last = said.decode("utf-8", "replace").strip().splitlines() or ["it ended without a word"]
                raise StorageError(f"'{self.path.name}' cannot be written: ffmpeg says '{last}'. Try .gif or a folder.")

    def abandon(self) -> None:
        if self._encoding is not None:
            self._encoding.kill()
            self._encoding.communicate()
        with suppress(OSError):  # of a disk that takes nothing any more
            self._part.unlink(missing_ok=True)


class Gif(Movie):
    """Shown everywhere, with 255 colours a picture; repeats for ever."""

    def __init__(self, path: Path, frames_per_second: float) -> None:
        super().__init__(path, frames_per_second)
        self._pictures: list[Any] = []

    def take(self, rgb: Array) -> None:
        from PIL import Image

        # The octree keeps the few pixels of a colour bar and of the axes apart; the median cut, which goes by areas,
        # spends its colours on the background.
        picture = Image.fromarray(rgb)
        self._pictures.append(picture.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))

    def finish(self) -> None:
        # GIF counts hundredths of a second, and players take one of less than two for ten.
        pause = max(20, 10 * round(100 / self.rate))
        first, *others = self._pictures

        def write(file: BinaryIO) -> None:
            first.save(file, "GIF", save_all=True, append_images=others, duration=pause, loop=0, optimize=False)

        write_atomically(self.path, write)

    def abandon(self) -> None:
        self._pictures = []


class Pngs(Movie):
    """``frame_00000.png`` and so on, for programs that cut movies."""

    def take(self, rgb: Array) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        opaque = np.full((*rgb.shape[:2], 4), 255, np.uint8)
        opaque[:, :, :3] = rgb
        write_bytes(self._file(self.frames), encode_png(opaque))

    def _file(self, number: int) -> Path:
        return self.path / f"frame_{number:05d}.png"

    def finish(self) -> None: ...

    def abandon(self) -> None:
        with suppress(OSError):  # of a disk that takes nothing any more, or where somebody has put something meanwhile
            for number in range(self.frames):
                self._file(number).unlink(missing_ok=True)
            self.path.rmdir()


def _is_whole(path: Path) -> bool:
    """Whether an MP4 has all the boxes that it begins, with pictures and what tells where they are: on a full disk
    ffmpeg says so and ends as if all were well."""
    found, at = set(), 0
    with storing(path), path.open("rb") as file:
        end = os.fstat(file.fileno()).st_size
        while at + 8 <= end:
            file.seek(at)
            size, name, longer = struct.unpack(">I4sQ", file.read(16).ljust(16, b"\0"))
            found.add(name)
            at += max(8, longer if size == 1 else size or end - at)
    return at == end and found >= {b"moov", b"mdat"}


def encoder() -> str | None:
    """The program that encodes MP4: that of the extra ``movie``, else the machine's own."""
    with suppress(ImportError, RuntimeError):  # RuntimeError: it knows none for this machine
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    return shutil.which("ffmpeg")


def open_movie(path: Path, frames_per_second: float) -> Movie:
    """What writes to this path: by its suffix .mp4 or .gif, and without one a folder of PNG pictures.

    Raises ProblemError for another suffix, for a folder that holds anything, and where there is no encoder for MP4.
    """
    kinds: dict[str, type[Movie]] = {".mp4": Mp4, ".gif": Gif, "": Pngs}
    suffix = path.suffix.lower()
    if suffix not in kinds:
        raise ProblemError(
            f"A movie cannot be written as '{path.suffix}': use .mp4, .gif, or a folder without a suffix."
        )
    with storing(path):
        taken = not suffix and path.exists() and (not path.is_dir() or any(path.iterdir()))
    if taken:
        raise ProblemError(f"'{path}' is not an empty folder: choose another for the pictures of the movie.")
    return kinds[suffix](path, frames_per_second)


@contextmanager
def finished(movie: Movie) -> Iterator[Movie]:
    """Finish the movie after the block, or leave nothing behind if that fails or no picture came."""
    try:
        yield movie
        if not movie.frames:
            raise StorageError(f"There is no picture for the movie '{movie.path.name}'.")
        movie.finish()
    except BaseException:
        movie.abandon()
        raise
