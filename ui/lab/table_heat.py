"""A measured table as a map: two columns name the cells, a third one colours them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from engines.lab_tables import Column, Row, Value
from ui.lab.heat import HeatMap, Tile
from ui.theme import Palette
from workbench.bench.table_lines import NOTHING, number, title_of, value_text

TIMES = ("s", "ms", "µs", "us", "ns", "min", "h")
"""Units of which less is better; of all others more is."""
Place = tuple[Value, Value]
"""What stands in the column of columns, and in that of rows."""


class TableMap(HeatMap):
    """Rows of one device. Where several rows are about one cell, it shows the best."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(colors, parent)
        self._columns: Sequence[Column] = ()
        self._rows: Sequence[Row] = ()
        self._places = (0, 0, 0)

    def set_data(self, columns: Sequence[Column], heat: tuple[str, str, str], rows: Sequence[Row]) -> None:
        """``heat``: titles of the columns of rows, columns and colours; each of them is among ``columns``."""
        titles = [column.title for column in columns]
        row, column, value = (titles.index(title) for title in heat)
        self._columns, self._rows, self._places = columns, rows, (row, column, value)
        self.set_titles(title_of(columns[column]), title_of(columns[row]))
        self.redraw()

    def draw(self) -> None:
        found = self.cells()
        if not any(number(row[self._places[2]]) is not None for row in found.values()):
            self.say("There are no figures of this device.")
            return
        row, column, value = (self._columns[place] for place in self._places)
        across, up = _ordered([x for x, _ in found]), _ordered([y for _, y in found])
        tiles = {
            (across.index(x), up.index(y)): Tile(
                self._good(line), value_text(line[self._places[2]], value), self._tip(line)
            )
            for (x, y), line in found.items()
        }
        self.paint_tiles(tiles, [value_text(x, column) for x in across], [value_text(y, row) for y in up])

    def cells(self) -> dict[Place, Row]:
        """(column, row) to the row of the table that is shown there."""
        row, column, _ = self._places
        found: dict[Place, Row] = {}
        for line in self._rows:
            place = (line[column], line[row])
            known = self._good(found[place]) if place in found else None
            good = self._good(line)
            if place not in found or (good is not None and (known is None or good > known)):
                found[place] = line
        return found

    def legend(self) -> str:
        """What the colours mean: ``Time [ms]: 1.2 (bright) to 3.4 (dark)``"""
        place = self._places[2]
        values = [value for line in self.cells().values() if (value := number(line[place])) is not None]
        if not values:
            return ""
        column = self._columns[place]
        best, worst = sorted((min(values), max(values)), reverse=column.unit not in TIMES)
        return f"{title_of(column)}: {value_text(best, column)} (bright) to {value_text(worst, column)} (dark)"

    def _good(self, line: Row) -> float | None:
        place = self._places[2]
        value = number(line[place])
        return -value if value is not None and self._columns[place].unit in TIMES else value

    def _tip(self, line: Row) -> str:
        pairs = zip(self._columns, line, strict=True)
        texts = ((column, value_text(value, column)) for column, value in pairs)
        return "\n".join(f"{title_of(column)}: {text}" for column, text in texts if text != NOTHING)


def _ordered(values: Sequence[Value]) -> list[Value]:
    """Numbers by size, then words in the order in which they came."""
    distinct = list(dict.fromkeys(values))
    return sorted(distinct, key=lambda value: (number(value) is None, number(value) or 0.0))
