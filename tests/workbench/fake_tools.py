"""Tools of the fake engine: one that changes the parameters, one the mesh, one that is slow, one that fails."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult


class Factor(ParameterGroup):
    """One number."""

    factor: float = quantity(2.0, "1", "Factor on the speed", gt=0, le=100)


class Faster(Tool):
    id = "faster"
    title = "Make it faster"
    summary = "Multiplies the speed."
    Parameters = Factor

    def run(self, problem, parameters, backend, progress=lambda *_: None):
        progress("Multiplying", 0.5)
        speed = problem.parameters.speed * parameters.factor
        chart = ChartInfo("speed", "Speed", "mm/ms", x_title="factor", x_unit="1")
        curve = Curve("speed", np.array([1.0, parameters.factor]), np.array([problem.parameters.speed, speed]))
        return ToolResult(
            f"The speed is {speed:g} mm/ms now.",
            (Fact("Speed", speed, "mm/ms"),),
            ((chart, ChartData((curve,))),),
            parameters=problem.parameters.model_copy(update={"speed": speed}),
            until=30.0,
        )


class Stretch(Tool):
    """Another mesh: with twice the length, two regions, fibres and sheets."""

    id = "stretch"
    title = "Stretch the mesh"
    summary = "Doubles the length along x."
    Parameters = Factor

    def run(self, problem, parameters, backend, progress=lambda *_: None):
        mesh = problem.geometry
        points = mesh.points * np.array([parameters.factor, 1.0, 1.0])
        regions = (mesh.centroids[:, 0] > mesh.centroids[:, 0].mean()).astype(np.int32)
        fibres = np.tile(np.array([0.6, 0.8, 0.0], np.float32), (mesh.n_cells, 1))
        sheets = np.tile(np.array([0.0, 0.0, 1.0], np.float32), (mesh.n_cells, 1))
        names = {0: "near", 1: "far"}
        changed = replace(mesh, points=points, regions=regions, region_names=names, fibres=fibres, sheets=sheets)
        return ToolResult("The mesh is stretched.", geometry=changed)


class Slow(Tool):
    id = "slow"
    title = "Think"
    summary = "Takes its time."
    Parameters = Factor

    def run(self, problem, parameters, backend, progress=lambda *_: None):
        for part in range(1000):
            progress("Thinking", part / 1000)
            time.sleep(0.01)
        return ToolResult("Nothing came of it.")


class Refusal(Tool):
    id = "refusal"
    title = "Refuse"
    summary = "Cannot be done."
    Parameters = Factor

    def run(self, problem, parameters, backend, progress=lambda *_: None):
        if parameters.factor > 50:
            raise ZeroDivisionError("nobody thought of this")
        raise ProblemError("The factor is too small: take another.")


TOOLS = (Faster(), Stretch(), Slow(), Refusal())
