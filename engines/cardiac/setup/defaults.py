"""The parameters that a mesh begins with."""

from __future__ import annotations

import numpy as np

from engines.api.errors import ProblemError
from engines.cardiac.parameters import CardiacParameters, CellType, RegionSetting, Sphere, Stimulus
from engines.cardiac.parameters.cells import NON_CONDUCTING, TT06
from engines.cardiac.tissue.operator import tissue_operator
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.shapes import distances, extent
from engines.quantities import rounded_down


def default_parameters(mesh: TetMesh) -> CardiacParameters:
    """Cell types by the regions' names, one stimulus at the lowest corner of the mesh, a step that is stable on it.

    The operator is assembled for the step's sake; building uses it again.
    """
    low, high = extent(mesh.centroids)
    start = mesh.centroids[np.argmin(distances(mesh.centroids, low))]
    radius = max(0.05 * float(np.linalg.norm(high - low)), 2.0 * float(mesh.volumes.max()) ** (1 / 3))
    x, y, z = (round(float(value), 3) for value in start)
    parameters = CardiacParameters(
        regions=[RegionSetting(region=name, cell_type=_type_by_name(name)) for name in mesh.region_names.values()],
        stimuli=[Stimulus(name="S1", site=Sphere(center=(x, y, z), radius=round(radius, 3)))],
    )
    try:
        limit = tissue_operator(mesh, parameters).stable_step
    except ProblemError:
        return parameters  # a mesh that cannot run opens nevertheless; Run says what is wrong with it
    if parameters.numerics.step > limit:
        parameters.numerics.step = rounded_down(0.9 * limit, digits=2)
    return parameters


def _type_by_name(region: str) -> CellType:
    name = region.lower()
    if "endo" in name:
        return "endo"
    return "M" if "mid" in name or name in ("m", "mcell") else "epi"


WORDS = {"epi": "epicardial cells", "endo": "endocardial cells", "M": "M cells"}


def regions_become(parameters: CardiacParameters) -> dict[str, str]:
    """What the cells of each region that is set are, in words."""
    found: dict[str, str] = {}
    for setting in parameters.regions:
        if setting.condition == NON_CONDUCTING:
            found[setting.region] = setting.condition
            continue
        cells = WORDS[setting.cell_type] if parameters.cell_model == TT06 else f"cells of {parameters.cell_model}"
        found[setting.region] = cells if setting.condition == "healthy" else f"{cells}, {setting.condition}"
    return found
