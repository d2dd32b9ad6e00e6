"""What the 3D view asks of a geometry that it draws: one class for each kind of geometry does this.

A plan says what is to be shown; a shape is a plan made ready to be drawn (triangles, samples), before any value. The
layer says which values a shape needs, takes them when they come and draws them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engines.api import Array, FieldInfo, FrontInfo, Selection, VectorInfo
from ui.scene.cameras.camera import Camera
from ui.scene.cameras.following import span_of
from ui.scene.shapes.vertex_means import NO_DATA
from ui.scene.visuals.surface import Look, Palette
from workbench.project.project import CameraView, ClipPlane

MOST_SAMPLES = 1_200_000
"""Values asked for at a moment where nobody has said how many the view has room for."""

Colour = tuple[int, int, int]
Window = tuple[int, int, int, int]
"""Cells along x and y: from (first two, included) and to (last two, excluded)."""


@dataclass(frozen=True)
class Plan:
    """What is to be shown: a field (None: the regions), the front and its time field, the clipping plane,
    ``contours`` (lines of equal value); of grids
    the relief's ``height`` (part of the longest side), the places of the ``slices`` (parts of the sides), the
    ``volume`` instead of slices. ``coarse``: few triangles; ``samples``: how many values to ask for at most;
    ``window``: the part of a grid that is looked at closely; ``markers``: whether those of the run are drawn;
    ``inside``: the front is looked for in so many cells at most and the surface is seen through. ``displaced`` says
    where elements have gone, ``hiding`` which may be hidden; ``lines``: whether those of the run are drawn;
    ``fibres``: those of a mesh; ``levels``: isosurfaces are looked for among so many values or cells at most, 0 where
    none are drawn, and ``cuts``: slices stand beside them; ``arrows``: what is drawn as such."""

    field: FieldInfo | None = None
    front: FrontInfo | None = None
    front_field: FieldInfo | None = None
    clip: ClipPlane | None = None
    contours: bool = False
    coarse: bool = False
    height: float = 0.0
    slices: tuple[float, float, float] | None = None
    volume: bool = False
    samples: int = MOST_SAMPLES
    window: Window | None = None
    markers: bool = False
    inside: int = 0
    displaced: FieldInfo | None = None
    hiding: FieldInfo | None = None
    lines: bool = False
    fibres: bool = False
    levels: int = 0
    cuts: bool = False
    arrows: VectorInfo | None = None


class Shape(Protocol):
    """A plan made ready; each layer has a class of its own."""

    @property
    def plan(self) -> Plan: ...


class Layer(ABC):
    """Draws one geometry. Everything but the methods that draw and :meth:`release` works without a GL context."""

    geometry: Any
    length_unit: str = "mm"
    locations: tuple[str, ...] = ("cell",)
    """Where fields may live that this layer can draw."""
    contoured: bool = False
    """Whether lines of equal value can be drawn on it."""
    leveled: bool = False
    """Whether isosurfaces can be drawn in it."""
    clips: bool = True
    """Whether the clipping plane cuts it."""
    home: CameraView = CameraView()
    """Where the camera stands at first."""
    regions: Sequence[tuple[str, Colour]] = ()
    """Names and colours of the legend."""
    frame: Array | None = None
    """Corners (n, 3) that just fill the picture; None frames the bounding sphere, however it is turned."""
    ruled: bool = False
    """Whether a box with ticks is drawn around it."""
    deformation: float = 0.0
    """How many times the displacement of elements is drawn."""
    hidden_above: float | None = None
    """The value of the hiding field above which elements are hidden."""

    levels: tuple[float, ...] = ()
    """The values that isosurfaces are drawn of, where the plan has some."""

    @property
    def veils(self) -> bool:
        """Whether bodies shine through what is drawn."""
        return False

    @property
    def mixes(self) -> bool:
        """Whether what is drawn between two elements is between their values."""
        return False

    @property
    def lies_flat(self) -> bool:
        """Whether it is shown as a picture, which a drag moves rather than turns."""
        return False

    @property
    @abstractmethod
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner, (3,) each [length_unit]."""

    @property
    @abstractmethod
    def outline(self) -> Array:
        """Points (n, 3) that the camera is to show."""

    @property
    @abstractmethod
    def shape(self) -> Any:
        """The :class:`Shape` that is shown now."""

    def settled(self, plan: Plan) -> Plan:
        """``plan`` as this layer carries it out: what makes no difference to it is as in every other plan."""
        return plan

    def window(self, camera: Camera, aspect: float) -> Window | None:
        """What the camera looks at so closely that it is worth more values than the rest."""
        return None

    @abstractmethod
    def plan_shape(self, plan: Plan) -> Any:
        """The shape for a plan."""

    @abstractmethod
    def parts(self, shape: Any) -> dict[str, tuple[str, Selection]]:
        """What to ask of the simulation for ``shape``."""

    @abstractmethod
    def adopt(self, shape: Any) -> None:
        """Show this shape from now on."""

    @abstractmethod
    def set_values(self, values: Mapping[str, Array], time: float) -> None:
        """The answer to :meth:`parts` of the present shape, at ``time``."""

    @abstractmethod
    def set_fields(self, fields: Mapping[str, Array], time: float) -> None:
        """Whole fields by name, in the geometry's numbering, at ``time``."""

    @property
    @abstractmethod
    def has_values(self) -> bool:
        """Whether there are values to colour with."""

    @property
    def drawn_values(self) -> Sequence[Array]:
        """The values that colour what is drawn, NO_DATA where there is none."""
        return ()

    @property
    def has_gaps(self) -> bool:
        """Whether a place in the picture is grey, for it has no value or one that no float32 holds."""
        return any(values.size and values.max() > NO_DATA / 2 for values in self.drawn_values)

    def span(self, share: float = 100.0) -> tuple[float, float] | None:
        """The ends of ``share`` per cent of the values that are drawn; None where there is none."""
        found = [values[np.abs(values) < NO_DATA / 2].ravel() for values in self.drawn_values]
        known = np.concatenate(found) if found else np.zeros(0)
        return span_of(known, share) if known.size else None

    @property
    def displacements(self) -> Array | None:
        """(n, 3): how far the elements in the picture have gone; None where they stay, or nobody has said."""
        return None

    def reading(self, element: int, position: Array) -> float | None:
        """The value drawn at a place that :meth:`pick` found; None where the layer does not say."""
        return None

    @abstractmethod
    def pick(self, origin: Array, direction: Array) -> tuple[int, Array] | None:
        """The element under a ray (unit ``direction``) and the place in the geometry that was met."""

    def shown_at(self, positions: Array) -> Array:
        """Where places (n, 3) of the geometry are in the picture (a relief lifts them)."""
        return positions

    def tangents(self, position: Array) -> tuple[Array, Array] | None:
        """Two unit vectors along what is drawn at ``position``; None where it has no side of its own."""
        return None

    @abstractmethod
    def draw(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        """What hides what is behind it. Needs the GL context."""

    def draw_over(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        """What one sees through, drawn after the background."""

    @abstractmethod
    def release(self) -> None:
        """Free what is on the graphics card; drawing would put it there again."""

    @property
    def is_behind(self) -> bool:
        """Whether something was drawn as it was at an earlier moment, to take less time; later it would not be."""
        return False

    # Machines that draw slowly.

    @property
    def has_coarse(self) -> bool:
        """Whether a plan may be coarse."""
        return False

    def wants_reducing(self) -> bool:
        """Whether :meth:`reduce` is worth calling where drawing is slow."""
        return False

    def reduce(self, cancelled: Callable[[], bool]) -> bool:
        """Prepare what a coarse plan needs (called on a thread of its own); True when it is there."""
        return False

    def note(self) -> str:
        """What is left out of the picture, for the status bar; empty if nothing is."""
        return ""
