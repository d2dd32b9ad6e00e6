"""Checks that both backends make before a selection or a field reaches a kernel, where an index goes unchecked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, Selection


@dataclass(frozen=True)
class Checked:
    """A selection whose indices a kernel may trust, for fields of more than ``largest`` elements.

    elements: (k,) int32; offsets: (m+1,) int32 within 0..k, or None; both own their memory.
    """

    elements: Array
    offsets: Array | None
    largest: int

    def __len__(self) -> int:
        return len(self.elements) if self.offsets is None else len(self.offsets) - 1


def check_selection(selection: Selection) -> Checked:
    """A trusted copy of ``selection``; raises ValueError if indices are negative or offsets do not ascend within it."""
    elements = np.array(selection.elements, dtype=np.int32)
    if elements.ndim != 1 or (elements.size and int(elements.min()) < 0):
        raise ValueError("the elements of a selection are a one-dimensional array of indices from 0 on")
    offsets = None
    if selection.offsets is not None:
        offsets = np.array(selection.offsets, dtype=np.int32)
        ascending = offsets.ndim == 1 and offsets.size > 0 and bool((np.diff(offsets) >= 0).all())
        if not ascending or offsets[0] < 0 or offsets[-1] > elements.size:
            raise ValueError("the offsets of a selection ascend from 0 to at most the number of its elements")
    return Checked(elements, offsets, int(elements.max()) if elements.size else -1)


def checked_values(values: Any, handle: Any) -> Any:
    """``values`` as ``(n, components)``; raises ValueError if ``handle`` selects beyond its end."""
    if values.ndim not in (1, 2):
        raise ValueError(f"a field has the shape (n,) or (n, components), not {values.shape}")
    if handle.largest >= values.shape[0]:
        raise ValueError(f"the selection reaches element {handle.largest} of a field of {values.shape[0]}")
    return values[:, None] if values.ndim == 1 else values


def exact_missing(missing: float | None, dtype: Any) -> tuple[bool, float]:
    """Whether there is a stand-in for "not yet", and its value as stored in ``dtype`` (1e30 is no float32)."""
    return (False, 0.0) if missing is None else (True, float(np.dtype(dtype).type(missing)))
