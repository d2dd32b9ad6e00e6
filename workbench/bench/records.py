"""What the Kernel Lab found: plain records that tables, plots and files are made from."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import asdict, dataclass, field, fields
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from engines.api.errors import ProblemError
from engines.api.lab import Column, Heat, Row, Value
from engines.backend.ceilings.curve import (
    BandwidthPoint as BandwidthPoint,  # a name of this module for those who read records
)

LARGEST = 1e24
"""What no figure of a record comes near."""
SHORTEST = 1e-12
"""[s] of a launch that was timed."""
Figure = Annotated[float, Field(ge=0, lt=LARGEST)]
Count = Annotated[int, Field(ge=1, lt=2**62)]
"""Bounds of what is read from files: plots take logarithms of quotients of these."""


@dataclass(frozen=True)
class MachineRecord:
    """Device, versions, date and the ceilings that everything else is held against.

    ``launch_seconds``: host time to launch an empty kernel; ``graph_node_seconds``: a kernel in a CUDA graph (None on
    a CPU, where ``launch_seconds`` is the cost of entering a parallel loop). ``operations_per_second``: of float32
    multiply-adds without memory (None in a record of before it was measured).
    """

    date: str
    device: dict[str, Any]
    curve: tuple[BandwidthPoint, ...]
    launch_seconds: Figure
    graph_node_seconds: Figure | None
    operations_per_second: Figure | None = None


def device_text(machine: MachineRecord) -> str:
    """``NVIDIA H200, 2026-11-20``"""
    return f"{machine.device.get('name', 'unknown device')}, {machine.date[:10]}"


@dataclass(frozen=True)
class VariantRecord:
    """One variant at one size and launch shape.

    seconds…:  median, 5th and 95th percentile of one launch, by device events on a GPU
    host_seconds: time that the host spends launching once
    bytes, flops: of one launch, counted from the algorithm
    working_set: bytes that are cycled through: one set of buffers in a warm run, all that are rotated in a cold one
    ceiling:   best measured bytes per second at ``working_set``
    fraction:  bytes / seconds / ceiling
    error:     largest difference from the float64 reference, relative to its largest value
    seed:      of the random input that it was compared on
    refused:   why there is no figure (wrong answer, above the ceiling, the device cannot); empty if there is one.
               The figures of a refused record are 0.
    """

    study: str
    variant: str
    title: str
    language: str
    case: str
    points: Count
    shape: tuple[Count, ...] | None
    steps: Count
    cache: Literal["cold", "warm"]
    seconds: Figure
    seconds_p5: Figure
    seconds_p95: Figure
    host_seconds: Figure
    bytes: Figure
    flops: Figure
    working_set: Annotated[int, Field(ge=0, lt=2**62)]
    ceiling: Figure
    error: float
    tolerance: float
    registers: int | None = None
    shared_bytes: int | None = None
    occupancy: float | None = None
    seed: int = 0
    refused: str = ""

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.seconds if self.seconds else 0.0

    @property
    def fraction(self) -> float:
        return self.bytes_per_second / self.ceiling if self.ceiling else 0.0

    @property
    def points_per_second(self) -> float:
        """Point updates per second: points times time steps."""
        return self.points * self.steps / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class TableRecord:
    """One table (:mod:`engines.api.lab`) as it was measured, with its columns: the table may change.

    seconds:   wall time that measuring it took; ``thorough``: with the published sizes
    refused:   why there are no rows; empty if there are
    heat:      how it is drawn as a map, None if it is none
    Raises ValueError where a row or the map does not fit the columns.
    """

    table: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    thorough: bool
    seconds: float
    refused: str = ""
    heat: Heat | None = None

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table '{self.table}' has {len(self.columns)} columns and a row of {len(row)} values")
        titles = {column.title for column in self.columns}
        if self.heat is True:
            if len({column.result for column in self.columns}) < 2:
                raise ValueError(f"the map of table '{self.table}' wants columns that are results and one that is none")
        elif missing := [title for title in self.heat or () if title not in titles]:
            raise ValueError(f"the map of table '{self.table}' names a column '{missing[0]}' that is not there")


def plain_row(row: Row) -> Row:
    """A row as it is kept: words, and plain numbers in place of NumPy's; None where a number is not finite."""
    return tuple(_plain(value) for value in row)


def _plain(value: Value) -> Value:
    if value is None or isinstance(value, str):
        return value
    number = float(value)
    return number if math.isfinite(number) else None


@dataclass(frozen=True)
class LabRecord:
    """A whole session of the Lab; what is kept in ``workbench/bench/records``."""

    machine: MachineRecord
    variants: tuple[VariantRecord, ...] = field(default=())
    tables: tuple[TableRecord, ...] = field(default=())


DERIVED = ("bytes_per_second", "fraction", "points_per_second")
"""Properties of a :class:`VariantRecord` that stand in the CSV too."""


def to_json(record: LabRecord) -> str:
    return json.dumps(asdict(record), indent=1)


def lab_record(text: str, name: str = "This") -> LabRecord:
    """The record that :func:`to_json` wrote; raises ProblemError with what is wrong first in any other text."""
    try:
        record = TypeAdapter(LabRecord).validate_json(text)
        what = _impossible(record)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        what = f"{where}: {first['msg']}"
    if what:
        raise ProblemError(f"{name} is no record of the Kernel Lab ({what}): choose a JSON file exported there.")
    return record


def _impossible(record: LabRecord) -> str:
    """The place of the first figure that was never measured; empty: there is none."""
    for number, point in enumerate(record.machine.curve):
        if not (point.working_set >= 1 and 1 <= point.bytes_per_second < LARGEST):
            return f"machine.curve.{number} is no bandwidth"
    for number, each in enumerate(record.variants):
        measured = each.seconds >= SHORTEST and each.bytes > 0 and math.isfinite(each.error)
        if not (each.refused or measured):
            return f"variants.{number} has figures that are none"
    for number, table in enumerate(record.tables):
        if any(isinstance(value, float) and not math.isfinite(value) for row in table.rows for value in row):
            return f"tables.{number} has figures that are none"
    return ""


def to_csv(record: LabRecord) -> str:
    """One line per variant; the shape as 32x8; device and date stand in the last columns."""
    text = io.StringIO()
    names = [column.name for column in fields(VariantRecord)]
    writer = csv.DictWriter(text, [*names, *DERIVED, "device", "date"])
    writer.writeheader()
    about = {"device": record.machine.device.get("name", ""), "date": record.machine.date}
    for variant in record.variants:
        derived = {name: getattr(variant, name) for name in DERIVED}
        writer.writerow({**asdict(variant), "shape": shape_name(variant.shape), **derived, **about})
    return text.getvalue()


def shape_name(shape: tuple[int, ...] | None) -> str:
    """``32x8``; empty without a shape."""
    return "x".join(map(str, shape or ()))
