"""Products on the device of a backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.spiking.events.sparse.both_orders import Both
from engines.spiking.events.sparse.formats import Rows
from engines.spiking.events.sparse.procedural import Drawn
from engines.spiking.events.weights import Stored


class Pair:
    """A dense matrix in both orders: either way, rows of events are gathered."""

    def __init__(self, by_sender: Any, by_hearer: Any) -> None:
        self.shape = by_sender.shape
        self.gather, self.scan = by_sender.gather, by_hearer.gather


def only_of(what: str, given: str, kinds: Any) -> None:
    """Raises ProblemError that names the kinds."""
    if given not in get_args(kinds):
        raise ProblemError(f"{what} {', '.join(get_args(kinds)[:-1])} or {get_args(kinds)[-1]}; not '{given}'.")


def made_dense(backend: Backend, copies: Sequence[Stored]) -> Any:
    """Of one order, or of both."""
    if backend.id == "cpu":
        from engines.spiking.events.cpu import CpuDense

        made: list[Any] = [CpuDense(backend, each) for each in copies]
    else:
        from engines.spiking.events.dense.cuda import CudaDense

        made = [CudaDense(backend, each) for each in copies]
    return made[0] if len(made) == 1 else Pair(*made)


def made_sparse(backend: Backend, copies: Sequence[Rows]) -> Any:
    """Of one order, or of both."""
    if backend.id == "cpu":
        from engines.spiking.events.cpu import CpuSparse

        made: list[Any] = [CpuSparse(backend, each) for each in copies]
    else:
        from engines.spiking.events.sparse.cuda import CudaSparse

        made = [CudaSparse(backend, each) for each in copies]
    return made[0] if len(made) == 1 else Both(backend, made[0], made[1], copies[0].synapses)


def made_procedural(backend: Backend, drawn: Drawn) -> Any:
    """Nothing is stored."""
    if backend.id == "cpu":
        from engines.spiking.events.cpu import CpuProcedural

        return CpuProcedural(backend, drawn)
    from engines.spiking.events.sparse.cuda import CudaProcedural

    return CudaProcedural(backend, drawn)
