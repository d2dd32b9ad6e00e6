"""The block-shape heat map: which launch shape reads memory best on this device."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from ui.lab.figures.chart import tip
from ui.lab.figures.heat import HeatMap, Tile
from ui.widgets.theme import Palette
from workbench.bench.records import VariantRecord
from workbench.words.units import percent

Cell = tuple[int, int]


def cells(records: Sequence[VariantRecord]) -> dict[Cell, VariantRecord]:
    """(threads in x, threads in y) to the best record of this block; a refused one where there is no other."""
    found: dict[Cell, VariantRecord] = {}
    for record in records:
        if not record.shape:
            continue
        cell = (record.shape[0], record.shape[1] if len(record.shape) > 1 else 1)
        known = found.get(cell)
        if known is None or known.refused or (not record.refused and record.seconds < known.seconds):
            found[cell] = record
    return found


class BlockMap(HeatMap):
    """Colour and number of a cell: % of the ceiling at this block shape."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(colors, parent)
        self.set_titles("Threads in x", "Threads in y")
        self._records: Sequence[VariantRecord] = ()
        self._missing = ""

    def set_data(self, records: Sequence[VariantRecord], missing: str = "") -> None:
        """Records of one variant at one size; ``missing`` is said where there is none to choose."""
        self._records, self._missing = records, missing
        if records:
            self.set_titles(f"Threads in x, at {records[0].case}", "Threads in y")
        self.redraw()

    def draw(self) -> None:
        found = cells(self._records)
        if not found:
            self.say(self._missing or "This variant was not measured with block shapes at this size.")
            return
        columns, rows = sorted({x for x, _ in found}), sorted({y for _, y in found})
        values = [record.fraction for record in found.values() if not record.refused]
        near = bool(values) and max(values) - min(values) <= 0.05
        tiles = {
            (columns.index(x), rows.index(y)): Tile(None, "refused", record.refused)
            if record.refused
            else Tile(record.fraction, percent(record.fraction, 1) if near else percent(record.fraction), _tip(record))
            for (x, y), record in found.items()
        }
        self.paint_tiles(tiles, [str(x) for x in columns], [str(y) for y in rows])


def _tip(record: VariantRecord) -> str:
    occupancy = "" if record.occupancy is None else f"\noccupancy {percent(record.occupancy)}"
    registers = "" if record.registers is None else f", {record.registers} registers"
    return f"{tip(record)}{occupancy}{registers if occupancy else ''}"
