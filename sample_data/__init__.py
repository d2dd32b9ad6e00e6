"""Projects and meshes that open from the gallery; read with ``importlib.resources.files("sample_data")``."""
