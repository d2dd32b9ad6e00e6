"""Entries of a block: GPU kernels know them by the names of Python."""

from engines.fdtd.grid.yee import Yee
from engines.fdtd.monitors.sums.blocks import Block
from engines.fdtd.monitors.sums.rows import HEADER, Entry, text


def test_the_header_says_what_is_declared():
    assert HEADER.read_text(encoding="utf-8") == text()


def test_a_block_is_in_the_order_of_its_entries():
    yee = Yee((5, 6, 7), (1.0, 1.0, 1.0))
    row = Block(True, 2, (1, 2, 3), (4, 3, 2), -9, 0.25).row(yee, 40)
    assert len(row) == len(Entry)
    assert row[Entry.ELECTRIC] == 1
    assert row[Entry.PLACE] == yee.place(2, 1, 2, 3)
    assert row[Entry.NEXT_Y] == yee.place(2, 1, 3, 3) - row[Entry.PLACE]
    assert row[Entry.NEXT_Z] == yee.place(2, 1, 2, 4) - row[Entry.PLACE]
    assert row[Entry.COUNT_X : Entry.COUNT_Z + 1] == [4, 3, 2]
    assert row[Entry.NEIGHBOUR] == -9
    assert row[Entry.START] == 40
