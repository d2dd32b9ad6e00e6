"""The window: PySide6, vispy and pyqtgraph."""

from ui.memory import keep_no_sources

keep_no_sources()
