"""The faces that couple the two copies of a complex field, on either device."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from engines.backend.twins import Twins


class BlochFaces(ABC):
    """Made of a backend, a grid and the type of the fields."""

    @abstractmethod
    def wrap(self, re: Any, im: Any, axis: int, source: int, to: int, phase: float) -> None:
        """Plane ``to`` across ``axis`` from plane ``source``, in the two components that the face couples."""


FACES = Twins[BlochFaces](__package__, cpu="cpu:CpuBlochFaces", cuda="cuda:CudaBlochFaces")
