"""Diffusion of a rank's rows: the interior is stepped while what the separator reads is on its way."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.api.simulation.ranks import Exchange, Ranks
from engines.cardiac.diffusion.forward_euler import DIFFUSION, Diffusion
from engines.cardiac.ranks.cut import OwnRows


class DividedDiffusion(Diffusion):
    """A step in which all ranks take part. A voltage has ``ghosts`` values behind its padding.

    Each step, and each part of one, begins with what the neighbours read: it is gathered into one buffer, and what they
    send is received where it is read. Cells react after that with no word to others, so nothing is on its way between
    two steps, and a state that is restored needs no more. (The thesis, §4.5, takes separators first and sends them
    while the interior follows. Here the interior goes first, which hides the same message behind the interior's
    diffusion, launches reaction once rather than twice, and leaves cells that react by groups as they are.)
    """

    alone = False

    def __init__(self, backend: Backend, ranks: Ranks, own: OwnRows, dt: float, precision: str) -> None:
        super().__init__(backend, own.matrix, dt, precision)
        self._ranks, self._own, self.ghosts = ranks, own, own.ghosts
        self._rows: Any = DIFFUSION.open(backend, own.matrix, dt, precision)
        readers = sorted(own.sent)
        ends = np.cumsum([0, *(len(own.sent[rank]) for rank in readers)])
        sent = np.concatenate([np.zeros(0, np.int64), *(own.sent[rank] for rank in readers)])
        self._sent, self._buffer = backend.array(sent.astype(np.int64)), backend.empty(len(sent), self.dtype)
        self._outgoing = [(rank, 0, self._buffer[ends[k] : ends[k + 1]]) for k, rank in enumerate(readers)]

    def step(self, v: Any, out: Any) -> None:
        coming = self._begin(v)
        self.step_rows(v, out, 0, self._own.interior)
        coming.wait()
        self.step_rows(v, out, self._own.interior, self.n_rows)

    def step_rows(self, v: Any, out: Any, first: int, end: int) -> None:
        if end > first:
            self._rows.dt = self.dt
            self._rows.step_rows(v, out, first, end)

    def _begin(self, v: Any) -> Exchange:
        if self._outgoing:
            v.take(self._sent, out=self._buffer)
        incoming = [(rank, 0, v[places]) for rank, places in self._own.received.items()]
        return self._ranks.exchange(self._outgoing, incoming)

    def update_rows(self, rows: Array, columns: Array, weights: Array) -> None:
        """Rows and columns are those of the whole; others' are left to them."""
        which, here = self._own.here(rows)
        if len(here):
            self._rows.update_rows(here, self._own.columns(columns[which]), weights[which])

    @property
    def traffic(self) -> KernelTraffic:
        return self._rows.traffic
