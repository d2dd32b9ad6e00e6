"""Whether what a window asks for is there, and what comes is what it asked for.

Else kernels, on either side, would read other memory, or a run would end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from engines.api import Array, Selection, SimulationInfo
from workbench.remote.codec import WireError
from workbench.run.frames import Frame, FrameRequest

Parts = Mapping[str, tuple[str, int]]
"""Field and number of values that are asked for, by the name of the part."""


def check_request(request: FrameRequest, info: SimulationInfo) -> None:
    """Raises WireError."""
    known = {field.name for field in (*info.fields, *([] if info.displaced is None else [info.displaced]))}
    known |= {info.hidden_by, *(name for vector in info.vectors for name in vector.named)}
    for field, selection in request.parts.values():
        if field not in known:
            raise WireError(f"A field '{field[:40]}' was asked for that this run has not.")
        check_selection(selection, info)
    check_elements([each for each in (request.element, *(request.pair or ())) if each is not None], info)


def check_frame(frame: Frame, asked: Parts, info: SimulationInfo) -> None:
    """Raises WireError."""
    components = {field.name: field.components for field in (*info.fields, info.displaced) if field is not None}
    for part, values in frame.values.items():
        name, count = asked.get(part, ("", -1))
        right = values.dtype == np.float32 and values.ndim in (1, 2) and len(values) == count
        if not right or values.size != count * components.get(name, 1):
            raise WireError("Values came that nobody had asked for: is the same version on both sides?")


def check_elements(elements: Iterable[int], info: SimulationInfo) -> None:
    """Raises WireError."""
    if not all(0 <= element < info.geometry.n_cells for element in elements):
        raise WireError("An element was asked for that this problem has not.")


def check_selection(selection: Selection, info: SimulationInfo) -> None:
    """Raises WireError."""
    elements, offsets, points = selection.elements, selection.offsets, selection.points
    right = _numbers(elements, info.geometry.n_cells)
    if offsets is not None:
        right = right and _numbers(offsets, len(elements) + 1) and len(offsets) > 0
        right = right and offsets[0] == 0 and offsets[-1] == len(elements) and bool((np.diff(offsets) >= 0).all())
    if points is not None:
        right = right and offsets is not None and len(points) == len(offsets) - 1
        right = right and _numbers(points, getattr(info.geometry, "n_points", 0))
    if not right:
        raise WireError("Elements were asked for that this problem has not.")


def _numbers(values: Array, stop: int) -> bool:
    """Whether it is a list of numbers from 0 on and below ``stop``, of the kind that devices take."""
    plain = values.ndim == 1 and values.dtype == np.int32
    return plain and (not len(values) or (int(values.min()) >= 0 and int(values.max()) < stop))
