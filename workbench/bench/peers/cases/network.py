"""The network CUBA (Vogels and Abbott 2005), same synapses and first voltages, beside Brian2."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, Problem
from workbench.bench.peers.case import Answer, OurSide, PeerCase, Place, Side, Size, peer

STEP = 0.1
"""[ms]"""
INPUTS = 80.0
"""Mean number of synapses that a neuron has."""
EARLY = 300
"""Steps whose spikes are compared one by one: later ones go apart by a rounding, as the network is chaotic."""
EQUATIONS = """
dv/dt = (ge + gi - (v + 49*mV))/(20*ms) : volt (unless refractory)
dge/dt = -ge/(5*ms) : volt
dgi/dt = -gi/(10*ms) : volt
"""


def size(neurons: int, milliseconds: float) -> Size:
    steps = round(milliseconds / STEP)
    name = f"{neurons:,} neurons, {milliseconds:g} ms"
    return Size(name, {"neurons": neurons, "steps": steps}, steps, milliseconds / 1000)


def apart(ours: Answer, theirs: Answer) -> float:
    """The share of early spikes that only one of both has, or by how much one has more spikes in all."""
    one, other = ({(int(s), int(n)) for s, n in each["early"]} for each in (ours, theirs))
    counts = float(ours["count"]), float(theirs["count"])
    early = len(one ^ other) / max(1, len(one | other))
    return max(early, abs(counts[0] - counts[1]) / max(1.0, counts[1])) if one and other else float("inf")


def seen(steps: Array, neurons: Array) -> Answer:
    early = steps < EARLY
    return {"early": np.stack([steps[early], neurons[early]], axis=1), "count": np.array(len(steps))}


CASE = PeerCase(
    id="network",
    title="CUBA, every spike kept",
    peer="Brian2",
    module="brian2",
    install="pip install brian2",
    versions=("brian2", "cython", "numpy"),
    unit="seconds of the network/s",
    precision="fp32",
    sizes={"cpu": (size(4_000, 1000), size(20_000, 500)), "cuda": (size(4_000, 1000), size(100_000, 200))},
    tolerance=0.05,
    measured="share of the spikes of 30 ms that only one has, and difference of all spikes",
    differ=apart,
)


def parameters(values: Mapping[str, Any]) -> Any:
    from engines.spiking.parameters.published import cuba

    return cuba(values["neurons"], INPUTS).parameters


def ours(values: Mapping[str, Any], place: Place) -> Side:
    return Ours(values, place)


class Ours(OurSide):
    """With a reader of all spikes."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        from engines.spiking.engine import SpikingEngine

        problem = Problem(parameters(values))
        super().__init__(SpikingEngine(), problem, place, values["steps"], lambda _: self._seen())
        self._reader = self.simulation.spike_trains()  # type: ignore[attr-defined]  # of spiking networks

    def reset(self) -> None:
        super().reset()
        self._reader.take()

    def run(self) -> None:
        super().run()
        self._spikes = self._reader.take()

    def _seen(self) -> Answer:
        return seen(self._spikes.steps, self._spikes.neurons)


class Theirs(Side):
    """A program in C++ with OpenMP where there is a compiler, timed by what it says of its loop; else NumPy."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        brian2 = peer("brian2")

        self._brian, self._steps = brian2, values["steps"]
        brian2.prefs.core.default_float_dtype = np.float32
        self._compiled = shutil.which("g++") is not None
        if self._compiled:
            self.threads, self.note = place.threads, "C++ standalone"
            self._folder = tempfile.mkdtemp(prefix="workbench-brian2-")
            brian2.prefs.devices.cpp_standalone.openmp_threads = place.threads if place.threads > 1 else 0
            brian2.set_device("cpp_standalone", build_on_run=False)
        else:
            self.note = "NumPy target, no C++ compiler"
            brian2.prefs.codegen.target = "numpy"
        self._network(parameters(values))
        if self._compiled:
            self._all.run(self._steps * STEP * brian2.ms)
            brian2.device.build(directory=str(Path(self._folder) / "made"), compile=True, run=False)
        else:
            self._all.store()

    def _network(self, given: Any) -> None:
        from engines.spiking.connectivity.pairs import random_synapses
        from engines.spiking.network.plan import first_values

        brian2, seed = self._brian, given.numerics.seed
        n = sum(each.number for each in given.populations)
        brian2.defaultclock.dt = STEP * brian2.ms
        neurons = brian2.NeuronGroup(
            n, EQUATIONS, threshold="v > -50*mV", reset="v = -60*mV", refractory=5 * brian2.ms, method="exact"
        )
        neurons.v = first_values(given.populations, seed).voltage * brian2.mV
        drawn = random_synapses(n, INPUTS / n, seed)
        senders = np.repeat(np.arange(n), np.diff(drawn.starts))
        excitatory = senders < given.populations[0].number
        synapses = []
        for these, on_pre in ((excitatory, "ge_post += 1.62*mV"), (~excitatory, "gi_post += -9*mV")):
            synapses.append(brian2.Synapses(neurons, neurons, on_pre=on_pre))
            synapses[-1].connect(i=senders[these], j=drawn.targets[these])
        self._monitor = brian2.SpikeMonitor(neurons)
        self._all = brian2.Network(neurons, *synapses, self._monitor)

    def reset(self) -> None:
        if not self._compiled:
            self._all.restore()

    def run(self) -> float | None:
        if not self._compiled:
            self._all.run(self._steps * STEP * self._brian.ms)
            return None
        self._brian.device.run(str(Path(self._folder) / "made"), with_output=False)
        return float(self._brian.device._last_run_time)

    def answer(self) -> Answer:
        steps = np.rint(np.asarray(self._monitor.t / self._brian.ms) / STEP).astype(np.int64)
        return seen(steps, np.asarray(self._monitor.i))

    def close(self) -> None:
        if self._compiled:
            shutil.rmtree(self._folder, ignore_errors=True)


def theirs(values: Mapping[str, Any], place: Place) -> Side:
    return Theirs(values, place)
