"""When Numba compiles a kernel anew: its cache on disk knows a function by its own file and what it closes over."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType


def digest(*modules: ModuleType) -> int:
    """A number of the text of ``modules``, for a kernel to close over that others' code or names are compiled into."""
    text = b"\0".join(Path(str(module.__file__)).read_bytes() for module in modules)
    return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")
