"""The pictures of the gallery: each preset at a moment when its front is on the way.

    python -m sample_data.make.previews

Drawn wider than shown and cut, so that the colour bar and the clock beside the picture fall away.
"""

from __future__ import annotations

from pathlib import Path

from ui.scene.renderer import render
from workbench import presets, session
from workbench.export.png import encode_png
from workbench.export.results import take_results
from workbench.frames import RunState

MOMENTS = {"biventricular": 22.0, "niederer_slab": 28.0, "small_slab": 9.0}  # ms
CLOSER = {"biventricular": 0.82, "niederer_slab": 0.85, "small_slab": 0.85}
"""Distance of the camera, as a part of that which shows the whole geometry."""
SIZE = (640, 360)
BESIDE = 260


def picture(preset_id: str) -> bytes:
    """The PNG of one preset."""
    preset = next(preset for preset in presets.presets() if preset.id == preset_id)
    document = presets.open_preset(preset)
    document.project.probes = []
    runner = session.start(document, "cpu", until=MOMENTS[preset_id], autostart=True)
    runner.wait(RunState.FINISHED, timeout=600)
    results = runner.post(take_results).result(60)
    info = runner.info
    runner.close()
    view = document.project.view.model_copy(deep=True)
    view.overlay = False
    points = document.geometry.points
    extent = float(((points.max(axis=0) - points.min(axis=0)) ** 2).sum() ** 0.5)
    view.camera.distance = view.camera.distance or 2.2 * extent * CLOSER[preset_id]
    width, height = SIZE
    image = render(document.geometry, info, results.values, results.time, view, (width + 2 * BESIDE, height))
    return encode_png(image[:, BESIDE:-BESIDE].copy())


if __name__ == "__main__":
    for name in MOMENTS:
        (Path(__file__).parents[1] / name / "preview.png").write_bytes(picture(name))
