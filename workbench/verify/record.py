"""What was found on one device on one day, as JSON that can be read again and as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
import platform
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.verification import Answer
from workbench import __version__
from workbench.verify.running import Outcome

SCHEMA_VERSION = 1
COLUMNS = (
    "engine", "case", "figure", "unit", "expected", "ours", "error", "tolerance", "right", "peer", "seconds", "trouble"
)  # fmt: skip


@dataclass(frozen=True)
class VerificationRecord:
    """``device``: name, kind, threads, driver and versions; ``date`` in UTC, ``2026-11-22T21:54:12Z``."""

    version: str
    python: str
    system: str
    device: dict[str, Any]
    date: str
    outcomes: tuple[Outcome, ...] = field(default=())

    @classmethod
    def of(cls, backend: Backend, outcomes: Sequence[Outcome]) -> VerificationRecord:
        """The outcomes of today on ``backend``."""
        info = backend.info
        device = {name: getattr(info, name) for name in ("name", "kind", "threads", "driver")}
        date = clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime())
        about = device | {"versions": dict(info.versions)}
        return cls(
            __version__,
            platform.python_version(),
            f"{platform.system()} {platform.machine()}",
            about,
            date,
            tuple(outcomes),
        )

    @property
    def device_name(self) -> str:
        return str(self.device.get("name", "unknown"))


def to_json(record: VerificationRecord) -> str:
    """All figures with all their digits; null stands for what is no number."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "workbench": record.version,
        "python": record.python,
        "system": record.system,
        "device": record.device,
        "date": record.date,
        "cases": [_case(outcome) for outcome in record.outcomes],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str, name: str) -> VerificationRecord:
    """The record in a ``verify.json``. Raises ProblemError that names the file."""
    try:
        content = json.loads(text)
        if content["schema_version"] != SCHEMA_VERSION:
            raise ValueError(f"it is of version {content['schema_version']}, and this reads {SCHEMA_VERSION}")
        outcomes = tuple(_outcome(case) for case in content["cases"])
        facts = (content["workbench"], content["python"], content["system"], dict(content["device"]), content["date"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ProblemError(f"'{name}' is no record of 'workbench verify' ({error}).") from error
    return VerificationRecord(*facts, outcomes)


def to_csv(record: VerificationRecord) -> str:
    """A row for each figure, and one for each case that gave none."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for o in record.outcomes:
        for a in o.answers:
            figures = (a.name, a.unit, a.expected, a.value, a.value - a.expected, a.tolerance, a.right, a.peer)
            writer.writerow((o.engine, o.id, *figures, f"{o.seconds:.3f}", ""))
        if o.error:
            writer.writerow((o.engine, o.id, *[""] * 6, False, "", f"{o.seconds:.3f}", o.error))
    return text.getvalue()


def _case(o: Outcome) -> dict[str, Any]:
    answers = [
        {
            "name": a.name,
            "unit": a.unit,
            "expected": _number(a.expected),
            "value": _number(a.value),
            "tolerance": _number(a.tolerance),
            "right": bool(a.right),
            "peer": a.peer,
        }
        for a in o.answers
    ]
    return {
        "engine": o.engine,
        "engine_title": o.engine_title,
        "id": o.id,
        "title": o.title,
        "source": o.source,
        "seconds": round(o.seconds, 3),
        "error": o.error,
        "answers": answers,
    }


def _outcome(case: dict[str, Any]) -> Outcome:
    answers = tuple(
        Answer(a["name"], _float(a["value"]), _float(a["expected"]), _float(a["tolerance"]), a["unit"], a["peer"])
        for a in case["answers"]
    )
    engine, engine_title, identifier, title, source, error = (
        str(case[name]) for name in ("engine", "engine_title", "id", "title", "source", "error")
    )
    return Outcome(engine, engine_title, identifier, title, source, float(case["seconds"]), answers, error)


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)
