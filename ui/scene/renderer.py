"""Pictures without a window: the same scene as in the viewport, drawn on an EGL canvas."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

from engines.api import Array, Lines, SimulationInfo
from engines.api.errors import DeviceError
from engines.api.placing import Path, Placement, Position
from ui.scene.marks import Marks
from ui.scene.scene import Scene
from ui.scene.visuals.plates import DARK, Theme
from ui.scene.visuals.software import is_software
from workbench.project.project import ViewSettings


def render(
    geometry: Any,
    info: SimulationInfo | None,
    values: Mapping[str, Array] | None,
    time: float,
    view: ViewSettings,
    size: tuple[int, int] = (1280, 800),
    lines: Sequence[str] = (),
    theme: Theme = DARK,
    placement: Placement | None = None,
    shifts: Mapping[Path, Position] | None = None,
    traced: Lines | None = None,
) -> Array:
    """A picture (height, width, 4) uint8 of ``geometry`` coloured by whole fields.

    ``values`` maps field names to arrays in the geometry's numbering (the shown field and, for the front, its
    time); without ``info`` or values the regions are shown. ``placement``: outlines of what stands in space,
    which has moved by ``shifts`` since the start; ``traced``: lines that the run draws (the path of a crack).
    Raises DeviceError where there is no EGL.
    """
    canvas, painter, software = _canvas()
    width, height = size
    scene = Scene(theme)
    scene.allows_volume = not software
    scene.samples = width * height
    scene.set_geometry(geometry)
    if info is not None:
        scene.info = replace(info, fields=tuple(field for field in info.fields if field.name in (values or {})))
    scene.apply_view(view, width / height)
    scene.set_labels((), lines)
    scene.marks = Marks(placement)
    if values and scene.fields:
        scene.show_fields(values, time)
        scene.shifts, scene.traced = shifts or {}, traced
    with current(canvas):
        # Twice the resolution smooths the edges; it is halved when the picture is put together.
        image = painter.read(scene, width, height, ratio=max(height / 800, 0.75), resolution=2.0)
        if scene.layer is not None:
            scene.layer.release()
    return image


@contextmanager
def current(canvas: Any) -> Iterator[None]:
    """Make the EGL context of ``canvas`` current and let it go afterwards: a thread has one current context, and as
    long as it is this one Qt can make none current on X11. Raises DeviceError if Qt holds one now."""
    from vispy.app.backends import _egl

    try:
        canvas.set_current()
    except RuntimeError as error:
        raise DeviceError("No picture was drawn because a window's 3D view holds OpenGL on this thread.") from error
    try:
        yield
        canvas.context.flush_commands()
    finally:
        none = _egl.egl.EGL_NO_SURFACE
        _egl.egl.eglMakeCurrent(_egl._EGL_DISPLAY, none, none, _egl.egl.EGL_NO_CONTEXT)


@cache
def _canvas() -> tuple[Any, Any, bool]:
    """One hidden canvas for the life of the process, and whether the processor draws on it."""
    from vispy import app, gloo

    try:
        application = app.Application("egl")
    except RuntimeError:
        # Mesa on a machine without display or /dev/dri starts only if it is told to do without both.
        os.environ["EGL_PLATFORM"] = "surfaceless"
        for name in ("vispy.app.backends._egl", "vispy.ext.egl"):
            sys.modules.pop(name, None)
        try:
            application = app.Application("egl")
        except RuntimeError as error:
            raise DeviceError(
                "No picture was drawn because EGL does not start here; on Debian or Ubuntu install libegl1 and "
                "libgl1-mesa-dri."
            ) from error
    from ui.scene.painter import Painter

    try:
        canvas = app.Canvas(app=application, size=(16, 16), show=False, dpi=96)
    except RuntimeError as error:
        raise DeviceError("No picture was drawn because a window's 3D view holds OpenGL on this thread.") from error
    with current(canvas):
        return canvas, Painter(), is_software(str(gloo.gl.glGetParameter(gloo.gl.GL_RENDERER)))
