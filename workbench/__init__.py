"""Workbench from Python: open a problem, change it, run it, look at what came out; the command line and the window
stand on the same rooms.

    import workbench as wb

    run = wb.open("fdtd_slab").set("objects.0.high.0", 12.0).run(until=300, device="auto", progress=True)
    run.curves["Transmission"]
    run.field("Ez")
    for case in wb.sweep("fdtd_slab", {"objects.0.high.0": [11.5, 12.0, 12.5]}):
        print(case.values, case.run.curves["Transmission"].values.max())

Stable by semantic versioning is what ``__all__`` names, with the public members of what these give: no release of the
same major version takes away or changes the meaning of one (before 1.0: no release of the same minor version). Names of
parameters, fields and curves are those of the engines; a project file of an older version is migrated when it is read.
Everything else, the modules below this one too, may change with any release.

Importing this loads nothing but itself: each name is fetched from its module when it is asked for.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from engines.api.errors import DeviceError, InstabilityError, ProblemError, WorkbenchError
    from workbench.api.arrays import Quantity
    from workbench.api.findings import WorkbenchWarning
    from workbench.api.measuring import studies, study
    from workbench.api.names import UnknownNameError
    from workbench.api.opening import new, open, presets, simulate
    from workbench.api.project import Project
    from workbench.api.runs.curves import Curve
    from workbench.api.runs.picture import Picture
    from workbench.api.runs.run import Run
    from workbench.api.script import script
    from workbench.api.sweeping import Case, sweep
    from workbench.api.verifying import verify

__all__ = [
    "Case",
    "Curve",
    "DeviceError",
    "InstabilityError",
    "Picture",
    "ProblemError",
    "Project",
    "Quantity",
    "Run",
    "UnknownNameError",
    "WorkbenchError",
    "WorkbenchWarning",
    "new",
    "open",
    "presets",
    "script",
    "simulate",
    "studies",
    "study",
    "sweep",
    "verify",
]

_HOMES = {
    "engines.api.errors": "DeviceError InstabilityError ProblemError WorkbenchError",
    "workbench.api.arrays": "Quantity",
    "workbench.api.runs.curves": "Curve",
    "workbench.api.findings": "WorkbenchWarning",
    "workbench.api.measuring": "studies study",
    "workbench.api.names": "UnknownNameError",
    "workbench.api.opening": "new open presets simulate",
    "workbench.api.runs.picture": "Picture",
    "workbench.api.project": "Project",
    "workbench.api.runs.run": "Run",
    "workbench.api.script": "script",
    "workbench.api.sweeping": "Case sweep",
    "workbench.api.verifying": "verify",
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'workbench' has no attribute '{name}'")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Facade(ModuleType):
    """Two functions are called as rooms in here are (``sweep``, ``verify``): importing such a room would put it in the
    place of its function, whoever imports it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade
