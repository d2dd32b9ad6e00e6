"""The contract between the engines and the rest of the application.

An :class:`Engine` turns a :class:`Problem` into a :class:`Simulation`. The window, the command line and the benchmark
know nothing else of the physics: what is drawn, plotted, metered and saved goes through the few methods of these two,
and through the abilities (:mod:`engines.api.abilities`) that some simulations have. Nothing here imports another room.

Names are fetched from their modules when they are asked for: who needs the errors alone waits for neither NumPy nor
pydantic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engines.api.engine import Engine as Engine
    from engines.api.shown import (
        Dab as Dab,
    )
    from engines.api.shown import (
        FieldInfo as FieldInfo,
    )
    from engines.api.shown import (
        FrontInfo as FrontInfo,
    )
    from engines.api.shown import (
        Lines as Lines,
    )
    from engines.api.shown import (
        MarkerInfo as MarkerInfo,
    )
    from engines.api.shown import (
        Markers as Markers,
    )
    from engines.api.shown import (
        PaintInfo as PaintInfo,
    )
    from engines.api.shown import (
        SeriesInfo as SeriesInfo,
    )
    from engines.api.simulation import Simulation as Simulation
    from engines.api.simulation import SimulationInfo as SimulationInfo
    from engines.api.values import (
        Array as Array,
    )
    from engines.api.values import (
        Benchmark as Benchmark,
    )
    from engines.api.values import (
        Estimate as Estimate,
    )
    from engines.api.values import (
        Finding as Finding,
    )
    from engines.api.values import (
        Imported as Imported,
    )
    from engines.api.values import (
        KernelTiming as KernelTiming,
    )
    from engines.api.values import (
        KernelTraffic as KernelTraffic,
    )
    from engines.api.values import (
        NonFinite as NonFinite,
    )
    from engines.api.values import (
        ParameterFile as ParameterFile,
    )
    from engines.api.values import (
        Preset as Preset,
    )
    from engines.api.values import (
        Problem as Problem,
    )
    from engines.api.values import (
        Progress as Progress,
    )
    from engines.api.values import (
        Selection as Selection,
    )
    from engines.api.values import (
        no_progress as no_progress,
    )

API_VERSION = 1
"""Of everything in this room; larger when something that a plug-in of before uses is no longer there."""

HOMES = {
    "engine": "Engine",
    "shown": "Dab FieldInfo FrontInfo Lines MarkerInfo Markers PaintInfo SeriesInfo",
    "simulation": "Simulation SimulationInfo",
    "values": "Array Benchmark Estimate Finding Imported KernelTiming KernelTraffic NonFinite ParameterFile Preset "
    "Problem Progress Selection no_progress",
}
_MODULES = {name: module for module, names in HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'engines.api' has no attribute '{name}'")
    return getattr(import_module(f"engines.api.{_MODULES[name]}"), name)
