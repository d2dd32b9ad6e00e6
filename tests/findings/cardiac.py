"""Hearts: what their estimate says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

from engines.cardiac.compiler.accuracy.beat import Beat
from engines.cardiac.compiler.accuracy.trials import STEPS, Accuracy, Trial
from engines.cardiac.compiler.model import shipped
from engines.cardiac.compiler.schemes import Scheme
from engines.cardiac.setup import cells
from engines.geometry.meshes.box import box_mesh
from tests.findings.cases import Case, project
from workbench.export.meshes import export_mesh

SETUP = "engines.cardiac.setup"
FROM_FILE = Path(cells.__file__).parents[1] / "models" / "mitchell_schaeffer_2003.mmt"


def mesh(
    cubes: tuple[int, int, int] = (4, 3, 1), size: float = 0.5, pushed: float = 0.0, thick: float = 1.0
) -> Callable[[Path], Path]:
    """A box of cubes of ``size`` mm with regions "a" at its wall and a "scar" across it; one point pushed aside."""

    def write(folder: Path) -> Path:
        made = box_mesh(cubes, [cubes[0] * size, cubes[1] * size, cubes[2] * size * thick])
        points = made.points.copy()
        points[21, 2] += pushed
        x = made.centroids[:, 0] / size
        regions = np.where(x < 1, 1, np.where(abs(x - 2.5) < 0.5, 2, 0))
        meshio.write(
            folder / "mesh.msh",
            meshio.Mesh(
                points, [("tetra", made.cells)],
                cell_data={"gmsh:physical": [regions + 1], "gmsh:geometrical": [regions + 1]},
                field_data={name: np.array([k + 1, 3]) for k, name in enumerate(("tissue", "a", "scar"))},
            ),
            file_format="gmsh22", binary=False,
        )  # fmt: skip
        return folder / "mesh.msh"

    return write


def _called(place: str) -> str:
    return f"engines.cardiac.{place.removeprefix('../')}" if place.startswith("../") else f"{SETUP}.{place}"


def case(*places: str, made: Callable[[Path], Path] | None = None, **values: Any) -> Case:
    return Case(project("cardiac", values, made or mesh()), tuple(_called(place) for place in places))


def _carp(folder: Path) -> Path:
    """A run of openCARP, on its mesh."""
    export_mesh(box_mesh((4, 3, 1), [2.0, 1.5, 0.5]), folder / "slab.elem")
    path = folder / "slab.par"
    path.write_text("meshname = slab\ndt = 20\ntend = 0.02\nbidomain = 1\ntimedt = 1\n")
    return path


def measured(place: str, *, error: float = 0.0, excited: bool = True, bound: float = 1.0) -> Case:
    """A model from a file whose trials are given: of Rush-Larsen those above ``bound`` [ms] are ``error`` [ms] off."""

    def tried(_: object, scheme: Scheme, own: float) -> Accuracy:
        beat = Beat(1.0, 300.0 if excited else float("nan"), -80.0, 20.0)
        off = [error * (scheme == "RL" and step > bound) for step in STEPS]
        return Accuracy(
            beat, tuple(Trial(scheme, dt, True, 300.0, 0.0, each) for dt, each in zip(STEPS, off, strict=True))
        )

    def prepared(patch: pytest.MonkeyPatch) -> None:
        model = replace(shipped("mitchell_schaeffer_2003"), limits=(), notes=("The voltage was found by its unit.",))
        patch.setattr(cells, "compiled_model", lambda _: model)
        patch.setattr(cells, "accuracy", tried)

    settings = {"cell_model": "from file", "cells": {"file": str(FROM_FILE), "scheme": "RL"}}
    return Case(
        project("cardiac", settings, mesh()),
        (f"{SETUP}.cells._measured_step_findings#{place}", f"{SETUP}.cells.cell_findings"),
        prepared,
    )


S2 = {"name": "S2", "begins": "after", "after": "S1", "coupling": 300.0}
REGIONS = [
    {"region": "a"},
    {"region": "a", "condition": "healthy"},
    {"region": "scar", "condition": "non-conducting scar"},
]
CASES = {
    "what of a file of openCARP is otherwise here": Case(
        _carp, ("engines.cardiac.carp.reader._findings#1", "engines.cardiac.carp.reader._findings#2")
    ),
    "regions, fibres, stimuli, pieces": case(
        "findings.problem_findings#1",
        "findings.problem_findings#2",
        "findings.problem_findings#3",
        "findings.problem_findings#5",
        "findings.problem_findings#6",
        regions=REGIONS,
        stimuli=[{"name": "S1"}, S2],
    ),
    "a stimulus in scar": case(
        "../stimulus.reach.idle_findings",
        regions=[{"region": "scar", "condition": "non-conducting scar"}],
        stimuli=[{"name": "S1", "site": {"kind": "sphere", "center": [1.25, 0.75, 0.25], "radius": 0.2}}],
    ),
    "a stimulus whose vertices have more tissue around them": case(
        "../stimulus.reach.reached_findings",
        stimuli=[{"name": "S1", "site": {"kind": "box", "lower": [0, 0, 0], "upper": [1, 2, 1]}}],
        numerics={"discretisation": "vertex-centred (P1)"},
    ),
    "a stimulus beyond what the cell model bears": case(
        "../stimulus.reach.strong_findings", stimuli=[{"name": "S1", "amplitude": 140_000.0}]
    ),
    "a pulse of no whole steps": case("../stimulus.reach.rounded_findings", stimuli=[{"name": "S1", "duration": 0.05}]),
    "no stimulus": case("findings.problem_findings#4", stimuli=[]),
    "vertices as unknowns": case("findings.problem_findings#7", numerics={"discretisation": "vertex-centred (P1)"}),
    "cells that are badly shaped": case("findings.problem_findings#8", made=mesh((3, 3, 3), 0.5, 0.09, 0.2)),
    "a front that dies out": case("resolution.front_findings#1", made=mesh(size=12.0)),
    "a front that is slowed": case("resolution.front_findings#2", made=mesh(size=0.7)),
    "a step of a known model": case(
        "cells._known_step_findings", made=mesh(size=40.0), cell_model="Bueno-Orovio 2008", numerics={"step": 0.2}
    ),
    "a cell that is not excited": measured("1", excited=False),
    "a step that is accurate": measured("2"),
    "a step that is not accurate": measured("3", error=5.0, bound=0.011),
    "no step that is accurate": measured("4", error=5.0, bound=0.0),
}
AT_THE_END = {
    "whether there is re-entry": Case(
        project(
            "cardiac",
            {
                "cell_model": "Mitchell-Schaeffer 2003",
                "stimuli": [{"name": "S1"}, {**S2, "begins": "after", "after": "S1", "coupling": 10.0}],
            },
            mesh(),
            until=60.0,
        ),
        ("engines.cardiac.watch.rhythm.Rhythm.noticed",),
    )
}
"""What only a run can say."""
