"""A stranger's state is held against the simulation's own before it goes to kernels, which trust their arguments."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array, Simulation
from engines.api.errors import DeviceError, ProblemError

LAST_STEP = 2**53
"""Up to which a step times a float64 is exact."""


def fitting(state: Mapping[str, Array], own: Mapping[str, Array]) -> dict[str, Array]:
    """``state`` in the types of ``own``; what is not in that is left as it is. Raises ValueError where one cannot be
    the other, and where there is no step; shapes are the simulation's to check."""
    step = state.get("step", np.array(0))
    if step.shape != () or step.dtype.kind not in "iu" or not 0 <= int(step) <= LAST_STEP:
        raise ValueError("its step is no number of steps")
    found = {}
    for name, values in state.items():
        like = own.get(name, values)
        if values.dtype.kind != like.dtype.kind:
            raise ValueError(f"'{name}' is of {values.dtype}, not of {like.dtype}")
        with np.errstate(all="ignore"):
            found[name] = values.astype(like.dtype, copy=False)
    return found


def go_on(simulation: Simulation, state: Mapping[str, Array], own: Mapping[str, Array]) -> None:
    """From ``state``, which may be a stranger's. Raises ProblemError where it is of another problem."""
    try:
        simulation.restore(fitting(state, own))
    except DeviceError:
        raise
    except Exception as error:  # a stranger's arrays may have any form
        raise ProblemError(f"The checkpoint does not fit this problem ({error}): start without it.") from error
