"""What Numba keeps of kernels on disk, where several processes and versions of this program write it side by side."""

from __future__ import annotations

import functools
import hashlib
import pickle
from collections.abc import Callable
from typing import Any


def mend_numba_cache() -> None:
    """From now on in this process: see :func:`_save` and :func:`_forgiving`."""
    from numba.core.caching import IndexDataCacheFile  # not before somebody has a kernel

    if not hasattr(IndexDataCacheFile, "_mended"):
        IndexDataCacheFile._load_index = _forgiving(IndexDataCacheFile._load_index, {})
        IndexDataCacheFile._load_data = _forgiving(IndexDataCacheFile._load_data, None)
        IndexDataCacheFile.save = _save
        IndexDataCacheFile._mended = True


def _save(self: Any, key: Any, data: Any) -> None:
    """Keep the machine code ``data`` of arguments, closure and processor, ``key``, in a file whose name follows from
    these.

    Numba takes the first number that its index does not have. Two processes that compile a function for other
    arguments at the same moment take the same one, and the code of the one is then found under the arguments of the
    other: wrong numbers, or the end of the process. So they lose an entry of the index at worst, which is compiled
    once more.
    """
    overloads = self._load_index()
    if key not in overloads:
        overloads[key] = self._data_name(int.from_bytes(hashlib.sha256(pickle.dumps(key)).digest()[:6], "big"))
        self._save_index(overloads)
    self._save_data(overloads[key], data)


def _forgiving(load: Callable[..., Any], nothing: Any) -> Callable[..., Any]:
    """What was kept for arguments whose class has moved since is compiled anew; else each use of it would end with an
    AttributeError until somebody deletes the files, as after an update in place."""

    @functools.wraps(load)
    def read(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except (AttributeError, ImportError):
            return nothing

    return read
