"""The pictures of the gallery: each preset at a good moment of its run.

    python -m sample_data.make.previews [preset ...]

Drawn wider than shown and cut, so that the colour bar and the clock beside the picture fall away.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.api import Preset, Simulation
from engines.api.abilities import Shifting
from engines.api.placing import Path as Placed
from engines.api.placing import Placement, Position
from engines.geometry.grid import Grid
from engines.geometry.particles import Particles
from ui.scene.cameras.camera import FIELD_OF_VIEW, Camera
from ui.scene.layers.grid import GridLayer
from ui.scene.layers.lattice import LatticeLayer
from ui.scene.layers.particles import ParticleLayer
from ui.scene.renderer import render
from workbench.export.png import encode_png
from workbench.export.results import take_results
from workbench.project import presets
from workbench.project.project import CameraView
from workbench.run import session
from workbench.run.frames import RunState

MOMENTS = {
    "biventricular": 22.0,
    "niederer_slab": 28.0,
    "small_slab": 9.0,
    "spiral_wave": 1000.0,
    "scarred_slab": 150.0,
    "ischaemic_zone": 500.0,
    "heat_on_a_plate": 0.04,
    "composite_heat": 12.0,
    "gray_scott_coral": 3000.0,
    "gray_scott_box": 2400.0,
    "poisson_two_charges": 10.0,
    "sine_mode": 0.05,
    "one_particle": 2080.0,
    "thousand_cells": 2100.0,
    "particle_sizes": 700.0,
    "pack_cooling": 1500.0,
    "hundred_cycles": 2.0e5,
    "motorway": 2500.0,
    "voltage_losses": 3000.0,
    "cuba_4000": 300.0,
    "typed_hodgkin_huxley": 65.0,
    "typed_izhikevich": 420.0,
    "typed_stdp": 200.0,
    "fdtd_dipole": 20.0,
    "fdtd_sphere": 60.0,
    "fdtd_young": 150.0,
    "fdtd_slab": 52.0,
    "fdtd_gold_sphere": 3.6,
    "fdtd_ring": 260.0,
    "fdtd_patch": 700.0,
    "fdtd_bend": 235.0,
    "fdtd_radar": 2.3,
    "crack_branching": 45.0,
    "plate_with_a_hole": 80.0,
    "kalthoff_winkler": 90.0,
    "notched_concrete_beam": 5200.0,
    "brazilian_disc": 440.0,
    "impact_on_a_plate": 40.0,
    "fragmenting_cylinder": 150.0,
}
"""In the unit of time of each (ms, s, iterations, fs, ps, ns)."""
CLOSER = {
    "biventricular": 0.82,
    "niederer_slab": 0.85,
    "small_slab": 0.85,
    "spiral_wave": 0.72,
    "scarred_slab": 0.62,
    "ischaemic_zone": 0.72,
}
"""Distance of the camera, as a part of that which shows the whole geometry."""
CLOSER_TO_SPHERES = {"one_particle": 1.1, "particle_sizes": 0.84, "hundred_cycles": 0.72, "cuba_4000": 0.8}
CLOSER_TO_BOX = 0.98
AROUND_LATTICE = 1.14
"""What opens and flies apart is drawn larger than the body at rest."""
SIZE = (640, 360)
BESIDE = 260


def picture(preset: Preset) -> bytes:
    """The PNG of one preset."""
    document = presets.open_preset(preset)
    document.project.probes = []
    runner = session.start(document, "cpu", until=MOMENTS.get(preset.id), autostart=True)
    runner.wait(RunState.FINISHED, timeout=600)
    results = runner.post(take_results).result(60)
    shifts = runner.post(_shifts).result(60)
    info = runner.info
    runner.close()
    view = document.project.view.model_copy(deep=True)
    view.overlay = False
    view.camera = _camera(preset.id, document.geometry, view.camera)
    width, height = SIZE
    image = render(
        document.geometry, info, results.values, results.time, view, (width + 2 * BESIDE, height),
        placement=_objects(document.engine.placed(document.problem)), shifts=shifts,
    )  # fmt: skip
    return encode_png(image[:, BESIDE:-BESIDE].copy())


def _shifts(simulation: Simulation) -> Mapping[Placed, Position]:
    return simulation.shifts() if isinstance(simulation, Shifting) else {}


def _objects(placement: Placement | None) -> Placement | None:
    """Objects alone: sources and monitors are the window's."""
    if placement is None:
        return None
    return replace(placement, groups=tuple(group for group in placement.groups if group.role == "object"))


def _camera(preset_id: str, geometry: Any, camera: CameraView) -> CameraView:
    """Close enough that the geometry fills the picture; a flat grid reaches across it from side to side."""
    if isinstance(geometry, Particles) and geometry.cells is not None:
        return _camera_of_lattice(geometry, camera)
    if isinstance(geometry, Particles):
        return _camera_of_spheres(preset_id, ParticleLayer(geometry), camera)
    if not isinstance(geometry, Grid):
        points = geometry.points
        extent = float(((points.max(axis=0) - points.min(axis=0)) ** 2).sum() ** 0.5)
        return camera.model_copy(update={"distance": camera.distance or 2.2 * extent * CLOSER[preset_id]})
    layer = GridLayer(geometry)
    if not layer.flat:
        fitted = Camera()
        fitted.fit(layer.outline)
        distance = CLOSER_TO_BOX * fitted.distance
    else:
        width, height = SIZE
        distance = geometry.lengths[0] * height / width / (2 * math.tan(math.radians(FIELD_OF_VIEW / 2)))
    low, high = geometry.bounds
    middle = tuple(float(value) for value in (low + high) / 2)
    return layer.home.model_copy(update={"distance": distance, "center": middle})


def _camera_of_spheres(preset_id: str, layer: ParticleLayer, camera: CameraView) -> CameraView:
    """The preset's own camera, or from where the window looks at first; closer than that."""
    where = layer.home if camera == CameraView() else camera
    fitted = Camera()
    fitted.fit(layer.outline)
    middle = tuple(float(value) for value in fitted.center)
    distance = where.distance or CLOSER_TO_SPHERES.get(preset_id, 0.8) * fitted.distance
    return where.model_copy(update={"distance": distance, "center": where.center or middle})


def _camera_of_lattice(geometry: Particles, camera: CameraView) -> CameraView:
    """From where the window looks, so far that the body fits into what is left of the picture."""
    layer = LatticeLayer(geometry)
    where = layer.home if camera == CameraView() else camera
    fitted = Camera()
    fitted.azimuth, fitted.elevation = where.azimuth, where.elevation
    fitted.fit(layer.outline, SIZE[0] / SIZE[1], layer.frame)
    middle = tuple(float(value) for value in fitted.center)
    return where.model_copy(update={"distance": AROUND_LATTICE * fitted.distance, "center": middle})


def main(names: Sequence[str]) -> None:
    """Draw the presets of these names, or all."""
    for preset in presets.presets():
        if preset.id in (names or MOMENTS):
            Path(str(preset.project), "preview.png").write_bytes(picture(preset))


if __name__ == "__main__":
    main(sys.argv[1:])
