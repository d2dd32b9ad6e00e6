"""What draws a grid on the graphics card: flat sheets, a relief, a volume, and lines in space.

Samples are a texture of floats; a new moment costs one upload of it.
"""

from __future__ import annotations

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.colormaps import MISSING
from ui.scene.visuals.shaders import program
from ui.scene.visuals.surface import ISOCHRONE_STROKE, Look, Palette, set_range

PLAIN = (0.47, 0.50, 0.55)
"""sRGB of a grid without values."""
DENSITY = 22.0
"""Of the volume at the upper end of the range: through a tenth of the longest side 89 % of the light is lost."""

_CORNERS = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32)


class Samples:
    """Floats (rows, columns) on the graphics card. ``masked``: some are missing, so none may be mixed."""

    def __init__(self) -> None:
        self.texture: gloo.Texture2D | None = None
        self.masked = False

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        assert self.texture is not None
        rows, columns = self.texture.shape[:2]
        return columns, rows

    def room(self, rows: int, columns: int, masked: bool) -> gloo.Texture2D:
        """A texture of this size."""
        if self.texture is None or self.texture.shape[:2] != (rows, columns):
            self.release()
            self.texture = gloo.Texture2D((rows, columns), format="luminance", internalformat="r32f")
            self.masked = not masked
        if masked != self.masked:
            self.masked = masked
            self.texture.interpolation = "nearest" if masked else "linear"
        return self.texture

    def set(self, values: Array, masked: bool) -> None:
        """(rows, columns) float32."""
        self.room(values.shape[0], values.shape[1], masked).set_data(values)

    def release(self) -> None:
        if self.texture is not None:
            self.texture.delete()
            self.texture = None


class _Programs:
    """Programs by what they are to do, made when first wanted."""

    def __init__(self, vertex: str, fragment: str, attribute: str, data: Array) -> None:
        self._sources, self._attribute = (vertex, fragment), attribute
        self._made: dict[tuple[str, ...], gloo.Program] = {}
        self._buffer = gloo.VertexBuffer(np.ascontiguousarray(data, np.float32))

    def using(self, view: Array, projection: Array, **needs: bool) -> gloo.Program:
        key = tuple(name for name, wanted in needs.items() if wanted)
        if key not in self._made:
            self._made[key] = program(*self._sources, *key)
            self._made[key][self._attribute] = self._buffer
        drawing = self._made[key]
        drawing["u_view"] = view.T.astype(np.float32)
        drawing["u_projection"] = projection.T.astype(np.float32)
        return drawing

    def release(self) -> None:
        self._buffer.delete()
        self._made = {}


