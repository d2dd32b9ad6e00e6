"""What the CPU's and the GPU's many particles have in common: state, coefficients, what is read back.

Everything per particle is a row of ``2 * stride`` numbers: the particles of the negative electrode from 0 on, those of
the positive one from ``stride`` on. ``q`` [A] is the cell's current if all particles of the electrode carried per
surface what this one does; with R̄ the electrode's mean radius by area (setup/sizes.py) a particle's current density is
``j = ±q R̄/(3 A L ε)`` [A/m²], positive where lithium leaves it, and

    growth   ∓R̄/(R F A L ε c_max)                change of its mean stoichiometry per A s
    gain     ∓R R̄/(3 F A L ε c_max D)            N R/D per A, in stoichiometry (particles/series.py)
    kinetic  R̄/(6 A L ε m c_max √c_e)            j/2j0 per A, times 1/√(x (1 − x))

Particles are eigenmodes, or shells (step/graded.py) where a diffusivity depends on the stoichiometry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import FARADAY, GAS
from engines.battery.particles.series import mode_shapes, roots, shell_modes, static_tail
from engines.battery.particles.shells import FEWEST
from engines.battery.protocol.instructions import Instruction, check_places, per_step
from engines.battery.setup.cell import arrhenius, held_temperature
from engines.battery.setup.curves import Curve, curve
from engines.battery.setup.sizes import Sizes
from engines.battery.step import graded
from engines.battery.step.many_particle_rows import ELECTRODES, CellRow, Coefficient, Constant, Row, Scratch
from engines.battery.step.particle_rows import MODES

PADDING = 64
OF_SHELLS = 5 * 2 * graded.PICARD * graded.SHELLS * 40
"""Operations of a particle's step that is solved with shells: five solutions of two stages, 40 a shell (counted)."""


def inside_rows(parameters: ParameterSet) -> int:
    """How many rows of the state hold what is inside a particle beyond its mean."""
    return graded.SHELLS if parameters.laws else MODES


