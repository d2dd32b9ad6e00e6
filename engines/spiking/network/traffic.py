"""Bytes and operations of a step, from the algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import KernelTraffic
from engines.spiking.lif.traffic import TYPICAL_RATE
from engines.spiking.typed.synapses.plan import TypedSynapse


def network_traffic(
    neurons: int,
    synapses: int,
    dt: float,
    rate: float = TYPICAL_RATE,
    rising: int = 0,
    typed: Sequence[tuple[int, TypedSynapse]] = (),
    runs: int = 0,
) -> tuple[KernelTraffic, ...]:
    """Per neuron voltage, two synaptic variables and two inputs read and written, and a release time read; per synaptic
    event, of which there are about rate x dt x synapses, a synapse of 8 bytes read and a sum read and written;
    two more variables for each of the ``rising`` neurons. Of the synapses so many are ``typed``, with events of both
    ends, and what they do in each step; of ``runs`` of these, of a sender with the same delay, 9 bytes say who fired so
    long ago."""
    share = rate * dt * 1e-3
    events = round((synapses - sum(count for count, _ in typed)) * share)
    moved = [(share * count, each.bytes_of(which)) for count, each in typed for which in range(2)]
    moved += [(float(count), each.bytes_of_step) for count, each in typed]
    read, written = (round(sum(often * each[way] for often, each in moved)) for way in range(2))
    return (
        KernelTraffic("step", bytes_read=24 * neurons + 8 * rising + 12 * events + 9 * runs + read,
                      bytes_written=20 * neurons + 8 * rising + 4 * events + written,
                      flops=13 * neurons + 6 * rising + round(synapses * share)),
    )  # fmt: skip
