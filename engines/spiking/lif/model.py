"""What a network of leaky integrate-and-fire neurons is made of, without a word about a device.

    τ_m dv/dt = E_L + I − v + g_e + g_i        held at V_r for the refractory time after a spike
    τ_e dg_e/dt = −g_e,   τ_i dg_i/dt = −g_i   g_e or g_i of every target rises by its weight at a spike

Linear, so a step of any length is exact (:meth:`Lif.propagators`); spikes are on the grid of steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.spiking.lif.constants import Constant

NEVER = -(1 << 30)
"""The step of the last spike of a neuron that has not fired."""
HISTORY = 8192
"""Steps of the raster that are kept: spectra of 0.8 s at steps of 0.1 ms."""
RASTER_NEURONS = 512
"""Of which at most so many neurons are in it."""
QUANTA = 30
"""Bits of a 32-bit sum that the largest possible input of a neuron in one step may take."""


@dataclass(frozen=True)
class Lif:
    """Times in ms, voltages in mV. ``drive`` is added to the resting voltage; factors scale what synapses give."""

    dt: float = 0.1
    membrane: float = 20.0
    excitatory: float = 5.0
    inhibitory: float = 10.0
    rest: float = -49.0
    threshold: float = -50.0
    reset: float = -60.0
    refractory: float = 5.0
    drive: float = 0.0
    excitation: float = 1.0
    inhibition: float = 1.0

    @property
    def refractory_steps(self) -> int:
        """Steps from a spike to the first in which the voltage is integrated again; at least the next one."""
        return max(1, round(self.refractory / self.dt))

    def propagators(self) -> dict[str, float]:
        """u' = u + loss u + base + gain_e g_e + gain_i g_i for u = v − E_L, and g' = g + loss_x g: exact after dt.

        What is lost in a step and not what is left: a factor near 1 in float32 is off by 3e-8, which adds up.
        """
        return {
            "loss": math.expm1(-self.dt / self.membrane),
            "base": self.drive * -math.expm1(-self.dt / self.membrane),
            "gain_e": self._gain(self.excitatory),
            "gain_i": self._gain(self.inhibitory),
            "loss_e": math.expm1(-self.dt / self.excitatory),
            "loss_i": math.expm1(-self.dt / self.inhibitory),
        }

    def _gain(self, synapse: float) -> float:
        """What a synaptic current of 1 at the step's beginning adds to v by its end: τ_s/(τ_s − τ_m) (e^(−dt/τ_s) −
        e^(−dt/τ_m)), written so that it holds for equal time constants too."""
        rate = 1 / self.membrane - 1 / synapse
        share = self.dt if rate == 0 else math.expm1(rate * self.dt) / rate
        return math.exp(-self.dt / self.membrane) * share / self.membrane

    def constants(self, quantum: float) -> Array:
        """float32 by :class:`Constant`; ``quantum`` [mV] is that of the weights."""
        values = {name.upper(): value for name, value in self.propagators().items()}
        values |= {"THRESHOLD": self.threshold - self.rest, "RESET": self.reset - self.rest}
        values |= {"SCALE_E": quantum * self.excitation, "SCALE_I": quantum * self.inhibition}
        return np.array([values[each.name] for each in Constant], np.float32)


@dataclass(frozen=True)
class Sources:
    """Populations: neurons ``bounds[p]`` to ``bounds[p + 1] - 1`` send ``weights[p]`` [mV], to g_i if negative."""

    bounds: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def neurons(self) -> int:
        return self.bounds[-1]

    def of(self) -> Array:
        """(neurons,) the population of each."""
        return np.repeat(np.arange(len(self.weights)), np.diff(self.bounds))


@dataclass(frozen=True, eq=False)
class Synapses:
    """Row r is what neuron r sends: ``targets[starts[r]:starts[r + 1]]``, int32, ascending; starts (n + 1) int64."""

    starts: Array
    targets: Array

    def quantum(self, sources: Sources) -> float:
        """A power of two [mV] such that integer sums of weights over it cannot overflow in 32 bits, and add to the same
        in any order; all neurons of a population may fire at once."""
        largest = 0.0
        for population, weight in enumerate(sources.weights):
            first, stop = (int(self.starts[bound]) for bound in sources.bounds[population : population + 2])
            if stop > first:
                inputs = np.bincount(self.targets[first:stop], minlength=sources.neurons)
                largest += abs(weight) * float(inputs.max())
        return 2.0 ** (math.ceil(math.log2(largest)) - QUANTA) if largest > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Start:
    """voltage: (n,) float64 [mV], with that of rest, and rest [mV]"""

    voltage: Array
    rest: float = -49.0


def raster_stride(neurons: int) -> int:
    """One neuron of so many is in the raster."""
    return -(-neurons // RASTER_NEURONS)


def new_state(sources: Sources, start: Start) -> dict[str, Array]:
    """The arrays that change, on the host.

    voltage: (n,) float32 above rest [mV]; g_e, g_i: (n,) float32 [mV]
    input: (2, n) int32 quanta that arrived, for g_e and g_i
    release: (n,) int32 step from which the voltage is integrated; last: (n,) int32 step of the last spike, or NEVER
    spikes: (n,) int32; interval, interval_square: (n,) float64, sums over intervals between spikes [steps, steps²]
    population_spikes: (populations,) int64; events: (1,) int64 synaptic events; clock: (1,) int32 the next step
    history: (HISTORY, slots) uint8, whether each neuron of the raster fired in each of the last steps
    """
    n = sources.neurons
    stride = raster_stride(n)
    return {
        "voltage": np.asarray(start.voltage - start.rest, np.float32),
        "g_e": np.zeros(n, np.float32),
        "g_i": np.zeros(n, np.float32),
        "input": np.zeros((2, n), np.int32),
        "release": np.zeros(n, np.int32),
        "last": np.full(n, NEVER, np.int32),
        "spikes": np.zeros(n, np.int32),
        "interval": np.zeros(n),
        "interval_square": np.zeros(n),
        "population_spikes": np.zeros(len(sources.weights), np.int64),
        "events": np.zeros(1, np.int64),
        "clock": np.zeros(1, np.int32),
        "history": np.zeros((HISTORY, -(-n // stride)), np.uint8),
    }


def quantised(sources: Sources, quantum: float) -> Array:
    """(populations,) int32: weights in quanta."""
    return np.array([round(weight / quantum) for weight in sources.weights], np.int32)


def kind_of_each(sources: Sources) -> Array:
    """(populations,) int32: 0 where a population's weight goes to g_e, 1 for g_i."""
    return np.array([int(weight < 0) for weight in sources.weights], np.int32)
