"""Models of the heart cell: the reaction half of the monodomain equation."""

from __future__ import annotations

from typing import Any

from engines.api import Array
from engines.api.device import Backend
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED, Tt06Tissue

__all__ = ["NOT_ACTIVATED", "Tt06Tissue", "make_tissue"]


def make_tissue(backend: Backend, kinds: Array, stimulus_mask: Array | None = None, **options: Any) -> Tt06Tissue:
    """TT06 cells on the device of ``backend``; arguments of :class:`Tt06Tissue`."""
    if backend.id == "cpu":
        from engines.cardiac.cells.cpu import CpuTissue

        return CpuTissue(backend, kinds, stimulus_mask, **options)
    from engines.backend.cuda import CudaBackend
    from engines.cardiac.cells.cuda import CudaTissue

    assert isinstance(backend, CudaBackend)
    return CudaTissue(backend, kinds, stimulus_mask, **options)
