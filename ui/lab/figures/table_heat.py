"""A measured table as a map of coloured cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from PySide6.QtWidgets import QWidget

from engines.api.lab import Column, Heat, Row, Value
from ui.lab.figures.heat import HeatMap, Tile, dark_end
from ui.widgets.theme import Palette
from workbench.bench.table_lines import NOTHING, number, title_of, value_text

TIMES = ("s", "ms", "µs", "us", "ns", "min", "h")
"""Units of which less is better; of all others more is."""
Place = tuple[Value, Value]
"""What a cell's column and its row are called by."""


@dataclass(frozen=True)
class Cell:
    """``pairs``: (column, value) of all that its tip tells."""

    value: float | None
    pairs: Sequence[tuple[Column, Value]]


class TableMap(HeatMap):
    """Rows of one device. Where several rows are about one cell, it shows the best."""

    def __init__(self, colors: Palette | None = None, parent: QWidget | None = None) -> None:
        super().__init__(colors, parent)
        self.cells: dict[Place, Cell] = {}
        self._across = self._up = self._value = Column("")

    def set_data(self, columns: Sequence[Column], heat: Heat, rows: Sequence[Row]) -> None:
        """``heat`` names some of ``columns``; where it is True there are results and a column that is none."""
        if heat is True:
            self._up = next(column for column in columns if not column.result)
            self._value = replace(next(column for column in columns if column.result), title="")
            self._across = Column("", result=False)
            found = [place for row in rows for place in _wide(columns, row)]
        else:
            titles = [column.title for column in columns]
            up, across, value = (titles.index(title) for title in heat)
            self._up, self._across, self._value = columns[up], columns[across], columns[value]
            found = [
                ((row[across], row[up]), Cell(number(row[value]), list(zip(columns, row, strict=True)))) for row in rows
            ]
        self.cells = {}
        for place, cell in found:
            if place not in self.cells or self._better(cell, self.cells[place]):
                self.cells[place] = cell
        self.set_titles(title_of(self._across), title_of(self._up))
        self.redraw()

    def draw(self) -> None:
        if all(cell.value is None for cell in self.cells.values()):
            self.say("There are no figures of this device.")
            return
        across, up = _ordered([x for x, _ in self.cells]), _ordered([y for _, y in self.cells])
        tiles = {
            (across.index(x), up.index(y)): Tile(
                self._good(cell.value), value_text(cell.value, self._value), _tip(cell)
            )
            for (x, y), cell in self.cells.items()
        }
        self.paint_tiles(tiles, [value_text(x, self._across) for x in across], [value_text(y, self._up) for y in up])

    def legend(self) -> str:
        """What the colours mean: ``Time: 1.2 ms (bright) to 3.4 ms and worse (dark)``"""
        values = [good for cell in self.cells.values() if (good := self._good(cell.value)) is not None]
        if not values:
            return ""
        sign, unit = (-1 if self._value.unit in TIMES else 1), self._value.unit
        worst = dark_end(values)
        texts = [f"{value_text(sign * value, self._value)} {unit}".rstrip() for value in (max(values), worst)]
        beyond = "" if worst == min(values) else " and worse"
        title = f"{self._value.title}: " if self._value.title else ""
        return f"{title}{texts[0]} (bright) to {texts[1]}{beyond} (dark)"

    def _good(self, value: float | None) -> float | None:
        return -value if value is not None and self._value.unit in TIMES else value

    def _better(self, one: Cell, other: Cell) -> bool:
        good, known = self._good(one.value), self._good(other.value)
        return good is not None and (known is None or good > known)


def _wide(columns: Sequence[Column], row: Row) -> Iterator[tuple[Place, Cell]]:
    """A cell for each result of a row."""
    pairs = list(zip(columns, row, strict=True))
    about = [(column, value) for column, value in pairs if not column.result]
    for column, value in pairs:
        if column.result:
            yield (column.title, about[0][1]), Cell(number(value), [*about, (column, value)])


def _tip(cell: Cell) -> str:
    texts = ((column, value_text(value, column)) for column, value in cell.pairs)
    return "\n".join(f"{title_of(column)}: {text}" for column, text in texts if text != NOTHING)


def _ordered(values: Sequence[Value]) -> list[Value]:
    """Numbers by size, then words in the order in which they came."""
    distinct = list(dict.fromkeys(values))
    return sorted(distinct, key=lambda value: (number(value) is None, number(value) or 0.0))
