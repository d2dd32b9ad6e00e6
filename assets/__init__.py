"""Icons, themes, colour maps and shaders; read with ``importlib.resources.files("assets")``."""
