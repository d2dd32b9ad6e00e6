"""Files that somebody else made: whatever is wrong with one is one sentence, and no array is larger than its file."""

from __future__ import annotations

import json
import logging
import math
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from engines.api.errors import ProblemError, WorkbenchError

log = logging.getLogger("workbench.reading")

Array = npt.NDArray[Any]
EXPANSION = 1032
"""Bytes that one byte of deflated data stands for at the most (zlib's own figure)."""
MOST_EXPANDED, EXPANDED_FROM = 100, 64 << 20
"""Times that what is in a zip may be larger than the zip, from so many bytes on: meshes and tables are three to twenty
times as large, what is made to fill a disk and memory a thousand times."""
LARGEST_DIRECTORY = 4 << 20
"""Bytes in which a zip tells what is in it: of some 40,000 members."""
LONGEST_SENTENCE = 400
LARGEST_MEMBER = 8 << 30
LARGEST_FILE = 256 << 20
"""Bytes of a text file that is read whole, as rows and words: they take some ten times as much memory."""


Version = tuple[int, ...]
"""Of a file: whoever keeps what was read of it reads again when this changes."""


def version_of(path: str | Path) -> Version:
    """Also another one where a file that is put in the place of one has its time and size. Raises OSError."""
    state = os.stat(path)
    return state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino


@contextmanager
def foreign_file(
    sentence: str, kind: type[ProblemError] = ProblemError, place: tuple[str | int, ...] = ()
) -> Iterator[None]:
    """Whatever is raised inside becomes ``sentence``, but for sentences that are made for people already.

    What was raised may quote the file, or be of no use to a person: it goes to the log.
    """
    try:
        yield
    except WorkbenchError as error:
        error.args = (_brief(str(error)), *error.args[1:])  # a sentence may quote a word, which may be a megabyte
        raise
    except OSError as error:
        raise kind(f"{sentence.removesuffix('.')} ({error.strerror or type(error).__name__}).", place) from error
    except Exception:  # of any kind: readers of others raise what nobody thinks of
        log.info("%s", sentence, exc_info=True)
        raise kind(sentence, place) from None


def _brief(sentence: str) -> str:
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    return re.sub(r"\S{60,}", lambda word: f"{word[0][:40]}…", sentence)[:LONGEST_SENTENCE]


def expanded(name: str | Path) -> Path:
    """With the home folder for ``~``; where nobody here is called so, as it is written, and nothing is found there."""
    return Path(os.path.expanduser(name))


def resolved(path: Path) -> Path:
    """With links resolved, as ``Path.resolve``, which raises RuntimeError for a link that leads to itself until Python
    3.13; nothing is found at such a one."""
    return Path(os.path.realpath(path))


