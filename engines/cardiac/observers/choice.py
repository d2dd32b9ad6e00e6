"""Which observers a problem asks for, and how they are made."""

from __future__ import annotations

from engines.api import Array
from engines.backend.base import Backend
from engines.cardiac.observers.base import Observer
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.tissue import Tissue
from engines.geometry.mesh import TetMesh


def make_observers(
    backend: Backend, mesh: TetMesh, order: Array, tissue: Tissue, parameters: CardiacParameters
) -> tuple[Observer, ...]:
    """In the order in which their fields are offered; ``order: (n_cells,)``: cell of the mesh at each place."""
    return ()
