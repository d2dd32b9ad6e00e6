"""The study of one diffusion step in spheres, after dendrite: barriers against shuffles, and what comes after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engines.api.device import Backend
from engines.api.lab import Case, Published, Shape, Study, Variant
from engines.backend.lab.variants import Launch, array_variant, kernel_variant
from engines.battery.lab.variants import cpu, expressions
from engines.battery.lab.variants.spheres import (
    BYTES,
    CASES,
    GRID,
    PARTICLES,
    POINTS,
    SHELLS,
    reference,
    reference_rows,
    rough,
)

FLOPS = 7.0
FILE = Path(__file__).with_name("spherical_step.cu")

RTX_3090 = Published(
    source="Dendrite: 133x Faster Battery Simulation, From 36% to 85% (it does not say for how many particles)",
    device="RTX 3090",
    unit="GB/s",
    figures={"shared": {"100k": 340.0}, "shuffle": {"100k": 799.0}},
)
RTX_3090_KERNELS = Published(
    source="Dendrite: 133x Faster Battery Simulation, Kernel Performance, 100K particles",
    device="3090 final",
    unit="GB/s",
    figures={"shuffle": {"100k": 712.0}},
)


class Lanes:
    """A launch with so many threads per particle, each of ``rows`` particles; ``tile``: a shared float each."""

    def __init__(self, per_particle: int, rows: int = 1, tile: bool = False) -> None:
        self._per_particle, self._rows, self._tile = per_particle, rows, tile

    def __call__(self, case: Case, shape: Shape) -> Launch:
        (threads,) = shape
        particles = threads // self._per_particle * self._rows
        shared = 4 * threads if self._tile else 0
        return Launch((-(-case.size[0] // particles),), shape, (np.int32(case.size[0]),), shared)


def on_device(function: Callable[..., None], *arguments: Any) -> Callable[[Backend, Case], Callable[..., None]]:
    """``function(out, c, tau, gain, inner, outer, *arguments)`` with the couplings on the device."""

    def compute(backend: Backend, case: Case) -> Callable[..., None]:
        inner, outer = (backend.array(values.astype(np.float32)) for values in (GRID.inner, GRID.outer))
        return lambda out, c, tau, gain: function(out, c, tau, gain, inner, outer, *arguments)

    return compute


VARIANTS: tuple[Variant, ...] = (
    kernel_variant(
        "shared", "Shared memory, a barrier", FILE, "spherical_shared", Lanes(POINTS, tile=True),
        bytes=BYTES, flops=FLOPS, shapes=((32,), (256,)), layout=PARTICLES,
        note="Dendrite's first: one particle per block of 32; with 256 the barrier stays and the small block goes.",
    ),
    kernel_variant(
        "cached", "Neighbours from the cache", FILE, "spherical_cached", Lanes(POINTS),
        bytes=BYTES, flops=FLOPS, shapes=((256,), (512,), (128,), (32,)), layout=PARTICLES,
        note="No shared memory, no shuffles: three loads a point, of which the first-level cache serves two.",
    ),
    kernel_variant(
        "shuffle", "Warp shuffles", FILE, "spherical_shuffle", Lanes(POINTS),
        bytes=BYTES, flops=FLOPS, shapes=((256,), (512,), (128,), (32,)), layout=PARTICLES,
        note="Dendrite's second, 8 particles per block of 256: neighbours come from the registers of the warp.",
    ),
    kernel_variant(
        "columns", "A thread per particle, transposed", FILE, "spherical_columns", Lanes(1),
        bytes=BYTES, flops=FLOPS, shapes=((128,), (256,), (64,)), layout=SHELLS,
        note="The couplings are constants of the code, but 10,000 particles are few threads.",
    ),
    *(
        replace(kernel_variant(
            f"float4-{rows}", f"float4, {rows} particle{'s' * (rows > 1)} per 8 lanes", FILE,
            f"spherical_quads_{rows}", Lanes(POINTS // 4, rows), bytes=BYTES, flops=FLOPS,
            shapes=((256,), (128,), (512,)), layout=PARTICLES,
            note="16-byte accesses, all loads on their way before the first is used, streaming loads and stores.",
        ), symbol="quads")
        for rows in (1, 2, 4)
    ),
    array_variant(
        "cupy", "Array expression", "CuPy", expressions.__file__, "spherical_steps",
        on_device(expressions.spherical_steps, 1), bytes=BYTES, flops=FLOPS, layout=PARTICLES,
        note="Each operation is a kernel of its own that goes through memory.",
    ),
    array_variant(
        "numba", "Particle by particle", "Numba", cpu.__file__, "spherical_rows", on_device(cpu.spherical_rows),
        bytes=BYTES, flops=FLOPS, layout=PARTICLES, note="The 30 inner shells of a particle are two vectors' work.",
    ),
    array_variant(
        "numba-columns", "Shell by shell, transposed", "Numba", cpu.__file__, "spherical_columns",
        on_device(cpu.spherical_columns), bytes=BYTES, flops=FLOPS, layout=SHELLS,
        note="Groups of 1024 particles: whole vectors without ends.",
    ),
    array_variant(
        "numpy", "Slices", "NumPy", expressions.__file__, "spherical_steps", on_device(expressions.spherical_steps, 1),
        bytes=BYTES, flops=FLOPS, layout=PARTICLES, note="A pass through memory for each operation, one core.",
    ),
)  # fmt: skip

STUDY = Study(
    id="spherical",
    title="Spherical diffusion, one step",
    summary="Particles of 32 shells, each with its own radius, diffusivity and flux; conservative finite volumes.",
    cases=CASES,
    variants=VARIANTS,
    inputs=rough,
    reference=reference,
    reference_rows=reference_rows,
    tolerance=1e-6,
    tolerance_note=(
        "Seven float32 roundings; a step is stable, so none is of a number above 2 of the largest value: below 8e-7."
    ),
    published=(RTX_3090, RTX_3090_KERNELS),
)
