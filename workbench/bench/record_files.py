"""Records of the Lab as files: JSON that can be opened again, CSV for a spreadsheet."""

from __future__ import annotations

from pathlib import Path

from engines.api.errors import ProblemError
from engines.reading import guarded
from workbench.bench.records import LabRecord, device_text, lab_record, to_csv, to_json
from workbench.storage.atomic import write_text

NAMED = 2
"""Studies and tables that stand in the title of a record."""


def write_json(record: LabRecord, path: Path) -> None:
    """Raises StorageError."""
    write_text(path, to_json(record))


def write_csv(record: LabRecord, path: Path) -> None:
    """One line a figure. Raises StorageError."""
    write_text(path, to_csv(record))


@guarded("could not be read as a record of the Kernel Lab.", largest=16 << 20)
def read_record(path: Path) -> LabRecord:
    """A record that was written as JSON. Raises ProblemError with a sentence."""
    return lab_record(path.read_text(encoding="utf-8"), f"'{path.name}'")


def kept_records(folder: Path) -> list[tuple[str, Path]]:
    """(device, date and what was measured; file) of the records in a folder, newest first; other files are left out."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            record = read_record(path)
        except ProblemError:
            continue
        measured = [each.study for each in record.variants] + [each.table for each in record.tables]
        names = list(dict.fromkeys(measured))
        named = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
        title = device_text(record.machine) + (f": {named}" if named else "")
        found.append((record.machine.date, title, path))
    return [(title, path) for _, title, path in sorted(found, reverse=True)]