def refuse_pipe(path: Path, kind: type[ProblemError] = ProblemError) -> None:
    """Raises ``kind`` for what is there and neither file nor folder: a pipe is waited for, a device never ends. And for
    what cannot even be looked at, as a name that is too long."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):  # of what is not there the reader tells better
        return
    except OSError as error:
        raise kind(f"'{_brief(str(path))}' cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise kind(f"'{path}' is a pipe or a device: copy what it holds into a file and choose that.")


Reader = TypeVar("Reader", bound=Callable[..., Any])


def guarded(
    trouble: str, kind: type[ProblemError] = ProblemError, largest: int = LARGEST_FILE
) -> Callable[[Reader], Reader]:
    """Decorates a reader whose first argument is the path of a file that somebody else made.

    A file of more than ``largest`` bytes is not begun with, and whatever the reader raises that is no sentence of ours
    becomes "NAME ``trouble``".
    """

    def decorate(read: Reader) -> Reader:
        @wraps(read)
        def reading(path: Any, *arguments: Any, **options: Any) -> Any:
            name = Path(path).name
            with foreign_file(f"'{name}' {trouble}", kind):
                refuse_pipe(Path(path), kind)
                with suppress(OSError):  # of what is not there the reader tells better
                    if Path(path).stat().st_size > largest:
                        raise kind(f"'{name}' is larger than {largest >> 20} MB: thin it out first.")
                return read(path, *arguments, **options)

        return cast(Reader, reading)

    return decorate


@guarded("is no JSON that can be read.", largest=16 << 20)
def read_json(path: Path) -> Any:
    """What a file of JSON holds; of what this person's own folders keep, too, whoever put it there. Raises ProblemError
    whatever is wrong with it."""
    return json.loads(path.read_bytes())


def read_npy(stream: IO[bytes], size: int) -> Array:
    """The array of an .npy stream of ``size`` bytes. Raises ValueError where it is none of plain values, or where its
    header claims more than there is: nothing is allocated for what is not there."""
    shape, by_columns, dtype = _header(stream)
    if dtype.hasobject:
        raise ValueError("it holds objects instead of numbers")
    count = math.prod(shape)
    if count * dtype.itemsize > size:
        raise ValueError(f"it claims {count * dtype.itemsize} bytes and has {size}")
    content = bytearray(count * dtype.itemsize)
    filled = 0
    while filled < len(content):
        part = stream.read(min(len(content) - filled, 1 << 24))
        if not part:
            raise ValueError("it is cut short")
        content[filled : filled + len(part)] = part
        filled += len(part)
    values = np.frombuffer(content, dtype)
    return values.reshape(shape[::-1]).T if by_columns else values.reshape(shape)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(stream)


@contextmanager
def opened_zip(path: Path, directory: int = LARGEST_DIRECTORY) -> Iterator[zipfile.ZipFile]:
    """A zip to read. Raises ProblemError where its members take more than ``directory`` bytes to tell, for each of them
    costs ten times as much before one is asked for, and what a damaged zip raises."""
    refuse_pipe(path)
    with path.open("rb") as stream:
        end = zipfile._EndRecData(stream)  # type: ignore[attr-defined]  # there is no public way to look before
        if end is not None and end[zipfile._ECD_SIZE] > directory:  # type: ignore[attr-defined]
            raise ProblemError(f"'{path.name}' holds too many files to be looked through: keep those that are needed.")
        with zipfile.ZipFile(stream) as archive:
            yield archive


@contextmanager
def opened_npz(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive of arrays. Raises ValueError where its members together would expand as no numbers do, or are the same
    bytes under many names."""
    with opened_zip(path, LARGEST_DIRECTORY >> 2) as archive:
        if swollen(sum(info.file_size for info in archive.infolist()), path.stat().st_size):
            raise ValueError("it would expand to many times its size")
        yield archive


def swollen(size: int, stored: int) -> bool:
    """Whether ``size`` bytes, of which ``stored`` are kept, are more than files of numbers are packed to."""
    return size > max(EXPANDED_FROM, MOST_EXPANDED * stored)


def count_npz(archive: zipfile.ZipFile, name: str) -> int:
    """How many values a member ``NAME.npy`` says that it has."""
    with archive.open(name) as member:
        return math.prod(_header(member)[0])


def read_npz(archive: zipfile.ZipFile, name: str) -> Array:
    """The array of a member ``NAME.npy``, deflated or not. Raises ValueError, and what a damaged zip raises."""
    info = archive.getinfo(name)
    size = min(info.file_size, EXPANSION * info.compress_size + 1024, LARGEST_MEMBER)
    with archive.open(info) as member:
        return read_npy(member, size)


def check_indices(values: Array, count: int) -> None:
    """Raises ValueError where a checkpoint's indices are no whole numbers from 0 on below ``count``: kernels do not
    look, and would read and write what is not theirs."""
    if values.dtype.kind not in "iu" or (values.size and not 0 <= int(values.min()) <= int(values.max()) < count):
        raise ValueError(f"indices are whole numbers from 0 to {count - 1}")
