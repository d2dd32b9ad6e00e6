"""Whether OpenGL draws on the processor."""

from __future__ import annotations

SOFTWARE = ("llvmpipe", "softpipe", "swrast", "swiftshader", "lavapipe", "gdi generic", "basic render")
NO_VOLUME = "Looking through a grid needs a graphics card; here the processor draws, so there are slices."


def is_software(renderer: str) -> bool:
    """``renderer`` is what OpenGL calls itself (GL_RENDERER)."""
    return any(name in renderer.lower() for name in SOFTWARE)
