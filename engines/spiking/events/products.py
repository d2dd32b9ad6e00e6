"""Products on the device of a backend, of one order of a matrix or of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.twins import Twins
from engines.spiking.events.product import Product
from engines.spiking.events.sparse.both_orders import Both
from engines.spiking.events.sparse.formats import Rows
from engines.spiking.events.sparse.procedural import Drawn
from engines.spiking.events.weights import Stored

DENSE = Twins[Product](__package__, cpu="dense.cpu:CpuDense", cuda="dense.cuda:CudaDense")
SPARSE = Twins[Product](__package__, cpu="sparse.cpu:CpuSparse", cuda="sparse.cuda:CudaSparse")
PROCEDURAL = Twins[Product](__package__, cpu="sparse.cpu:CpuProcedural", cuda="sparse.cuda:CudaProcedural")


class Pair(Product):
    """A dense matrix in both orders: either way, rows of events are gathered."""

    def __init__(self, by_sender: Product, by_hearer: Product) -> None:
        self.shape = by_sender.shape
        self.gathers_anywhere, self.scans_anywhere = by_sender.gathers_anywhere, by_hearer.gathers_anywhere
        self._by_sender, self._by_hearer = by_sender, by_hearer

    def gather_into(self, out: Any, given: Any) -> None:
        self._by_sender.gather_into(out, given)

    def scan_into(self, out: Any, given: Any) -> None:
        self._by_hearer.gather_into(out, given)


def only_of(what: str, given: str, kinds: Any) -> None:
    """Raises ProblemError that names the kinds."""
    if given not in get_args(kinds):
        raise ProblemError(f"{what} {', '.join(get_args(kinds)[:-1])} or {get_args(kinds)[-1]}; not '{given}'.")


def dense_product(backend: Backend, copies: Sequence[Stored]) -> Product:
    """Of one order, or of both."""
    made = [DENSE.open(backend, each) for each in copies]
    return made[0] if len(made) == 1 else Pair(*made)


def sparse_product(backend: Backend, copies: Sequence[Rows]) -> Product:
    """Of one order, or of both."""
    made = [SPARSE.open(backend, each) for each in copies]
    return made[0] if len(made) == 1 else Both(backend, made[0], made[1], copies[0].synapses)


def procedural_product(backend: Backend, drawn: Drawn) -> Product:
    """Nothing is stored."""
    return PROCEDURAL.open(backend, drawn)
