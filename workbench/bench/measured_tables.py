"""One table of the Lab, measured: rows as they are kept, or a sentence that says why there are none."""

from __future__ import annotations

import logging
import time

from engines.api import Progress
from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.api.lab import LabTable, Row
from workbench.bench.records import TableRecord, plain_row
from workbench.bench.timed import Cancelled
from workbench.words.failures import as_sentence

log = logging.getLogger(__name__)

DEVICES = {"cpu": "a processor", "cuda": "a GPU"}


def measured_table(table: LabTable, backend: Backend, progress: Progress, thorough: bool) -> TableRecord:
    """Raises Cancelled where ``progress`` does; whatever else goes wrong stands in the record.

    Others may have been measured for hours before: no table's trouble ends a session.
    """
    begun = time.perf_counter()

    def record(rows: tuple[Row, ...], refused: str = "") -> TableRecord:
        seconds = time.perf_counter() - begun
        return TableRecord(table.id, table.title, table.columns, rows, thorough, seconds, refused, table.heat)

    if backend.info.kind not in table.devices:
        kinds = " or ".join(DEVICES.get(kind, kind) for kind in table.devices)
        return record((), f"This table is measured on {kinds}: choose another device.")
    try:
        return record(tuple(plain_row(row) for row in table.measure(backend, progress, thorough)))
    except Cancelled:
        raise
    except Exception as error:
        if not isinstance(error, WorkbenchError):
            log.warning("table '%s' was not measured", table.id, exc_info=True)
        return record((), str(as_sentence(error)))
