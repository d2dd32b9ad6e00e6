"""Rows of strain: GPU kernels know them by the names of Python, and fields by where they are."""

from engines.peridynamics.watch.strain.rows import HEADER, Found, text
from engines.peridynamics.watch.strain.solid import COMPONENTS, ROWS


def test_the_header_says_what_is_declared():
    assert HEADER.read_text(encoding="utf-8") == text()


def test_each_row_is_a_field():
    assert list(ROWS.values()) == list(range(len(Found)))
    assert list(ROWS)[:4] == ["strain", "von_mises", "mean_stress", "dilatation"]
    assert list(ROWS)[4:] == [f"stress_{each}" for each in (*COMPONENTS, "largest", "smallest")]
