"""Kinetics on an NVIDIA GPU: launches ``kinetics.cu`` in the shape that tuning found."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from engines.api.device import Backend
from engines.backend.precision import REAL
from engines.backend.tuning import tune, tuning_key

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

SOURCE = Path(__file__).with_name("kinetics.cu")
PACKS = {"float32": (1, 2, 4), "float64": (1, 2)}
"""Kernels there are: packs of 16 bytes per thread and array."""
PACK_BYTES = 16
BLOCKS = (128, 256, 512)

_found: WeakKeyDictionary[Backend, dict[tuple[str, str, int], tuple[int, int]]] = WeakKeyDictionary()
"""What tuning found or remembered in this session; lengths of the same power of two share a shape."""


@dataclass(frozen=True)
class Call:
    """A kernel with all that it is launched with: ``call()`` launches."""

    kernel: Any
    grid: tuple[int]
    block: tuple[int]
    arguments: tuple[Any, ...]

    def __call__(self) -> None:
        self.kernel(self.grid, self.block, self.arguments)


def call(backend: CudaBackend, name: str, out: Any, given: Any, exchange: Any, scale: float) -> Call:
    """The launch of ``name`` (``current_density``, ``overpotential``) that is fastest for arrays of about this length.

    Raises ValueError where an array does not begin at a multiple of 16 bytes.
    """
    arrays = (out, given, exchange)
    if any(_address(array) % PACK_BYTES for array in arrays):
        raise ValueError("arrays of kinetics begin at multiples of 16 bytes, as backend.empty places them")
    n, macros = len(out), (REAL[out.dtype.name], f"-DMOST_PACKS={max(PACKS[out.dtype.name])}")
    module = backend.compile(SOURCE, macros)

    def shaped(shape: tuple[int, int]) -> Call:
        packs, block = shape
        points = packs * block * PACK_BYTES // out.dtype.itemsize
        arguments = (*arrays, out.dtype.type(scale), np.int64(n))
        return Call(module.get_function(f"{name}_{packs}"), (-(-n // points),), (block,), arguments)

    found = _found.setdefault(backend, {})
    wanted = (name, out.dtype.name, n.bit_length())
    if wanted not in found:
        shapes = list(product(PACKS[out.dtype.name], BLOCKS))
        key = tuning_key(name, backend.info, SOURCE, n, macros)
        found[wanted] = tune(key, shapes, lambda shape: backend.elapsed(shaped(shape)))
    return shaped(found[wanted])


def launch(backend: CudaBackend, name: str, out: Any, given: Any, exchange: Any, scale: float) -> None:
    """Launch on the stream that is current; arguments as :func:`call`."""
    call(backend, name, out, given, exchange, scale)()


def _address(array: Any) -> int:
    """Of a CuPy array; the tests pass NumPy's."""
    return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)
