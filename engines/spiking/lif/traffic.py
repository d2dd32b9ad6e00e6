"""Bytes and operations of a step, from the algorithm."""

from __future__ import annotations

from engines.api import KernelTraffic

TYPICAL_RATE = 6.0
"""Spikes per neuron and second [Hz], for estimates before anything has fired."""


def lif_traffic(neurons: int, synapses: int, dt: float = 0.1, rate: float = TYPICAL_RATE) -> tuple[KernelTraffic, ...]:
    """Per neuron voltage, two synaptic currents and two inputs read and written, and a release time read; per synaptic
    event, of which there are about rate x dt x synapses, a target read and a sum read and written."""
    events = round(synapses * rate * dt * 1e-3)
    return (
        KernelTraffic("step", bytes_read=24 * neurons + 8 * events, bytes_written=20 * neurons + 4 * events,
                      flops=13 * neurons + events),
    )  # fmt: skip
