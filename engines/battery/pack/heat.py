"""What the CPU's and the GPU's heat have in common: arrays with ghosts, stages, and the account of energy."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.battery.pack.layout import Body
from engines.battery.pack.stages import count_for, stages

Environment = Sequence[float]
"""What is beyond the low and high side of x, y and z: six temperatures − 298.15 K [K]."""


class Heat(ABC):
    """Temperatures of a body whose elements generate heat: ``C dT/dt = Σ g (T' − T) + power``.

    temperature: (nz + 2, ny + 2, nx + 2) − 298.15 K on the device, with a ghost at each side
    boxes:       (n, 6) int32: voxels of each element (layout.py); owner: (nz, ny, nx) int32, n where there is none
    step:        [s], of any length: it is divided into as many stages as it needs
    """

    def __init__(
        self,
        backend: Backend,
        body: Body,
        boxes: Array,
        owner: Array,
        step: float,
        environment: Environment,
        start: float | Array,
        precision: str = "float32",
    ) -> None:
        """``start``: temperature − 298.15 K, a number or (nz, ny, nx)."""
        self.backend, self.step = backend, step
        self.dtype = np.dtype(precision)
        self.shape = body.capacity.shape
        self.n_elements = len(boxes)
        self.stages = stages(count_for(step, body.fastest))
        self._capacity = backend.array(body.capacity)
        self._voxels = (boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2]) * (boxes[:, 5] - boxes[:, 4])
        self.temperature = self._place(np.broadcast_to(start, self.shape))
        self._error = self._place(np.zeros(self.shape))
        self._rates, self._outflow = self._place(np.zeros(self.shape)), self._place(np.zeros(self.shape))
        self._changes = [self._place(np.zeros(self.shape)) for _ in range(3)]
        self._per_capacity = self._place(step / body.capacity)
        self._faces = [self._place_faces(faces, axis) for faces, axis in zip(body.conductances, (2, 1, 0), strict=True)]
        self._owner = backend.array(np.pad(owner, 1, constant_values=self.n_elements).astype(np.int32))
        self._boxes = backend.array(np.ascontiguousarray(boxes, np.int32))
        self._power = backend.array(np.zeros(self.n_elements + 1, self.dtype))
        self._mean = backend.array(np.zeros(self.n_elements))
        self._lost = backend.array(np.zeros(self._parts))
        self.generated = 0.0
        """[J] so far."""
        self.set_environment(environment)
        self._stored_at_start = self._content()

    def _place(self, values: Array) -> Any:
        return self.backend.array(np.pad(values, 1).astype(self.dtype))

    def _place_faces(self, faces: Array, axis: int) -> Any:
        """Conductances where index i is the face between i and i + 1, ghosts counted."""
        room = [(1, 1)] * 3
        room[axis] = (0, 1)
        return self.backend.array(np.pad(faces, room).astype(self.dtype))

    def set_environment(self, environment: Environment) -> None:
        """From the next step on."""
        self.environment = tuple(float(each) for each in environment)
        values = iter(self.environment)
        with self.backend.active():
            for axis in (2, 1, 0):
                for end in (0, -1):
                    where: list[Any] = [slice(1, -1)] * 3
                    where[axis] = end
                    self.temperature[tuple(where)] = next(values)

    @property
    def traffic(self) -> KernelTraffic:
        """Of the stages of one step, which are nearly all of it."""
        size, count = self.dtype.itemsize * math.prod(self.shape), self.stages.count
        return KernelTraffic("heat", 7 * size * count, size * count, 24 * math.prod(self.shape) * count)

    @abstractmethod
    def _rate(self, change: Any) -> None: ...

    @abstractmethod
    def _stage(self, number: int, before: Any, older: Any, change: Any) -> None: ...

    @abstractmethod
    def _finish(self, change: Any) -> None: ...

    @abstractmethod
    def _means(self) -> None: ...

    @property
    @abstractmethod
    def _parts(self) -> int:
        """Sums that the lost heat is kept in."""

    def advance(self, power: Array) -> None:
        """One step with ``power: (n,)`` [W] of each element, spread over its voxels evenly.

        Called inside ``backend.timed`` or ``active``.
        """
        each = np.append(power / self._voxels, 0.0).astype(self.dtype)
        self.generated += self.step * float(np.dot(each[:-1].astype(float), self._voxels))
        self._power[:] = self.backend.array(each)
        change, before, older = self._changes
        self._rate(change)
        before.fill(0)  # D_0
        for number in range(self.stages.count - 1):
            older, before, change = before, change, older
            self._stage(number, before, older, change)
        self._finish(change)

    def means(self) -> Array:
        """(n,) temperature − 298.15 K of each element, the mean over its voxels, on the host.

        Called inside ``backend.timed`` or ``active``.
        """
        self._means()
        return self.backend.to_host(self._mean)

    @property
    def inside(self) -> Any:
        """The temperatures without ghosts, a view on the device."""
        return self.temperature[1:-1, 1:-1, 1:-1]

    @property
    def lost(self) -> float:
        """Heat that has left through the sides so far [J]."""
        return math.fsum(self.backend.to_host(self._lost))

    @property
    def stored(self) -> float:
        """Heat that the body holds more than at the start [J]."""
        return self._content() - self._stored_at_start

    @property
    def removed(self) -> float:
        """Heat that leaves through the sides at present [W]."""
        total = 0.0
        with self.backend.active():
            for axis, faces in zip((2, 1, 0), self._faces, strict=True):
                for ghost, inner, face in ((0, 1, 0), (-1, -2, -2)):
                    at = [tuple(end if k == axis else slice(1, -1) for k in range(3)) for end in (ghost, inner, face)]
                    beyond, last, across = self.temperature[at[0]], self.temperature[at[1]], faces[at[2]]
                    total += float((across * (last - beyond).astype(np.float64)).sum())
        return total

    def extremes(self) -> tuple[float, float]:
        """Lowest and highest temperature − 298.15 K of all voxels."""
        with self.backend.active():
            return float(self.inside.min()), float(self.inside.max())

    def _content(self) -> float:
        inner = (slice(1, -1),) * 3
        with self.backend.active():
            held = self.temperature[inner].astype(np.float64) - self._error[inner]
            return float((self._capacity * held).sum())

    def balance(self) -> float:
        """|generated − lost − stored| over what was generated or lost."""
        moved = max(abs(self.generated), abs(self.lost), 1e-30)
        return abs(self.generated - self.lost - self.stored) / moved

    def state(self) -> dict[str, Array]:
        """All that :meth:`restore` needs."""
        return {
            "temperature": self.backend.to_host(self.temperature),
            "error": self.backend.to_host(self._error),
            "lost": self.backend.to_host(self._lost),
            "energy": np.array([self.generated, self._stored_at_start]),
            "environment": np.array(self.environment),
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        with self.backend.active():
            self.temperature[...] = self.backend.array(state["temperature"])
            self._error[...] = self.backend.array(state["error"])
            self._lost[...] = self.backend.array(state["lost"])
        self.generated, self._stored_at_start = (float(value) for value in state["energy"])
        self.set_environment(state["environment"].tolist())


HEAT = Twins[Heat](__package__, cpu="cpu:CpuHeat", cuda="cuda:CudaHeat")
"""Takes the arguments of :class:`Heat`."""
