"""What a person may want to know of a field beside its help: the equation that it stands in, usual values, the source.

It stands in a file ``fields.toml`` of the engine's package, by the class and the name of the field:

    [Tissue]
    equation = "χ Cm ∂v/∂t = ∇·(σ∇v) − χ I_ion"
    source = "…"

    [Tissue.typical]
    sigma_il = "0.17"
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from pydantic import BaseModel

FILE = "fields.toml"


@dataclass(frozen=True)
class Explained:
    """Texts; empty where nothing is said. ``typical`` is in the unit of the field."""

    equation: str = ""
    typical: str = ""
    source: str = ""


def explained(model: type[BaseModel], key: str) -> Explained:
    """Of a field of ``model``, or of the class that it has it from."""
    for owner in model.__mro__:
        told = _told(owner.__module__).get(owner.__name__, {})
        if told and key in getattr(owner, "model_fields", {}):
            return Explained(told.get("equation", ""), told.get("typical", {}).get(key, ""), told.get("source", ""))
    return Explained()


@cache
def _told(module: str) -> dict[str, Any]:
    """The file of the innermost package around a module that has one."""
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        try:
            file = resources.files(".".join(parts[:count])).joinpath(FILE)
            if file.is_file():
                return tomllib.loads(file.read_text("utf-8"))
        except (ModuleNotFoundError, TypeError, ValueError, AttributeError):  # no package, or not of files
            continue
    return {}
