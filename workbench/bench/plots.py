"""Pictures of a Lab record, drawn by whoever is installed for it: entry points ``workbench.plots``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from engines.api.errors import ProblemError
from workbench.bench.records import LabRecord
from workbench.storage.atomic import storing
from workbench.words.extras import load

BANDWIDTH, TABLE = "bandwidth", "table"
"""What the plot of the bandwidth is called, and what names of those of tables begin with."""


def plot_name(*parts: str) -> str:
    """``laplace-2d_roofline``: letters, digits and dashes."""
    return "_".join(re.sub(r"[^A-Za-z0-9]+", "-", part).strip("-").lower() or "x" for part in parts)


def called_as_plots(folder: Path, studies: Iterable[str], tables: Iterable[str]) -> list[Path]:
    """The pictures in a folder that plots of these studies and tables, by their ids, may replace. Raises
    StorageError."""
    whole = {BANDWIDTH, *(plot_name(TABLE, each) for each in tables)}
    begun = tuple(f"{plot_name(each)}_" for each in studies)
    with storing(folder):
        return sorted(each for each in folder.glob("*.png") if each.stem in whole or each.stem.startswith(begun))


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
