"""The window: PySide6, vispy and pyqtgraph."""
