"""What is drawn in pixels: the background, pictures on plates, strokes, and the buffer that the scene is drawn into."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from vispy import gloo

from engines.api import Array
from ui.scene.visuals.plates import Theme
from ui.scene.visuals.shaders import program

_CORNERS = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32)


class Background:
    """The gradient behind everything."""

    def __init__(self) -> None:
        self._program = program("screen", "background")
        self._program["a_corner"] = gloo.VertexBuffer(_CORNERS)

    def draw(self, theme: Theme, width: int, height: int) -> None:
        for name, colour in (("u_top", theme.top), ("u_bottom", theme.bottom), ("u_glow", theme.glow)):
            self._program[name] = np.array(colour, np.float32) / 255
        self._program["u_size"] = (width, height)
        self._program["u_place"] = (0, 0, width, height)
        # Drawn after the scene, only where nothing is: half the pixels need not be computed.
        gloo.set_state(blend=False, depth_test=True, depth_func="lequal", depth_mask=False, cull_face=False)
        self._program.draw("triangle_strip")


class Target:
    """An off-screen colour and depth buffer; its picture is scaled to the window with linear filtering."""

    def __init__(self) -> None:
        self._size: tuple[int, int] | None = None
        self._colour: gloo.Texture2D | None = None
        self._buffer: gloo.FrameBuffer | None = None
        self._program = program("screen", "picture")
        self._program["a_corner"] = gloo.VertexBuffer(_CORNERS)
        self._program["u_flip"] = 1.0

    def begin(self, width: int, height: int) -> None:
        """Draw into the buffer from now on."""
        if self._size != (width, height):
            self.release()
            self._colour = gloo.Texture2D((height, width, 4), interpolation="linear", wrapping="clamp_to_edge")
            self._buffer = gloo.FrameBuffer(self._colour, gloo.RenderBuffer((height, width), "depth"))
            self._size = (width, height)
        assert self._buffer is not None
        self._buffer.activate()
        gloo.set_viewport(0, 0, width, height)
        gloo.set_state(depth_mask=True)
        gloo.clear(color=False, depth=True)

    def end(self) -> None:
        assert self._buffer is not None
        self._buffer.deactivate()

    def read(self) -> Array:
        """The picture, top row first: (h, w, 4) uint8."""
        assert self._buffer is not None
        assert self._size is not None
        with self._buffer:
            image: Array = gloo.read_pixels((0, 0, *self._size), alpha=True)
        return image

    def show(self, width: int, height: int) -> None:
        """Fill the current framebuffer of this size with the picture."""
        gloo.set_viewport(0, 0, width, height)
        gloo.set_state(blend=False, depth_test=False, cull_face=False)
        self._program["u_texture"] = self._colour
        self._program["u_place"] = (0, 0, width, height)
        self._program["u_size"] = (width, height)
        self._program.draw("triangle_strip")

    def release(self) -> None:
        for thing in (self._buffer, self._colour):
            if thing is not None:
                thing.delete()
        self._buffer = self._colour = self._size = None


@dataclass
class _Sprite:
    image: Array
    texture: gloo.Texture2D


class Sprites:
    """Pictures by name. A picture goes to the graphics card only when it is another one."""

    def __init__(self) -> None:
        self._sprites: dict[str, _Sprite] = {}
        self._program = program("screen", "picture")
        self._program["a_corner"] = gloo.VertexBuffer(_CORNERS)
        self._program["u_flip"] = 0.0

    def draw(self, placed: list[tuple[str, Array, int, int]], width: int, height: int) -> None:
        """Each of (name, image, left, top), the later ones on top; pictures of other names are forgotten."""
        gloo.set_state(blend=True, blend_func=("one", "one_minus_src_alpha"), depth_test=False, cull_face=False)
        self._program["u_size"] = (width, height)
        for name, image, left, top in placed:
            self._program["u_texture"] = self._texture(name, image)
            self._program["u_place"] = (left, top, image.shape[1], image.shape[0])
            self._program.draw("triangle_strip")
        self.keep({name for name, *_ in placed})

    def keep(self, names: set[str]) -> None:
        """Free the pictures of all others."""
        for name in set(self._sprites) - names:
            self._sprites.pop(name).texture.delete()

    def _texture(self, name: str, image: Array) -> gloo.Texture2D:
        sprite = self._sprites.get(name)
        if sprite is not None and sprite.image is image:
            return sprite.texture
        if sprite is not None and sprite.image.shape == image.shape:
            sprite.texture.set_data(image)
            sprite.image = image
            return sprite.texture
        if sprite is not None:
            sprite.texture.delete()
        texture = gloo.Texture2D(image, interpolation="nearest", wrapping="clamp_to_edge")
        self._sprites[name] = _Sprite(image, texture)
        return texture


@dataclass(frozen=True)
class Stroke:
    """From one pixel to another with round ends; ``colour`` is sRGB with alpha, 0..255."""

    start: tuple[float, float]
    end: tuple[float, float]
    radius: float
    colour: tuple[int, int, int, int]


_VERTEX = np.dtype(
    [("a_from", "f4", 2), ("a_to", "f4", 2), ("a_radius", "f4"), ("a_colour", "f4", 4), ("a_corner", "f4", 2)]
)


class Strokes:
    """Smooth lines and dots."""

    def __init__(self) -> None:
        self._program = program("stroke", "stroke")
        self._count = 0
        self._index = gloo.IndexBuffer(np.zeros(6, np.uint32))
        self._buffer = gloo.VertexBuffer(np.zeros(4, _VERTEX))
        self._program.bind(self._buffer)

    def draw(self, strokes: list[Stroke], width: int, height: int) -> None:
        if not strokes:
            return
        data = np.zeros((len(strokes), 4), _VERTEX)
        data["a_from"] = np.array([s.start for s in strokes])[:, None]
        data["a_to"] = np.array([s.end for s in strokes])[:, None]
        data["a_radius"] = np.array([s.radius for s in strokes])[:, None]
        colour = np.array([s.colour for s in strokes], np.float32) / 255
        colour[:, :3] *= colour[:, 3:]
        data["a_colour"] = colour[:, None]
        data["a_corner"] = 2 * _CORNERS - 1
        self._buffer.set_data(data.ravel())
        if self._count != len(strokes):
            first = 4 * np.arange(len(strokes), dtype=np.uint32)[:, None]
            self._index.set_data((first + np.array([0, 1, 2, 2, 1, 3], np.uint32)).ravel())
            self._count = len(strokes)
        self._program["u_size"] = (width, height)
        gloo.set_state(blend=True, blend_func=("one", "one_minus_src_alpha"), depth_test=False, cull_face=False)
        self._program.draw("triangles", self._index)
