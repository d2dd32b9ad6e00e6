"""The devices that engines compute on. Importing this loads neither Numba nor CuPy; opening a device does."""

from engines.backend.devices.select import available, open_backend

__all__ = ["available", "open_backend"]
