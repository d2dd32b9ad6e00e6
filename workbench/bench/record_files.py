"""Records of the Lab as files: JSON that can be opened again, CSV for a spreadsheet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engines.api.errors import ProblemError
from engines.reading import guarded
from workbench.bench.records import LabRecord, device_text, lab_record, to_csv, to_json
from workbench.storage.atomic import write_text


@dataclass(frozen=True)
class KeptRecord:
    """A file with a record, its card and date (:func:`device_text`), and the ids of the studies and tables in it."""

    title: str
    measured: tuple[str, ...]
    path: Path


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


def kept(record: LabRecord, path: Path) -> KeptRecord:
    measured = [each.study for each in record.variants] + [each.table for each in record.tables]
    return KeptRecord(device_text(record.machine), tuple(dict.fromkeys(measured)), path)


def kept_records(folder: Path) -> list[KeptRecord]:
    """The records in a folder, newest first; other files are left out."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            record = read_record(path)
        except ProblemError:
            continue
        found.append((record.machine.date, kept(record, path)))
    return [each for _, each in sorted(found, key=lambda pair: (pair[0], pair[1].path), reverse=True)]
