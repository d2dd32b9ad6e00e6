"""Records of the Lab as files: JSON that can be opened again, CSV for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engines.errors import ProblemError
from workbench.atomic import write_bytes
from workbench.bench.records import LabRecord, VariantRecord

LARGEST_FILE = 256 * 2**20
DERIVED = ("bytes_per_second", "fraction", "points_per_second")
_adapter = TypeAdapter(LabRecord)


def write_json(record: LabRecord, path: Path) -> None:
    """Raises StorageError."""
    write_bytes(path, json.dumps(asdict(record), indent=1, ensure_ascii=False).encode())


def write_csv(record: LabRecord, path: Path) -> None:
    """One line a figure; device and date stand in the last columns. Raises StorageError."""
    text = io.StringIO()
    names = [column.name for column in fields(VariantRecord)]
    writer = csv.writer(text)
    writer.writerow([*names, *DERIVED, "device", "date"])
    machine = (record.machine.device.get("name", ""), record.machine.date)
    for variant in record.variants:
        shape = "" if variant.shape is None else "x".join(str(threads) for threads in variant.shape)
        values = [shape if name == "shape" else getattr(variant, name) for name in (*names, *DERIVED)]
        writer.writerow(["" if value is None else value for value in values] + list(machine))
    write_bytes(path, text.getvalue().encode())


def read_record(path: Path) -> LabRecord:
    """A record that was written as JSON. Raises ProblemError with a sentence."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ProblemError(f"'{path.name}' is too large for a record of the Kernel Lab.")
        return _adapter.validate_json(path.read_bytes())
    except OSError as error:
        raise ProblemError(f"'{path}' could not be read ({error.strerror or error}).") from error
    except ValidationError as error:
        raise ProblemError(
            f"'{path.name}' is not a record of the Kernel Lab: choose a JSON file exported there."
        ) from (error)


def kept_records(folder: Path) -> list[tuple[str, Path]]:
    """(device and date, file) of the records in a folder, newest first; files of other kinds are left out."""
    from ui.lab.findings import device_text

    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            machine = read_record(path).machine
        except ProblemError:
            continue
        found.append((machine.date, device_text(machine), path))
    return [(title, path) for _, title, path in sorted(found, reverse=True)]
