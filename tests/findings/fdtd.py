"""Electromagnetics: what its estimate, its files and its runs say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.findings.cases import Case, project

SIZE = {"cells_x": 30, "cells_y": 30, "cells_z": 30, "size_x": 1.5, "size_y": 1.5, "size_z": 1.5}
LINE = {"dimensions": "1D", "cells_x": 170, "size_x": 4.0}
FACES = {"layer": 10}
SHORT = {"kind": "pulse", "wavelength": 0.6, "cycles": 2.0}
LONG = {"kind": "pulse", "wavelength": 2.0}
POINT = {"kind": "dipole", "place": [0.75, 0.75, 0.75], "axis": "z", "signal": LONG}
WAVE = {"kind": "plane wave", "signal": LONG}
BALL = {"kind": "sphere", "center": [0.75, 0.75, 0.75], "radius": 0.1}
BAND = {"first": 0.9, "last": 1.2, "count": 7}
BOX = {"kind": "box", "low": [0.6] * 3, "high": [0.9] * 3}
DISPERSIVE = [{"name": "silver", "library": "Ag"}, {"name": "gold", "library": "Au"}]


def case(*places: str, **values: Any) -> Case:
    given = {"grid": SIZE, "faces": FACES, "sources": [POINT], "objects": [], **values}
    return Case(project("fdtd", given), tuple(f"engines.fdtd.{place}" for place in places))


def _gprmax(folder: Path) -> Path:
    path = folder / "model.in"
    path.write_text(
        "#domain: 0.06 0.05 0.002\n#dx_dy_dz: 0.002 0.002 0.002\n#time_window: 1e-9\n#waveform: gaussian 2 1.5e9 mine\n"
        "#hertzian_dipole: z 0.03 0.03 0 mine\n#src_steps: 0.002 0 0\n"
    )
    return path


PORT = {"place": [0.75, 0.75, 0.75], "axis": "z", "length": 0.05, "signal": LONG}
CASES = {
    "several ports that are fed, beside a source": case(
        "ports.feeding.feeding_findings#1",
        "ports.feeding.feeding_findings#2",
        ports=[PORT, {**PORT, "place": [0.6, 0.75, 0.75]}],
    ),
    "no source": case("grid.resolution.resolution_findings#1", sources=[]),
    "a metal whose depth has few cells": case(
        "grid.resolution.resolution_findings#2",
        "media.dispersive_layers.layer_findings",
        "media.dispersive_layers.state_findings",
        materials=DISPERSIVE,
        objects=[
            {"kind": "box", "material": "silver", "low": [0.7, 0.7, -1], "high": [0.8, 0.8, 9]},
            {**BALL, "material": "gold"},
        ],
    ),
    "smoothing on coarse cells": case(
        "grid.resolution.resolution_findings#3",
        materials=[{"permittivity": 4.0}],
        objects=[BALL],
        sources=[{**POINT, "signal": {"kind": "pulse", "wavelength": 1.2, "cycles": 4}}],
        numerics={"smoothing": True},
    ),
    "few cells a wavelength": case(
        "grid.resolution.resolution_findings#4",
        sources=[{**POINT, "signal": {"kind": "pulse", "wavelength": 0.55, "cycles": 6}}],
    ),
    "cells a wavelength": case("grid.resolution.resolution_findings#5"),
    "a thin CPML": case("grid.thin_layers.thin_layer_findings", faces={"layer": 6}),
    "a guide below its cut-off": case(
        "grid.guides.guide_findings",
        faces={**FACES, "y_low": "PEC", "y_high": "PEC", "z_low": "PEC", "z_high": "PEC"},
        sources=[{**POINT, "signal": {"kind": "pulse", "wavelength": 4.0}}],
    ),
    "data beyond their range": case(
        "media.dispersive_layers.range_findings",
        materials=[{"name": "silicon", "library": "Si"}],
        objects=[{**BALL, "material": "silicon"}],
        grid={**LINE, "cells_x": 400, "size_x": 2.0},
        sources=[{"kind": "plane wave", "polarization": "y", "signal": {"kind": "pulse", "wavelength": 0.9}}],
    ),
    "a plane on a face of the wave's box": case(
        "setup.on_faces.face_findings",
        grid=LINE,
        sources=[{"kind": "plane wave", "polarization": "y", "signal": LONG}],
        monitors=[{"kind": "plane", "position": 3.67, "frequencies": {"first": 1.9, "last": 2.1}}],
    ),
    "objects that cannot be seen": case(
        "media.solids.shapes.object_findings#1",
        "media.solids.shapes.object_findings#2",
        objects=[{**BALL, "center": [9, 9, 9]}, {"kind": "box", "low": [0.7, 0.7, 0.7], "high": [0.8, 0.8, 0.71]}],
    ),
    "a far field with things in its way": case(
        "far.walls.obstacles#1",
        "far.walls.obstacles#2",
        objects=[{"kind": "box", "low": [0, 0, 0], "high": [2, 2, 0.65]}],
        sources=[{**WAVE, "margin": 3}],
        monitors=[{**BOX, "low": [0.69] * 3, "high": [0.81] * 3, "far_field": {"on": True}}],
    ),
    "a graded ball that is not smoothed": case(
        "setup.media.staircase_findings",
        materials=[{"by_place": {"by_formulas": True, "lines": ["eps = 1 + x"]}}],
        objects=[BALL],
        numerics={"smoothing": True},
    ),
    "boxes that cut objects": case(
        "setup.boxes.box_findings#1",
        "setup.boxes.box_findings#3",
        objects=[{"kind": "box", "low": [-1, -1, 0.7], "high": [9, 9, 0.8]}],
        sources=[{**WAVE, "margin": 2}],
        monitors=[BOX],
    ),
    "a box of a wave that could be larger": case(
        "setup.boxes.box_findings#1",
        objects=[{"kind": "box", "low": [0.65, 0.7, 0.7], "high": [0.96, 0.8, 0.8]}],
        sources=[{**WAVE, "margin": 4}],
    ),
    "an object beside the box of a wave": case(
        "setup.boxes.box_findings#2",
        objects=[{"kind": "box", "low": [0.5, 0.7, 0.7], "high": [0.58, 0.8, 0.8]}],
        sources=[{**WAVE, "margin": 2}],
    ),
    "a slab that should go on for ever": case(
        "setup.boxes.box_findings#1",
        objects=[{"kind": "box", "low": [0.7, -9, -9], "high": [0.8, 9, 9]}],
        sources=[{**WAVE, "margin": 2}],
    ),
    "a power box that could be larger": case(
        "setup.boxes.box_findings#3",
        objects=[{"kind": "box", "low": [0.65, 0.7, 0.7], "high": [0.8, 0.8, 0.8]}],
        monitors=[{**BOX, "low": [0.68] * 3, "high": [0.82] * 3}],
    ),
    "a beam that goes away": case(
        "setup.facing.facing_findings",
        sources=[
            {
                "kind": "Gaussian beam",
                "direction": "-x",
                "sheet": 0.7,
                "focus": [0.75] * 3,
                "waist": 0.2,
                "signal": SHORT,
            }
        ],
        objects=[{**BALL, "center": [0.85, 0.75, 0.75], "radius": 0.06}],
    ),
    "a reflection behind all objects": case(
        "setup.facing.balance_findings#2",
        grid=LINE,
        objects=[{"kind": "box", "low": [1.8, -9, -9], "high": [2.2, 9, 9]}],
        sources=[{**WAVE, "polarization": "y"}],
        monitors=[
            {"kind": "plane", "position": 3.0, "measures": "reflection", "frequencies": {"first": 1.9, "last": 2.1}}
        ],
    ),
    "a transmission of waves from both sides": case(
        "setup.facing.balance_findings#1",
        grid=LINE,
        sources=[{**WAVE, "polarization": "y", "direction": way} for way in ("+x", "-x")],
        monitors=[{"kind": "plane", "measures": "transmission", "frequencies": {"first": 1.9, "last": 2.1}}],
    ),
    "a trace in the cell of a dipole": case(
        "setup.facing.coincident_findings#1", monitors=[{"kind": "trace", "place": [0.78, 0.75, 0.75]}]
    ),
    "a dipole on a face of a box": case(
        "setup.facing.coincident_findings#2", monitors=[{**BOX, "low": [0.75, 0.6, 0.6], "frequencies": {"first": 2.0}}]
    ),
    "a cross-section by a box within that of the wave": case(
        "setup.on_faces.side_findings",
        objects=[{"kind": "box", "low": [0.72] * 3, "high": [0.78] * 3}],
        sources=[{**WAVE, "margin": 1}],
        monitors=[{**BOX, "measures": "scattering", "low": [0.7] * 3, "high": [0.8] * 3}],
    ),
    "frequencies that the pulse lacks": case(
        "monitors.plans._weak",
        monitors=[{**BOX, "frequencies": {"first": 1.9, "last": 19.0, "count": 20}}],
        sources=[{**POINT, "signal": {"kind": "pulse", "wavelength": 2.0, "cycles": 3.0}}],
    ),
    "an oblique wave beside its direction": case(
        "sources.checks.source_findings#1",
        grid={**SIZE, "cells_y": 120, "cells_z": 48},
        sources=[{"kind": "oblique plane wave", "theta": 87.5, "phi": 0.5, "margin": 2, "signal": LONG}],
    ),
    "a beam that is tight and cut": case(
        "sources.checks.source_findings#2",
        "sources.checks.source_findings#3",
        sources=[
            {"kind": "Gaussian beam", "sheet": 0.55, "focus": [0.75] * 3, "waist": 0.3, "signal": SHORT},
            {"kind": "Gaussian beam", "sheet": 0.55, "focus": [0.75] * 3, "waist": 0.62, "signal": SHORT},
        ],
    ),
    "what of a file of gprMax is left out": Case(_gprmax, ("engines.fdtd.gprmax.reader._problem",)),
}
SLAB = {
    "grid": LINE,
    "materials": [{"permittivity": 16.0}],
    "objects": [{"kind": "box", "low": [1.8, -9, -9], "high": [2.2, 9, 9]}],
    "sources": [{"kind": "plane wave", "signal": {"kind": "pulse", "wavelength": 1.0, "cycles": 1.5}}],
}
AT_THE_END = {
    "more than what it is a part of": Case(
        project(
            "fdtd",
            {
                **SLAB,
                "monitors": [
                    {"kind": "plane", "name": "a", "position": 0.28, "frequencies": BAND},
                    {"kind": "plane", "name": "b", "position": 1.0, "relative_to": "a", "frequencies": BAND},
                ],
            },
            until=60.0,
        ),
        ("engines.fdtd.monitors.relative.Transmission.noticed",),
    ),
    "a slab that rings": Case(
        project(
            "fdtd",
            {
                **SLAB,
                "monitors": [
                    {"kind": "plane", "name": name[0], "position": at, "measures": name, "frequencies": BAND}
                    for name, at in (("reflection", 0.6), ("transmission", 3.2))
                ],
            },
            until=60.0,
        ),
        ("engines.fdtd.monitors.balance.Balance.noticed", "engines.fdtd.monitors.settling.SettlingWatcher.noticed"),
    ),
}
"""What only a run can say."""
