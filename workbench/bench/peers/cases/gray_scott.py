"""Gray and Scott's reaction on a periodic plane: five points and forward Euler, beside py-pde's Numba backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array, Problem
from workbench.bench.peers.case import Answer, OurSide, PeerCase, Place, Side, Size, peer

U, V, FEED, KILL, STEP = 0.16, 0.08, 0.0545, 0.062, 1.0
"""Diffusivities [mm²/s], rates and the time step [s]; cells of 1 mm."""


def size(side: int, steps: int) -> Size:
    return Size(f"{side}²", {"side": side, "steps": steps}, steps, side**2 * steps / 1e9)


CASE = PeerCase(
    id="gray_scott",
    title="Gray-Scott on a plane",
    peer="py-pde",
    module="pde",
    install="pip install py-pde",
    versions=("py-pde", "numba", "numpy"),
    unit="Gcell-steps/s",
    precision="fp64",
    sizes={"cpu": (size(128, 2000), size(512, 200), size(1024, 60)), "cuda": (size(512, 400), size(2048, 40))},
    # Roundings of 1e-16 of some thousand steps, which fronts of the pattern lift.
    tolerance=1e-9,
    measured="largest difference of U and of V over the largest value",
)


def start(side: int) -> tuple[Array, Array]:
    """U and V, (side, side): noise on a rest, and V in a square."""
    random = np.random.default_rng(1)
    u, v = 1.0 - 0.01 * random.random((side, side)), 0.01 * random.random((side, side))
    inner = slice(3 * side // 8, 5 * side // 8)
    u[inner, inner], v[inner, inner] = 0.5, 0.25
    return u, v


def ours(values: Mapping[str, Any], place: Place) -> Side:
    from engines.stencil.engine import StencilEngine
    from engines.stencil.parameters import GrayScott, Numerics, OwnRates, Plane, Sides, StencilParameters
    from engines.stencil.parameters.sides import Periodic

    side = values["side"]
    around = {f"{axis}_{end}": Periodic() for axis in "xyz" for end in ("low", "high")}
    parameters = StencilParameters(
        grid=Plane(cells_x=side, cells_y=side, size_x=float(side), size_y=float(side)),
        equation=GrayScott(diffusion_u=U, diffusion_v=V, reaction=OwnRates(feed=FEED, kill=KILL)),
        sides=Sides(**around), numerics=Numerics(step=STEP, precision="fp64"),
    )  # fmt: skip
    u, v = start(side)

    def answer(simulation: Any) -> Answer:
        state = simulation.state()
        return {name: state[name].reshape(side, side) for name in "uv"}

    return OurSide(StencilEngine(), Problem(parameters), place, values["steps"], answer, {"u": u, "v": v})


class Theirs(Side):
    """``PDE`` of typed equations, compiled once for all runs."""

    note = "Numba backend, explicit Euler"

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        pde = peer("pde")

        side, self.threads = values["side"], place.threads
        grid = pde.CartesianGrid([[0, side], [0, side]], [side, side], periodic=True)
        equation = pde.PDE(
            {
                "u": f"{U} * laplace(u) - u * v**2 + {FEED} * (1 - u)",
                "v": f"{V} * laplace(v) + u * v**2 - {FEED + KILL} * v",
            }
        )
        self._fields = pde.FieldCollection([pde.ScalarField(grid, each) for each in start(side)])
        solver = pde.ExplicitSolver(equation, scheme="euler", backend="numba")
        self._step, self._until = solver.make_stepper(self._fields, dt=STEP), values["steps"] * STEP
        self._step(self._fields.copy(), 0.0, STEP)

    def reset(self) -> None:
        self._now = self._fields.copy()

    def run(self) -> None:
        self._step(self._now, 0.0, self._until)

    def answer(self) -> Answer:
        return dict(zip("uv", self._now.data, strict=True))


def theirs(values: Mapping[str, Any], place: Place) -> Side:
    return Theirs(values, place)
