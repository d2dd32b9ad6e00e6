"""Restitution: how action potential and velocity shorten with the rest before them, as curves with their slope."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel

from engines.api import Array, Problem, Progress, no_progress
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import Among, ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.cardiac.parameters import CardiacParameters, RegionSetting
from engines.cardiac.tools.cell_restitution import Cells, Points, Pulses, dynamic, premature
from engines.cardiac.tools.strand import Strand
from engines.cardiac.tools.strand_restitution import Velocities, velocities
from engines.cardiac.tools.velocity import COARSEST, FINEST, region_setting, typical_spacing
from engines.geometry.meshes.mesh import TetMesh

APD = ChartInfo("apd", "APD90", "ms", x_title="Diastolic interval", x_unit="ms")
SLOPE = ChartInfo("slope", "Slope of APD90", "ms/ms", x_title="Diastolic interval", x_unit="ms")
VELOCITY = ChartInfo("velocity", "Conduction velocity", "m/s", x_title="Diastolic interval", x_unit="ms")
ALONE = 0.6
"""Part of the whole that the cells alone take, where a strand follows."""


class RestitutionParameters(ParameterGroup):
    """The protocol and its range."""

    protocol: Literal["S1-S2", "dynamic"] = quantity(
        "S1-S2",
        "",
        "S2 after a train S1, for each interval; or pacing faster and faster",
        labels={"S1-S2": "S1-S2: premature beat", "dynamic": "dynamic: ever faster"},
    )
    region: Annotated[str, Among("region", words={"": "the largest"})] = quantity(
        "", "", "Region whose cells are paced; empty takes the largest"
    )
    cycle_length: float = quantity(1000.0, "ms", "Cycle length of S1, or the longest one", gt=0, le=10_000)
    beats: int = quantity(10, "1", "Beats of S1, or at each cycle length", ge=2, le=1000)
    shortest: float = quantity(
        2.0, "ms", "Shortest diastolic interval", title="Shortest interval", when={"protocol": ("S1-S2",)}, gt=0
    )
    longest: float = quantity(
        700.0,
        "ms",
        "Longest diastolic interval",
        title="Longest interval",
        when={"protocol": ("S1-S2",)},
        gt=0,
        le=5000,
    )
    shortest_cycle: float = quantity(200.0, "ms", "Shortest cycle length", when={"protocol": ("dynamic",)}, gt=0)
    number: int = quantity(
        40, "1", "Number of intervals or cycle lengths, closer together where short", title="Points", ge=3, le=200
    )
    strand: bool = quantity(
        False,
        "",
        "Also the velocity of S2 in a strand of this tissue",
        title="Velocity of S2",
        when={"protocol": ("S1-S2",)},
    )
    spacing: float = quantity(
        0.5,
        "mm",
        "Edge of the strand's cubes; this mesh's own at first",
        title="Edge length dx",
        when={"protocol": ("S1-S2",), "strand": (True,)},
        ge=FINEST,
        le=COARSEST,
    )
    strand_points: int = quantity(
        10, "1", "Number of intervals in the strand", when={"protocol": ("S1-S2",), "strand": (True,)}, ge=3, le=100
    )
    duration: float = quantity(1.0, "ms", "Length of a pulse", advanced=True, gt=0, le=20)
    strength: float = quantity(
        2.0, "1", "Current of the pulses, in diastolic thresholds", advanced=True, ge=1.05, le=20
    )


class Restitution(Tool):
    """Paces cells like the problem's, and draws APD90 over the rest before it."""

    id = "restitution"
    title = "Measure a restitution curve"
    summary = (
        "Paces single cells of a region by S1-S2 or faster and faster, and draws their action potential duration over "
        "the diastolic interval; if wanted, the velocity in a strand as well."
    )
    Parameters = RestitutionParameters

    def defaults(self, problem: Problem) -> RestitutionParameters:
        _, mesh = _parts(problem)
        return RestitutionParameters(spacing=typical_spacing(mesh))

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        _parts(problem)
        assert isinstance(parameters, RestitutionParameters)
        _check(parameters)
        if parameters.protocol == "dynamic":
            cycles = np.geomspace(parameters.cycle_length, parameters.shortest_cycle, parameters.number)
            return f"{parameters.number * parameters.beats:,} beats, {cycles.sum() * parameters.beats / 1000:.0f} s."
        return f"{parameters.beats} beats of S1, and {parameters.number} cells that get S2 at once."

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        heart, mesh = _parts(problem)
        assert isinstance(parameters, RestitutionParameters)
        _check(parameters)
        region = region_setting(heart, mesh, parameters.region)
        pulses = Pulses(parameters.duration, parameters.strength)
        wanted = parameters
        if wanted.protocol == "dynamic":
            cycles = np.geomspace(wanted.cycle_length, wanted.shortest_cycle, wanted.number)
            points = dynamic(heart, region, cycles, wanted.beats, pulses, progress)
            return _result(points, None, wanted)
        share = ALONE if wanted.strand else 1.0
        intervals = np.geomspace(wanted.shortest, wanted.longest, wanted.number)
        points = premature(
            heart, region, wanted.cycle_length, wanted.beats, intervals, pulses, _part(progress, 0.0, share)
        )
        if not wanted.strand:
            return _result(points, None, wanted)
        couplings = points.train + np.geomspace(wanted.shortest, wanted.longest, wanted.strand_points)
        start = _paced(heart, region, wanted, points.current, pulses)
        strand = Strand(heart, region, wanted.spacing)
        found = velocities(strand, start, couplings, backend, _part(progress, share, 1.0))
        return _result(points, found, wanted)


