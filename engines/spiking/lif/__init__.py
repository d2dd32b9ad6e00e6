"""Leaky integrate-and-fire neurons with exponential synaptic currents, joined at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from engines.api import KernelTraffic
from engines.spiking.lif.model import Lif, Sources, Start, Synapses
from engines.spiking.watch.electrodes import Recorder

if TYPE_CHECKING:
    from engines.api.device import Backend


class LifNetwork(Protocol):
    """What the CPU's and the GPU's network have in common (:class:`engines.spiking.lif.cpu.CpuLif`)."""

    arrays: dict[str, Any]
    """All that changes from step to step, on the device (``model.new_state``), and ``constants``."""

    recorder: Recorder
    quantum: float
    """What one unit of the integer inputs means [mV]."""

    @property
    def traffic(self) -> tuple[KernelTraffic, ...]: ...

    def advance(self, steps: int) -> None: ...


def make_network(backend: Backend, lif: Lif, sources: Sources, synapses: Synapses, start: Start) -> LifNetwork:
    """A network on the device of ``backend``."""
    if backend.id == "cpu":
        from engines.spiking.lif.cpu import CpuLif

        return CpuLif(backend, lif, sources, synapses, start)
    from engines.spiking.lif.cuda import CudaLif

    return CudaLif(backend, lif, sources, synapses, start)
