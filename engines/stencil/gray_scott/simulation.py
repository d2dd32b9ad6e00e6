"""Gray-Scott as a simulation: V is painted, feed and kill rate change live."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array, Dab, FieldInfo, PaintInfo, SeriesInfo
from engines.api.abilities import Underneath
from engines.api.device import Backend
from engines.geometry.grid import Grid
from engines.stencil.gray_scott.forward_euler import GrayScottStep
from engines.stencil.parameters.patterns import RATES
from engines.stencil.step.painting import paint, put_back, underneath
from engines.stencil.step.simulation import GridSimulation, unfused


class GrayScottSimulation(GridSimulation):
    """Two substances that diffuse and react, each as it starts and with another array that steps write to."""

    advice = "use a smaller time step, or rates of a named pattern."
    series = (SeriesInfo("content", "Total of V", ""), SeriesInfo("largest", "Largest V", ""))

    def __init__(
        self,
        backend: Backend,
        grid: Grid,
        dt: float,
        u: tuple[Any, Any],
        v: tuple[Any, Any],
        step: GrayScottStep,
        fuse: bool,
        fields: tuple[FieldInfo, ...],
        brush: PaintInfo,
    ) -> None:
        super().__init__(backend, grid, dt, fields, {"u": u[0], "v": v[0]})
        self.brushes = (brush,)
        self.traffic = (step.traffic if fuse else unfused(step.traffic),)
        self._step, self._fuse = step, fuse
        self._spares = [u[1], v[1]]

    def take(self, steps: int) -> None:
        with self.backend.timed(self.traffic[0].kernel, launches=steps):
            arrays = (self.arrays["u"], self.arrays["v"], self._spares[0], self._spares[1])
            if self._fuse:
                arrays = self._step.advance(*arrays, steps)
            else:
                for _ in range(steps):
                    arrays = self._step.advance(*arrays, 1)
        u, v, *self._spares = arrays
        self.arrays.update(u=u, v=v)

    def observe(self) -> Mapping[str, float]:
        return self.content("v")

    def paint(self, dab: Dab) -> None:
        paint(self.backend, self.geometry, self.arrays["v"], dab, rest=0.0)

    def underneath(self, dab: Dab, first: bool) -> Underneath:
        return underneath(self.backend, self.geometry, self.arrays["v"], dab, lasts=False)

    def put_back(self, under: Underneath) -> None:
        put_back(self.backend, self.arrays["v"], under)

    def set_control(self, name: str, value: Any) -> None:
        match name.removeprefix("equation.reaction"):
            case ".feed":
                self._step.feed = float(value)
            case ".kill":
                self._step.kill = float(value)
            case ".pattern":
                self._step.feed, self._step.kill = RATES[value]
            case "" if isinstance(value, Mapping):
                named = value.get("kind") == "named"
                self._step.feed, self._step.kill = (
                    RATES[value["pattern"]] if named else (float(value["feed"]), float(value["kill"]))
                )
            case _:
                super().set_control(name, value)

    def state(self) -> dict[str, Array]:
        return {**super().state(), "rates": np.array([self._step.feed, self._step.kill])}

    def restore(self, state: Mapping[str, Array]) -> None:
        super().restore(state)
        self._step.feed, self._step.kill = map(float, state["rates"])
