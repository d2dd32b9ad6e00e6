"""What lies over the 3D picture: colour bar, legend, meters, scale bar, axes, probe tags, clip handle, progress."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from engines.api import Array, FieldInfo, MarkerInfo
from ui.scene.arrows import LONGEST
from ui.scene.colormaps import MISSING
from ui.scene.layers.layer import Layer
from ui.scene.overlays.brush_mark import brush_strokes
from ui.scene.overlays.clip_handle import handle_strokes
from ui.scene.overlays.inspected_mark import ring_strokes
from ui.scene.overlays.labels import first_free, spots_of_labels
from ui.scene.overlays.link_strokes import link_strokes
from ui.scene.overlays.measure_mark import measure_strokes
from ui.scene.overlays.placed import materials
from ui.scene.overlays.placed import strokes as placed_strokes
from ui.scene.overlays.ruler import Label, ruler, seen_from
from ui.scene.scene import Scene
from ui.scene.visuals import plates
from ui.scene.visuals.markers import COLOURS
from ui.scene.visuals.screen import Stroke
from workbench.words.numbers import figure, tick_texts
from workbench.words.units import clock_text, is_count, unit_text

Placed = tuple[str, Array, int, int]
Entries = tuple[tuple[str, plates.Colour], ...]

_AXES = (("x", (232, 92, 88)), ("y", (112, 196, 96)), ("z", (92, 148, 240)))

GONE = "Grey\tgone"
"""What a grey link means."""
NO_VALUE = "not finite"
"""What grey means in a field that has a value everywhere."""

MOST_NAMES = 16
"""Entries of a legend of values."""

FIT = "Click to fit"

GAP = 6
"""Points between what lies over the view and the plates below."""
LEAST_BAR = 110
"""Points: a colour bar of two lines of title that still has colours."""
BAR_POINTS = (70.0, 30.0, 12.0)
"""Lengths of the scale bar at least, the first that covers no figure."""
SCALE_ROOM = 36
"""Points above the lower margin that the scale bar takes."""
KEY_ROOM = 34
"""Points above the scale bar that the key of arrows takes."""

MOST_KEY_POINTS = 120
"""The arrow that says what arrows mean is drawn no longer: close to them, it is seen all the same."""

AXES_ROOM = 95
"""Points above the lower edge that the axes take."""

AXIS_LABEL, LABEL_ROOM = 41, 20
"""Points from the origin of the axes to the name of one that lies in the picture, and between two names at least."""


class Hud:
    """Composes pictures anew only when what they say has changed."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Hashable, Array]] = {}
        self._ruled: tuple[Hashable, tuple[list[Label], list[Stroke]]] = (None, ([], []))
        self._hidden_seen: Hashable = None
        self._hidden_known: dict[tuple[float, float, float], bool] = {}

    def compose(
        self, scene: Scene, width: int, height: int, ratio: float, handles: bool = True
    ) -> tuple[list[Placed], list[Stroke]]:
        """Pictures and strokes for a view of (width, height) device pixels; ``handles``: also what one can grip."""
        placed: list[Placed] = []
        strokes: list[Stroke] = []
        if handles:
            scene.fit_offered = None
        if scene.layer is None:
            return placed, strokes
        margin = round(12 * ratio)
        self._corner_texts(scene, placed, width, height, margin, ratio)
        self._bar_or_legend(scene, placed, width, height, margin, ratio, handles)
        labels, ticks = self._ruled_of(scene, width, height, ratio)
        self._scale_bar(scene, placed, strokes, labels, width, height, margin, ratio)
        self._arrow_key(scene, placed, strokes, width, height, margin, ratio)
        self._axes(scene, placed, strokes, height, ratio)
        self._ruler(scene, placed, strokes, labels, ticks, ratio)
        if handles and scene.brush is not None:
            strokes += brush_strokes(scene, width, height, ratio)
        if handles and scene.clip is not None:
            strokes += handle_strokes(scene, width, height, ratio)
        if handles:
            strokes += link_strokes(scene, width, height, ratio)
        if handles and scene.inspected is not None and scene.links is None:
            strokes += self._ring(scene, scene.inspected, width, height, ratio)
        strokes += placed_strokes(scene, width, height, ratio, handles)
        strokes += measure_strokes(scene, width, height, ratio)
        self._probes(scene, placed, strokes, width, height, ratio)
        for name, spots in spots_of_labels(scene, width, height, ratio):
            image = self._keep(
                f"part {name}", (name, scene.theme, ratio), lambda n=name: plates.label(n, scene.theme, ratio)
            )
            place = first_free(image.shape, spots(*image.shape[1::-1]), placed, (width, height), scene.covered * ratio)
            if place is not None:
                placed.append((f"part {name}", image, *place))
        if handles:
            self._reading(scene, placed, width, height, ratio)
        return placed, strokes

    def _keep(self, name: str, key: Hashable, make: object) -> Array:
        kept = self._kept.get(name)
        if kept is None or kept[0] != key:
            kept = (key, make())  # type: ignore[operator]  # a callable without arguments
            self._kept[name] = kept
        return kept[1]

    def _corner_texts(
        self, scene: Scene, placed: list[Placed], width: int, height: int, margin: int, ratio: float
    ) -> None:
        theme = scene.theme
        is_crowded = scene.room.at(width, height, ratio) is not scene.room and not scene.room.of_portraits
        top = margin if scene.covered <= 0 else round((scene.covered + GAP) * ratio)

        def put(name: str, image: Array) -> None:
            nonlocal top
            placed.append((name, image, margin, top))
            top += image.shape[0] + round(6 * ratio)

        def say(name: str, *lines: str, size: float = 12.5) -> None:
            key = (lines, theme, ratio)
            put(name, self._keep(name, key, lambda: plates.text_plate(lines, theme, ratio, size)))

        if scene.time is not None and scene.info is not None:
            unit = scene.info.time_unit
            say("time", f"{'' if is_count(unit) else 't = '}{clock_text(scene.time, unit)}", size=15)
        if scene.deformation is not None and scene.deformation != 1:
            factor = scene.deformation
            say("moved", f"displacement × {figure(factor)}" if factor else "drawn at rest")
        if scene.links is not None:
            low, high = scene.links.range
            said = f"{scene.links.title}\t{figure(low, 2)} … {figure(high, 2)} {unit_text(scene.links.unit)}".rstrip()
            say("links", said.replace("-", "−"), *([GONE] if np.isnan(scene.links.values).any() else []))
        metered = bool(scene.lines) and scene.view.overlay
        legends = self._legends(scene, () if is_crowded else _materials(scene), height, top, metered, ratio)
        if metered and is_crowded:
            say("lines", scene.lines[0].rpartition("\t")[2])
        elif metered:
            room = height - AXES_ROOM * ratio - top - _heights(legends, ratio)
            put("lines", self._meters(tuple(scene.lines), scene, room, ratio))
        for name, image in legends:
            put(name, image)

    def _legends(
        self, scene: Scene, entries: Entries, height: int, top: int, metered: bool, ratio: float
    ) -> list[tuple[str, Array]]:
        """Of materials and markers, between ``top`` and the axes; materials leave half of that to the meters."""
        theme, legends = scene.theme, list[tuple[str, Array]]()
        if scene.marked is not None and scene.markers is not None:
            title, signs = marker_lines(scene.marked, scene.markers.signs)
            named = (title, signs, theme, ratio)
            legends.append(("markers", self._keep("markers", named, lambda: plates.legend(signs, theme, ratio, title))))
        room = (height - AXES_ROOM * ratio - top - _heights(legends, ratio)) / (2 if metered else 1)
        if entries:
            legends.insert(0, ("materials", self._of_materials(scene, entries, room, ratio)))
        return legends

    def _of_materials(self, scene: Scene, entries: Entries, room: float, ratio: float, more: int = 0) -> Array:
        """As many entries as are no higher than ``room`` [pixels], and two at least; ``more`` are left out."""
        told = (*entries, (f"and {more} more", MISSING)) if more else entries
        image = self._keep(
            f"materials {len(told)}", (told, scene.theme, ratio), lambda: plates.legend(told, scene.theme, ratio)
        )
        if image.shape[0] <= room or len(told) <= 2:
            return image
        out = 1 if more else 2
        return self._of_materials(scene, entries[:-out], room, ratio, more + out)

    def _meters(self, meters: tuple[str, ...], scene: Scene, room: float, ratio: float) -> Array:
        """As many of them as are no higher than ``room`` [pixels], and one at least."""
        image = self._keep(
            f"lines {len(meters)}", (meters, scene.theme, ratio), lambda: plates.text_plate(meters, scene.theme, ratio)
        )
        return image if image.shape[0] <= room or len(meters) == 1 else self._meters(meters[:-1], scene, room, ratio)

    def _bar_or_legend(
        self, scene: Scene, placed: list[Placed], width: int, height: int, margin: int, ratio: float, handles: bool
    ) -> None:
        theme, field = scene.theme, scene.shown_field
        names = scene.names(field) if field is not None else ()
        below = margin + (SCALE_ROOM + (KEY_ROOM if scene.arrows is not None else 0)) * ratio
        if field is not None and names:
            entries = named_colours(names, scene.lut(field))
            said = (field.title, entries, theme, ratio)
            image = self._keep("names", said, lambda: plates.legend(entries, theme, ratio, field.title))
            top = beside(image, height, _top(scene, margin, ratio), below)
            placed.append(("names", image, width - margin - image.shape[1], top))
        elif field is not None:
            limits, lut = scene.limits(field), scene.lut(field)
            left_out = beyond_lines(scene.beyond)
            offer = FIT if handles and any(left_out) and scene.common is None else ""
            if field.missing is None and scene.layer is not None and scene.layer.has_gaps:
                field = replace(field, missing=np.inf, missing_title=NO_VALUE)
            more = plates.BEYOND_ROOM * sum(map(bool, left_out)) + plates.NOTE_ROOM * bool(offer)
            least = (LEAST_BAR + more) * ratio
            top = max(min(_top(scene, margin, ratio), round(height - below - least)), margin)
            room = max(height - top - below, least)
            tall = int(min(max(0.46 * height, 170 * ratio), 380 * ratio, room))
            lines = scene.isochrone_step(field)
            log = scene.look().log
            key = (field, limits, id(lut), theme, ratio, tall, lines, log, left_out, offer)
            image = self._keep(
                "bar",
                key,
                lambda: plates.colour_bar(field, limits, lut, theme, ratio, tall, lines, log, left_out, offer),
            )
            top, left = beside(image, height, top, below), width - margin - image.shape[1]
            placed.append(("bar", image, left, top))
            if offer:
                scene.fit_offered = (left / ratio, top / ratio, image.shape[1] / ratio, image.shape[0] / ratio)
        elif scene.layer is not None and scene.layer.regions:
            entries = tuple(scene.layer.regions[:12])
            image = self._keep("legend", (entries, theme, ratio), lambda: plates.legend(entries, theme, ratio))
            placed.append(("legend", image, width - margin - image.shape[1], _top(scene, margin, ratio)))

    def _scale_bar(
        self,
        scene: Scene,
        placed: list[Placed],
        strokes: list[Stroke],
        figures: list[Label],
        width: int,
        height: int,
        margin: int,
        r: float,
    ) -> None:
        """A shorter one where it would lie on a ruler's figure."""
        per_pixel, ink = scene.camera.mm_per_pixel(height), (*scene.theme.ink, 255)
        right, y = width - margin - 4 * r, height - margin - 4 * r
        for points in BAR_POINTS:
            length = plates.nice_step(per_pixel * points * r)
            left = right - length / per_pixel
            room = (left - r, y - SCALE_ROOM * r, right - left, SCALE_ROOM * r)
            if not any(_overlap(room, figure.around(r)) for figure in figures if not figure.faint):
                break
        for start, end in (((left, y), (right, y)), ((left, y - 4 * r), (left, y)), ((right, y - 4 * r), (right, y))):
            strokes.append(Stroke(start, end, 0.75 * r, ink))
        assert scene.layer is not None
        string = f"{tick_texts([length])[0]} {unit_text(scene.layer.length_unit)}".rstrip()
        image = self._keep("scale", (string, scene.theme, r), lambda: plates.bare_text(string, scene.theme.ink, r))
        placed.append(("scale", image, round((left + right - image.shape[1]) / 2), round(y - 7 * r - image.shape[0])))

    def _arrow_key(
        self, scene: Scene, placed: list[Placed], strokes: list[Stroke], width: int, height: int, margin: int, r: float
    ) -> None:
        """An arrow that is as long as the longest, and what these stand for, above the scale bar."""
        arrows = scene.arrows
        if arrows is None:
            return
        pixels, ink = LONGEST * arrows.apart / scene.camera.mm_per_pixel(height), (*scene.theme.ink, 255)
        pixels = min(pixels, MOST_KEY_POINTS * r)
        right, y = width - margin - 4 * r, height - margin - (SCALE_ROOM + 8) * r
        head = min(9 * r, pixels)
        for start in ((right - pixels, y), (right - head, y - 0.45 * head), (right - head, y + 0.45 * head)):
            strokes.append(Stroke(start, (right, y), 0.9 * r, ink))
        name = arrows.info.name if len(arrows.info.name) == 1 else arrows.info.title
        string = f"{name} ≥ {figure(arrows.longest, 3)} {unit_text(arrows.info.unit)}".rstrip()
        image = self._keep("arrows", (string, scene.theme, r), lambda: plates.bare_text(string, scene.theme.ink, r))
        placed.append(
            ("arrows", image, round(width - margin - 4 * r - image.shape[1]), round(y - 8 * r - image.shape[0]))
        )

    def _axes(self, scene: Scene, placed: list[Placed], strokes: list[Stroke], height: int, ratio: float) -> None:
        room = AXES_ROOM * ratio
        plates_there = ((left, top, *image.shape[1::-1]) for _, image, left, top in placed)
        if any(_overlap((0.0, height - room, room, room), each) for each in plates_there):  # the view is that low
            return
        origin = np.array([46.0 * ratio, height - 46.0 * ratio])
        axes = scene.camera.axes
        named = named_axes(axes)
        for k in np.argsort(axes[2]):  # the axis that points away first
            name, colour = _AXES[k]
            tip = origin + 30 * ratio * np.array([axes[0, k], -axes[1, k]])
            shade = 255 if axes[2, k] > -0.15 else 130
            strokes.append(Stroke(tuple(origin), tuple(tip), 1.3 * ratio, (*colour, shade)))
            strokes.append(Stroke(tuple(tip), tuple(tip), 3.0 * ratio, (*colour, shade)))
            if not named[k]:
                continue
            image = self._keep(
                f"axis {name}", (scene.theme, ratio), lambda n=name: plates.bare_text(n, scene.theme.ink, ratio)
            )
            at = origin + AXIS_LABEL * ratio * np.array([axes[0, k], -axes[1, k]])
            spot = np.round(at - np.array(image.shape[1::-1]) / 2).astype(int)
            placed.append((f"axis {name}", image, int(spot[0]), int(spot[1])))

    def _ruled_of(self, scene: Scene, width: int, height: int, ratio: float) -> tuple[list[Label], list[Stroke]]:
        """Labels and ticks of the ruler: none where there is none."""
        if scene.layer is None or not scene.layer.ruled:
            return [], []
        seen = seen_from(scene, width, height, ratio)
        if seen != self._ruled[0]:
            self._ruled = seen, ruler(scene, width, height, ratio)
        return self._ruled[1]

    def _ruler(
        self,
        scene: Scene,
        placed: list[Placed],
        strokes: list[Stroke],
        labels: list[Label],
        ticks: list[Stroke],
        ratio: float,
    ) -> None:
        others = [(left, top, *image.shape[1::-1]) for _, image, left, top in placed]
        others += [_around(stroke) for stroke in strokes]  # the scale bar is one
        strokes += ticks
        for place, label in enumerate(labels):
            colour = scene.theme.faint if label.faint else scene.theme.ink
            key = (label.text, colour, ratio)
            image = self._keep(
                f"tick {place}", key, lambda t=label.text, c=colour: plates.bare_text(t, c, ratio, size=11.5)
            )
            for x, y in (label.middle, *label.instead):
                left, top = round(x - image.shape[1] / 2), round(y - image.shape[0] / 2)
                spot = (left, top, *image.shape[1::-1])
                if not any(_overlap(spot, other) for other in others):
                    placed.append((f"tick {place}", image, left, top))
                    others.append(spot)
                    break

    def _probes(
        self, scene: Scene, placed: list[Placed], strokes: list[Stroke], width: int, height: int, ratio: float
    ) -> None:
        if not scene.probes:
            return
        assert scene.layer is not None
        places = scene.layer.shown_at(np.array([position for _, position, _ in scene.probes], float))
        pixels, depth = scene.camera.to_pixels(places, width, height)
        size = round(10 * ratio)
        dot = np.zeros((size, size, 4), np.uint8)
        dots = [("", dot, round(x - size / 2), round(y - size / 2)) for x, y in pixels]
        for (name, position, colour), (x, y), z in zip(scene.probes, pixels, depth, strict=True):
            if z <= 0:
                continue
            hidden = self._hidden(scene, (float(position[0]), float(position[1]), float(position[2])))
            alpha = 90 if hidden else 255
            spot = (float(x), float(y))
            strokes.append(Stroke(spot, spot, 6.5 * ratio, (255, 255, 255, alpha)))
            strokes.append(Stroke(spot, spot, 4.8 * ratio, (*colour, alpha)))
            image = self._keep(
                f"probe {name}", (name, scene.theme, ratio), lambda n=name: plates.label(n, scene.theme, ratio)
            )
            place = None if hidden else free_place(image.shape, spot, [*placed, *dots], size)
            if place is not None:
                placed.append((f"probe {name}", image, *place))

    def _ring(
        self, scene: Scene, position: tuple[float, float, float], width: int, height: int, ratio: float
    ) -> list[Stroke]:
        """Around the element that is looked into; paler where something stands before it."""
        assert scene.layer is not None
        (middle,), (depth,) = scene.camera.to_pixels(scene.layer.shown_at(np.array([position])), width, height)
        if depth <= 0:
            return []
        return ring_strokes((float(middle[0]), float(middle[1])), ratio, self._hidden(scene, position))

    def _reading(self, scene: Scene, placed: list[Placed], width: int, height: int, ratio: float) -> None:
        """The value under the pointer, or what is said of the item in hand, beside it."""
        if scene.pointer is None:
            return
        value, field = scene.reading(width, height), scene.shown_field
        if scene.marks.said:
            string = scene.marks.said
        elif value is None or field is None:
            return
        else:
            string = value_text(value, field, scene.names(field))
        image = self._keep("reading", (string, scene.theme, ratio), lambda: plates.label(string, scene.theme, ratio))
        x, y = scene.pointer[0] * width + 14 * ratio, scene.pointer[1] * height + 16 * ratio
        placed.append(("reading", image, round(min(x, width - image.shape[1])), round(min(y, height - image.shape[0]))))

    def _hidden(self, scene: Scene, position: tuple[float, float, float]) -> bool:
        """Whether the surface, as it is drawn, stands between the eye and a probe."""
        assert scene.layer is not None
        seen = (id(scene.layer), scene.layer.shape.plan, tuple(scene.camera.eye))
        if seen != self._hidden_seen:
            self._hidden_seen, self._hidden_known = seen, {}
        if position not in self._hidden_known:
            self._hidden_known[position] = self._find_hidden(scene, scene.layer, np.array(position))
        return self._hidden_known[position]

    @staticmethod
    def _find_hidden(scene: Scene, layer: Layer, position: Array) -> bool:
        eye = scene.camera.eye
        away = layer.shown_at(position[None])[0] - eye
        distance = float(np.linalg.norm(away))
        hit = layer.pick(eye, away / distance)
        slack = 0.02 * scene.camera.radius
        if hit is None:
            return False
        return float(np.linalg.norm(layer.shown_at(hit[1][None])[0] - eye)) < distance - slack


