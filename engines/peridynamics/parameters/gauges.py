"""What is measured of the body while it is loaded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import Among, ParameterGroup, quantity
from engines.peridynamics.parameters.body.regions import Region, SideRegion
from engines.peridynamics.parameters.body.shapes import Point

Axis = Literal["x", "y", "z"]


class Opening(ParameterGroup):
    """How far two points move apart, as a clip gauge across a notch does (CMOD)."""

    kind: Literal["opening"] = "opening"
    name: str = quantity("CMOD", "", "What it is called in charts", min_length=1)
    first: Point = quantity((0.0, 18.0, 0.0), "mm", "One point; the particle nearest to it counts")
    second: Point = quantity((0.0, 22.0, 0.0), "mm", "The other point")
    axis: Axis = quantity("y", "", "Displacement of the second point less that of the first, along this axis")


class PointGauge(ParameterGroup):
    """The displacement at a point."""

    kind: Literal["point"] = "point"
    name: str = quantity("Deflection", "", "What it is called in charts", min_length=1)
    point: Point = quantity((0.0, 0.0, 0.0), "mm", "The particle nearest to it counts")
    axis: Axis = quantity("y", "", "Displacement along this axis")


class MeanGauge(ParameterGroup):
    """The mean displacement of a region."""

    kind: Literal["mean"] = "mean"
    name: str = quantity("Mean displacement", "", "What it is called in charts", min_length=1)
    region: Region = quantity(SideRegion(), "", "Which particles")
    axis: Axis = quantity("y", "", "Displacement along this axis")


Gauge = Annotated[Opening | PointGauge | MeanGauge, Field(discriminator="kind")]


class LoadCurve(ParameterGroup):
    """The force of a load or a penetrator over its own way or over a gauge, in the direction in which it acts."""

    load: int = quantity(0, "1", "Number of the load; 0: the first that moves or pushes", ge=0)
    penetrator: int = quantity(
        0, "1", "Number of the penetrator that it is of instead of a load; 0: the first that moves, where no load does",
        ge=0,
    )  # fmt: skip
    over: Annotated[str, Among("gauges.name", words={"": "its own way"})] = quantity(
        "", "", "Name of the gauge that it is drawn over; empty: the way of the load or penetrator itself",
        title="Drawn over",
    )  # fmt: skip
    band: str = quantity(
        "",
        "",
        "Experiments: CSV of x [um], lowest and highest force [N], drawn as a band",
        title="Experiments",
        file="table",
    )


class Measuring(ParameterGroup):
    """Gauges, and the curve of load and displacement."""

    gauges: list[Gauge] = quantity([], "", "Gauges: each is a curve over time")
    curve: LoadCurve = quantity(LoadCurve(), "", "Load and displacement")
