"""Pictures of a Lab record, drawn by whoever is installed for it: entry points ``workbench.plots``."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from engines.api.errors import ProblemError
from workbench.bench.records import LabRecord
from workbench.words.extras import load


def save_plots(record: LabRecord, folder: Path) -> tuple[list[Path], str]:
    """(the pictures written, or why there are none). A plotter is ``save_plots(record, folder) -> list[Path]``."""
    found: Any = next(iter(entry_points(group="workbench.plots")), None)
    if found is None:
        return [], "This installation has no plots, so there are no pictures; the tables are complete."
    try:
        return list(load(found, "Plots need")(record, folder)), ""
    except ProblemError as error:
        return [], f"{error} The tables are complete."
    except Exception as error:  # a plotter meets displays and drivers of every kind; the figures matter more
        return [], f"No plots could be drawn ({type(error).__name__}: {error}); the tables are complete."
