"""Bytes and operations of a step, from the algorithm."""

from __future__ import annotations

from engines.api import KernelTraffic
from engines.spiking.lif.traffic import TYPICAL_RATE


def network_traffic(
    neurons: int, synapses: int, dt: float, rate: float = TYPICAL_RATE, rising: int = 0
) -> tuple[KernelTraffic, ...]:
    """Per neuron voltage, two synaptic variables and two inputs read and written, and a release time read; per synaptic
    event, of which there are about rate x dt x synapses, a synapse of 8 bytes read and a sum read and written;
    two more variables for each of the ``rising`` neurons."""
    events = round(synapses * rate * dt * 1e-3)
    return (
        KernelTraffic("step", bytes_read=24 * neurons + 8 * rising + 12 * events,
                      bytes_written=20 * neurons + 8 * rising + 4 * events, flops=13 * neurons + 6 * rising + events),
    )  # fmt: skip
