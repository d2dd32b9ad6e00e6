"""A sparse matrix that is held in both orders: few events are pushed, of many all synapses are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api.device import Backend
from engines.backend.timing import best_seconds
from engines.backend.tuning import tune, tuning_key
from engines.backend.twins import pick
from engines.spiking.events import vectors
from engines.spiking.events.product import Product

CPU_KERNELS, CUDA_KERNELS = Path(__file__).parents[1] / "cpu_kernels.py", Path(__file__).with_name("sparse.cu")
PERCENTS = (1, 3, 10, 30, 100)
"""Densities at which both ways are timed; the switch lies at one of them, or at 0: pushing is never faster."""


class Both(Product):
    """``by_sender`` pushes what ``by_hearer`` pulls. ``percents``: densities up to which events are pushed, of the
    product and of the transpose."""

    def __init__(self, backend: Backend, by_sender: Any, by_hearer: Any, synapses: int) -> None:
        self.shape = by_sender.shape
        self.gathers_anywhere = by_sender.gathers_anywhere and by_hearer.scans_anywhere
        self.scans_anywhere = by_hearer.gathers_anywhere and by_sender.scans_anywhere
        self._ways = (by_sender, by_hearer), (by_hearer, by_sender)
        self._gate = backend.array(np.zeros(1, np.int32))
        self.percents = tuple(_switch(backend, *ways, synapses) for ways in self._ways)

    def gather_into(self, out: Any, given: Any) -> None:
        self._product_into(out, given, 0)

    def scan_into(self, out: Any, given: Any) -> None:
        self._product_into(out, given, 1)

    def _product_into(self, out: Any, given: Any, which: int) -> None:
        """Where the host does not know how many events there are, a GPU counts them, and one of both ways ends at once.
        ``which``: 1 for the transpose."""
        pusher, puller = self._ways[which]
        limit = self.percents[which] * pusher.shape[0] * given.batch // 100
        if given.total is not None:
            (pusher.gather_into if given.total <= limit else puller.scan_into)(out, given)
            return
        pusher.tools.decide(self._gate, given, limit)
        pusher.gather_into(out, given, self._gate)
        puller.scan_into(out, given, self._gate)


def _switch(backend: Backend, pusher: Any, puller: Any, synapses: int) -> int:
    """The percentage up to which pushing is faster: that with the least time over all PERCENTS, each counted alike."""
    rows = pusher.shape[0]
    rng = np.random.default_rng(1)
    given = []
    for percent in PERCENTS:
        events = rng.random((1, rows)) < percent / 100
        given.append(vectors.on(backend, events))
    out = backend.empty((1, pusher.shape[1]), np.float32)
    measured: dict[tuple[str, int], float] = {}

    def seconds(way: str, place: int) -> float:
        if (way, place) not in measured:
            call = pusher.gather_into if way == "push" else puller.scan_into
            measured[way, place] = best_seconds(backend, lambda: call(out, given[place]))
        return measured[way, place]

    def time_one(candidate: tuple[int]) -> float:
        total = 0.0
        for place, percent in enumerate(PERCENTS):
            times = {way: seconds(way, place) for way in ("push", "pull")}
            total += times["push" if percent <= candidate[0] else "pull"] / min(times.values())
        return total

    source = pick(backend, cpu=CPU_KERNELS, cuda=CUDA_KERNELS)
    key = tuning_key(f"push or pull {type(puller).__name__} {rows.bit_length()}", backend.info, source, synapses)
    return tune(key, tuple((percent,) for percent in (*PERCENTS[::-1], 0)), time_one)[0]
