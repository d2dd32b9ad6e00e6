"""The contract between the engines and the rest of the application.

An :class:`Engine` turns a :class:`Problem` into a :class:`Simulation`. The window, the command line and the benchmark
know nothing else of the physics: what is drawn, plotted, metered and saved goes through the few methods of these two,
and through the abilities (:mod:`engines.api.abilities`) that some simulations have. Nothing here imports another room.

Names are fetched from their modules when they are asked for: who needs the errors alone waits for neither NumPy nor
pydantic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "API_VERSION",
    "Array",
    "Benchmark",
    "Dab",
    "Engine",
    "Estimate",
    "FieldInfo",
    "Finding",
    "FrontInfo",
    "Imported",
    "KernelTiming",
    "KernelTraffic",
    "Lines",
    "MarkerInfo",
    "Markers",
    "NonFinite",
    "PaintInfo",
    "ParameterFile",
    "Preset",
    "Problem",
    "Progress",
    "Remedy",
    "Selection",
    "SeriesInfo",
    "Simulation",
    "SimulationInfo",
    "VectorInfo",
    "no_progress",
]

API_VERSION = 1
"""Of everything in this room; larger when something that a plug-in of before uses is no longer there."""

if TYPE_CHECKING:
    from engines.api.engine import Engine
    from engines.api.simulation.base import Simulation, SimulationInfo
    from engines.api.simulation.shown import (
        Dab,
        FieldInfo,
        FrontInfo,
        Lines,
        MarkerInfo,
        Markers,
        PaintInfo,
        SeriesInfo,
        VectorInfo,
    )
    from engines.api.values import (
        Array,
        Benchmark,
        Estimate,
        Finding,
        Imported,
        KernelTiming,
        KernelTraffic,
        NonFinite,
        ParameterFile,
        Preset,
        Problem,
        Progress,
        Remedy,
        Selection,
        no_progress,
    )
else:
    _HOMES = {
        "engine": "Engine",
        "simulation.shown": "Dab FieldInfo FrontInfo Lines MarkerInfo Markers PaintInfo SeriesInfo VectorInfo",
        "simulation.base": "Simulation SimulationInfo",
        "values": "Array Benchmark Estimate Finding Imported KernelTiming KernelTraffic NonFinite ParameterFile Preset "
        "Problem Progress Remedy Selection no_progress",
    }
    _MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'engines.api' has no attribute '{name}'")
        return getattr(import_module(f"engines.api.{_MODULES[name]}"), name)
