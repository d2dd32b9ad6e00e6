"""What the Kernel Lab asks of an engine: studies, each one computation that is written in several ways.

A :class:`Study` says what is computed (fresh random input, a float64 reference, a tolerance) and on which sizes; a
:class:`Variant` is one way to write it, with the source that the person reads beside the figures. The Lab compares
every variant with the reference before it times it.

A :class:`LabTable` is what an engine measures besides the variants of a kernel (convergence, instruction counts, times
of whole runs): rows of numbers and words under titled columns, measured on this machine, with a published table of the
same columns beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from engines.api.values import Array, Progress, no_progress

if TYPE_CHECKING:
    import numpy as np

    from engines.api.device import Backend

Inputs = Mapping[str, Array]
Shape = tuple[int, ...]
"""A launch shape: threads along x, y, … and whatever else the variant's title of the shape says."""


@dataclass(frozen=True)
class Case:
    """One problem size. ``size`` is (ny, nx) or (nz, ny, nx) or (n,); ``points`` their product."""

    name: str
    size: tuple[int, ...]
    points: int


@dataclass(frozen=True)
class Resources:
    """What compiler and device give one kernel. ``occupancy`` is resident threads over the most there could be."""

    registers: int
    shared_bytes: int
    occupancy: float


class Prepared(ABC):
    """A variant on the device with as many sets of buffers as the Lab asked for, so that caches can be kept cold."""

    set_bytes: int
    """Bytes of device memory in one set: inputs and output."""

    @abstractmethod
    def launch(self, index: int) -> None:
        """Compute once from set ``index``'s input into its output. Called inside ``backend.active()``."""

    @abstractmethod
    def poison(self, index: int) -> None:
        """Fill the output of a set with NaN, so that an element that is not written shows."""

    @abstractmethod
    def result(self, index: int) -> Array:
        """The output of a set on the host, in the reference's shape."""

    def resources(self) -> Resources | None:
        """None where there is no such thing (NumPy, the CPU)."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Free the device memory."""


@dataclass(frozen=True)
class Variant:
    """One way to write the computation of a study.

    bytes, flops: per point and launch, from the algorithm (each input read once, each output written once);
    steps:        time steps that a launch takes (temporal blocking); bytes and flops are for all of them
    shapes:       launch shapes to try, the usual one first; empty: it has none
    source, symbol: the file to show beside the figures, and the function in it
    note:         one line: what it tries, or why it does not help
    tolerance:    its own, where the study's is not meant for it (half precision)
    prepare:      (backend, case, inputs, sets, shape) -> Prepared; raises DeviceError where the device cannot
    """

    id: str
    title: str
    language: Literal["CUDA", "CuPy", "Numba", "NumPy", "SciPy"]
    bytes: float
    flops: float
    source: Path
    symbol: str
    prepare: Callable[[Backend, Case, Inputs, int, Shape | None], Prepared]
    note: str = ""
    steps: int = 1
    shapes: tuple[Shape, ...] = ()
    tolerance: float | None = None

    @property
    def device(self) -> Literal["cuda", "cpu"]:
        """Kind of device that it runs on."""
        return "cuda" if self.language in ("CUDA", "CuPy") else "cpu"


@dataclass(frozen=True)
class Published:
    """A table that somebody published, to stand beside what this machine measures.

    ``figures[variant id][case name]``, or with block shapes ``"case name 32x8"``, is a number in ``unit``.
    """

    source: str
    device: str
    unit: str
    figures: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Study:
    """One computation, its sizes and the ways to write it.

    inputs:    (case, generator) -> fresh random arrays
    reference: (inputs, steps) -> the answer in float64
    reference_rows: (inputs, steps, first, stop) -> rows first … stop - 1 of that answer along its first axis, for
               sizes at which the whole would take too long; without it the whole is always compared
    tolerance: largest error allowed, relative to the answer's largest absolute value; ``tolerance_note`` says why
    """

    id: str
    title: str
    summary: str
    cases: Sequence[Case]
    variants: Sequence[Variant]
    inputs: Callable[[Case, np.random.Generator], Inputs]
    reference: Callable[[Inputs, int], Array]
    tolerance: float
    tolerance_note: str = ""
    published: tuple[Published, ...] = field(default=())
    reference_rows: Callable[[Inputs, int, int, int], Array] | None = None


# ---- tables -------------------------------------------------------------------------------------------------


Value = float | str | None
"""What stands in a place of a table; None where there is nothing (unstable, not measured, not published)."""
Row = tuple[Value, ...]
Heat = tuple[str, str, str] | Literal[True]
"""Of a table that is a map: titles of the columns that it takes its rows, its columns and its colours from. Or True:
the table's rows are the map's, called by the first column that is no result, and its columns are the results."""


@dataclass(frozen=True)
class Column:
    """``digits``: significant ones to show. Columns that are no ``result`` say what a row is about (size, scheme)."""

    title: str
    unit: str = ""
    digits: int = 4
    result: bool = True


@dataclass(frozen=True)
class PublishedRows:
    """Rows that somebody published; a row belongs to the measured one whose columns that are no results are equal.

    ``device`` is empty where the figures depend on none.
    """

    source: str
    device: str
    rows: tuple[Row, ...]


class LabTable(ABC):
    """One table. Stateless. ``title`` begins with what it shows, and names the published table it follows."""

    id: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    columns: ClassVar[tuple[Column, ...]]
    published: ClassVar[tuple[PublishedRows, ...]] = ()
    devices: ClassVar[tuple[str, ...]] = ("cpu", "cuda")
    """Kinds of device on which its rows can be measured."""
    heat: ClassVar[Heat | None] = None
    """How it is drawn as a map; None: it is none."""

    @abstractmethod
    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        """Its rows, within about a minute; ``thorough``: the published sizes, however long they take.

        What cannot be measured here is left out or None. What ``progress`` raises goes through. Raises ProblemError
        where nothing can be measured.
        """
