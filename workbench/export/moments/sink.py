"""What takes the moments of fields, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engines.api import Array, FieldInfo, Simulation
from engines.api.errors import ProblemError
from engines.api.simulation.contract import fields_of

PRECISIONS: Mapping[str, type[np.floating[Any]] | None] = {
    "as computed": None,
    "float32": np.float32,
    "float64": np.float64,
}


class Sink(Protocol):
    """Writes moments of fields of one run, in the order of time. Raises StorageError, ProblemError of a damaged file.

    All but :meth:`take` may be called on another thread than the simulation's.
    """

    regular: bool
    """Whether it takes only moments at equal distances."""
    names: Sequence[str]
    """Of files that are called as fields are, in the folder of results."""

    def check(self) -> None:
        """Whether what an earlier run has left, if anything, can be gone on with. Raises ProblemError where it is of
        other fields or of another form."""

    def make(self) -> None:
        """Begin anew; earlier moments are gone already."""

    def times(self) -> Sequence[float]:
        """When the moments were that an earlier run has left."""

    def keep(self, count: int) -> None:
        """Forget all of these but the first ``count``."""

    def take(self, simulation: Simulation) -> Mapping[str, Array]:
        """Copy to the host what :meth:`append` writes, by the names of fields; on the simulation's thread."""

    def append(self, step: int, time: float, values: Mapping[str, Array]) -> None:
        """One more moment."""

    def last(self, simulation: Simulation) -> Callable[[], None] | None:
        """What writes what is known at the end alone, copied on the simulation's thread; None where that is nothing."""

    def sync(self) -> None:
        """Wait until all is on the disk."""


def in_precision(values: Array, precision: str) -> Array:
    """Numbers as ``precision`` says; what is no floating number is what it was."""
    kind = PRECISIONS[precision]
    return values if kind is None or not np.issubdtype(values.dtype, np.floating) else values.astype(kind, copy=False)


def fields_at(simulation: Simulation, fields: Sequence[FieldInfo], precision: str) -> dict[str, Array]:
    """Whole fields on the host, by name."""
    return {name: in_precision(values, precision) for name, values in fields_of(simulation, fields).items()}


def other_fields(path: Path) -> ProblemError:
    """A file cannot go on with other fields than it began with."""
    return ProblemError(f"'{path}' holds other fields than are asked for now: name the same, or run without --resume.")
