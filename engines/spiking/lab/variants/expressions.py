"""The product as array expressions, of NumPy and CuPy alike."""

from __future__ import annotations

from typing import Any


def chosen_rows(out: Any, rows: Any, events: Any) -> None:
    """Rows of those that fired are copied, then summed."""
    out[...] = rows[events != 0].sum(axis=0)


def full_product(out: Any, rows: Any, events: Any) -> None:
    """Vector times matrix by the library (BLAS, cuBLAS), spikes as numbers: all of the matrix is read."""
    out[...] = events.astype(rows.dtype) @ rows
