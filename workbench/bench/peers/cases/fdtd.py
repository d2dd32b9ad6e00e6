"""Maxwell's equations in a cube of vacuum with a CPML on six faces and a point current, beside fdtdx."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array, Problem
from workbench.bench.peers.case import Answer, OurSide, PeerCase, Place, Side, Size, peer

CELL, LAYER, WAVE, COURANT = 0.02, 10, 20, 0.99
"""[µm], cells of the CPML, cells of a wavelength, time step over the largest stable one."""
RISE = 3.0
"""Periods in which the current rises."""
IMPEDANCE = 376.730313668
"""Of vacuum [Ω]."""


def size(side: int, steps: int) -> Size:
    return Size(f"{side}³", {"side": side, "steps": steps}, steps, side**3 * steps / 1e9)


CASE = PeerCase(
    id="fdtd",
    title="A point current in vacuum, CPML of 10 cells",
    peer="fdtdx",
    module="fdtdx",
    install="pip install fdtdx (with a GPU: pip install fdtdx 'jax[cuda13]')",
    versions=("fdtdx", "jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda13-plugin"),
    unit="Gcell-steps/s",
    precision="fp32",
    sizes={
        "cpu": (size(48, 400), size(64, 300), size(100, 120)),
        "cuda": (size(64, 4000), size(128, 2000), size(256, 400), size(400, 100)),
    },
    # Both have layers of their own, of which some -90 dB come back; before that they differ by roundings, 1e-7.
    tolerance=1e-4,
    measured="largest difference of E outside of the layers over the largest value",
    devices=("cpu", "cuda"),
)


def inside(electric: Array) -> Answer:
    """``electric``: (3, x, y, z) at the nodes' cells."""
    inner = slice(LAYER, electric.shape[1] - LAYER)
    return {"electric": electric[:, inner, inner, inner]}


def ours(values: Mapping[str, Any], place: Place) -> Side:
    """A current that adds the Courant number to E where theirs does."""
    from engines.fdtd.engine import FdtdEngine
    from engines.fdtd.parameters import Continuous, Faces, FdtdParameters, GridSetting, Numerics, PointSource

    side, steps = values["side"], values["steps"]
    middle = CELL * (side // 2)
    grid = {f"cells_{axis}": side for axis in "xyz"} | {f"size_{axis}": side * CELL for axis in "xyz"}
    source = PointSource(
        place=(middle, middle, middle + CELL / 2), axis="z", moment=CELL**2 * 1e-6 / IMPEDANCE,
        signal=Continuous(wavelength=WAVE * CELL, rise=RISE),
    )  # fmt: skip
    parameters = FdtdParameters(
        grid=GridSetting(**grid), faces=Faces(layer=LAYER), materials=[], sources=[source],
        numerics=Numerics(courant=COURANT),
    )  # fmt: skip

    def answer(simulation: Any) -> Answer:
        electric = simulation.state()["electric"][:, :side, :side, :side]
        return inside(np.ascontiguousarray(electric.transpose(0, 3, 2, 1)))

    return OurSide(FdtdEngine(), Problem(parameters), place, steps, answer)


class Theirs(Side):
    """Forward alone, all steps in one compiled call."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        fdtdx = peer("fdtdx")
        jax = peer("jax")

        side, steps, self.threads = values["side"], values["steps"], place.threads
        grid, backend = fdtdx.UniformGrid(spacing=CELL * 1e-6), "gpu" if place.kind == "cuda" else "cpu"
        given = {"grid": grid, "backend": backend, "courant_factor": COURANT}
        dt = fdtdx.SimulationConfig(time=1e-15, **given).time_step_duration
        config = fdtdx.SimulationConfig(time=steps * dt, **given)
        volume = fdtdx.SimulationVolume(partial_grid_shape=(side, side, side))
        layers = fdtdx.BoundaryConfig.from_uniform_bound(thickness=LAYER, boundary_type="pml")
        faces, constraints = fdtdx.boundary_objects_from_config(layers, volume)
        wavelength = WAVE * CELL * 1e-6
        signal = fdtdx.CustomTimeSignalProfile(
            signal=jax.numpy.asarray(current(dt, steps), "float32"), time_step_duration=dt, interpolation="nearest"
        )
        source = fdtdx.PointDipoleSource(
            partial_grid_shape=(1, 1, 1), polarization=2, temporal_profile=signal,
            wave_character=fdtdx.WaveCharacter(wavelength=wavelength),
        )  # fmt: skip
        middle = source.set_grid_coordinates(axes=(0, 1, 2), sides=("-", "-", "-"), coordinates=(side // 2,) * 3)
        objects, arrays, parameters, config, _ = fdtdx.place_objects(
            [volume, *faces.values(), source], config, [*constraints, middle]
        )
        self._arrays, objects, _ = fdtdx.apply_params(arrays, objects, parameters, key=jax.random.PRNGKey(0))
        self._run = jax.jit(lambda held: fdtdx.run_fdtd(held, objects, config, show_progress=False)[1].fields.E)

    def run(self) -> None:
        self._end = self._run(self._arrays).block_until_ready()

    def answer(self) -> Answer:
        return inside(np.asarray(self._end))


def current(dt: float, steps: int) -> Array:
    """Of each step, at its middle; ``dt`` [s]. The engine's continuous signal, written out."""
    from engines.fdtd.sources.waveforms import Waveform

    period = WAVE * CELL * 1e-6 / 299_792_458.0
    return Waveform("continuous", 1.0 / period, RISE * period, 0.0).at((np.arange(steps) + 0.5) * dt)


def theirs(values: Mapping[str, Any], place: Place) -> Side:
    return Theirs(values, place)
