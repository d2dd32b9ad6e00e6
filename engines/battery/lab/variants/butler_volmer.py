"""The studies of Butler-Volmer kinetics, after dendrite: overpotential to current density, and back.

Overpotential η and exchange current density j0 are those of each point, as where every particle has its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.lab import Case, Inputs, Prepared, Published, Shape, Study, Variant
from engines.backend.lab.variants import Launch, Layout, array_variant, kernel_variant
from engines.battery.lab.variants import cpu, expressions
from engines.battery.lab.variants.engine_kernels import KineticsPrepared
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE

BYTES, FLOPS = 12.0, 20.0
"""Two numbers read and one written; flops are those of an exponential, a division and what joins them, about."""
FILE = Path(__file__).with_name("butler_volmer.cu")
KINETICS = Path(__file__).resolve().parents[2] / "kinetics"
HALF = FARADAY / (2 * GAS * REFERENCE_TEMPERATURE)
"""F/2RT [1/V]"""
SHAPES: tuple[Shape, ...] = ((256,), (512,), (128,))
CASES = tuple(Case(f"{power}M", (power << 20,), power << 20) for power in (1, 4, 16, 64))
SMALLEST, LARGEST = 1e-5, 0.25
"""Overpotentials [V]."""
ALMOST_CANCELLED = 2e-3
"""e^u − e^−u of u = 2e-4 is 4e-4, from numbers near 1 with two roundings of 6e-8 and one of u: 3e-4, and 1e-3 with
exponentials that are off by a unit in the last place."""
ALMOST_LOST = 2e-6
"""η relative to 0.25 V: the sum of 1 and a small number loses 6e-8 of 25 mV; other roundings as in the study."""

RTX_3090 = Published(
    source="Dendrite: 133x Faster Battery Simulation, Kernel Performance, Butler-Volmer (4M points)",
    device="RTX 3090",
    unit="GB/s",
    figures={"exponentials": {"4M": 794.0}},
)


def overpotentials(case: Case, generator: np.random.Generator) -> Inputs:
    """``overpotential`` [V]: 10 µV to 0.25 V, every decade as often, either sign; ``exchange`` [A/m²].

    The exchange current density is such that every current has a size between 1 and 2 A/m²: then an error relative to
    the largest is one relative to each, and shows where exponentials cancel.
    """
    n = case.points
    eta = generator.random(n, np.float32)
    eta *= np.float32(np.log(LARGEST / SMALLEST))
    np.exp(eta, out=eta)
    eta *= np.float32(SMALLEST)
    exchange = np.sinh(np.float32(HALF) * eta)
    np.divide(np.float32(0.5) + np.float32(0.5) * generator.random(n, np.float32), exchange, out=exchange)
    np.copysign(eta, generator.random(n, np.float32) - np.float32(0.5), out=eta)
    return {"overpotential": eta, "exchange": exchange}


def currents(case: Case, generator: np.random.Generator) -> Inputs:
    """``current`` [A/m²] and ``exchange`` of such overpotentials."""
    given = overpotentials(case, generator)
    exchange = given["exchange"]
    current = np.sinh(np.float32(HALF) * given["overpotential"])
    current *= 2 * exchange
    return {"current": current, "exchange": exchange}


def forward(inputs: Inputs, steps: int) -> Array:
    """j [A/m²] in float64."""
    return np.asarray(2 * inputs["exchange"].astype(float) * np.sinh(HALF * inputs["overpotential"].astype(float)))


def backward(inputs: Inputs, steps: int) -> Array:
    """η [V] in float64."""
    return np.asarray(np.arcsinh(inputs["current"].astype(float) / (2 * inputs["exchange"].astype(float))) / HALF)


def rows_of(reference: Callable[[Inputs, int], Array]) -> Callable[[Inputs, int, int, int], Array]:
    """``reference_rows`` where every point is on its own."""
    return lambda inputs, steps, first, stop: reference(
        {name: values[first:stop] for name, values in inputs.items()}, steps
    )


def _layout(name: str) -> Layout:
    return Layout(lambda inputs: [inputs[name], inputs["exchange"]], lambda inputs: (inputs[name].shape, np.float32))


FORWARD, BACKWARD = _layout("overpotential"), _layout("current")
Law = Literal["current_density", "overpotential"]
SCALES: dict[Law, float] = {"current_density": HALF, "overpotential": 1 / HALF}
LAYOUTS: dict[Law, Layout] = {"current_density": FORWARD, "overpotential": BACKWARD}


def _points(law: Law) -> Callable[[Case, Shape], Launch]:
    def launch(case: Case, shape: Shape) -> Launch:
        scalars = (np.int32(case.points), np.float32(SCALES[law]))
        return Launch((-(-case.points // shape[0]),), shape, scalars)

    return launch


def _kernel(law: Law, id: str, title: str, note: str, tolerance: float | None = None) -> Variant:
    return kernel_variant(
        id, title, FILE, f"butler_volmer_{id}", _points(law), bytes=BYTES, flops=FLOPS, shapes=SHAPES, note=note,
        layout=LAYOUTS[law], tolerance=tolerance,
    )  # fmt: skip


def _arrays(
    law: Law, id: str, title: str, language: Literal["CuPy", "Numba", "NumPy"], note: str,
    tolerance: float | None = None,
) -> Variant:  # fmt: skip
    symbol = "butler_volmer" if law == "current_density" else "butler_volmer_inverse"
    module = cpu if language == "Numba" else expressions
    scale = np.float32(SCALES[law])

    def compute(backend: Backend, case: Case) -> Callable[..., None]:
        function = getattr(module, symbol)
        return lambda out, given, exchange: function(out, given, exchange, scale)

    return array_variant(
        id, title, language, str(module.__file__), symbol, compute, bytes=BYTES, flops=FLOPS, note=note,
        layout=LAYOUTS[law], tolerance=tolerance,
    )  # fmt: skip


def _own(law: Law, id: str, language: Literal["CUDA", "Numba"], note: str) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return KineticsPrepared(backend, inputs, sets, LAYOUTS[law], law, SCALES[law])

    return Variant(
        id=id, title="The engine's", language=language, bytes=BYTES, flops=FLOPS,
        source=KINETICS / ("kinetics.cu" if language == "CUDA" else "cpu.py"),
        symbol="each" if language == "CUDA" else law, prepare=prepare, note=note,
    )  # fmt: skip


OWN_NOTE = (
    "float4, up to four packs of each array per thread, all loads on their way before the first is used, streaming "
    "loads and stores; in the launch shape that tuning found here."
)
VECTORS_NOTE = "Exponentials, logarithms and roots in vector registers."
CANCELS = "Two exponentials: near equilibrium they cancel, 3e-4 is lost at 10 µV."

STUDY = Study(
    id="butler-volmer",
    title="Butler-Volmer kinetics",
    summary="j = 2 j0 sinh(Fη/2RT) of overpotentials from 10 µV to 0.25 V; every point has its own j0.",
    cases=CASES,
    variants=(
        _kernel("current_density", "exponentials", "Two exponentials", CANCELS, ALMOST_CANCELLED),
        _kernel("current_density", "sinh", "The library's sinh", "A branch at 1: warps with both sides take both."),
        _kernel("current_density", "expm1", "One expm1", "Right everywhere, without a branch; a point per thread."),
        _own("current_density", "engine", "CUDA", "expm1 in " + OWN_NOTE),
        _arrays("current_density", "cupy", "Array expression", "CuPy", CANCELS, ALMOST_CANCELLED),
        _arrays("current_density", "numba", "Two exponentials", "Numba", CANCELS, ALMOST_CANCELLED),
        _own("current_density", "numba-engine", "Numba", VECTORS_NOTE),
        _arrays("current_density", "numpy", "Array expression", "NumPy", CANCELS, ALMOST_CANCELLED),
    ),
    inputs=overpotentials,
    reference=forward,
    reference_rows=rows_of(forward),
    tolerance=2e-6,
    tolerance_note=(
        "Relative at each point, for all currents are of one size: F/2RT η is up to 4.9 and has two roundings, which "
        "the exponential makes 10 times 6e-8; the rest adds 8 more: 1.1e-6."
    ),
    published=(RTX_3090,),
)  # fmt: skip

INVERSE = Study(
    id="butler-volmer-inverse",
    title="Butler-Volmer kinetics, inverse",
    summary="η = (2RT/F) asinh(j/2j0), for overpotentials from 10 µV to 0.25 V; every point has its own j0.",
    cases=CASES,
    variants=(
        _kernel("overpotential", "log", "Logarithm of a sum", "Small currents lose digits.", ALMOST_LOST),
        _kernel("overpotential", "asinh", "The library's asinh", "One point per thread, a full division."),
        _own("overpotential", "engine", "CUDA", "The library's asinh, a division of 2 ulp, " + OWN_NOTE),
        _arrays("overpotential", "cupy", "Array expression", "CuPy", "Three kernels, each through memory."),
        _arrays("overpotential", "numba", "The library's asinh", "Numba", "Point by point."),
        _own("overpotential", "numba-engine", "Numba", VECTORS_NOTE),
        _arrays("overpotential", "numpy", "Array expression", "NumPy", "Three passes, one core."),
    ),
    inputs=currents,
    reference=backward,
    reference_rows=rows_of(backward),
    tolerance=6e-7,
    tolerance_note="A division, a square root, a logarithm and a product: ten roundings of 6e-8 of the largest η.",
)
