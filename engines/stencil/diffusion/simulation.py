"""Explicit diffusion as a simulation: a source that is painted, a diffusivity that changes live."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engines.api import Array, Dab, FieldInfo, NonFinite, PaintInfo
from engines.api.abilities import Underneath
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.quantities import rounded_down
from engines.stencil.diffusion.forward_euler import Diffusion
from engines.stencil.setup.limits import ROUNDING
from engines.stencil.step.painting import PaintedSource
from engines.stencil.step.simulation import GridSimulation, content_series, unfused
from engines.stencil.watch.inflow import Inflow


class HeatSimulation(GridSimulation):
    """Explicit diffusion. ``make_step(scale)`` makes the kernels for a factor on the diffusivity,
    ``step`` is that of the first of ``scales``, the other is the factor at which the time step is at its limit.
    ``arrays``: u as it starts, and another that steps write to; ``inflow``: through its sides, at a scale of 1."""

    def __init__(
        self,
        backend: Backend,
        grid: Grid,
        dt: float,
        arrays: tuple[Any, Any],
        source: PaintedSource,
        make_step: Callable[[float], Diffusion],
        step: Diffusion,
        scales: tuple[float, float],
        fuse: bool,
        infos: tuple[tuple[FieldInfo, ...], PaintInfo],
        inflow: Inflow,
    ) -> None:
        super().__init__(backend, grid, dt, infos[0], {"u": arrays[0]})
        self.brushes = (infos[1],)
        content = content_series(grid.dimensions)
        self.series, self.charts = (*content, *inflow.series), inflow.charts_beside(content)
        self._inflow = inflow
        self._spare = arrays[1]
        self._source = source
        self._make_step, self._fuse = make_step, fuse
        self._scale, self._largest_scale = scales
        self._diffusion = step
        self._count_traffic()

    def _count_traffic(self) -> None:
        """A step reads the source, too, once there is one."""
        traffic = self._diffusion.traffic_with(source=self._source.array is not None)
        self.traffic = (traffic if self._fuse else unfused(traffic),)

    def take(self, steps: int) -> None:
        u, spare, source = self.arrays["u"], self._spare, self._source.array
        with self.backend.timed("diffusion", launches=steps):
            if self._fuse:
                u, spare = self._diffusion.advance(u, spare, source, steps)
            else:
                for _ in range(steps):
                    u, spare = self._diffusion.advance(u, spare, source, 1)
        self.arrays["u"], self._spare = u, spare

    def values(self, name: str) -> Any:
        return self._source.shown() if name == "source" else super().values(name)

    def observe(self) -> Mapping[str, float]:
        return {**self.content("u"), **self._inflow.observe(self.arrays["u"], self._scale)}

    def non_finite(self) -> NonFinite | None:
        return self.wrong_in("The solution", self.arrays["u"])

    def paint(self, dab: Dab) -> None:
        self._source.paint(dab)
        self._count_traffic()

    def underneath(self, dab: Dab, first: bool) -> Underneath:
        return self._source.underneath(dab)

    def put_back(self, under: Underneath) -> None:
        self._source.put_back(under)
        self._count_traffic()

    def set_control(self, name: str, value: Any) -> None:
        if name != "equation.diffusivity_scale":
            super().set_control(name, value)
        if value > self._largest_scale * (1 + ROUNDING):
            raise ProblemError(
                f"With a factor of {value:g} on the diffusivity the time step is not stable: "
                f"use at most {rounded_down(self._largest_scale, 4):g}, or a smaller time step."
            )
        self._scale = float(value)
        self._diffusion = self._make_step(self._scale)

    def state(self) -> dict[str, Array]:
        return {**super().state(), "source": self._source.host(), "scale": np.array(self._scale)}

    def restore(self, state: Mapping[str, Array]) -> None:
        super().restore(state)
        self._source.replace(state["source"])
        self._count_traffic()
        if float(state["scale"]) != self._scale:
            self.set_control("equation.diffusivity_scale", float(state["scale"]))
