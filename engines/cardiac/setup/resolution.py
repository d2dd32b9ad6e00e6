"""Whether a mesh is fine enough for the fronts that run on it, told before they run.

``slowing.json`` has, for the cell models that come with the engine, the velocity on cubes of an edge (six jittered
tetrahedra each) over that on a fine mesh, along and across the fibres of the default tissue; 0 where the front dies
out. It was measured by :mod:`engines.cardiac.lab.slowing` on strands as ``tools/strand.py`` makes them, in float64 at
steps of 0.01 ms or what is stable; the fine mesh is the limit of 0.25 and 0.125 mm, of order 1.5. The cable equation
has one length, √(D·time of the upstroke): for another conductivity the edges count by 1/√σ. On isotropic tissue
cell-centred cubes slow a front as cubes of 0.6 times their edge do along fibres (TT06, 0.25 to 3 mm: 0.58 to 0.65);
between, it goes by the logarithm of the anisotropy.

Unstructured cubes (Gmsh, TT06, edges of 0.7 to 1.9 mm) conduct along fibres by 0.03 to 0.04 of the velocity faster than
is told, across by 0.08 to 0.13. A model from a file is taken for TT06, which many others do not equal: less excitable
cells (O'Hara and Rudy's) fail on meshes twice as fine.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.cardiac.parameters import VERTEX_CENTRED, CardiacParameters, Tissue
from engines.cardiac.parameters.cells import FROM_FILE, NON_CONDUCTING, TT06
from engines.cardiac.tissue.placed import placed_scale
from engines.geometry.meshes.mesh import TetMesh

TABLE = Path(__file__).with_name("slowing.json")
SAMPLE = 100_000
"""Cells that a mesh's fineness is taken from."""
CUBE = 0.3
"""Σ(e·f)² over a tetrahedron's edges e for a direction f, times this: h² on average of the six in a cube of edge h."""
EDGE = math.sqrt(0.5 / CUBE)
"""Root mean square length of the edges over h, in tetrahedra that are alike in all directions."""
ISOTROPIC = 0.6
"""Edges of cells in isotropic tissue count so much along the curve of fibres; vertices' count whole."""
TOLD, WARNED, FINE = 0.97, 0.8, 0.9
"""Shares of the velocity below which it is told, and warned of; and what a refinement should reach."""
WIDELY = 0.5
"""Share of the velocity below which it is also told how many times too slow a front is."""
FEW = 0.02
"""Share of the tissue in which a front may die out before it is told."""
MOST_LEVELS = 2
"""Of the refinement tool."""


@dataclass(frozen=True)
class Fineness:
    """What a mesh makes of a front, over sampled cells with their ``weight`` (volume).

    ``along``, ``across``: (n,) share of the velocity on a fine mesh, 0 where a front dies out; ``edge_along``,
    ``edge_across`` [mm], medians; ``width_along``, ``width_across`` [mm] of the front on a fine mesh.
    """

    weight: Array
    along: Array
    across: Array
    edge_along: float
    edge_across: float
    width_along: float
    width_across: float

    @property
    def typical(self) -> tuple[float, float]:
        """Medians over the volume."""
        return weighted_median(self.along, self.weight), weighted_median(self.across, self.weight)

    @property
    def failing(self) -> float:
        """Share of the tissue in which a front dies out in one of the directions."""
        return float(self.weight[(self.along <= 0) | (self.across <= 0)].sum() / self.weight.sum())


