"""Where cells are finer than elsewhere."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity
from engines.fdtd.parameters.common import LENGTH, Axis


class FineRegion(ParameterGroup):
    """A span of an axis with smaller cells; towards the others they grow step by step."""

    axis: Axis = quantity("x", "", "Along which the cells are smaller")
    low: float = quantity(1.5, LENGTH, "Where the span begins; a node of the grid comes to stand there")
    high: float = quantity(2.5, LENGTH, "Where the span ends; a node of the grid comes to stand there")
    cell: float = quantity(0.02, LENGTH, "Size of its cells", gt=0)
