"""A simulation whose fields are arrays on the device, numbered as the geometry: an engine is left to step them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from engines.api import Array, FieldInfo, KernelTiming, NonFinite, Selection, Simulation
from engines.api.device import Backend
from engines.api.errors import NotLiveError
from engines.backend.fields.beyond import wrong_in


class FieldSimulation(Simulation):
    """``arrays`` holds each field by its name, and whatever else changes from step to step, on the device: all of it
    goes to checkpoints, and the fields to viewers.

    A field is (n,) in the geometry's numbering, or any shape that is this in C order. A subclass sets ``traffic`` and
    writes :meth:`take`.
    """

    advice: ClassVar[str] = "use a smaller time step."
    """What to change where a field ceases to be a number."""

    def __init__(
        self, backend: Backend, geometry: Any, dt: float, fields: tuple[FieldInfo, ...], arrays: dict[str, Any]
    ) -> None:
        self.backend, self.geometry, self.dt, self.step = backend, geometry, dt, 0
        self.fields, self.arrays = fields, arrays

    @abstractmethod
    def take(self, steps: int) -> None:
        """Take ``steps`` steps, at least one, inside ``backend.timed``."""

    def advance(self, steps: int) -> None:
        if steps > 0:
            self.take(steps)
            self.step += steps

    def synchronize(self) -> None:
        self.backend.synchronize()

    def select(self, selection: Selection) -> Any:
        return self.backend.select(selection)

    def values(self, name: str) -> Any:
        """A field on the device; a subclass may have fields that are not in ``arrays``."""
        if name not in self.arrays:
            raise LookupError(f"the field '{name}' has no array: there are {', '.join(self.arrays) or 'none'}")
        return self.arrays[name]

    def gather(self, name: str, handle: Any) -> Array:
        return self.gather_later(name, handle)()

    def gather_later(self, name: str, handle: Any) -> Callable[[], Array]:
        return self.backend.gather_later(self.values(name).reshape(-1), handle)

    def field(self, name: str) -> Array:
        with np.errstate(over="ignore"):  # ``beyond`` tells it
            return self.backend.to_host(self.values(name)).reshape(-1).astype(np.float32, copy=False)

    def on_device(self, name: str) -> Any:
        with self.backend.active():
            return self.values(name).reshape(-1).copy()

    def set_control(self, name: str, value: Any) -> None:
        raise NotLiveError(name)

    def state(self) -> dict[str, Array]:
        return {"step": np.array(self.step)} | {n: self.backend.to_host(a) for n, a in self.arrays.items()}

    def restore(self, state: Mapping[str, Array]) -> None:
        for name, values in self.arrays.items():
            if state[name].shape != values.shape:
                raise ValueError(f"'{name}' has the shape {state[name].shape}, not {values.shape}")
        with self.backend.active():
            for name, values in self.arrays.items():
                values[...] = self.backend.array(state[name])
        self.step, self.beyond = int(state["step"]), None

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self.backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        for info in self.fields:
            found = self.wrong_in(f"The field '{info.title}'", self.values(info.name))
            if found is not None:
                return found
        return None

    def wrong_in(self, told: str, values: Any) -> NonFinite | None:
        return wrong_in(self, self.backend, told, values, self.advice)

    def close(self) -> None:
        self.arrays.clear()
