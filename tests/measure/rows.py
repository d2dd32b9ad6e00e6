"""A table of what was measured, printed as it grows, and kept as a record beside others."""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path
from typing import Any

from workbench import __version__


class Rows:
    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._load = self._loaded()
        print("| | wanted | measured | of processors |\n|---|---|---|---|", flush=True)

    def add(self, what: str, measured: float, unit: str, *, wanted: str = "", of_processors: str = "") -> None:
        told = f"{measured:,.2f}" if measured < 100 else f"{measured:,.0f}"
        print(f"| {what} | {wanted} | {told} {unit} | {of_processors} |", flush=True)
        self._rows.append(
            {"what": what, "wanted": wanted, "measured": measured, "unit": unit, "of_processors": of_processors}
        )

    def write(self, path: Path, device: str) -> None:
        """``device``: the card, or the processor."""
        record = {
            "version": __version__,
            "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "device": device,
            "cores": len(os.sched_getaffinity(0)),
            "load": (self._load, self._loaded()),
            "rows": self._rows,
        }
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    @staticmethod
    def _loaded() -> float:
        return os.getloadavg()[0]
