"""The 3D scene: vispy without Qt. The window embeds it, headless pictures use it."""
