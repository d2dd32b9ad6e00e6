"""What the 3D view shows, without a word about GL or Qt: geometry, field, camera, clipping plane, labels.

The picture always belongs to one plan (field, front, clipping plane). A changed plan becomes a new
:class:`FrameRequest`; the picture changes when the first frame that answers it arrives, so values are never
drawn on triangles, or in colours, that they do not belong to.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, FrontInfo, Lines, MarkerInfo, Markers, SimulationInfo
from engines.api.charts import Links
from engines.api.placing import Path, Position
from ui.scene.arrows import Arrows, Seeds, asked, seeds_of, taken
from ui.scene.cameras.camera import Camera
from ui.scene.cameras.deformation import LARGEST, visible_scale
from ui.scene.cameras.following import AT_END, FEW, beyond, drawn_range, followed
from ui.scene.cameras.movie_scales import MovieScales
from ui.scene.cameras.room import CENTRED
from ui.scene.colormaps import categories, colormap
from ui.scene.fields import follows, has_levels, is_timed, own_range, takes_logarithm
from ui.scene.layers.kinds import layer_for
from ui.scene.layers.layer import MOST_SAMPLES, Layer, Plan
from ui.scene.marks import Marks
from ui.scene.shapes.inside import MOST_CELLS
from ui.scene.visuals.plates import DARK, Theme, nice_step
from ui.scene.visuals.surface import Look
from workbench.project.project import CameraView, ClipPlane, ViewSettings
from workbench.run.frames import Frame, FrameRequest

ANSWER_SECONDS = 0.3
"""A request that nobody answers for so long (the run has ended) is shown without values."""

DECADES = 1e4
"""The upper end of a logarithmic range that begins at zero over the lower end that is drawn."""

ISOCHRONES = 14
"""About so many isochrones are drawn, or fewer."""

ProbeMark = tuple[str, tuple[float, float, float], tuple[int, int, int]]


class Scene:
    """The model behind the viewport and behind headless pictures."""

    def __init__(self, theme: Theme = DARK) -> None:
        self.theme = theme
        self.camera = Camera()
        self.layer: Layer | None = None
        self.info: SimulationInfo | None = None
        self.view = ViewSettings()
        self.probes: list[ProbeMark] = []
        self.inspected: tuple[float, float, float] | None = None
        self.measured: tuple[tuple[float, float, float], ...] = ()
        """None, one or two points that are measured."""
        self.cuts: tuple[tuple[tuple[float, float, float], ...], ...] = ()
        """Lines along which fields are charted."""
        self.marks = Marks()
        """What stands in space and is placed by hand."""
        self.lines: list[str] = []
        self.markers: Markers | None = None
        self.traced: Lines | None = None
        """What the run traces (the path of a crack) at this moment."""
        self.arrows: Arrows | None = None
        """What is drawn as arrows, at this moment."""
        self._seeded: tuple[Any, Seeds | None] = (None, None)
        self.shifts: Mapping[Path, Position] = {}
        """How far placed things have moved since the start."""
        self.links: Links | None = None
        """What joins the element that is looked into to others."""
        self.time: float | None = None
        self.coarse = False
        self.samples = MOST_SAMPLES
        self.aspect: float
        """Width of the view over its height, from when it has a size."""
        self.inside_cells = MOST_CELLS
        """Cells that a front inside is looked for in at most."""
        self.allows_volume = True
        """Whether this machine draws fast enough to look through a grid."""
        self.brush: tuple[tuple[float, float, float], float] | None = None
        """Where the brush is, and its radius."""
        self.pointer: tuple[float, float] | None = None
        """Where the mouse rests over the view, as parts of its width and height."""
        self.auto_fit = True
        self.room = CENTRED
        self.covered = 0.0
        """Points at the top over which something else lies."""
        self.common: tuple[float, float] | None = None
        """A range of colours that this view shares with others."""
        self.movie: MovieScales | None = None
        """What all pictures of a movie share, while one is made."""
        self.replays = False
        """Whether it shows kept moments alone, and asks for no others."""
        self.earlier: Callable[[Plan], tuple[int, Any] | None] = lambda _: None
        """The serial and the shape of a plan that frames are kept of: asked again, it is the same request."""
        self._serial = 0
        self._pending: tuple[int, Any, float] | None = None
        self._shown_serial = -1
        self.beyond = (0.0, 0.0)
        """Per cent of the values in the picture that are below and above the range of its colours."""
        self.fit_offered: tuple[float, float, float, float] | None = None
        """Where a click would fit the range to them, (left, top, width, height) [points]."""
        self._followed: tuple[str, tuple[float, float] | None] = ("", None)
        """A field, and the range that follows its values."""
        self._visible: float | None = None
        """How many times displacements are drawn where nobody says."""

    # What is shown.

    def set_geometry(self, geometry: Any) -> None:
        """Show another geometry, framed, without values. None empties the scene."""
        before, self.layer = self.layer, None if geometry is None else layer_for(geometry)
        self.info, self.time, self._pending = None, None, None
        self._forget_drawn()
        self._followed, self._visible = ("", None), None
        self.coarse = False
        if self.layer is None:
            self.auto_fit = True
        elif before is None or not _in_one_place(before, self.layer):
            self.auto_fit = True
            self.camera.fit(self.layer.outline, frame=self.layer.frame)
            if before is None or before.home != self.layer.home:
                self.camera.azimuth, self.camera.elevation = self.layer.home.azimuth, self.layer.home.elevation

    def set_simulation(self, info: SimulationInfo | None) -> FrameRequest | None:
        """The fields that there are now; returns what to ask of the run."""
        if info is not None and (self.layer is None or info.geometry is not self.layer.geometry):
            self.set_geometry(info.geometry)
        self.info, self.time = info, None
        self._forget_drawn()
        return self.replan(force=True)

    def _forget_drawn(self) -> None:
        self.markers, self.traced, self.links, self.arrows, self.shifts = None, None, None, None, {}

    def apply_view(self, view: ViewSettings, aspect: float) -> FrameRequest | None:
        """Show it as ``view`` says; returns a request if other values are needed."""
        self.view, self.aspect = view.model_copy(deep=True), aspect
        self.auto_fit = view.camera.distance is None and view.camera.center is None
        self.camera.apply(self.home if view.camera == CameraView() else view.camera, aspect)
        self._tell_layer()
        self._follow()
        return self.replan()

    @property
    def home(self) -> CameraView:
        """Where the camera stands at first."""
        return CameraView() if self.layer is None else self.layer.home

    @property
    def clip(self) -> ClipPlane | None:
        """The clipping plane, if it cuts what is shown."""
        return self.view.clip if self.layer is not None and self.layer.clips else None

    def view_settings(self) -> ViewSettings:
        camera = self.camera.settings()
        if self.auto_fit:
            camera = camera.model_copy(update={"distance": None, "center": None})
        return self.view.model_copy(deep=True, update={"camera": camera})

    def set_clip(self, clip: ClipPlane | None) -> FrameRequest | None:
        self.view.clip = clip
        return self.replan()

    def default_clip(self) -> ClipPlane:
        """Through the middle, facing the viewer."""
        normal = self.camera.back * np.array([1.0, 1.0, 0.0])
        normal = normal / np.linalg.norm(normal) if np.linalg.norm(normal) > 0.1 else np.array([0.0, 0.0, 1.0])
        return ClipPlane(origin=_triple(self.camera.scene_center), normal=_triple(normal))

    # Requests and frames.

    @property
    def fields(self) -> tuple[FieldInfo, ...]:
        return () if self.info is None else tuple(f for f in self.info.fields if f.location in self._locations)

    @property
    def _locations(self) -> tuple[str, ...]:
        return () if self.layer is None else self.layer.locations

    def field(self) -> FieldInfo | None:
        """The field that the view names, or the first."""
        named = [f for f in self.fields if f.name == self.view.field]
        return (named or list(self.fields) or [None])[0]  # type: ignore[list-item]  # the last resort is None

    def plan(self) -> Plan:
        front: FrontInfo | None = self.info.front if self.info is not None and self.view.front else None
        timed = next((f for f in self.fields if front is not None and f.name == front.field), None)
        view, info = self.view, self.info
        self._tell_layer()
        plan = Plan(
            field=self.field(),
            front=front if timed else None,
            front_field=timed,
            clip=view.clip,
            contours=self._lined(),
            fibres=view.fibres,
            coarse=self.coarse,
            height=view.height,
            slices=view.slices,
            volume=view.volume and self.allows_volume,
            samples=self.samples,
            markers=self.marked is not None,
            inside=self.inside_cells if view.front_inside and timed and front is not None and front.crossing else 0,
            window=None if self.layer is None or self.auto_fit else self.layer.window(self.camera, self.aspect),
            displaced=None if info is None or view.deformation == 0 else info.displaced,
            hiding=None if info is None else next((f for f in info.fields if f.name == info.hidden_by), None),
            lines=info is not None and bool(info.lined) and view.lines,
            levels=self.inside_cells if view.levels and self._leveled() else 0,
            cuts=view.level_slices,
            arrows=None if info is None else next((v for v in info.vectors if v.name == view.arrows), None),
        )
        return plan if self.layer is None else self.layer.settled(plan)

    def _tell_layer(self) -> None:
        """What changes nothing in the values that are asked for."""
        if self.layer is not None:
            self.layer.hidden_above, self.layer.levels = self.view.hidden_above, tuple(self.view.levels)

    def replan(self, force: bool = False) -> FrameRequest | None:
        """A request for the present plan, if it differs from what was asked last.

        While an answer is awaited nothing new is asked, so that dragging a plane cannot outrun the run;
        :meth:`show_frame` and :meth:`overdue` go on from there.
        """
        if self.layer is None or self.replays:
            return None
        if self._pending is not None and not force:
            return None
        plan = self.plan()
        if plan == self.layer.shape.plan and not force:
            return None
        serial, shape = (None if force else self.earlier(plan)) or (self._serial + 1, self.layer.plan_shape(plan))
        if plan.field is None:
            self.layer.adopt(shape)
            self._pending = None
            return None
        self._serial = max(self._serial, serial)
        self._pending = (serial, shape, clock.monotonic())
        parts = self.layer.parts(shape)
        if plan.arrows is not None and (seeds := self._seeds(shape)) is not None:
            parts |= asked(plan.arrows, seeds, plan.displaced)
        return FrameRequest(serial, parts, markers=plan.markers, lines=plan.lines)

    def _seeds(self, shape: Any) -> Seeds | None:
        """Where arrows stand in a shape, found once."""
        if self._seeded[0] is not shape and self.layer is not None:
            self._seeded = shape, seeds_of(self.layer.geometry, getattr(shape, "sheets", ()))
        return self._seeded[1]

    def _take_arrows(self, values: Mapping[str, Array]) -> None:
        shape = None if self.layer is None else self.layer.shape
        info = None if shape is None else shape.plan.arrows
        seeds = None if info is None else self._seeds(shape)
        self.arrows = None if info is None or seeds is None else taken(info, seeds, values, self.arrows)
        if self.movie is not None and self.arrows is not None and self.arrows.vectors.any():
            self.arrows = replace(self.arrows, longest=self.movie.longest_with(self.arrows.longest))

    def show_frame(self, frame: Frame) -> bool:
        """Take the values of a frame; False if it answers an old request."""
        if self.layer is None:
            return False
        if self._pending is not None and frame.serial == self._pending[0]:
            self.layer.adopt(self._pending[1])
            self._shown_serial, self._pending = frame.serial, None
        if frame.serial != self._shown_serial:
            return False
        self._take(frame)
        return True

    def replay(self, shape: Any, frame: Frame) -> None:
        """A kept moment, on the ``shape`` that its values were asked for."""
        if self.layer is not None:
            if shape is not self.layer.shape:
                self.layer.adopt(shape)
            self._take(frame)

    @property
    def shown(self) -> tuple[int, Any] | None:
        """The serial of the frames that are drawn, and the shape that they are drawn on."""
        return None if self.layer is None else (self._shown_serial, self.layer.shape)

    def _take(self, frame: Frame) -> None:
        assert self.layer is not None
        self.layer.set_values(frame.values, frame.time)
        self._take_arrows(frame.values)
        self.time, self.markers, self.traced, self.shifts = frame.time, frame.markers, frame.lines, frame.shifts
        self.links = None if frame.inspection is None else frame.inspection.links
        self._follow()

    def _follow(self) -> None:
        """Other values, or to be shown in another way."""
        self._follow_values()
        self._look_beyond()
        self._follow_displacements()

    def _follow_displacements(self) -> None:
        """Have them drawn as many times as the view says, or as they are visible."""
        if self.layer is None:
            return
        displacements = self.layer.displacements
        if displacements is not None and len(displacements):
            low, high = self.layer.bounds
            before = LARGEST if self.movie is not None else self._visible
            self._visible = visible_scale(displacements, float((high - low).max()), before)
            if self.movie is not None:
                self._visible = self.movie.deformation_with(self._visible)
        asked = self.view.deformation
        self.layer.deformation = float((self._visible or 1.0) if asked is None else asked)

    def _follow_values(self) -> None:
        field = self.shown_field
        if field is None or self.layer is None or not follows(field, self.view) or field.cyclic or self.names(field):
            return
        before = self._followed[1] if self._followed[0] == field.name and self.movie is None else None
        share = 100.0 - self.view.outliers
        values = self.layer.drawn_values
        found = followed(values, field.range, before, share, field.guessed and not field.anchored)
        self._followed = field.name, found if self.movie is None else self.movie.range_with(found)

    def _look_beyond(self) -> None:
        """Those that a person leaves out are not told."""
        field, self.beyond = self.shown_field, (0.0, 0.0)
        if field is None or self.layer is None or field.cyclic or self.names(field):
            return
        low, high = self.limits(field)
        if self.logarithmic(field):
            factor = (high / low) ** AT_END
            given = (own_range(field, self.view) or field.range)[0] > 0
            low, high = low / factor if given else -np.inf, high * factor
        else:
            low, high = low - AT_END * (high - low), high + AT_END * (high - low)
        below, above = beyond(self.layer.drawn_values, low, high)
        left_out = max(self.view.outliers, FEW) if self.view.outliers else 0.0
        self.beyond = below if below > left_out else 0.0, above if above > left_out else 0.0

    def overdue(self) -> bool:
        """True once if the awaited answer does not come: its triangles are then shown without values."""
        if self.layer is None or self._pending is None or clock.monotonic() - self._pending[2] < ANSWER_SECONDS:
            return False
        serial, shape, _ = self._pending
        self.layer.adopt(shape)
        self._shown_serial, self._pending = serial, None
        return True

    @property
    def waiting(self) -> bool:
        return self._pending is not None

    def show_fields(self, fields: Mapping[str, Array], time: float) -> None:
        """Whole fields at once, without a run behind them."""
        assert self.layer is not None
        self.layer.adopt(self.layer.plan_shape(self.plan()))
        self.layer.set_fields(fields, time)
        plan = self.layer.shape.plan
        if plan.arrows is not None and (seeds := self._seeds(self.layer.shape)) is not None:
            parts = asked(plan.arrows, seeds, plan.displaced)
            self._take_arrows(
                {part: fields[name][seeds.elements] for part, (name, _) in parts.items() if name in fields}
            )
        self.time = time
        self._follow()

    # How it looks.

    @property
    def marked(self) -> MarkerInfo | None:
        """What the run's markers are, if they are to be drawn."""
        return None if self.info is None or not self.view.markers else self.info.marked

    @property
    def deformation(self) -> float | None:
        """How many times displacements are drawn in the picture; None where nothing moves."""
        return None if self.layer is None or self.layer.displacements is None else self.layer.deformation

    @property
    def shown_field(self) -> FieldInfo | None:
        """The field whose values are in the picture."""
        return self.layer.shape.plan.field if self.layer is not None and self.layer.has_values else None

    def names(self, field: FieldInfo) -> tuple[str, ...]:
        """What the values of the field are called where the picture mixes none; none where they are numbers."""
        return () if self.layer is None or self.layer.mixes else field.names

    def limits(self, field: FieldInfo) -> tuple[float, float]:
        if names := self.names(field):
            return -0.5, len(names) - 0.5
        if self.common is not None:
            return self.common
        following = follows(field, self.view) and self._followed[0] == field.name
        found = self._followed[1] if following else own_range(field, self.view)
        low, high = field.range if field.cyclic else found or field.range
        if self.view.symmetric and not field.cyclic:
            low, high = -max(abs(low), abs(high)), max(abs(low), abs(high))
        if self.logarithmic(field) and low <= 0:
            low = high / DECADES
        return drawn_range(low, high)

    def logarithmic(self, field: FieldInfo) -> bool:
        """Whether its colours go by the logarithm: of what has no sign and no names."""
        return self.view.logarithmic and not self.view.symmetric and takes_logarithm(field) and not self.names(field)

    def timed(self, field: FieldInfo | None) -> bool:
        """Whether the field is a time that comes to each element, which isochrones are drawn of."""
        return field is not None and is_timed(field, self.info)

    def _lined(self) -> bool:
        """Whether lines of equal value are to be drawn."""
        field = self.field()
        if field is None or field.cyclic or self.names(field) or self.layer is None or not self.layer.contoured:
            return False
        return self.view.contours or (self.view.isochrones and self.timed(field))

    def _leveled(self) -> bool:
        """Whether isosurfaces of the field can be drawn."""
        field = self.field()
        return field is not None and has_levels(field) and self.layer is not None and self.layer.leveled

    def isochrone_step(self, field: FieldInfo) -> float:
        """The value between two isochrones or contours, 1, 2 or 5 × 10ⁿ; 0 where none are drawn."""
        if self.layer is None or not self.layer.shape.plan.contours:
            return 0.0
        low, high = self.limits(field)
        return nice_step((high - low) / ISOCHRONES, (1.0, 2.0, 5.0, 10.0))

    def lut(self, field: FieldInfo) -> Array:
        names = self.names(field)
        if names:
            return categories(len(names))
        return colormap(self.view.colormap or field.colormap, self.theme == DARK, self.view.reverse)

    def look(self) -> Look:
        field = self.shown_field
        if field is None or self.layer is None:
            return Look()
        front = self.layer.shape.plan.front
        limits = self.limits(field)
        return Look(
            lut=self.lut(field),
            limits=limits,
            log=self.logarithmic(field) and limits[0] > 0,
            mapped=True,
            time=self.time or 0.0,
            front_width=front.width if front is not None else 0.0,
            isochrone=self.isochrone_step(field),
            cyclic=field.cyclic,
            stepped=bool(self.names(field)),
            diverging=(self.view.colormap or field.colormap) == "diverging",
            cut_open=self.view.cut_open,
        )

    def pick(self, x: float, y: float, width: float, height: float) -> tuple[int, tuple[float, float, float]] | None:
        """The element under a pixel and the position that was met."""
        if self.layer is None:
            return None
        hit = self.layer.pick(*self.camera.ray(x, y, width, height))
        return None if hit is None else (hit[0], _triple(hit[1]))

    def reading(self, width: float, height: float) -> float | None:
        """The value under the pointer in a view of this size; None where there is none to tell."""
        if self.layer is None or self.pointer is None or self.shown_field is None:
            return None
        x, y = self.pointer
        hit = self.layer.pick(*self.camera.ray(x * width, y * height, width, height))
        return None if hit is None else self.layer.reading(*hit)

    def set_labels(self, probes: Sequence[ProbeMark], lines: Sequence[str]) -> None:
        self.probes, self.lines = list(probes), list(lines)


def _in_one_place(one: Layer, other: Layer) -> bool:
    """Whether a person can go on looking from where they were."""
    return one.home == other.home and all(np.array_equal(a, b) for a, b in zip(one.bounds, other.bounds, strict=True))


def _triple(vector: Array) -> tuple[float, float, float]:
    return float(vector[0]), float(vector[1]), float(vector[2])
