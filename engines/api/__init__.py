"""The contract between the engines and the rest of the application.

An :class:`Engine` turns a :class:`Problem` into a :class:`Simulation`. The window, the command line and the benchmark
know nothing else of the physics: what is drawn, plotted, metered and saved goes through the few methods of these two,
and through the abilities (:mod:`engines.api.abilities`) that some simulations have. Nothing here imports another room.
"""

from engines.api.engine import Engine
from engines.api.shown import (
    Dab,
    FieldInfo,
    FrontInfo,
    Lines,
    MarkerInfo,
    Markers,
    PaintInfo,
    SeriesInfo,
)
from engines.api.simulation import Simulation, SimulationInfo
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
    Selection,
    no_progress,
)

__all__ = [
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
    "Selection",
    "SeriesInfo",
    "Simulation",
    "SimulationInfo",
    "no_progress",
]
