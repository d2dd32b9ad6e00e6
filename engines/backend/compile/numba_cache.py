"""What Numba keeps of kernels on disk, where several processes and versions of this program write it side by side."""

from __future__ import annotations

import functools
import hashlib
import io
import logging
import os
import pickle
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engines.backend.cache_dir import sealed, unsealed

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # asked for before it is used

log = logging.getLogger(__name__)

LONGEST_TURN = 2.0
"""[s] to wait for others that add to an index, which takes a millisecond."""


def mend_numba_cache() -> None:
    """From now on in this process: see :func:`_save`, :func:`_sealing` and :func:`_forgiving`."""
    from numba.core.caching import IndexDataCacheFile  # not before somebody has a kernel

    if not hasattr(IndexDataCacheFile, "_mended"):
        IndexDataCacheFile._open_for_write = _sealing(IndexDataCacheFile._open_for_write)
        IndexDataCacheFile._load_index = _forgiving(IndexDataCacheFile._load_index, _index, dict)
        IndexDataCacheFile._load_data = _forgiving(IndexDataCacheFile._load_data, IndexDataCacheFile._data_path)
        IndexDataCacheFile.save = _save
        IndexDataCacheFile._mended = True


def _save(self: Any, key: Any, data: Any) -> None:
    """Keep the machine code ``data`` of arguments, closure and processor, ``key``, in a file whose name follows from
    these.

    Numba takes the first number that its index does not have. Two processes that compile a function for other
    arguments at the same moment take the same one, and the code of the one is then found under the arguments of the
    other: wrong numbers, or the end of the process. And one at a time adds to an index; where folders cannot be locked
    an entry is lost at worst, which is compiled once more. What the disk has no room for is compiled again next time.
    """
    try:
        with _alone_in(self._cache_path):
            overloads = self._load_index()
            if key not in overloads:
                overloads[key] = self._data_name(int.from_bytes(hashlib.sha256(pickle.dumps(key)).digest()[:6], "big"))
                self._save_index(overloads)
        self._save_data(overloads[key], data)
    except OSError as error:
        log.warning("a kernel cannot be kept for the next session in '%s': %s", self._cache_path, error)


@contextmanager
def _alone_in(folder: str) -> Iterator[None]:
    """While no other process is; after a while in any case, and where folders cannot be locked, as on Windows."""
    if fcntl is None:
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        ends = clock.monotonic() + LONGEST_TURN
        while clock.monotonic() < ends:
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                clock.sleep(0.001)
            except OSError:  # of a file system without locks
                break
        yield
    finally:
        os.close(place)


def _sealing(open_for_write: Callable[..., Any]) -> Callable[..., Any]:
    """Files end with a digest, which what unpickles them passes over: machine code that lost a bit would compute
    something else."""

    @contextmanager
    def opened(self: Any, path: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        with open_for_write(self, path) as file:
            yield content
            file.write(sealed(content.getvalue()))

    return opened


def _index(self: Any) -> str:
    return str(self._index_path)


def _forgiving(
    load: Callable[..., Any], path_of: Callable[..., str], nothing: Callable[[], Any] = lambda: None
) -> Callable[..., Any]:
    """What is not as it was written (a computer went out, a disk was full) is compiled anew, and so is what was kept
    for arguments whose class has moved since, as after an update in place; else each use of it would end with an error
    until somebody deletes the files."""

    @functools.wraps(load)
    def read(self: Any, *names: str) -> Any:
        try:
            whole = unsealed(Path(path_of(self, *names)).read_bytes()) is not None
            return load(self, *names) if whole else nothing()
        except Exception:  # of any kind: unpickling raises whatever a class does
            return nothing()

    return read
