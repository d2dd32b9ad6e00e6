"""Fracture: what its estimate says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.findings.cases import Case, project

PLATE = {"kind": "plate", "size_x": 16.0, "size_y": 12.0}
PLANE = {"form": {"kind": "plane", "point": (0, -1, 0)}, "motion": {"kind": "fixed"}}
SMALL: dict[str, Any] = {"body": PLATE, "bonds": {"spacing": 1.0}, "notches": [], "loads": []}


def case(*places: str, **values: Any) -> Case:
    return Case(
        project("peridynamics", {**SMALL, **values}), tuple(f"engines.peridynamics.{place}" for place in places)
    )


def law(*places: str, lines: list[str]) -> Case:
    """A typed law; no other test has its strength, so that it is looked at anew."""
    typed = {"kind": "typed", "lines": lines, "strength": 9.87}
    return case(*(f"material.laws.{place}" for place in places), material={"law": typed})


def points(changes: Callable[[np.ndarray], np.ndarray], **body: Any) -> Callable[[Path], dict[str, Any]]:
    """A table of 20 by 12 points, some beside all others or with more columns."""

    def values(folder: Path) -> dict[str, Any]:
        grid = np.stack(np.meshgrid(np.arange(20.0), np.arange(12.0), indexing="ij"), -1).reshape(-1, 2)
        np.savetxt(folder / "points.csv", changes(grid), delimiter=",")
        given = {"kind": "points", "file": str(folder / "points.csv"), "formulation": "plane stress", **body}
        return {**SMALL, "body": given}

    return values


def _history(folder: Path) -> dict[str, Any]:
    """A load whose table may have decimals or thousands."""
    (folder / "history.csv").write_text("time;value\n0;3,700\n1;3,650\n")
    history = {"kind": "file", "path": str(folder / "history.csv")}
    return {
        **SMALL,
        "loads": [{"kind": "velocity", "region": {"kind": "side", "side": "top"}, "y": 0.1, "history": history}],
    }


def _pushed(grid: np.ndarray) -> np.ndarray:
    return grid + np.random.default_rng(3).uniform(-0.25, 0.25, grid.shape)


CLOUD = "engines.peridynamics.setup.cloud.CloudSetup._more_findings"
CASES = {
    "friction on a stiff contact": case("contact.limits.chatter", penetrators=[{**PLANE, "friction": 0.5}]),
    "a pulse between two steps": case(
        "loading.sampling.sampled_too_seldom",
        loads=[
            {
                "kind": "stress",
                "side": "top",
                "stress": (0.0, 1.0, 0.0),
                "history": {"kind": "half-sine pulse", "duration": 0.01},
            }
        ],
    ),
    "a body without a load": case("setup.base.Setup.findings#1"),
    "a stress on a side that is held": case(
        "setup.base.Setup.findings#2",
        loads=[
            {"kind": "displacement", "region": {"kind": "side", "side": "top"}, "y": 0.0},
            {"kind": "stress", "side": "top", "stress": [0.0, 1.0, 0.0]},
        ],
    ),
    "loads that do not cancel": case(
        "setup.base.Setup.findings#3", loads=[{"kind": "stress", "side": "top", "stress": [0.0, 1.0, 0.0]}]
    ),
    "a notch that cuts nothing": case(
        "setup.lattice.LatticeSetup._more_findings", notches=[{"start": [0, 60], "end": [5, 60]}]
    ),
    "a notch on a row": case("setup.lattice._on_a_row", notches=[{"start": [-1, 6.5], "end": [5, 6.5]}]),
    "a side that no number of rows fits": case(
        "setup.lattice.LatticeSetup._rounded", body={"kind": "plate", "size_x": 16.0, "size_y": 11.6}
    ),
    "a thin strip": case("setup.lattice.LatticeSetup._thin", body={"kind": "plate", "size_x": 30.0, "size_y": 3.0}),
    "stress beside a hole": case(
        "setup.lattice.LatticeSetup._blurred",
        body={**PLATE, "holes": [{"kind": "circle", "center": (8, 6), "radius": 3}]},
    ),
    "a horizon of two spacings": case("setup.lattice.LatticeSetup._coarse", bonds={"spacing": 1.0, "reach": 2}),
    "a slow crack": case("setup.toughness.told_of_slow_cracks#2"),
    "a slow crack that nobody has solved": case(
        "setup.toughness.told_of_slow_cracks#1", bonds={"spacing": 1.0, "reach": 2, "influence": "quartic"}
    ),
    "a volume that hardly changes": case(
        "setup.state.StateSetup._more_findings",
        body={**PLATE, "formulation": "plane strain"},
        bonds={"spacing": 1.0, "theory": "state-based"},
        material={"poisson": 0.49},
    ),
    "a point on its own": Case(
        project("peridynamics", points(lambda grid: np.vstack([grid, [[21.5, 3.0], [23.5, 3.0]]]))), (f"{CLOUD}#1",)
    ),
    "points that stand for too much": Case(project("peridynamics", points(lambda grid: 0.5 * grid)), (f"{CLOUD}#2",)),
    "groups that nothing is made of": Case(
        project(
            "peridynamics",
            points(lambda grid: np.column_stack([grid, np.ones(len(grid)), np.where(grid[:, 0] > 6, 7, 3)])),
        ),
        (f"{CLOUD}#3",),
    ),
    "points that are irregular": Case(
        project("peridynamics", points(_pushed)),
        tuple(f"engines.peridynamics.setup.cloud._irregular#{number}" for number in (1, 2)),
    ),
    "commas of decimals or thousands": Case(
        project("peridynamics", _history), ("workbench.project.reading.commas.commas_in",)
    ),
    "a law that never breaks": law("pull._never", lines=["d = 1 - s0/s"]),
    "a law without end": law("pull._told#1", "pull._told#2", lines=["d = 0.5*(s > s0)"]),
    "a law that creeps": law("pull._remembering", "calibration._typed", lines=["d = d + 0.01*(s > s0)"]),
}
# By something three times as stiff as the plate: at the default step 1.5 % of the energy is missing (fp64, too).
STRUCK: dict[str, Any] = {
    "body": {"kind": "plate", "size_x": 12, "size_y": 8},
    "bonds": {"spacing": 1.0},
    "notches": [],
    "loads": [],
    "unbreakable": [],
    "penetrators": [
        {
            "form": {"kind": "ball", "center": [5, 12.01, 0], "radius": 4},
            "motion": {"kind": "free", "mass": 0.5, "velocity": [20, -60, 0]},
            "stiffness": 3.0,
        }
    ],
}
RISE = {"kind": "smooth step", "rise": 40.0}
TORN: dict[str, Any] = {
    "body": {"kind": "plate", "size_x": 8, "size_y": 24},
    "bonds": {"spacing": 1.0},
    "notches": [{"start": [-1, 12.1], "end": [4, 12.1]}],
    "loads": [
        {"kind": "velocity", "region": {"kind": "side", "side": side, "rows": 3}, "y": way * 2.0, "history": RISE}
        for side, way in (("top", 1), ("bottom", -1))
    ],
    "unbreakable": [{"kind": "side", "side": side, "rows": 4} for side in ("top", "bottom")],
}
SLOW = {
    "body": {"kind": "plate", "size_x": 12, "size_y": 6},
    "bonds": {"spacing": 1.0},
    "notches": [],
    "loads": [
        {"kind": "displacement", "region": {"kind": "side", "side": side, "rows": 3}, "x": x, "history": RISE}
        for side, x in (("left", 0.0), ("right", 0.01))
    ],
    "numerics": {"integrator": "dynamic relaxation", "relaxation": {"load_steps": 2}},
}
AT_THE_END = {
    "a slow load that an end cuts short": Case(
        project("peridynamics", SLOW, until=30.0),
        ("engines.peridynamics.loading.quasistatic.QuasiStaticSimulation.noticed",),
    ),
    "a plate that something stiff strikes": Case(
        project("peridynamics", STRUCK, until=6.0), ("engines.peridynamics.watch.balance.Balance.noticed",)
    ),
    "a plate that is drawn apart": Case(
        project("peridynamics", TORN, until=150.0), ("engines.peridynamics.watch.curve.LoadDisplacement.noticed",)
    ),
}
"""What only a run can say."""
