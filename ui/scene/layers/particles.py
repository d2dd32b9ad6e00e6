"""Particles in the scene: spheres, cut open where a field tells what is inside them, and drawn where they have gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array, Selection
from engines.geometry.particles import Particles
from ui.scene.layers.grid import FROM_ABOVE
from ui.scene.layers.layer import Layer, Plan
from ui.scene.layers.tetrahedra import plane_equation
from ui.scene.shapes.sphere_corner import CORNER, first_sphere
from ui.scene.shapes.vertex_means import NO_DATA
from ui.scene.visuals.spheres import SphereVisual
from ui.scene.visuals.surface import Look, Palette
from workbench.project.project import CameraView
from workbench.words.numbers import grouped

VALUES, MOVED, HIDING = "spheres", "moved", "hiding"
MOST_SPHERES, COARSE_SPHERES = 1_000_000, 10_000
"""With a graphics card (120 MB on it), and without, where so many take about 50 ms on two busy cores."""
DEEPEST_SHADE, SHADE_DEPTH = 0.38, 1.8
"""How dark spheres are far inside a packing, and over how many mean radii they become so: light comes from outside."""


@dataclass(frozen=True)
class ParticleShape:
    """The spheres of a plan: rows of the geometry; ``drawn`` of all, before the clipping plane takes some away."""

    plan: Plan
    elements: Array
    drawn: int


class ParticleLayer(Layer):
    """Draws :class:`Particles`. A sphere is hidden by the clipping plane where its centre is."""

    locations = ("cell", "point")
    noun = "spheres"

    def __init__(self, particles: Particles) -> None:
        self.particles = self.geometry = particles
        self.length_unit = particles.length_unit
        self._positions = np.ascontiguousarray(particles.positions, np.float64)
        self._radii = np.ascontiguousarray(particles.radii, np.float64)
        self._bounds = particles.bounds
        low, high = self._positions.min(axis=0), self._positions.max(axis=0)
        flat = high[2] - low[2] < self._radii.max()
        self.home = FROM_ABOVE if flat else CameraView()
        self.frame = _corners(*self._bounds) if flat else None
        sides = (self._positions - low, high - self._positions)
        self._depths = None if flat else np.minimum(*sides).min(axis=1)
        self._shape = self.plan_shape(Plan())
        self._values: Array | None = None
        self._moved: Array | None = None
        self._hiding: Array | None = None
        self._places: tuple[object, Array] | None = None
        self._rows: tuple[object, Array] | None = None
        self._carried: dict[tuple[float, ...], Array] = {}
        self._drawn_as: object = None
        self._masked = False
        self._stale_spheres, self._stale_values = True, False
        self._visual: SphereVisual | None = None
        self._corner: Array | None = None

    @property
    def bounds(self) -> tuple[Array, Array]:
        return self._bounds

    @property
    def outline(self) -> Array:
        """The far side of each sphere, seen from the middle of all; of few spheres also their six ends."""
        low, high = self.bounds
        away = self._positions - (low + high) / 2
        away /= np.maximum(np.linalg.norm(away, axis=1), 1e-12)[:, None]
        far = self._positions + self._radii[:, None] * away
        if len(far) > 1000:
            return far
        ends = np.concatenate([np.eye(3), -np.eye(3)])
        return np.concatenate([far, (self._positions[:, None] + self._radii[:, None, None] * ends).reshape(-1, 3)])

    @property
    def shape(self) -> ParticleShape:
        return self._shape

    @property
    def has_coarse(self) -> bool:
        return len(self._radii) > COARSE_SPHERES

    def settled(self, plan: Plan) -> Plan:
        """``samples`` becomes what is asked for before the clipping plane, so that ``coarse`` is contained in it."""
        shells = 1 if plan.field is None else plan.field.components
        count = self._count(plan)
        return replace(
            plan,
            front=None,
            front_field=None,
            inside=0,
            levels=0,
            cuts=False,
            coarse=False,
            height=0.0,
            slices=None,
            volume=False,
            samples=count * shells,
            window=None,
            hiding=plan.hiding if self._wants_hiding else None,
        )

    @property
    def _wants_hiding(self) -> bool:
        """Whether it makes a difference what may be hidden."""
        return self.hidden_above is not None

    def _count(self, plan: Plan) -> int:
        """How many spheres are drawn: where there are too many, one of each 2, 3, … of those that lie flat, and of a
        packing the outermost."""
        shells = 1 if plan.field is None else plan.field.components
        fewest = COARSE_SPHERES if self._depths is None else 2 * COARSE_SPHERES  # half are at the far side
        most, n = min(max(plan.samples // shells, 1), fewest if plan.coarse else MOST_SPHERES), len(self._radii)
        return -(-n // -(-n // most)) if self._depths is None else min(most, n)

    def plan_shape(self, plan: Plan) -> ParticleShape:
        plan = self.settled(plan)
        count, n = self._count(plan), len(self._radii)
        plane = plane_equation(plan.clip)
        if self._depths is None or count == n:
            elements = np.arange(count) * n // count
            if plane is not None:
                elements = elements[self._positions[elements] @ np.array(plane[:3]) <= plane[3]]
            return ParticleShape(plan, elements, count)
        # Those at the outside hide the others.
        left = np.arange(n) if plane is None else np.flatnonzero(self._below(plane) >= 0)
        if len(left) > count:
            left = np.sort(left[np.argpartition(self._depths_under(plane)[left], count)[:count]])
        return ParticleShape(plan, left, count)

    def _below(self, plane: tuple[float, float, float, float]) -> Array:
        """(n,) how far below a clipping plane each centre is."""
        return plane[3] - self._positions @ np.array(plane[:3])

    def _depths_under(self, plane: tuple[float, float, float, float] | None) -> Array:
        """(n,) how far inside the packing, as it is cut, each centre is."""
        assert self._depths is not None
        return self._depths if plane is None else np.minimum(self._depths, self._below(plane))

    def _shades(self, shape: ParticleShape) -> Array:
        """(m,) the part of the light that reaches each sphere that is drawn."""
        if self._depths is None:
            return np.ones(len(shape.elements))
        depths = self._depths_under(plane_equation(shape.plan.clip))[shape.elements]
        hidden = np.maximum(depths - self._radii[shape.elements], 0) / (SHADE_DEPTH * self._radii.mean())
        return np.asarray(DEEPEST_SHADE + (1 - DEEPEST_SHADE) * np.exp(-hidden))

    def parts(self, shape: ParticleShape) -> dict[str, tuple[str, Selection]]:
        plan = shape.plan
        if plan.field is None or not len(shape.elements):
            return {}
        wanted = {VALUES: plan.field, MOVED: plan.displaced, HIDING: plan.hiding}
        selection = Selection(shape.elements.astype(np.int32))
        return {part: (field.name, selection) for part, field in wanted.items() if field is not None}

    def adopt(self, shape: ParticleShape) -> None:
        old = self._shape
        same = np.array_equal(old.elements, shape.elements)
        # the same array for the same elements: what is made of them is kept
        self._shape = replace(shape, elements=old.elements) if same else shape
        self._stale_spheres |= not same or old.plan.clip != shape.plan.clip
        if not same or old.plan.field != shape.plan.field:
            self._values = None
        if not same or old.plan.displaced != shape.plan.displaced:
            self._moved = None
        if not same or old.plan.hiding != shape.plan.hiding:
            self._hiding = None

    def set_values(self, values: Mapping[str, Array], time: float) -> None:
        field = self.shape.plan.field
        if field is None or VALUES not in values:
            return
        rows = np.ascontiguousarray(values[VALUES], np.float32).reshape(len(self.shape.elements), field.components)
        self._masked = field.missing is not None or not np.isfinite(rows.sum(dtype=np.float64))
        if self._masked:
            nothing = ~np.isfinite(rows)
            if field.missing is not None:
                nothing |= rows == np.float32(field.missing)
            rows = np.where(nothing, np.float32(NO_DATA), rows)
        self._values, self._stale_values = rows, True
        moved, hiding = values.get(MOVED), values.get(HIDING)
        self._moved = None if moved is None else np.ascontiguousarray(moved, np.float32).reshape(-1, 3)
        self._hiding = None if hiding is None else np.ascontiguousarray(hiding, np.float32).reshape(-1)

    def set_fields(self, fields: Mapping[str, Array], time: float) -> None:
        values = {}
        for part, (name, selection) in self.parts(self.shape).items():
            if name in fields:
                values[part] = np.asarray(fields[name]).reshape(self.particles.n_cells, -1)[selection.elements]
        self.set_values(values, time)

    @property
    def displacements(self) -> Array | None:
        return self._moved

    def _shown_rows(self) -> Array:
        """(k,) int64: those of the shape's elements that are not hidden."""
        key = (self._hiding, self.hidden_above, self.shape.elements)
        if self._rows is None or not same(self._rows[0], key):
            rows = self._find_rows()
            if self._rows is not None and np.array_equal(self._rows[1], rows):
                rows = self._rows[1]
            self._rows = (key, rows)
        return self._rows[1]

    def _find_rows(self) -> Array:
        if self._hiding is None or self.hidden_above is None:
            return np.arange(len(self.shape.elements))
        return np.flatnonzero(~(self._hiding > self.hidden_above))

    def _shown_places(self) -> Array:
        """(m, 3) float64: where the shape's elements are in the picture."""
        key = (self._moved, self.deformation, self.shape.elements)
        if self._places is None or not same(self._places[0], key):
            places = self._positions[self.shape.elements]
            if self._moved is not None and self.deformation > 0:
                places = places + self.deformation * self._moved.astype(np.float64)
            self._places, self._carried = (key, places), {}
        return self._places[1]

    def shown_at(self, positions: Array) -> Array:
        """Carried along by the element that is nearest."""
        if self._moved is None or self.deformation == 0 or not len(self.shape.elements):
            return positions
        self._shown_places()  # forgets what was carried along at another moment
        found = []
        for position in np.asarray(positions, float):
            key = tuple(position)
            if key not in self._carried:
                away = self._positions[self.shape.elements] - position
                row = int(np.argmin((away * away).sum(axis=1)))
                self._carried[key] = self.deformation * self._moved[row].astype(np.float64)
            found.append(position + self._carried[key])
        return np.array(found)

    @property
    def has_values(self) -> bool:
        return self._values is not None

    @property
    def drawn_values(self) -> tuple[Array, ...]:
        return () if self._values is None else (self._values,)

    def reading(self, element: int, position: Array) -> float | None:
        """Between the middles of two shells linearly, as it is drawn."""
        row = int(np.searchsorted(self.shape.elements, element))
        if self._values is None or row == len(self.shape.elements) or self.shape.elements[row] != element:
            return None
        values = self._values[row]
        away = float(np.linalg.norm(position - self._positions[element]) / self._radii[element])
        middles = (np.arange(len(values)) + 0.5) / len(values)
        value = float(np.interp(away, middles, values))
        return value if abs(value) < NO_DATA / 2 else None

    def pick(self, origin: Array, direction: Array) -> tuple[int, Array] | None:
        """The sphere under a ray, as it was drawn last, and where on it or on its cut."""
        rows = self._shown_rows()
        shown, places = self.shape.elements[rows], self._shown_places()[rows]
        hit = first_sphere(places, self._radii[shown], origin, direction, self._corner)
        if hit is None:
            return None
        element = int(shown[hit[0]])
        return element, origin + hit[1] * direction - (places[hit[0]] - self._positions[element])

    def draw(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        look = replace(look, mapped=look.mapped and self._values is not None)
        is_open = look.mapped and look.cut_open and self._values is not None and self._values.shape[1] > 1
        self._corner = CORNER @ view[:3, :3] if is_open else None
        if self._visual is None:
            self._visual = SphereVisual(palette)
        rows, places = self._shown_rows(), self._shown_places()
        if self._stale_spheres or not same(self._drawn_as, (rows, places)):
            shown = self.shape.elements[rows]
            self._visual.set_spheres(places[rows], self._radii[shown], self._shades(self.shape)[rows])
            self._stale_spheres, self._stale_values, self._drawn_as = False, True, (rows, places)
        if self._stale_values and self._values is not None:
            values = self._values if len(rows) == len(self._values) else self._values[rows]
            self._visual.set_values(values, self._masked)
            self._stale_values = False
        self._visual.draw(look, view, projection)

    def release(self) -> None:
        if self._visual is not None:
            self._visual.release()
        self._visual, self._stale_spheres = None, True

    def note(self) -> str:
        drawn, number = self.shape.drawn, len(self._radii)
        return "" if drawn == number else f"{grouped(drawn)} of {grouped(number)} {self.noun}"


def same(one: object, other: tuple[object, ...]) -> bool:
    """Whether two keys are made of the same objects and numbers (arrays are not compared by their contents)."""
    pairs = zip(one, other, strict=True) if isinstance(one, tuple) else ((0, 1),)
    return all(a is b or (isinstance(a, float) and a == b) for a, b in pairs)


def _corners(low: Array, high: Array) -> Array:
    """(8, 3): the corners of a box."""
    x, y, z = np.meshgrid(*zip(low, high, strict=True), indexing="ij")
    return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
