"""Multirate reaction: cells near their upstroke react at each step, others every few steps."""

from __future__ import annotations

from engines.api.device import Backend
from engines.cardiac.cells.tissue import Tissue
from engines.cardiac.multirate.groups import Groups
from engines.cardiac.multirate.parameters import Multirate

__all__ = ["Groups", "Multirate", "make_groups"]


def make_groups(backend: Backend, tissue: Tissue, dt: float, settings: Multirate) -> Groups:
    """The groups of a tissue, all of them awake."""
    if backend.id == "cpu":
        from engines.cardiac.multirate.cpu import CpuGroups

        return CpuGroups(backend, tissue, dt, settings)
    from engines.cardiac.multirate.cuda import CudaGroups

    return CudaGroups(backend, tissue, dt, settings)