def _paced(
    heart: CardiacParameters,
    region: RegionSetting | None,
    wanted: RestitutionParameters,
    current: float,
    pulses: Pulses,
) -> tuple[Array, Array]:
    """A cell alone at the end of all of S1's beats but the last, as stored."""
    one = Cells(heart, region, 1, no_progress)
    one.beats(wanted.cycle_length, pulses, current, wanted.beats - 1)
    return one.state()


def _parts(problem: Problem) -> tuple[CardiacParameters, TetMesh]:
    if not isinstance(problem.geometry, TetMesh) or not isinstance(problem.parameters, CardiacParameters):
        raise ProblemError("Cells are paced in the regions of a mesh: open a mesh file first.")
    return problem.parameters, problem.geometry


def _check(wanted: RestitutionParameters) -> None:
    """Raises ProblemError for a range upside down."""
    if wanted.protocol == "dynamic" and wanted.shortest_cycle >= wanted.cycle_length:
        raise ProblemError("The shortest cycle length is not below the longest: make it shorter.", ("shortest_cycle",))
    if wanted.protocol == "S1-S2" and wanted.shortest >= wanted.longest:
        raise ProblemError("The shortest interval is not below the longest: make it shorter.", ("shortest",))


def _part(progress: Progress, begin: float, end: float) -> Progress:
    return lambda text, fraction: progress(text, begin + (end - begin) * fraction)


def _result(points: Points, found: Velocities | None, wanted: RestitutionParameters) -> ToolResult:
    if len(points.apd) < 2:
        raise ProblemError("No interval gave a beat of its own: make the longest interval or cycle length longer.")
    slopes = points.slopes
    facts = [
        Fact("APD90 of S1" if wanted.protocol == "S1-S2" else "APD90 at the longest cycle length", points.train, "ms"),
    ]
    message = f"APD90 falls from {points.apd.max():.0f} to {points.apd.min():.0f} ms"
    if np.isfinite(slopes).any():
        steepest = int(np.nanargmax(slopes))
        largest, rest = float(slopes[steepest]), float(points.interval[steepest])
        facts += [Fact("Largest slope", largest, "1"), Fact("… at the diastolic interval", rest, "ms")]
        message += f"; its largest slope is {largest:.2f}, at a diastolic interval of {rest:.0f} ms"
    facts.append(Fact("Shortest action potential", float(points.apd.min()), "ms"))
    what = "coupling interval" if wanted.protocol == "S1-S2" else "cycle length"
    shortest = float(points.coupling.min())
    between = f"{points.blocked:.1f} ms, which fails, and {shortest:.1f} ms, which gives a beat"
    facts.append(Fact(f"Shortest {what} with a beat", shortest, "ms"))
    if math.isfinite(points.blocked):
        facts.append(Fact(f"Longest {what} without", points.blocked, "ms"))
    if math.isfinite(points.alternans):
        facts.append(Fact("Alternans from a cycle length of", points.alternans, "ms"))
    facts.append(Fact("Current of the pulses", points.current, "pA/pF"))
    message += ". "
    if not math.isfinite(points.blocked):
        message += f"Every {what} gave a beat, down to {shortest:.0f} ms."
    elif wanted.protocol == "S1-S2":
        message += f"The effective refractory period lies between {between}: more points narrow it."
    else:
        message += f"The shortest cycle length that cells follow pulse by pulse lies between {between}."
    curve, slope = Curve("APD90", points.interval, points.apd), Curve("slope", points.interval, slopes)
    one = Curve("1", points.interval[[0, -1]], np.ones(2))
    charts = [(APD, ChartData((curve,))), (SLOPE, ChartData((slope, one)))]
    if found is not None:
        facts.append(Fact("Velocity of S1", found.rested, "m/s"))
        if len(found.velocity):
            facts.append(Fact("Slowest velocity of S2", float(found.velocity.min()), "m/s"))
            facts.append(Fact("Shortest coupling interval through the strand", float(found.coupling.min()), "ms"))
        if math.isfinite(found.blocked):
            facts.append(Fact("Longest coupling interval blocked in the strand", found.blocked, "ms"))
        charts.append((VELOCITY, ChartData((Curve("S2", found.interval, found.velocity),))))
    return ToolResult(message, tuple(facts), tuple(charts))