def _heights(named: list[tuple[str, Array]], ratio: float) -> float:
    """Of plates below each other, with the room between them [pixels]."""
    return sum(image.shape[0] + round(6 * ratio) for _, image in named)


def _materials(scene: Scene) -> Entries:
    """What bodies in space are made of, where the colours of values have no names."""
    field = scene.shown_field
    return () if field is not None and scene.names(field) else materials(scene)[:MOST_NAMES]


def _top(scene: Scene, margin: int, ratio: float) -> int:
    """Where legends begin [pixels]: below what may lie over the view, so that they are not moved by it, unless it is
    higher, or no room was left for it as before the first run."""
    covered = scene.covered + GAP if scene.covered > 0 else 0.0
    return max(margin, round(max(scene.room.top, covered) * ratio))


def beside(image: Array, height: int, top: int, below: float) -> int:
    """Where a plate at the right edge begins [pixels]: in the middle, but not above ``top``, and above what stands
    ``below``."""
    high = image.shape[0]
    return max(top, min((height - high) // 2, round(height - below) - high))


def beyond_lines(shares: tuple[float, float]) -> tuple[str, str]:
    """What stands below and above the colours: how many values lie there, where any do."""
    below, above = (f"{share} %" if share >= 1 else "< 1 %" if share else "" for share in shares)
    return f"{below} below" if below else "", f"{above} above" if above else ""


def marker_lines(marked: MarkerInfo, signs: Array) -> tuple[str, tuple[tuple[str, plates.Colour], ...]]:
    """How many markers there are, and how many of each sign that there are any of, with its colour."""
    counts = int((signs > 0).sum()), int((signs < 0).sum())
    entries = zip(counts, marked.signs, COLOURS, strict=True)
    lines = tuple((f"{count} {name}", colour) for count, name, colour in entries if count)
    return f"{marked.title}: {sum(counts) or 'none'}", lines


def _around(stroke: Stroke) -> tuple[float, ...]:
    """The rectangle (left, top, width, height) of a stroke."""
    ends = np.array([stroke.start, stroke.end])
    low = ends.min(axis=0) - stroke.radius
    return (*low, *(ends.max(axis=0) + stroke.radius - low))


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two rectangles (left, top, width, height) have a point in common."""
    return all(one[k] < other[k] + other[k + 2] and other[k] < one[k] + one[k + 2] for k in (0, 1))


def named_axes(axes: Array) -> list[bool]:
    """Which of x, y and z have room for their name beside those of the longer ones; ``axes: (3, 3)`` of the camera."""
    ends = AXIS_LABEL * axes[:2].T
    named = [False] * 3
    for k in np.argsort(-np.linalg.norm(ends, axis=1)):
        named[k] = all(np.linalg.norm(ends[k] - ends[j]) >= LABEL_ROOM for j in range(3) if named[j])
    return named


def free_place(
    shape: tuple[int, ...], spot: tuple[float, float], placed: list[Placed], gap: int
) -> tuple[int, int] | None:
    """Left and top of a tag of this ``shape`` right of a point, left of it, above or below: the first place where it
    covers nothing that is placed; None: there is none."""
    (high, wide), (x, y) = shape[:2], spot
    beside = ((x + gap, y - high / 2), (x - gap - wide, y - high / 2))
    over = ((x - wide / 2, y - gap - high), (x - wide / 2, y + gap))
    return first_free(shape, (*beside, *over), placed)


def named_colours(names: tuple[str, ...], lut: Array) -> tuple[tuple[str, plates.Colour], ...]:
    """The names of a field's values with the colours that they are drawn in; of many, the first."""
    shown = names if len(names) <= MOST_NAMES else names[: MOST_NAMES - 1]
    rows = [(name, lut[round((place + 0.5) * 256 / len(names))]) for place, name in enumerate(shown)]
    found = tuple((name, (int(red), int(green), int(blue))) for name, (red, green, blue) in rows)
    more = len(names) - len(shown)
    return (*found, (f"and {more} more", MISSING)) if more else found


def value_text(value: float, field: FieldInfo, names: tuple[str, ...]) -> str:
    """A value as it stands beside the pointer: its name where it has one, else the number and its unit."""
    if value == round(value) and 0 <= value < len(names):
        return names[int(value)]
    return f"{figure(value)} {unit_text(field.unit)}".rstrip()
