"""Diffusion in a box with insulated sides: seven points and forward Euler, beside the same in plain JAX."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engines.api import Array, Problem
from workbench.bench.peers.case import Answer, OurSide, PeerCase, Place, Side, Size, peer

RATE = 0.15
"""α Δt/h²; 1/6 is the limit."""
MODES = (1, 2, 3)
"""Half waves of the cosine along x, y, z that the field begins as, beside noise."""
NOISE = 0.1
PLANES = 64


def size(side: int, steps: int) -> Size:
    return Size(f"{side}³", {"side": side, "steps": steps}, steps, side**3 * steps / 1e9)


CASE = PeerCase(
    id="diffusion",
    title="Diffusion in three dimensions",
    peer="JAX",
    module="jax",
    install="pip install jax (with a GPU: pip install 'jax[cuda13]')",
    versions=("jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda13-plugin"),
    unit="Gcell-steps/s",
    precision="fp32",
    sizes={
        "cpu": (size(64, 1000), size(128, 200), size(256, 24)),
        "cuda": (size(256, 1000), size(512, 200), size(1024, 48)),
    },
    # Each step rounds by 6e-8 of the value, sometimes up and sometimes down.
    tolerance=1e-5,
    measured="largest difference of the field over its largest value",
    devices=("cpu", "cuda"),
)


def start(side: int) -> Array:
    """(side, side, side) float32."""
    at = (np.arange(side) + 0.5) / side
    z, y, x = (np.cos(np.pi * m * at).astype(np.float32) for m in reversed(MODES))
    noise = np.random.default_rng(1).random((side, side, side), np.float32)
    return z[:, None, None] * y[:, None] * x + np.float32(NOISE) * noise


def planes(u: Array, side: int) -> Answer:
    """What is compared: some planes from the first to the last, all of a small box."""
    return {"u": u.reshape(side, -1)[np.unique(np.linspace(0, side - 1, PLANES).astype(int))]}


def ours(values: Mapping[str, Any], place: Place) -> Side:
    """The engine's, as many steps a pass as it takes by itself."""
    from engines.stencil.engine import StencilEngine
    from engines.stencil.parameters import Box, Diffusion, Numerics, Sides, StencilParameters, Uniform
    from engines.stencil.parameters.sides import FixedGradient

    side = values["side"]
    axes = {f"cells_{a}": side for a in "xyz"} | {f"size_{a}": float(side) for a in "xyz"}
    insulated = {f"{axis}_{end}": FixedGradient() for axis in "xyz" for end in ("low", "high")}
    parameters = StencilParameters(
        grid=Box(**axes), equation=Diffusion(diffusivity=1.0, initial=Uniform()), sides=Sides(**insulated),
        numerics=Numerics(step=RATE),
    )  # fmt: skip
    problem = Problem(parameters)
    return OurSide(
        StencilEngine(), problem, place, values["steps"], lambda s: planes(s.field("u"), side), {"u": start(side)}
    )


class Theirs(Side):
    """The quicker of two ways in which one would write it: slices of a padded array, or differences of differences."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        jax = peer("jax")

        self._jax, self.threads, self._steps = jax, place.threads, values["steps"]
        self._begin = jax.device_put(start(values["side"]))
        ways = {"slices of a padded array": self._slices, "differences of differences": self._differences}
        timed = {name: self._timed(self._advancing(way)) for name, way in ways.items()}
        self.note = min(timed, key=lambda name: timed[name][0])
        self._advance = timed[self.note][1]

    def _slices(self, u: Any) -> Any:
        p = self._jax.numpy.pad(u, 1, mode="edge")
        a, low, high = slice(1, -1), slice(None, -2), slice(2, None)
        around = p[low, a, a] + p[high, a, a] + p[a, low, a] + p[a, high, a] + p[a, a, low] + p[a, a, high]
        return u + RATE * (around - 6.0 * u)

    def _differences(self, u: Any) -> Any:
        numpy = self._jax.numpy
        changes = []
        for axis in range(3):
            ends = [(int(axis == a), int(axis == a)) for a in range(3)]
            changes.append(numpy.diff(numpy.pad(numpy.diff(u, axis=axis), ends), axis=axis))
        return u + RATE * (changes[0] + changes[1] + changes[2])

    def _advancing(self, way: Callable[[Any], Any]) -> Callable[[Any], Any]:
        steps = self._steps
        return self._jax.jit(lambda u: self._jax.lax.fori_loop(0, steps, lambda _, v: way(v), u))

    def _timed(self, advance: Callable[[Any], Any]) -> tuple[float, Callable[[Any], Any]]:
        advance(self._begin).block_until_ready()
        begun = time.perf_counter()
        advance(self._begin).block_until_ready()
        return time.perf_counter() - begun, advance

    def run(self) -> None:
        self._end = self._advance(self._begin).block_until_ready()

    def answer(self) -> Answer:
        return planes(np.asarray(self._end), len(self._begin))


def theirs(values: Mapping[str, Any], place: Place) -> Side:
    return Theirs(values, place)
