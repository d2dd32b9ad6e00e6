"""Tables in which nothing but a rule tells whether 3,700 is 3.7 or 3700: how they were read is said."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel

from engines.api import Finding
from engines.api.errors import ProblemError
from engines.named_files import file_parameters
from engines.reading import Version, version_of
from engines.tables.text import doubtful_comma, text_table
from workbench.project.measured import text_of

KINDS = ("table", "drive cycle", "connection table", "spike list", "mesh or table")
"""Of the files that parameters name."""


def commas_told(path: Path) -> str:
    """How a table was read, in a sentence; empty where there is no doubt, and of what is no table."""
    try:
        return _told(path, version_of(path))
    except (OSError, ProblemError):  # which is told where it is read
        return ""


@lru_cache(maxsize=64)
def _told(path: Path, version: Version) -> str:
    text = text_of(path)
    cell = doubtful_comma(text_table(text)) if "," in text and (";" in text or "\t" in text) else ""
    if not cell:
        return ""
    value = float(cell.replace(",", "."))
    return (
        f"'{cell}' in '{path.name}' is read as {value:g}, and its column alike: beside semicolons and tabs a comma is "
        f"decimal. If {cell.replace(',', '')} is meant, write the numbers without commas."
    )


def commas_in(parameters: BaseModel) -> tuple[Finding, ...]:
    """Of each table that the parameters name."""
    named = (found for found in file_parameters(parameters) if found.path and found.kind in KINDS)
    told = ((commas_told(Path(found.path)), found.place) for found in named)
    return tuple(Finding(sentence, place=place) for sentence, place in told if sentence)
