"""What sources add to the fields on an NVIDIA GPU: launches ``inject.cu``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engines.fdtd.sources.currents import Entries, Sources
from engines.fdtd.step.cuda_parts import THREADS, line_places, line_table
from engines.fdtd.step.inject.cuda_oblique import CudaObliqueLine

SOURCE = Path(__file__).parent / "inject.cu"


class CudaInjection:
    """``of_h``: what ``sources`` do to H where E and H are stepped together
    (:func:`engines.fdtd.sources.currents.induced`); ``compiled(path, name)``: a kernel.

    signals: (count,), that of each source now; drives: (n, 2) int32; lines: (m, 3) int32 and two tables of them: those
    of plane waves.
    """

    def __init__(
        self, backend: Any, sources: Sources, of_h: Entries, dtype: Any, compiled: Callable[[Path, str], Any]
    ) -> None:
        array = backend.array
        self._sources, self._compiled = sources, compiled
        self.signals = array(np.zeros(max(sources.count, 1), dtype))
        self._entries = [
            (array(each.places), array(each.weights.astype(dtype)), array(each.slots))
            for each in (sources.electric, of_h, sources.magnetic)
        ]
        self.lines = array(np.array(line_places(sources), np.int32).reshape(-1, 3))
        self.line_tables = [array(line_table(sources, electric, dtype)) for electric in (True, False)]
        self._oblique = [CudaObliqueLine(backend, line, self.signals, dtype) for line in sources.oblique]
        self.drives = array(np.array([[d[2], d[3]] for d in sources.drives], np.int32).reshape(-1, 2))

    def drive(self, table: Any, row: int, half: int) -> None:
        """Set the signals of currents (1) or of the others (0) to those of a row of the values."""
        drives = self._sources.drives
        if any(drive[3] == bool(half) for drive in drives):
            count = len(drives)
            self._compiled(SOURCE, "drive")(
                (1,), (-(-count // 32) * 32,),
                (self.signals, table, self.drives, np.int32(count), np.int32(row), np.int32(half)),
            )  # fmt: skip

    def of_electric(self, electric: Any, magnetic: Any, table: Any, row: int, together: bool) -> None:
        """What sources add to E (``together``: to H too, which took its step before); E of lines and sheets then is
        that of the end of the step."""
        if self._sources.count:
            (places, *rest), (others, *more) = self._entries[:2]
            self._compiled(SOURCE, "inject_electric")(
                (-(-self._threads(places, others) // THREADS),), (THREADS,),
                (
                    electric, places, *rest, np.int32(len(places)), magnetic, others, *more,
                    np.int32(len(others) if together else 0), self.signals, self.line_tables[0], self.lines,
                    np.int32(len(self.lines)),
                ),
            )  # fmt: skip
        self.drive(table, row, 0)
        for line in self._oblique:
            line.electric()

    def of_magnetic(self, magnetic: Any) -> None:
        """What sources add to H."""
        places, weights, slots = self._entries[2]
        if len(self.lines) or len(places):
            self._compiled(SOURCE, "inject_magnetic")(
                (-(-self._threads(places) // THREADS),), (THREADS,),
                (
                    magnetic, places, weights, slots, self.signals, np.int32(len(places)), self.line_tables[1],
                    self.lines, np.int32(len(self.lines)),
                ),
            )  # fmt: skip
        for line in self._oblique:
            line.magnetic()

    def line_psi(self) -> dict[str, Any]:
        """ψ of the lines of plane waves."""
        found = {}
        for number, (line, (_, _, place)) in enumerate(
            zip(self._sources.lines, line_places(self._sources), strict=True)
        ):
            for name, table in zip("eh", self.line_tables, strict=True):
                start = place + 3 * (line.n + 1)
                found[f"line {number} {name}"] = table[start : start + line.n + 1]
        return found

    def _threads(self, *places: Any) -> int:
        return max([*map(len, places), *(line.n + 1 for line in self._sources.lines)])
