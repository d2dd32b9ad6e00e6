"""Where the cells of the cell model stand: a discretisation's unknowns."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError


class Sites(Protocol):
    """What carries a voltage and a cell of the cell model each: the tetrahedra of a mesh (a ``TetMesh`` is one), or its
    vertices with the tissue around them (:class:`engines.cardiac.p1.sites.VertexSites`).

    centroids: (n_cells, 3) [mm], where they are; volumes: (n_cells,) [mm³]; regions: (n_cells,), keys of
    ``region_names``; bounds: lowest and highest corner of the mesh, (3,) each [mm].
    """

    @property
    def n_cells(self) -> int: ...

    @property
    def centroids(self) -> Array: ...

    @property
    def volumes(self) -> Array: ...

    @property
    def regions(self) -> Array: ...

    @property
    def region_names(self) -> dict[int, str]: ...

    @property
    def bounds(self) -> tuple[Array, Array]: ...


def region_cells(name: str, mesh: Sites) -> Array:
    """(n_cells,) bool: which are of the region with this name; raises ProblemError as :func:`region_ids`."""
    ids = region_ids(name, mesh)
    return mesh.regions == ids[0] if len(ids) == 1 else np.isin(mesh.regions, ids)


def region_ids(name: str, mesh: Sites) -> list[int]:
    """Ids of the region with this name; raises ProblemError that lists the names there are."""
    ids = [key for key, value in mesh.region_names.items() if value == name]
    if not ids:
        known = ", ".join(sorted(set(mesh.region_names.values()))) or "none"
        raise ProblemError(f"The mesh has no region '{name}'; its regions are: {known}.")
    return ids
