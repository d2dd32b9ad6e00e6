"""Waveforms from files of two columns, time and value."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api.errors import ProblemError
from engines.fdtd.sources.waveforms import Sampled
from engines.tables.files import read_table

REST = 1e-3
"""A waveform begins and ends within this part of its largest value."""
FEWEST = 4
"""Points that a cubic needs."""


def read_waveform(path: str, time_unit: str) -> Sampled:
    """Read a table of time, in ``time_unit`` where its heading does not say another ("time [ps]"), and value.

    Raises ProblemError, which names the row.
    """
    table = read_table(path, "waveform", ("time", "value"), (time_unit, ""))
    name = Path(path).name
    if len(table) < FEWEST:
        raise ProblemError(f"The waveform '{name}' has {len(table)} points: it needs {FEWEST} or more.")
    times, values = table.T
    largest = np.abs(values).max()
    if largest == 0:
        raise ProblemError(f"The waveform '{name}' is zero all the time: choose another file.")
    for end, value in (("begins", values[0]), ("ends", values[-1])):
        if abs(value) > REST * largest:
            raise ProblemError(
                f"The waveform '{name}' {end} at {value:g}: let it {end.rstrip('s')} at zero, "
                "or its step would hold all frequencies."
            )
    return Sampled(np.ascontiguousarray(times), np.ascontiguousarray(values))
