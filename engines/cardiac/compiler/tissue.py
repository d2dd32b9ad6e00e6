"""Cells of a compiled model on a device: the arrays of a tissue, and its step on either device.

All cells of a tissue are of one model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.precision import FloatType
from engines.backend.twins import Twins
from engines.cardiac.cells.tissue import Tissue
from engines.cardiac.cells.tt06 import padded_size
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED
from engines.cardiac.compiler.model import shipped
from engines.cardiac.compiler.schemes import Scheme, Step, step
from engines.formulas.counts import count

CALCIUM = ("ca_i", "cai", "ca_c")
"""What the calcium of the cytosol is called, in small letters."""


@lru_cache(maxsize=32)
def shipped_step(name: str, precision: FloatType, scheme: Scheme = "RL") -> Step:
    """A step of a model that comes with the engine, compiled once."""
    return step(shipped(name), scheme, precision)


@dataclass(frozen=True)
class Kinds:
    """What cells of one model differ in: ``of: (n_cells,) uint8``, each one's row.

    ``values: (k, opened parameters)`` of the model, in its order; ``start: (k, states)``, physical; None: the file's.
    """

    of: Array
    values: Array
    start: Array | None = None


def make_compiled_tissue(
    backend: Backend,
    compiled: Step,
    n_cells: int,
    stimulus_mask: Array | None = None,
    threshold: float = 0.0,
    kinds: Kinds | None = None,
) -> CompiledTissue:
    """``n_cells`` cells at rest on the device of ``backend``; arguments of :class:`CompiledTissue`."""
    return COMPILED.open(backend, compiled, n_cells, stimulus_mask, threshold, kinds)


def all_alike(compiled: Step, n_cells: int) -> Kinds:
    """Cells as the file has them."""
    values = {parameter.name: parameter.value for parameter in compiled.model.parameters}
    row = [values[name] for name in compiled.model.opened] or [0.0]  # kernels are given a table in any case
    return Kinds(np.zeros(n_cells, np.uint8), np.array([row]))


class CompiledTissue(Tissue):
    """The cells of a tissue, without their voltage.

    ``states: (rows, n_padded)``, the states but the voltage less the step's offsets; ``activation: (n_padded,)`` [ms].
    stimulus_mask: (n,) uint32, bit k set in cells that stimulus k reaches; threshold [mV]: upward crossing that counts
    as activation.
    """

    def __init__(
        self,
        backend: Backend,
        compiled: Step,
        n_cells: int,
        stimulus_mask: Array | None = None,
        threshold: float = 0.0,
        kinds: Kinds | None = None,
    ) -> None:
        self.backend, self.compiled, self.model = backend, compiled, compiled.model
        self.n_cells, self.n_padded = n_cells, padded_size(n_cells)
        self.dtype = np.dtype(compiled.precision)
        self.threshold = threshold
        self._offsets = np.delete(np.array(compiled.offsets), self.model.voltage)
        kinds = kinds or all_alike(compiled, n_cells)
        of = np.zeros(self.n_padded, np.uint8)
        of[:n_cells], of[n_cells:] = kinds.of, kinds.of[0]
        initial = np.array([[state.initial for state in self.model.states]])
        start = np.repeat(initial, len(kinds.values), axis=0) if kinds.start is None else kinds.start
        self.at_rest = start[:, self.model.voltage][of].astype(self.dtype)
        start = (np.delete(start, self.model.voltage, axis=1) - self._offsets).T.astype(self.dtype)
        self.kinds = backend.array(of)
        self.n_kinds = len(kinds.values)
        self.table = backend.array(np.ascontiguousarray(kinds.values.T, dtype=self.dtype))
        mask = np.zeros(self.n_padded, np.uint32)
        if stimulus_mask is not None:
            mask[:n_cells] = stimulus_mask
        self.stimulus_mask = backend.array(mask)
        self.states = backend.array(np.ascontiguousarray(start[:, of]))
        self.activation = backend.array(np.full(self.n_padded, NOT_ACTIVATED, self.dtype))

    def state(self, name: str) -> Array:
        row = [state.name for state in self.model.rows].index(name)
        return self.backend.to_host(self.states[row])[: self.n_cells].astype(np.float64) + self._offsets[row]

    @property
    def calcium_row(self) -> int | None:
        names = [state.name.rpartition(".")[2].lower() for state in self.model.rows]
        return next((names.index(name) for name in CALCIUM if name in names), None)

    @cached_property
    def traffic(self) -> KernelTraffic:
        return compiled_traffic(self.compiled, self.n_cells)


COMPILED = Twins[CompiledTissue](__package__, cpu="cpu:CpuCompiledTissue", cuda="cuda:CudaCompiledTissue")


def compiled_traffic(compiled: Step, n_cells: int) -> KernelTraffic:
    """Bytes and flops of one step: states and voltage read and written, the voltage at the start read."""
    rows, size = len(compiled.model.rows), np.dtype(compiled.precision).itemsize
    counted = count(compiled.after)
    return KernelTraffic(
        kernel="reaction",
        bytes_read=n_cells * (rows + 2) * size,
        bytes_written=n_cells * (rows + 1) * size,
        flops=n_cells * (counted.add + counted.mul + 2 * counted.fma),
    )
