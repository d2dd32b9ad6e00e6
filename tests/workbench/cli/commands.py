"""``workbench`` in a process of its own, the project that it runs, and the tables that it leaves."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from workbench.project.document import open_document, save_document

ROOT = Path(__file__).parents[3]


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def command(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    house = str(ROOT / "tests/workbench/house.py")
    return subprocess.Popen(
        [sys.executable, house, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def change(project: Path, **parameters: Any) -> None:
    document = open_document(project)
    for name, value in parameters.items():
        setattr(document.parameters, name, value)
    save_document(document)
