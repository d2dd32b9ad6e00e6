"""Measured tables as text: Markdown that reads well as it is, CSV with every digit."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from engines.api.lab import LabTable, PublishedRows
from workbench.bench.records import LabRecord, TableRecord, device_text
from workbench.bench.table_lines import (
    Line,
    device_name,
    grouped,
    number,
    published_beside,
    ratio_text,
    title_of,
    value_text,
)

RATIO_NOTE = "In brackets: this device's figure over the published one."


def markdown(record: LabRecord, measured: TableRecord, table: LabTable | None) -> str:
    """Title, the table with what was published below each row, then where that comes from."""
    columns = measured.columns
    beside = published_beside(table, columns)
    device = str(record.machine.device.get("name", "this machine"))
    lines = [line for group in grouped(columns, measured.rows, device, beside) for line in group]
    numeric = [any(number(line.values[place]) is not None for line in lines) for place in range(len(columns))]
    place = _device_place(measured)
    head = [title_of(column) for column in columns]
    rows = [_cells(line, measured) for line in lines]
    table_lines = _aligned(
        [*head[:place], "Device", *head[place:]], [*numeric[:place], False, *numeric[place:]],
        [[*cells[:place], line.device, *cells[place:]] for cells, line in zip(rows, lines, strict=True)],
    )  # fmt: skip
    extent = "published sizes" if measured.thorough else "quick sizes"
    about = [f"### {measured.title}", "", f"{device_text(record.machine)}, {extent}, {measured.seconds:.1f} s", ""]
    if measured.refused:
        about += [f"Not measured: {measured.refused}", ""]
    notes = [f"- {device_name(published.device)}: {published.source}" for published in beside]
    if any(ratio is not None for line in lines for ratio in line.ratios):
        notes.append(f"- {RATIO_NOTE}")
    return "\n".join([*about, *(table_lines if lines else []), *([""] if notes else []), *notes]) + "\n"


def as_csv(record: LabRecord, measured: TableRecord, table: LabTable | None) -> str:
    """A line a row, measured and published, with all digits; device, source and date stand in the last columns."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*(title_of(column) for column in measured.columns), "device", "source", "date"])
    device = str(record.machine.device.get("name", ""))
    beside: Sequence[PublishedRows] = published_beside(table, measured.columns)
    for group in grouped(measured.columns, measured.rows, device, beside):
        for line in group:
            date = "" if line.source else record.machine.date
            writer.writerow(["" if v is None else v for v in line.values] + [line.device, line.source, date])
    return text.getvalue()


def _device_place(measured: TableRecord) -> int:
    """Before the first result: what a row is about stands left of its device."""
    return next((place for place, column in enumerate(measured.columns) if column.result), len(measured.columns))


def _cells(line: Line, measured: TableRecord) -> list[str]:
    cells = []
    for value, column, ratio in zip(line.values, measured.columns, line.ratios, strict=True):
        beside = f" ({ratio_text(ratio)})" if ratio is not None else ""
        cells.append(value_text(value, column, measured=not line.source) + beside)
    return cells


def _aligned(head: list[str], numeric: list[bool], rows: list[list[str]]) -> list[str]:
    """Markdown with the bars below each other."""
    escaped = [[cell.replace("|", "\\|") for cell in cells] for cells in (head, *rows)]
    widths = [max(3, *(len(cells[place]) for cells in escaped)) for place in range(len(head))]

    def line(cells: list[str]) -> str:
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        return f"| {' | '.join(padded)} |"

    rule = ["-" * (width - 1) + ":" if right else "-" * width for width, right in zip(widths, numeric, strict=True)]
    return [line(escaped[0]), line(rule), *map(line, escaped[1:])]
