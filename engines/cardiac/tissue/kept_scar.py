"""Painted scar as a part of the problem: regions of the mesh that conduct less, or not at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engines.api import Array, Problem
from engines.api.charts import Fact
from engines.api.errors import ProblemError
from engines.api.tools import ToolResult
from engines.cardiac.parameters import CardiacParameters, RegionSetting
from engines.cardiac.parameters.cells import NON_CONDUCTING
from engines.geometry.meshes.mesh import TetMesh

PAINTED = "Painted scar"
TITLE = "Keep the scar in the project"


def kept_scar(problem: Problem, mesh: TetMesh, left: Array) -> ToolResult | None:
    """The problem with what was painted on ``mesh``; None where nothing was.

    ``left: (n_cells,)`` in the mesh's numbering, the share of their conductivity that cells have left. Cells without
    any become one non-conducting region; others one region for each share and each region that they were of, with the
    same cells. Raises ProblemError if the problem is on another mesh by now.
    """
    parameters = problem.parameters
    assert isinstance(parameters, CardiacParameters)
    if problem.geometry is not mesh:
        raise ProblemError("The mesh has changed since this run began: reset the run, then paint the scar again.")
    if (left == 1).all():
        return None
    settings = {setting.region: setting for setting in parameters.regions}
    names, regions = dict(mesh.region_names), mesh.regions.copy()
    dead = left == 0
    if dead.any():
        regions[dead] = _number_of(PAINTED, NON_CONDUCTING, names, settings)
        name = names[int(regions[dead][0])]
        settings[name] = RegionSetting(region=name, condition=NON_CONDUCTING)
    weak = (left > 0) & (left < 1)
    for region, share in np.unique(np.stack([mesh.regions[weak], left[weak]], axis=1), axis=0):
        before = mesh.region_names.get(int(region), f"region {int(region)}")
        setting = settings.get(before, RegionSetting(region=before))
        name = _free(f"{before}, {100 * share:.3g} % conducting", names)
        names[number := max(names, default=0) + 1] = name
        regions[weak & (mesh.regions == region) & (left == share)] = number
        scale = setting.conductivity_scale * float(f"{share:.3g}")
        settings[name] = setting.model_copy(update={"region": name, "conductivity_scale": scale}, deep=True)
    present = set(np.unique(regions).tolist())
    names = {number: name for number, name in names.items() if number in present or number in mesh.region_names}
    return ToolResult(
        f"{int((left < 1).sum()):,} painted cells are regions of the mesh now; Reset runs on it.",
        (Fact("Non-conducting cells", int(dead.sum()), "1"), Fact("Weakly conducting cells", int(weak.sum()), "1")),
        parameters=parameters.model_copy(update={"regions": list(settings.values())}),
        geometry=replace(mesh, regions=regions, region_names=names),
    )


def _number_of(name: str, condition: str, names: dict[int, str], settings: dict[str, RegionSetting]) -> int:
    """The region ``name`` if it has this condition already, else a new one, which is put into ``names``."""
    for number, known in names.items():
        if known == name and known in settings and settings[known].condition == condition:
            return number
    number = max(names, default=0) + 1
    names[number] = _free(name, names)
    return number


def _free(name: str, names: dict[int, str]) -> str:
    """``name``, with a number where there is such a region."""
    known, tried, count = set(names.values()), name, 1
    while tried in known:
        count += 1
        tried = f"{name} {count}"
    return tried
