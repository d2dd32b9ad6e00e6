"""A network on an NVIDIA GPU: launches ``network.cu``, many steps from a CUDA graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.spiking.connectivity.plastic import coefficients
from engines.spiking.connectivity.wiring import Wiring
from engines.spiking.lif.model import HISTORY, raster_stride
from engines.spiking.network.plan import First, Plan, new_state, no_rise, noise_table
from engines.spiking.step.network import GraphedNetwork
from engines.spiking.typed.cuda_source import kernel_file
from engines.spiking.typed.synapses.cuda import Launch, launches
from engines.spiking.watch.electrodes import CudaElectrodes

SOURCE = Path(__file__).with_name("network.cu")
PLASTICITY = Path(__file__).with_name("plasticity.cu")
THREADS = 256
SMALL_THREADS, SMALL = 64, 65536
"""Blocks of networks up to so many neurons: more multiprocessors take part."""
PART = 256
"""Synapses that a warp delivers at a time; that of the kernel."""
SPIKES_AT_ONCE = 1 / 256
"""Part of the neurons for whose spikes there are warps at once; more take turns."""


class CudaNetwork(GraphedNetwork):
    """A network; see :class:`engines.spiking.network.cpu.CpuNetwork`. ``own``: which of its neurons take steps here,
    where others do on other ranks."""

    def __init__(
        self, backend: Any, plan: Plan, wiring: Wiring, first: First, own: tuple[int, int] | None = None
    ) -> None:  # fmt: skip
        super().__init__(backend, wiring.quantum)
        self.electrodes: CudaElectrodes = CudaElectrodes(backend, noted=True)
        n = plan.neurons
        host = new_state(plan, wiring, first)
        self.arrays = {name: backend.array(values) for name, values in host.items()}
        a = self.arrays
        population = np.repeat(np.arange(len(plan.populations), dtype=np.uint8), np.diff(plan.bounds))
        of, starts, synapses = (backend.array(values) for values in (population, wiring.starts, wiring.words))
        counts = backend.array(np.zeros(3, np.int32))
        spiking = backend.empty(n, np.int32)
        mask = np.int32(len(host["ring"]) - 1)
        source = kernel_file(plan.typed_models) if plan.typed else SOURCE
        module = backend.compile(source, _bits(wiring.late))
        self._update, self._deliver = module.get_function("update"), module.get_function("deliver")
        begin, end = own or (0, n)
        refractory = backend.array(plan.refractory)
        raster = np.int32(raster_stride(n)), np.int32(host["history"].shape[1]), np.int32(HISTORY)
        self._heard = spiking, counts, a["clock"], of, refractory, np.int32(n), *raster
        self._update_arguments = (
            *(a[name] for name in ("parameters", "chances", "outside", "voltage", "recovery", "gates", "g_e", "g_i",
                                   "ring")),
            a["rise"] if "rise" in a else backend.array(no_rise()),
            *(a[name] for name in ("release", "last", "spikes", "interval", "interval_square", "history")),
            spiking, counts, a["clock"], of, backend.array(plan.models), refractory, backend.array(noise_table()),
            *(backend.array(each) if len(each) else None for each in plan.listed),
            np.uint64(plan.key), np.int32(n), mask, *raster, np.int32(begin), np.int32(end),
            *((a["numbers"], np.int32(a["numbers"].shape[1]), a["more"]) if plan.typed else ()),
        )  # fmt: skip
        parts = max(1, -(-int(np.diff(wiring.starts).max(initial=0)) // PART))
        self._deliver_arguments = (
            a["ring"], spiking, counts, a["clock"], of, starts, synapses, *_late(backend, wiring.late),
            a["population_spikes"], a["events"], np.int32(n), mask, np.int32(parts),
        )  # fmt: skip
        threads = SMALL_THREADS if n <= SMALL else THREADS
        self._grid, self._block = (-(-(end - begin) // threads),), (threads,)
        warps = round(n * SPIKES_AT_ONCE) * parts
        self._deliver_grid = (max(1, min(8 * backend.multiprocessors, warps // 8)),)
        self._changes = self._plastic(backend, wiring, plan.dt, spiking, counts, mask) if wiring.plastic else []
        self._sums: list[Launch] = []
        for block in wiring.joined:
            before, after = launches(backend, block, plan.synapses[block.connection].typed, a, counts)
            self._sums += before
            self._changes += after
        self.traffic = plan.traffic(wiring)

    def _launch(self) -> None:
        self._launch_update()
        self._launch_rest()

    def _launch_update(self) -> None:
        """Neurons take a step, with what synapses sum up for it."""
        for kernel, grid, arguments, _ in self._sums:
            kernel(grid, (THREADS,), arguments)
        arguments = (*self._update_arguments, *self.electrodes.arguments, self._told, np.int32(self._parity))
        self._update(self._grid, self._block, arguments)

    def _launch_rest(self) -> None:
        """What follows from its spikes."""
        parity = np.int32(self._parity)
        self._deliver(self._deliver_grid, (THREADS,), (*self._deliver_arguments, parity))
        for kernel, grid, arguments, alternates in self._changes:
            kernel(grid, (THREADS,), (*arguments, parity) if alternates else arguments)

    def _plastic(
        self, backend: Any, wiring: Wiring, dt: float, spiking: Any, counts: Any, mask: np.int32
    ) -> list[tuple[Any, tuple[int], tuple[Any, ...], bool]]:
        """Launches of ``plasticity.cu``: kernel, grid, arguments, and whether the parity comes last."""
        a, n, found = self.arrays, len(wiring.starts) - 1, []
        grid = (max(1, min(8 * backend.multiprocessors, n // 128)),)
        for k, block in enumerate(wiring.plastic):
            module = backend.compile(PLASTICITY, _bits(block.late))
            down, up, move = (module.get_function(name) for name in ("take_down", "take_up", "move_on"))
            starts, words, into, listed, c = (
                backend.array(values)
                for values in (
                    block.starts,
                    block.words,
                    block.into,
                    block.listed,
                    coefficients(block.rule, dt, wiring.quantum),
                )
            )
            weights, (sent, heard) = a[f"weights_{k}"], a[f"traces_{k}"]
            pre = (
                spiking, counts, starts, words, *_late(backend, block.late), c, weights, heard, a["ring"], a["events"],
                np.int32(n), mask,
            )  # fmt: skip
            found += [
                (down, grid, pre, True),
                (up, grid, (spiking, counts, words, into, listed, c, weights, sent), True),
                (move, (-(-n // THREADS),), (a["last"], counts, c, sent, heard, np.int32(n)), False),
            ]
        return found


def _bits(late: Array) -> tuple[str]:
    """Of delays, as kernels are compiled for them."""
    return ("-DDELAY=16" if len(late) else "-DDELAY=8",)


def _late(backend: Any, late: Array) -> tuple[Any, ...]:
    """The argument that kernels have with 16 bits."""
    return (backend.array(late),) if len(late) else ()
