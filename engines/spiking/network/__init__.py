"""Networks of any populations: neurons by model, spikes with delays through a ring of integer inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from engines.api import KernelTraffic
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.network.plan import First, Plan
from engines.spiking.watch.electrodes import Recorder

if TYPE_CHECKING:
    from engines.api.device import Backend


class Network(Protocol):
    """What the CPU's and the GPU's network have in common (:class:`engines.spiking.network.cpu.CpuNetwork`)."""

    arrays: dict[str, Any]
    """All that changes from step to step or while it runs, on the device (``state.new_state``)."""

    recorder: Recorder
    quantum: float

    @property
    def traffic(self) -> tuple[KernelTraffic, ...]: ...

    def advance(self, steps: int) -> None: ...


def make_network(backend: Backend, plan: Plan, wiring: Wiring, first: First) -> Network:
    """A network on the device of ``backend``."""
    if backend.id == "cpu":
        from engines.spiking.network.cpu import CpuNetwork

        return CpuNetwork(backend, plan, wiring, first)
    from engines.spiking.network.cuda import CudaNetwork

    return CudaNetwork(backend, plan, wiring, first)
