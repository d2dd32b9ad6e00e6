"""Whole cells: the single-particle model with and without electrolyte and heat, on either backend."""

from __future__ import annotations

from typing import Any

from engines.api.device import Backend
from engines.battery.cells.step.cells import Cells, Instruction, Kind, Row

__all__ = ["Cells", "Instruction", "Kind", "Row", "make_cells"]


def make_cells(backend: Backend, *args: Any, **kwargs: Any) -> Cells:
    """Cells on the backend's device; arguments of :class:`Cells` after the backend."""
    if backend.id != "cpu":
        from engines.battery.cells.step.cuda import CudaCells

        return CudaCells(backend, *args, **kwargs)  # type: ignore[arg-type]  # not the CPU: a CudaBackend
    from engines.battery.cells.step.cpu import CpuCells

    return CpuCells(backend, *args, **kwargs)
