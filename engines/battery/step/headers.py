"""The names of the declarations for the CUDA kernels: ``python -m engines.battery.step.headers`` writes the headers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path

from engines.backend.compile.headers import header
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.protocol import instructions
from engines.battery.setup.curves import INTERVALS
from engines.battery.step import cell_rows, graded, many_particle_rows, particle_rows

FOLDER = Path(__file__).parent


def headers() -> dict[str, str]:
    """Text of each header by its name."""
    cells, many = cell_rows, many_particle_rows
    single, double = many.TOLERANCE["float32"], many.TOLERANCE["float64"]
    return {
        "cell_rows.cuh": _header(
            "cell_rows.py",
            {
                "INTERVALS": INTERVALS,
                "ELECTROLYTE_CELLS": cells.ELECTROLYTE_CELLS,
                "ELECTROLYTE_RANGE": cells.ELECTROLYTE_RANGE,
                "EXHAUSTED": cells.EXHAUSTED,
                "REFERENCE_TEMPERATURE": REFERENCE_TEMPERATURE,
                "GAS_PER_FARADAY": cells.GAS_PER_FARADAY,
                "QUANTITIES": len(cells.CycleRow),
                "AGEING_ROWS": len(cells.AgeingRow),
            },
            cells.Row, cells.AgeingRow, cells.CycleRow, cells.Coefficient, cells.Table,
        ),
        "many_particle_rows.cuh": _header(
            "many_particle_rows.py",
            {
                "INTERVALS": INTERVALS,
                "MOST_PASSES": many.MOST_PASSES,
                "ASIDE": many.ASIDE,
                "EDGE": many.EDGE,
                "TOLERANCE": f"sizeof(REAL) == 4 ? REAL({single!r}) : REAL({double!r})",
                "SUMS": len(many.Sum),
            },
            many.Row, many.Coefficient, many.CellRow, many.Constant, many.Scratch,
            many.Sum,
        ),
        "particle_rows.cuh": _header(
            "particle_rows.py", {"MODES": particle_rows.MODES}, particle_rows.BaseRow, particle_rows.ModeRow
        ),
        "graded_rows.cuh": _header(
            "graded.py",
            {
                "SHELLS": graded.SHELLS,
                "GAMMA": graded.GAMMA,
                "PICARD": graded.PICARD,
                "HALF_SPACE": graded.HALF_SPACE,
                "SHORT": graded.SHORT,
                "SURFACE_PASSES": graded.SURFACE_PASSES,
            },
        ),
        "instructions.cuh": _header(
            "protocol/instructions.py",
            {"FIELDS": len(instructions.Field), "DRIVE_COLUMNS": len(instructions.DriveColumn)},
            instructions.Kind, instructions.Field, instructions.DriveColumn,
        ),
    }  # fmt: skip


def _header(source: str, numbers: Mapping[str, float | str], *enumerations: type[IntEnum]) -> str:
    return header(source, "engines.battery.step.headers", numbers, *enumerations)


if __name__ == "__main__":
    for name, text in headers().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
