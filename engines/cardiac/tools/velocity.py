"""Conductivities for wanted conduction velocities, found by runs of a thin strand of the same tissue.

In the cable equation a front's velocity grows with the root of the conductivity; on a coarse mesh it does so nearly.
From there a secant in the logarithms of both takes few runs. Intra- and extracellular conductivity are scaled by one
factor along the fibres and by another across, so that their harmonic mean is scaled alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import Among, ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.cardiac.parameters import CardiacParameters, RegionSetting, Tissue
from engines.cardiac.tools.strand import Strand, front_velocity
from engines.geometry.meshes.mesh import TetMesh
from engines.quantities import rounded_down

TOLERANCE = 0.01
"""Relative: when the measured velocity is taken for the wanted one."""
RUNS = 12
SLOPES = (0.3, 1.2)
"""Of ln v over ln σ: 0.5 in the cable equation; a front near block is steeper, and no secant is trusted beyond."""
LARGEST_CHANGE = 4.0
"""Of a conductivity between two runs."""
DIGITS = 4
SAMPLE = 100_000
"""Cells that a mesh's fineness is taken from: a form must not wait for millions."""
FINEST, COARSEST = 0.02, 3.0
"""Edges [mm] that are offered."""

CHART = ChartInfo(
    "velocity", "Conduction velocity", "m/s", x_title="Monodomain conductivity", x_unit="S/m", kind="line"
)


class VelocityParameters(ParameterGroup):
    """What is wanted, and on which mesh."""

    along: float = quantity(0.6, "m/s", "Wanted velocity along the fibres", title="Velocity along", gt=0.02, le=5)
    across: float | None = quantity(
        0.25, "m/s", "Wanted velocity across the fibres; empty leaves it", title="Velocity across", gt=0.02, le=5
    )
    spacing: float = quantity(
        0.5,
        "mm",
        "Edge of cubes whose tetrahedra are as large as those of the mesh; this mesh's own at first",
        title="Edge length dx",
        ge=FINEST,
        le=COARSEST,
    )
    region: Annotated[str, Among("region", words={"": "the largest"})] = quantity(
        "", "", "Region whose cells conduct; empty takes the largest"
    )


@dataclass(frozen=True)
class Tuned:
    """What came of one direction: factor on its conductivities, and ``(σ [S/m], v [m/s])`` of each run, first first."""

    factor: float
    runs: tuple[tuple[float, float], ...]

    @property
    def before(self) -> float:
        return self.runs[0][1]

    @property
    def velocity(self) -> float:
        return self.runs[-1][1]


class TuneVelocity(Tool):
    """Scales the tissue's conductivities until a strand conducts as fast as wanted."""

    id = "velocity"
    title = "Tune conductivity to a velocity"
    summary = (
        "Finds tissue conductivities at which a strand of these cells, at this time step and on a mesh as fine as this "
        "one, conducts as fast as you want."
    )
    Parameters = VelocityParameters

    def defaults(self, problem: Problem) -> VelocityParameters:
        _, mesh = _parts(problem)
        wanted = VelocityParameters(spacing=typical_spacing(mesh))
        return wanted if mesh.fibres is not None else wanted.model_copy(update={"across": None})

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        heart, mesh = _parts(problem)
        assert isinstance(parameters, VelocityParameters)
        if parameters.across is not None and mesh.fibres is None:
            raise ProblemError(
                "This mesh has no fibres and conducts alike everywhere: leave the velocity across empty."
            )
        spacing = parameters.spacing
        cells = region_setting(heart, mesh, parameters.region)
        shares = 2 if parameters.across is not None else 1
        tuned = {"along": tune(Strand(heart, cells, spacing), parameters.along, backend, _part(progress, 0, shares))}
        if parameters.across is not None:
            strand = Strand(heart, cells, spacing, across=True)
            tuned["across"] = tune(strand, parameters.across, backend, _part(progress, 1, shares))
        tissue = scaled(heart.tissue, tuned["along"].factor, tuned["across"].factor if "across" in tuned else 1.0)
        return ToolResult(
            _message(tuned, spacing),
            _facts(tuned, tissue, spacing),
            ((CHART, _chart(tuned)),),
            parameters=heart.model_copy(update={"tissue": tissue}),
        )


