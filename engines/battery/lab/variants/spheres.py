"""What the studies of diffusion in spheres share: sizes, random particles, references, layouts.

Every particle has its own radius, diffusivity and flux; a step is the engine's own scheme (``particles/shells.py``):
conservative finite volumes of a sphere, ``c_i += D dt/R² [outer_i (c_{i+1} − c_i) − inner_i (c_i − c_{i−1})]``, and
what the flux brings to the outermost shell.
"""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.lab import Case, Inputs
from engines.backend.lab.variants import Layout
from engines.battery.particles.series import shell_modes
from engines.battery.particles.shells import shells
from engines.battery.particles.step import reference as particles

POINTS = 32
STEPS = 288
DT = 100 / STEPS
"""[s]: 288 steps are 100 s, as in the published table."""
GRID = shells(POINTS)
MODES = 4
"""Modes of a smooth start."""
BYTES = 8 + 2 * 4 / POINTS
"""Per point: a concentration in and out; per particle D dt/R² and what its flux brings in."""


def case(name: str, particles: int) -> Case:
    return Case(name, (particles, POINTS), particles * POINTS)


CASES = (case("10k", 10_000), case("100k", 100_000), case("1M", 1_000_000))


def particles_of(n: int, generator: np.random.Generator) -> dict[str, Array]:
    """(n,) each: ``radius`` [m], ``diffusivity`` [m²/s], ``flux`` [mol/m²/s]. D dt/R² stays below 0.9 of the limit."""
    return {
        "radius": generator.uniform(5e-6, 8e-6, n),
        "diffusivity": generator.uniform(1e-14, 3e-14, n),
        "flux": generator.uniform(-3e-5, 3e-5, n),
    }


def rough(case: Case, generator: np.random.Generator) -> Inputs:
    """``c``: (n, 32) random numbers [mol/m³] in every shell, float32."""
    c = generator.random(case.size, np.float32) * np.float32(2000) - np.float32(1000)
    return {"c": c, **particles_of(len(c), generator)}


def smooth(case: Case, generator: np.random.Generator) -> Inputs:
    """``c``: a random mean and 4 random ``amplitudes`` of modes [mol/m³], so that a series can start there too."""
    n = case.size[0]
    amplitudes = generator.uniform(-300, 300, (n, 1 + MODES))
    shapes = np.column_stack([np.ones(POINTS), shell_modes(POINTS, MODES)])
    return {"c": (amplitudes @ shapes.T).astype(np.float32), "amplitudes": amplitudes, **particles_of(n, generator)}


def reference(inputs: Inputs, steps: int) -> Array:
    """(n, 32) after ``steps`` steps of the engine's float64 reference."""
    c = inputs["c"].T.astype(float)
    return particles.explicit(c, inputs["radius"], inputs["diffusivity"], inputs["flux"], DT, steps).T


def closed_reference(inputs: Inputs, steps: int) -> Array:
    """The same in closed form, for hundreds of steps: in the scheme's eigenvectors a step is a multiplication.

    With volumes V, ``√V L/√V`` is symmetric; an eigenvector with λ grows by ``1 + τλ`` in a step, and a steady source
    has added a geometric sum.
    """
    root = np.sqrt(GRID.volumes)
    L = np.diag(-GRID.inner - GRID.outer) + np.diag(GRID.outer[:-1], 1) + np.diag(GRID.inner[1:], -1)
    rates, vectors = np.linalg.eigh(root[:, None] * L / root)
    tau, gain = _rate(inputs), _gain(inputs)
    growth = 1 + tau[:, None] * rates
    power = growth**steps
    steady = np.abs(rates) < 1e-6 * np.abs(rates).max()  # what diffusion does not change: the mean
    total = np.where(steady, steps, (power - 1) / np.where(steady, 1, growth - 1))
    start = inputs["c"].astype(float) * root @ vectors
    entering = vectors[-1] * root[-1] * gain[:, None]
    return np.asarray((power * start + total * entering) @ vectors.T / root)


def reference_rows(inputs: Inputs, steps: int, first: int, stop: int) -> Array:
    """Particles first … stop − 1 of :func:`reference`."""
    return reference({name: values[first:stop] for name, values in inputs.items()}, steps)


def closed_reference_rows(inputs: Inputs, steps: int, first: int, stop: int) -> Array:
    """Particles first … stop − 1 of :func:`closed_reference`."""
    return closed_reference({name: values[first:stop] for name, values in inputs.items()}, steps)


def _rate(inputs: Inputs) -> Array:
    return np.asarray(inputs["diffusivity"] * DT / inputs["radius"] ** 2)


def _gain(inputs: Inputs) -> Array:
    """What a step's flux adds to the outermost shell [mol/m³]."""
    return np.asarray(inputs["flux"] * DT / inputs["radius"] * GRID.source[-1])


def _numbers(inputs: Inputs) -> list[Array]:
    return [_rate(inputs).astype(np.float32), _gain(inputs).astype(np.float32)]


PARTICLES = Layout(lambda inputs: [inputs["c"], *_numbers(inputs)], lambda inputs: (inputs["c"].shape, np.float32))
"""The shells of a particle side by side: (n, 32)."""
SHELLS = Layout(
    lambda inputs: [np.ascontiguousarray(inputs["c"].T), *_numbers(inputs)],
    lambda inputs: (inputs["c"].T.shape, np.float32),
    lambda output: output.T,
)
"""The particles of a shell side by side: (32, n)."""