class SheetVisual:
    """A flat rectangle of samples."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._programs = _Programs("image", "image", "a_corner", _CORNERS)
        self.samples = Samples()

    def draw(
        self,
        look: Look,
        view: Array,
        projection: Array,
        place: tuple[Array, Array, Array],
        span: tuple[float, float],
        mapped: bool,
        over: bool = False,
    ) -> None:
        """``place``: a corner and two edges; ``span``: columns and rows in full; without values if not ``mapped``;
        ``over`` what lies in the same plane."""
        masked, stepped = mapped and self.samples.masked, mapped and look.stepped
        needs = {"MAPPED": mapped, "MASKED": masked, "STEPPED": stepped, "LOG": mapped and look.log}
        needs["CONTOURS"] = mapped and look.isochrone > 0
        drawing = self._programs.using(view, projection, **needs)
        drawing["u_origin"], drawing["u_across"], drawing["u_up"] = (vector.astype(np.float32) for vector in place)
        drawing["u_span"] = span
        drawing["u_plain"] = PLAIN
        if mapped:
            drawing["u_values"] = self.samples.texture
            drawing["u_size"] = self.samples.size
            drawing["u_lut"] = self._palette.use(look.lut)
            set_range(drawing, look)
            drawing["u_missing"] = np.array(MISSING, np.float32) / 255
            drawing["u_contour"] = look.isochrone
            drawing["u_stroke"] = ISOCHRONE_STROKE * max(look.stroke, 0.5)
        depth = "always" if over else "less"
        gloo.set_state(blend=False, depth_test=True, depth_func=depth, depth_mask=True, cull_face=False)
        drawing.draw("triangle_strip")

    def release(self) -> None:
        self.samples.release()
        self._programs.release()


class ReliefVisual:
    """A sheet whose samples lift it. ``vertices``: columns and rows of the mesh."""

    def __init__(self, palette: Palette, vertices: tuple[int, int]) -> None:
        self._palette, self.vertices = palette, vertices
        columns, rows = vertices
        u, v = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
        self._programs = _Programs("relief", "surface", "a_corner", np.stack([u.ravel(), v.ravel()], axis=1))
        first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()[:, None]
        around = np.array([0, 1, columns, columns, 1, columns + 1])
        self._index = gloo.IndexBuffer((first + around).ravel().astype(np.uint32))

    def draw(
        self,
        look: Look,
        view: Array,
        projection: Array,
        place: tuple[Array, Array, Array],
        span: tuple[float, float],
        samples: Samples,
        lift: float,
    ) -> None:
        """``lift``: how high the upper end of the range stands."""
        gloss = look.gloss > 0
        drawing = self._programs.using(
            view, projection, MAPPED=True, LIT=True, GLOSS=gloss, MASKED=samples.masked, LOG=look.log
        )
        origin, across, up = place
        drawing["u_origin"] = origin.astype(np.float32)
        drawing["u_extent"] = (float(across[0]), float(up[1]))
        drawing["u_span"] = span
        drawing["u_size"] = samples.size
        drawing["u_step"] = tuple(max(s / (n - 1), 1.0) for s, n in zip(span, self.vertices, strict=True))
        drawing["u_lift"] = lift
        drawing["u_plain"] = tuple(channel**2 for channel in PLAIN)
        drawing["u_values"] = samples.texture
        drawing["u_lut"] = self._palette.use(look.lut)
        set_range(drawing, look)
        drawing["u_missing"] = np.array(MISSING, np.float32) / 255
        drawing["u_lit"] = look.lit
        if gloss:
            drawing["u_gloss"] = look.gloss
        gloo.set_state(blend=False, depth_test=True, depth_func="less", depth_mask=True, cull_face=False)
        drawing.draw("triangles", self._index)

    def release(self) -> None:
        self._index.delete()
        self._programs.release()


class VolumeVisual:
    """A box of samples that one sees through; what is behind it must be drawn before."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)
        self._programs = _Programs("volume", "volume", "a_position", corners)
        # Counter-clockwise from outside; the near faces are culled.
        faces = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
        triangles = [[a, b, c, a, c, d] for a, b, c, d in faces]
        self._index = gloo.IndexBuffer(np.array(triangles, np.uint32).ravel())
        self.samples = Samples()
        self._counts, self._rows = (1, 1, 1), 1

    def set(self, values: Array) -> None:
        """(nz, ny, nx) float32."""
        nz, ny, nx = values.shape
        tiles = int(np.ceil(np.sqrt(nz * ny / nx)))
        rows = -(-nz // tiles)
        tiles = -(-nz // rows)
        texture = self.samples.room(rows * ny, tiles * nx, False)
        for tile in range(tiles):
            column = values[tile * rows : (tile + 1) * rows]
            texture.set_data(np.ascontiguousarray(column).reshape(-1, nx), offset=(0, tile * nx))
        self._counts, self._rows = (nx, ny, nz), rows

    def draw(
        self,
        look: Look,
        view: Array,
        projection: Array,
        box: tuple[Array, Array],
        span: tuple[float, float, float],
        diverging: bool,
    ) -> None:
        """``box``: lowest and highest corner."""
        low, extent = box[0], box[1] - box[0]
        drawing = self._programs.using(view, projection, DIVERGING=diverging, LOG=look.log)
        eye = -view[:3, :3].T @ view[:3, 3]
        drawing["u_origin"] = low.astype(np.float32)
        drawing["u_extent"] = extent.astype(np.float32)
        drawing["u_sides"] = (extent / extent.max()).astype(np.float32)
        drawing["u_eye"] = ((eye - low) / extent).astype(np.float32)
        drawing["u_values"] = self.samples.texture
        drawing["u_counts"] = self._counts
        drawing["u_span"] = span
        drawing["u_rows"] = float(self._rows)
        drawing["u_tiles"] = float(self.samples.size[0] // self._counts[0])
        drawing["u_lut"] = self._palette.use(look.lut)
        set_range(drawing, look)
        drawing["u_density"] = DENSITY
        gloo.set_state(
            blend=True, blend_func=("one", "one_minus_src_alpha"), depth_test=False, depth_mask=False, cull_face="front"
        )
        drawing.draw("triangles", self._index)
        gloo.set_state(cull_face="back", blend=False, depth_mask=True)

    def release(self) -> None:
        self.samples.release()
        self._index.delete()
        self._programs.release()


class LinesVisual:
    """Straight lines in space."""

    def __init__(self) -> None:
        self._program = program("line", "line")
        self._sent: Array | None = None
        self._index: gloo.IndexBuffer | None = None

    def draw(
        self, lines: Array, colour: tuple[float, ...], look: Look, view: Array, projection: Array, through: bool = False
    ) -> None:
        """``lines: (n, 2, 3)``, which go to the graphics card when they are another array; ``colour`` 0..1 with alpha;
        as wide as ``look`` says. ``through``: nothing hides them."""
        if not len(lines) or look.stroke <= 0:
            return
        if lines is not self._sent:
            data = np.zeros((len(lines), 4), [("a_from", "f4", 3), ("a_to", "f4", 3), ("a_corner", "f4", 2)])
            data["a_from"], data["a_to"] = lines[:, :1], lines[:, 1:]
            data["a_corner"] = [(0, -1), (0, 1), (1, -1), (1, 1)]
            self._program.bind(gloo.VertexBuffer(data.ravel()))
            first = 4 * np.arange(len(lines), dtype=np.uint32)[:, None]
            self._index = gloo.IndexBuffer((first + np.array([0, 1, 2, 2, 1, 3], np.uint32)).ravel())
            self._sent = lines
        alpha = colour[3]
        self._program["u_colour"] = (*(channel * alpha for channel in colour[:3]), alpha)
        self._program["u_view"] = view.T.astype(np.float32)
        self._program["u_projection"] = projection.T.astype(np.float32)
        self._program["u_size"] = look.size
        self._program["u_radius"] = look.stroke
        depth = projection[2, 3] / (projection[2, 2] - 1)  # the near plane of the projection
        self._program["u_near"] = float(depth)
        gloo.set_state(
            blend=True,
            blend_func=("one", "one_minus_src_alpha"),
            depth_test=not through,
            depth_func="lequal",
            depth_mask=False,
            cull_face=False,
        )
        self._program.draw("triangles", self._index)
        gloo.set_state(blend=False, depth_mask=True, depth_test=True)