def tune(strand: Strand, wanted: float, backend: Backend, progress: Progress = no_progress) -> Tuned:
    """The factor on the strand's conductivities in its direction at which it conducts at ``wanted`` [m/s].

    Raises ProblemError where no conductivity is found, or the time step is above the stable one for it.
    """
    factor, runs = 1.0, list[tuple[float, float]]()
    for run in range(RUNS):
        changed = _scaled_strand(strand, factor)
        _check_step(changed)
        velocity = front_velocity(changed, wanted, backend, _said(progress, run, strand.across, runs))
        runs.append((_conductivity(changed), velocity))
        if abs(velocity / wanted - 1.0) < TOLERANCE:
            return Tuned(factor, tuple(runs))
        factor = float(f"{factor * _correction(runs, wanted):.{DIGITS}g}")
    raise ProblemError(
        f"No conductivity was found for {wanted:g} m/s after {RUNS} runs; the last gave {runs[-1][1]:.3g} m/s at "
        f"{runs[-1][0]:.3g} S/m: ask for a velocity that these cells reach."
    )


def scaled(tissue: Tissue, along: float, across: float) -> Tissue:
    """The tissue with its conductivities along and across the fibres multiplied. Raises ProblemError."""
    factors = {"sigma_il": along, "sigma_el": along, "sigma_it": across, "sigma_et": across}
    values = {name: float(f"{getattr(tissue, name) * factor:.{DIGITS}g}") for name, factor in factors.items()}
    limit = 100.0  # of the parameters
    if max(values.values()) > limit:
        raise ProblemError(f"This velocity needs a conductivity above {limit:g} S/m: ask for a slower one.")
    return tissue.model_copy(update=values)


