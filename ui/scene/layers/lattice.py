"""Particles on a lattice in the scene: a plate of squares or a body of cubes, which look solid, moved where they have
gone.

Of a body only those cubes are drawn that something is missing beside: outside, on a cut, along a crack. Where there
are too many, each stands for a square or a cube of 2, 3, … particles a side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array
from engines.geometry.particles import Particles
from ui.scene.layers.layer import Plan
from ui.scene.layers.particles import ParticleLayer, ParticleShape, same
from ui.scene.layers.tetrahedra import plane_equation
from ui.scene.shapes.boxes import first_box
from ui.scene.visuals.lattice import LatticeVisual
from ui.scene.visuals.surface import Look, Palette

MOST_FACES, COARSE_FACES = 1_200_000, 80_000
"""With a graphics card (150 MB on it), and without, where so many take about 50 ms on two busy cores."""
MOST_ASKED = 2_000_000
"""Particles of a body whose displacement and damage are asked for at a moment."""
TORN = 0.05
"""A cube inside is drawn from this part of the range of the hiding field on: a crack may open beside it."""
OVERLAP, DEEP_OVERLAP = 1.12, 1.3
"""By how much squares and cubes are larger while they are moved, so that a stretched body shows no gaps: cubes of a
side that turns also part in depth."""
DIMMEST = 0.55
"""Light on the walls of cracks."""


@dataclass(frozen=True)
class LatticeShape(ParticleShape):
    """``stride``: each particle stands for so many a side; ``free: (n, 6)`` bool, where nothing is beside it."""

    stride: int
    free: Array


class LatticeLayer(ParticleLayer):
    """Draws :class:`Particles` that have ``cells``."""

    noun = "particles"

    def __init__(self, particles: Particles) -> None:
        assert particles.cells is not None
        cells = np.asarray(particles.cells, np.int32)
        self._cells = cells - cells.min(axis=0)
        self._deep = bool(self._cells[:, 2].any())
        self._faces_at: dict[int, int] = {}
        self._free_now, self._torn_now = np.zeros((0, 6), bool), np.zeros(0, bool)
        super().__init__(particles)

    @property
    def has_coarse(self) -> bool:
        return self._faces_with(1) > COARSE_FACES

    @property
    def _wants_hiding(self) -> bool:
        return self._deep or super()._wants_hiding

    def _count(self, plan: Plan) -> int:
        return self._faces_with(self._stride(plan))

    def _stride(self, plan: Plan) -> int:
        most = max(min(plan.samples, COARSE_FACES if plan.coarse else MOST_FACES), 100)
        stride = max(1, int(np.ceil((len(self._cells) / MOST_ASKED) ** (1 / 3))))
        while self._faces_with(stride) > most:
            stride += 1
        return stride

    def _faces_with(self, stride: int) -> int:
        if stride not in self._faces_at:
            elements = self._sparse(stride)
            free = self._free(elements, stride).sum() if self._deep else len(elements)
            self._faces_at[stride] = int(free)
        return self._faces_at[stride]

    def _sparse(self, stride: int) -> Array:
        """One particle of each square or cube of ``stride`` particles a side."""
        axes = 3 if self._deep else 2
        inside = np.minimum(stride, self._cells[:, :axes].max(axis=0) + 1) // 2
        return np.flatnonzero((self._cells[:, :axes] % stride == inside).all(axis=1))

    def _free(self, elements: Array, stride: int) -> Array:
        """(n, 6) bool: whether ``elements`` have no neighbour at -x, +x, -y, +y, -z and +z."""
        cells = self._cells[elements] // stride + 1
        filled = np.zeros(cells.max(axis=0) + 2 if len(cells) else (1, 1, 1), bool)
        x, y, z = cells.T
        filled[x, y, z] = True
        sides = (filled[x - 1, y, z], filled[x + 1, y, z], filled[x, y - 1, z], filled[x, y + 1, z])
        return ~np.stack([*sides, filled[x, y, z - 1], filled[x, y, z + 1]], axis=1)

    def plan_shape(self, plan: Plan) -> LatticeShape:
        plan = self.settled(plan)
        stride, plane = self._stride(plan), plane_equation(plan.clip)
        elements = self._sparse(stride)
        drawn = len(elements)
        if plane is not None:
            elements = elements[self._below(plane)[elements] >= 0]
        free = self._free(elements, stride) if self._deep else np.zeros((len(elements), 6), bool)
        return LatticeShape(plan, elements, drawn, stride, free)

    def _find_rows(self) -> Array:
        """Those that have a face to be drawn."""
        rows = super()._find_rows()
        if not self._deep:
            return rows
        shape = self._lattice
        free = shape.free if len(rows) == len(shape.free) else self._free(shape.elements[rows], shape.stride)
        torn = np.zeros(len(rows), bool)
        if self._hiding is not None and shape.plan.hiding is not None:
            low, high = shape.plan.hiding.range
            torn = self._hiding[rows] > low + TORN * (high - low)
        seen = free.any(axis=1) | torn
        self._free_now = free[seen]
        if not np.array_equal(self._torn_now, torn[seen]):
            self._torn_now = torn[seen]
        return np.asarray(rows[seen])

    def _faces(self, rows: Array) -> tuple[Array, Array]:
        """(f,) each: places in ``rows`` of what is drawn, and which face of it."""
        if not self._deep:
            return np.arange(len(rows)), np.full(len(rows), 2)
        whole, (outside, side) = np.flatnonzero(self._torn_now), np.nonzero(self._free_now & ~self._torn_now[:, None])
        faces = np.concatenate([np.tile([0, 1, 2], len(whole)), side + 3])
        return np.concatenate([np.repeat(whole, 3), outside]), faces

    @property
    def _lattice(self) -> LatticeShape:
        assert isinstance(self.shape, LatticeShape)
        return self.shape

    def _half(self) -> float:
        moved = self._moved is not None and self.deformation > 0
        overlap = DEEP_OVERLAP if self._deep else OVERLAP
        return float(self._radii[0]) * self._lattice.stride * (overlap if moved else 1.0)

    def _middles(self, places: Array) -> Array:
        """Of the squares or cubes whose particles are at ``places: (n, 3)``."""
        if self._lattice.stride % 2:
            return places
        return places - self._radii[0] * np.array([1.0, 1.0, float(self._deep)])

    def pick(self, origin: Array, direction: Array) -> tuple[int, Array] | None:
        rows = self._shown_rows()
        places = self._shown_places()[rows]
        half = self._half() * np.array([1.0, 1.0, float(self._deep)])
        hit = first_box(self._middles(places), half, origin, direction)
        if hit is None:
            return None
        element = int(self.shape.elements[rows[hit[0]]])
        return element, origin + hit[1] * direction - (places[hit[0]] - self._positions[element])

    def reading(self, element: int, position: Array) -> float | None:
        return super().reading(element, self._positions[element])

    def draw(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        look = replace(look, mapped=look.mapped and self._values is not None)
        if self._squares is None:
            self._squares = LatticeVisual(palette, self._deep)
        rows, elements = self._shown_rows(), self.shape.elements
        drawn_as = (rows, self._torn_now)
        if self._stale_spheres or not same(self._drawn_as, drawn_as):
            of, faces = self._faces(rows)
            shades = np.maximum(self._shades(self.shape)[rows], DIMMEST)
            middles = self._middles(self._positions[elements[rows]])
            self._squares.set_faces(middles[of], faces, rows[of], shades[of])
            self._drawn_as, self._stale_spheres = drawn_as, False
            self._told = None
        told = (self._values, self._moved)
        if self._told is None or self._told[0] is not told[0] or self._told[1] is not told[1]:
            values = None if self._values is None else self._values[:, 0]
            self._squares.set_told(self._moved, values, len(elements), self._masked)
            self._told = told
        self._squares.draw(look, view, projection, self._half(), self.deformation if self._moved is not None else 0.0)

    def release(self) -> None:
        if self._squares is not None:
            self._squares.release()
        self._squares, self._told, self._stale_spheres = None, None, True

    _squares: LatticeVisual | None = None
    _told: tuple[Array | None, Array | None] | None = None

    def note(self) -> str:
        side = self._lattice.stride
        each = f"{side} × {side} × {side}" if self._deep else f"{side} × {side}"
        return "" if side == 1 else f"{each} particles drawn as one"