class ManyParticles(ABC):
    """One cell, held at :func:`held_temperature`, with the particles ``sizes`` of its negative and positive electrode.

    On the device: ``state``, ``coefficients: (rows, 2 * stride)``, ``cell: (len(CellRow),)``.
    A step takes each particle's current as constant and such that at its end all particles of an electrode are at one
    potential; what a particle carries changes within a step, so the currents' distribution is of first order in time.
    """

    def __init__(
        self,
        backend: Backend,
        parameters: ParameterSet,
        sizes: tuple[Sizes, Sizes],
        instructions: Sequence[Instruction],
        dt: float,
        *,
        precision: str = "float32",
        drive: Array | None = None,
    ) -> None:
        self.backend, self.parameters, self.sizes, self.dt = backend, parameters, sizes, float(dt)
        self.dtype = np.dtype(precision)
        self.varying = bool(parameters.laws)
        """Whether a diffusivity depends on the stoichiometry."""
        self.n = len(sizes[0].radii)
        if len(sizes[1].radii) != self.n:
            raise ValueError("the electrodes have different numbers of particles")
        self.stride = -(-self.n // PADDING) * PADDING
        self.factor = 1.0
        """On all currents of the protocol, from the next step on."""
        self.n_instructions = len(instructions)
        p = parameters.values()
        coefficients = np.zeros((len(Coefficient), 2, self.stride))
        constants, tables = np.zeros(Constant.THERMAL_VOLTAGE + 1), []
        constants[Constant.RESISTANCE] = p["contact_resistance"]
        T = float(held_temperature(p))
        self.thermal_voltage = constants[Constant.THERMAL_VOLTAGE] = 2.0 * T * GAS / FARADAY
        self.current_density, self.growth = np.zeros(2), np.zeros(2)
        """A/m² per A of q, positive where lithium leaves; change of an electrode's mean stoichiometry per A s."""
        for e, (name, sign) in enumerate(zip(ELECTRODES, (1.0, -1.0), strict=True)):
            most = p[f"{name}_maximum_concentration"]
            D = p[f"{name}_diffusivity"] * float(arrhenius(p[f"{name}_diffusivity_activation"], T))
            rate = p[f"{name}_reaction_constant"] * float(arrhenius(p[f"{name}_reaction_activation"], T))
            solid = p["electrode_area"] * p[f"{name}_thickness"] * p[f"{name}_active_fraction"]
            x0 = p[f"{name}_initial_concentration"] / most
            R, mean = sizes[e].radii, sizes[e].mean
            self.current_density[e] = sign * mean / (3 * solid)
            self.growth[e] = -sign / (FARADAY * solid * most)
            coefficients[Coefficient.WEIGHT, e, : self.n] = sizes[e].shares
            coefficients[Coefficient.RATE, e, : self.n] = D / R**2
            coefficients[Coefficient.GAIN, e, : self.n] = self.growth[e] * R * mean / (3 * D)
            coefficients[Coefficient.GROWTH, e, : self.n] = self.growth[e] * mean / R
            kinetic = mean / (6 * solid * rate * most * np.sqrt(p["electrolyte_concentration"]))
            constants[3 * e : 3 * e + 3] = sign, x0, kinetic
            potential = parameters.potential(name, T)
            cubics = curve(potential, 0.0, 1.0).coefficients.copy()
            at_start = float(potential(np.array(x0)))
            cubics[:, 0] -= at_start
            tables.append(cubics)
            constants[Constant.REST_VOLTAGE] -= sign * at_start
        self._constants_on_host = constants
        rates = coefficients[Coefficient.RATE].ravel()
        self.coefficients = self._place(coefficients.reshape(len(Coefficient), -1))
        self.constants = self._place(constants)
        self.tables = self._place(np.array(tables))
        self.shares = self._place(-np.expm1(-np.outer(roots(MODES) ** 2, rates * dt * (not self.varying))))
        self._diffusivities = graded.diffusivity_curves(parameters) if self.varying else ()
        self.laws = self._place(np.array([each.coefficients for each in self._diffusivities]))
        """(2, INTERVALS, 4) where a diffusivity varies: D over that of the set."""
        self.instructions = self._place(np.array([each.row() for each in instructions]))
        self.drive = self._place(per_step(drive))
        self.state = self._place(np.zeros((Row.MODES + inside_rows(parameters), 2 * self.stride)))
        self.scratch = self._place(np.zeros((len(Scratch), 2 * self.stride)))
        cell = np.zeros(len(CellRow))
        cell[CellRow.ENDED], cell[CellRow.VOLTAGE] = -1.0, constants[Constant.REST_VOLTAGE]
        self.cell = self._place(cell)

    def put_back(self, state: Array, cell: Array) -> None:
        """A state of before. Raises ValueError where it is beyond the protocol; inside ``backend.active``."""
        own = self.backend.to_host(self.instructions)
        check_places(own, cell[[CellRow.INSTRUCTION]], cell[[CellRow.ELAPSED]])
        self.state[...] = self.backend.array(state)
        self.cell[...] = self.backend.array(cell)

    def _place(self, values: Array) -> Any:
        return self.backend.array(np.ascontiguousarray(values, self.dtype))

    def new_trace(self, rows: int) -> Any:
        """A device array (rows, 2) for voltages [V] and currents [A]."""
        return self.backend.empty((rows, 2), self.dtype)

    @abstractmethod
    def advance(self, first_step: int, steps: int, trace: Any = None, every: int = 1) -> None:
        """``steps`` steps; voltage and current of each ``every``-th go to a row of ``trace``, NaN after the end.

        The last step of the protocol is cut short where its cut-off is met. Called inside ``backend.timed`` or
        ``active``.
        """

    @property
    def traffic(self) -> KernelTraffic:
        """Per step with one pass of Newton: modes in twice and out, their shares in twice; what else there is once. Of
        shells: in for each solution, of which there are some five, and out."""
        size = self.dtype.itemsize * 2 * self.n
        if self.varying:
            rows = graded.SHELLS
            return KernelTraffic("particles", (5 * rows + 20) * size, (rows + 10) * size, OF_SHELLS * 2 * self.n)
        return KernelTraffic("particles", (4 * MODES + 20) * size, (MODES + 10) * size, (8 * MODES + 60) * 2 * self.n)

    @property
    def ended(self) -> bool:
        """Whether the protocol is through."""
        return bool(self.cell_on_host()[CellRow.INSTRUCTION] >= self.n_instructions)

    def first_non_finite(self) -> int | None:
        """The first particle, as an element, of which something inside is no number; what fills up columns is left
        out."""
        for rows in (self.state[: int(Row.MEAN_ERROR)], self.state[int(Row.MODES) :]):
            for electrode in (0, 1):
                first = electrode * self.stride
                found = self.backend.first_non_finite(rows[:, first : first + self.n])
                if found is not None:
                    return electrode * self.n + found % self.n
        return None

    def cell_on_host(self) -> Array:
        """(len(CellRow),) float64."""
        return self.backend.to_host(self.cell).astype(float)

    def surfaces(self, columns: Array | None = None) -> Array:
        """Stoichiometries at the surfaces of some particles (columns of the state; None: all that there are)."""
        if self.varying:
            return self._shells(lambda x, slope, law: graded.surface(x, slope, law)[None], 1, columns)[0]
        return self._profiles(np.ones((1, MODES)), np.array([static_tail(FEWEST, MODES)[1]]), columns)[0]

    def stoichiometry(self, points: int, columns: Array | None = None) -> Array:
        """(points, n) means over shells from the centre outwards."""
        if self.varying:
            return self._shells(lambda x, slope, law: graded.means(x, points), points, columns)
        return self._profiles(shell_modes(points, MODES), static_tail(points, MODES)[0], columns)

    def profile(self, x: Array, column: int) -> Array:
        """(len(x),) stoichiometry of one particle at x = r/R."""
        x = np.asarray(x, float)
        if self.varying:

            def look(shells: Array, slope: Array, law: Curve) -> Array:
                return graded.profile(shells[:, 0], float(graded.surface(shells, slope, law)[0]), x)[:, None]

            return self._shells(look, len(x), np.array([column]))[:, 0]
        shapes = mode_shapes(x, MODES)
        tail = (5 * x**2 - 3) / 10 - shapes @ (2 / roots(MODES) ** 2)
        return self._profiles(shapes, tail, np.array([column]))[:, 0]

    def means(self, columns: Array | None = None) -> Array:
        """Mean stoichiometries."""
        state, _, electrode = self._columns(columns)
        return self._means(state, electrode)

    def current_densities(self, columns: Array | None = None) -> Array:
        """At the surfaces [A/m²], positive where lithium leaves the particle."""
        state, _, electrode = self._columns(columns)
        return state[Row.FLUX] * self.current_density[electrode]

    def overpotential(self, column: int) -> float:
        """η [V] of one particle: 2RT/F asinh(j/2j0)."""
        state, _, (e,) = self._columns(np.array([column]))
        x = np.clip(self.surfaces(np.array([column]))[0], 1e-6, 1 - 1e-6)
        sign, _, kinetic = self._constants_on_host[3 * e : 3 * e + 3]
        z = kinetic * state[Row.FLUX, 0] / np.sqrt(x * (1 - x))
        return float(sign * self.thermal_voltage * np.arcsinh(z))

    def balance(self) -> float:
        """The lithium that the electrodes and the charge disagree about, as a share of the charge."""
        with self.backend.active():
            rows = self.state[: Row.FLUX].copy()
        mean, error = self.backend.to_host(rows).astype(float).reshape(2, 2, self.stride)[:, :, : self.n]
        cell = self.cell_on_host()
        charge = cell[CellRow.CHARGE] - cell[CellRow.CHARGE_ERROR]
        moved = [self.sizes[e].volume_shares @ (mean[e] - error[e]) / self.growth[e] for e in (0, 1)]
        return float(max(abs(each - charge) for each in moved) / max(abs(charge), 1e-30))

    def columns_of(self, elements: Array) -> Array:
        """Columns of the state for particles numbered 0 to n − 1 (negative) and n to 2 n − 1 (positive)."""
        elements = np.asarray(elements, np.int64)
        return elements + (elements >= self.n) * (self.stride - self.n)

    def _columns(self, columns: Array | None) -> tuple[Array, Array, Array]:
        """State and coefficients of some particles in float64 on the host, and which electrode they are of."""
        if columns is None:
            columns = self.columns_of(np.arange(2 * self.n))
        with self.backend.active():
            chosen = self.backend.array(columns)
            state, given = self.state[:, chosen], self.coefficients[:, chosen]
        electrode = (columns >= self.stride).astype(int)
        return self.backend.to_host(state).astype(float), self.backend.to_host(given).astype(float), electrode

    def _profiles(self, shapes: Array, tail: Array, columns: Array | None) -> Array:
        state, given, electrode = self._columns(columns)
        steady = np.outer(tail, given[Coefficient.GAIN] * state[Row.FLUX])
        return self._means(state, electrode) + shapes @ state[Row.MODES :] + steady

    def _means(self, state: Array, electrode: Array) -> Array:
        start = self._constants_on_host[[Constant.START, Constant.POSITIVE + Constant.START]][electrode]
        return np.asarray(start + state[Row.MEAN] - state[Row.MEAN_ERROR])

    def _shells(self, look: Callable[[Array, Array, Curve], Array], rows: int, columns: Array | None) -> Array:
        """(rows, n): what ``look`` finds in stoichiometries (SHELLS, n), the slope at the surface times D
        over that of the set, and D."""
        state, given, electrode = self._columns(columns)
        x, slope = self._means(state, electrode) + state[Row.MODES :], given[Coefficient.GAIN] * state[Row.FLUX]
        found = np.empty((rows, x.shape[1]))
        for e, law in enumerate(self._diffusivities):
            if (own := electrode == e).any():
                found[:, own] = look(x[:, own], slope[own], law)
        return found


MANY_PARTICLES = Twins[ManyParticles](__package__, cpu="cpu:CpuManyParticles", cuda="cuda:CudaManyParticles")
"""Takes the arguments of :class:`ManyParticles`."""