def typical_spacing(mesh: TetMesh) -> float:
    """Edge [mm] of the cube whose six tetrahedra are as large as the mesh's median one; large meshes are sampled."""
    volumes = mesh.take_cells(np.arange(0, mesh.n_cells, 1 + mesh.n_cells // SAMPLE)).volumes
    return float(f"{min(max((6.0 * float(np.median(volumes))) ** (1 / 3), FINEST), COARSEST):.3g}")


def _correction(runs: list[tuple[float, float]], wanted: float) -> float:
    """Factor on the last conductivity: by the secant in ln σ and ln v, at first by v ∝ √σ."""
    conductivity, velocity = runs[-1]
    if velocity <= 0:
        return LARGEST_CHANGE  # no front came through
    slope = 0.5
    if len(runs) > 1 and runs[-2][1] > 0 and runs[-2][0] != conductivity:
        secant = math.log(velocity / runs[-2][1]) / math.log(conductivity / runs[-2][0])
        slope = min(max(secant, SLOPES[0]), SLOPES[1])
    change = (wanted / velocity) ** (1.0 / slope)
    return min(max(change, 1.0 / LARGEST_CHANGE), LARGEST_CHANGE)


def _scaled_strand(strand: Strand, factor: float) -> Strand:
    along, across = (1.0, factor) if strand.across else (factor, 1.0)
    tissue = scaled(strand.parameters.tissue, along, across)
    parameters = strand.parameters.model_copy(update={"tissue": tissue})
    return Strand(parameters, strand.cells, strand.spacing, strand.across)


def _conductivity(strand: Strand) -> float:
    """Of the direction that the front runs in [S/m], with the factor on all conductivities."""
    along, across = strand.parameters.tissue.monodomain_conductivity()
    return (across if strand.across else along) * strand.parameters.conductivity_scale


def _check_step(strand: Strand) -> None:
    """Raises ProblemError if the problem's time step is not stable for this strand."""
    numerics = strand.parameters.numerics
    limit = strand.operator.stable_step * numerics.diffusion_substeps / strand.parameters.conductivity_scale
    step = numerics.step
    if step > limit:
        raise ProblemError(
            f"On a mesh of {strand.spacing:g} mm this velocity needs a time step below {step:g} ms: set it to "
            f"{rounded_down(0.9 * limit, digits=2):g} ms and try again."
        )


def _parts(problem: Problem) -> tuple[CardiacParameters, TetMesh]:
    if not isinstance(problem.geometry, TetMesh) or not isinstance(problem.parameters, CardiacParameters):
        raise ProblemError("Velocities are tuned on a tetrahedral mesh: open a mesh file first.")
    return problem.parameters, problem.geometry


def region_setting(parameters: CardiacParameters, mesh: TetMesh, region: str) -> RegionSetting | None:
    """What a strand or single cells are made of: the setting of this region, or of the one with the most volume; None
    if it has none. Raises ProblemError for a region that the mesh does not have."""
    if not region:
        ids, places = np.unique(mesh.regions, return_inverse=True)
        largest = int(ids[np.bincount(places, weights=mesh.volumes).argmax()])
        region = mesh.region_names.get(largest, "")
    elif region not in mesh.region_names.values():
        known = ", ".join(sorted(set(mesh.region_names.values()))) or "none"
        raise ProblemError(f"The mesh has no region '{region}'; its regions are: {known}.", ("region",))
    return next((setting for setting in parameters.regions if setting.region == region), None)


def _part(progress: Progress, part: int, parts: int) -> Progress:
    return lambda text, fraction: progress(text, (part + fraction) / parts)


def _said(progress: Progress, run: int, across: bool, runs: list[tuple[float, float]]) -> Progress:
    """What one run tells, as a part of the whole: three or four runs are usual."""
    direction = "across" if across else "along"
    last = f", the last gave {runs[-1][1]:.3g} m/s" if runs else ""
    text = f"Run {run + 1} {direction} the fibres{last}"
    begun, share = 1.0 - 0.6**run, 0.4 * 0.6**run
    return lambda _, fraction: progress(text, begun + share * fraction)


def _message(tuned: dict[str, Tuned], spacing: float) -> str:
    parts = [f"{each.velocity:.3f} m/s {name} the fibres ({_before(each)})" for name, each in tuned.items()]
    count = sum(len(each.runs) for each in tuned.values())
    return (
        f"With the tuned conductivities a strand at dx {spacing:g} mm conducts at {' and '.join(parts)}; "
        f"{count} runs were made."
    )


def _before(tuned: Tuned) -> str:
    return f"it was {tuned.before:.3f}" if tuned.before > 0 else "no front came through before"


def _facts(tuned: dict[str, Tuned], tissue: Tissue, spacing: float) -> tuple[Fact, ...]:
    facts = [Fact("Edge length dx", spacing, "mm")]
    for name, each in tuned.items():
        facts += [
            Fact(f"Velocity {name}, before", each.before, "m/s"),
            Fact(f"Velocity {name}, tuned", each.velocity, "m/s"),
            Fact(f"Factor on the conductivities {name}", each.factor, "1"),
        ]
    names = {"along": ("sigma_il", "sigma_el"), "across": ("sigma_it", "sigma_et")}
    for name in tuned:
        for field, side in zip(names[name], ("Intracellular", "Extracellular"), strict=True):
            facts.append(Fact(f"{side} conductivity {name}", getattr(tissue, field), "S/m"))
    return tuple(facts)


def _chart(tuned: dict[str, Tuned]) -> ChartData:
    """A curve through the runs of each direction, in the order of the conductivity; blocked runs are at zero."""
    curves = []
    for name, each in tuned.items():
        runs = sorted(each.runs)
        conductivity, velocity = np.array(runs).T
        curves.append(Curve(f"{name} the fibres", conductivity, velocity))
    return ChartData(tuple(curves))