def fineness(mesh: TetMesh, parameters: CardiacParameters, levels: int = 0) -> Fineness | None:
    """Of the conducting tissue, if its edges were halved ``levels`` times; None where nothing conducts."""
    scale = _conductivity_scale(mesh, parameters)
    cells = np.flatnonzero(scale > 0)
    cells = cells[:: 1 + len(cells) // SAMPLE]
    if not len(cells):
        return None
    part = mesh.take_cells(cells)
    h_along, h_across = (h / 2**levels for h in directional_edges(part))
    isotropic = mesh.fibres is None
    sigma = np.array(parameters.tissue.monodomain_conductivity())
    usual = np.array(Tissue().monodomain_conductivity())
    if isotropic:
        sigma[1] = sigma[0]
    # Conductivities over those of the table; both directions over the table's along the fibres.
    capacity = _capacity(Tissue()) / _capacity(parameters.tissue)
    own = np.sqrt(scale[cells] * capacity)[:, None] * np.sqrt(sigma / usual)
    as_along = np.sqrt(scale[cells] * capacity)[:, None] * np.sqrt(sigma / usual[0])
    entry = _entry(parameters)
    curves = entry[parameters.numerics.discretisation]
    count = 1.0 if parameters.numerics.discretisation == VERTEX_CENTRED else ISOTROPIC
    blend = float(np.clip(math.log(sigma[0] / sigma[1]) / math.log(usual[0] / usual[1]), 0.0, 1.0))
    shares = []
    for k, (name, h) in enumerate((("along", h_along), ("across", h_across))):
        alike = _share(curves["along"], count * h / as_along[:, k])
        shares.append((1.0 - blend) * alike + blend * _share(curves[name], h / own[:, k]))
    along, across = shares
    width = entry["width"]
    typical = np.median(own, axis=0)
    return Fineness(
        part.volumes,
        along,
        along if isotropic else across,
        EDGE * float(np.median(h_along)),
        EDGE * float(np.median(h_across)),
        width["along"] * float(typical[0]),
        width["along"] * float(typical[0]) if isotropic else width["across"] * float(typical[1]),
    )


def front_findings(mesh: TetMesh, parameters: CardiacParameters) -> list[Finding]:
    """By how much a front is slowed, or that it dies out, and what helps; nothing on a mesh that is fine enough."""
    found = fineness(mesh, parameters)
    if found is None:
        return []
    (along, across), failing = found.typical, found.failing
    slowest = min(along, across)
    if failing < FEW and slowest > TOLD:
        return []
    one = mesh.fibres is None
    sizes = f"edges of {found.edge_along:.2g} mm"
    if not one and abs(math.log(found.edge_along / found.edge_across)) > math.log(1.2):
        sizes = f"edges of {found.edge_along:.2g} mm along and {found.edge_across:.2g} mm across the fibres"
    widths = f"a front is about {found.width_along:.2g} mm wide"
    widths += "" if one else f" along the fibres and {found.width_across:.2g} mm across"
    places = "" if one else f" along and {100 * across:.0f} % across"
    speed = f"conducts at about {100 * along:.0f} %{places} of a fine mesh's speed"
    if 0 < slowest <= WIDELY:
        speed += f", {1 / slowest:.2g} times too slowly"
    unknown = (
        " (measured for ten Tusscher-Panfilov's cells; less excitable ones need finer meshes)"
        if parameters.cell_model == FROM_FILE
        else ""
    )
    if failing >= FEW:
        directions = "" if one else _directions(found)
        text = (
            f"The mesh is too coarse: it has {sizes}, and {widths}. A front dies out{directions} in "
            f"{100 * failing:.0f} % of the tissue"
        )
        text += (f", which else {speed}" if slowest > 0 else "") + unknown
        return [Finding(f"{text}; {_refinement(mesh, parameters)}.", "warning", ("tissue",), REFINE, distorts=True)]
    severity = "warning" if slowest < WARNED else "info"
    text = f"With {sizes} the mesh {speed}{unknown}: tune to a velocity, or {_refinement(mesh, parameters)}."
    return [Finding(text, severity, ("tissue",), TUNE, REFINE, True)]  # type: ignore[arg-type]  # one of the two


REFINE = Remedy("Refine the mesh…", tool="refine")
TUNE = Remedy("Tune conductivity to a velocity…", tool="velocity")


def directional_edges(mesh: TetMesh) -> tuple[Array, Array]:
    """(n,) [mm] along and across each cell's fibre: the edge of the cube whose six tetrahedra are as long that way."""
    corners = mesh.points[mesh.cells]
    edges = np.stack([corners[:, j] - corners[:, i] for i, j in combinations(range(4), 2)], axis=1)
    total = np.einsum("nij,nij->n", edges, edges)
    if mesh.fibres is None:
        alike = np.sqrt(CUBE * total / 3.0)
        return alike, alike
    along = (np.einsum("nij,nj->ni", edges, mesh.fibres.astype(np.float64)) ** 2).sum(axis=1)
    return np.sqrt(CUBE * along), np.sqrt(CUBE * np.maximum(total - along, 0.0) / 2.0)


def weighted_median(values: Array, weight: Array) -> float:
    order = np.argsort(values)
    summed = np.cumsum(weight[order])
    return float(values[order[np.searchsorted(summed, 0.5 * summed[-1])]])


@cache
def table() -> dict[str, Any]:
    """``slowing.json``."""
    content: dict[str, Any] = json.loads(TABLE.read_text("utf-8"))
    return content


def _entry(parameters: CardiacParameters) -> Any:
    return table().get(parameters.cell_model, table()[TT06])


def _share(curve: list[list[float]], h: Array) -> Array:
    """Linear between what was measured, and 1 at 0. Beyond the largest edge: as there."""
    edges, shares = np.array([[0.0, 1.0], *curve]).T
    return np.interp(h, edges, shares)


def _conductivity_scale(mesh: TetMesh, parameters: CardiacParameters) -> Array:
    """(n_cells,) the factor on the tissue's conductivities; 0 in what does not conduct."""
    scale = np.full(mesh.n_cells, parameters.conductivity_scale)
    for setting in parameters.regions:
        for region, name in mesh.region_names.items():
            if name == setting.region:
                conducts = setting.condition != NON_CONDUCTING
                scale[mesh.regions == region] = parameters.conductivity_scale * setting.conductivity_scale * conducts
    return scale * placed_scale(parameters.tissue.place_scale, mesh)


def _capacity(tissue: Tissue) -> float:
    return tissue.surface_to_volume * tissue.membrane_capacitance


def _directions(found: Fineness) -> str:
    along, across = bool((found.along <= 0).any()), bool((found.across <= 0).any())
    return "" if along and across else " along the fibres" if along else " across the fibres"


def _refinement(mesh: TetMesh, parameters: CardiacParameters) -> str:
    """How often to refine until nothing dies out and the speed is within a tenth."""
    for levels in range(1, MOST_LEVELS + 1):
        found = fineness(mesh, parameters, levels)
        if found is not None and found.failing < FEW and min(found.typical) >= FINE:
            times = "once" if levels == 1 else "twice"
            return f"refine it {times}, to {mesh.n_cells * 8**levels:,} cells"
    return "make a finer mesh: refined twice it would still lose more than a tenth"
