"""Electrodes: the state of a few neurons in each step, kept on the device until somebody looks at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.watching import Watcher

SOURCE = Path(__file__).with_name("electrodes.cu")
MOST = 64
"""Neurons that are recorded at a time."""
WINDOW = 4096
"""Steps that are kept."""
STATE = ("voltage", "g_e", "g_i", "recovery", "fired")
NOBODY = np.zeros(0, np.int32), np.zeros((1, len(STATE), 1), np.float32)
"""What kernels on the CPU are given while nobody is recorded."""


class Electrodes(Watcher[Mapping[str, Any]]):
    """A ring of the last steps of the chosen neurons.

    Steps cost nothing while nobody is chosen. Then kernels on the CPU write to ``places`` as they go; who is chosen is
    on the device.
    """

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self._made: tuple[Any, Any] | None = None
        self._since: tuple[int, ...] = ()
        self.chosen: tuple[int, ...] = ()

    def choose(self, neurons: Sequence[int], step: int) -> None:
        """Record these, at most ``MOST``, from ``step`` on, or on where they are at the same place; none: nobody."""
        before = dict(zip(enumerate(self.chosen), self._since, strict=True))
        self.chosen = tuple(neurons)
        self._since = tuple(before.get(each, step) for each in enumerate(self.chosen))
        if not neurons:
            return
        if self._made is None:
            self._make()
        assert self._made is not None
        places = np.full(MOST, -1, np.int32)
        places[: len(neurons)] = neurons
        with self._backend.active():
            self._made[0][...] = self._backend.array(places)

    def _make(self) -> None:
        nothing = np.zeros((WINDOW, len(STATE), MOST), np.float32)
        self._made = self._backend.array(np.full(MOST, -1, np.int32)), self._backend.array(nothing)

    @property
    def places(self) -> tuple[Any, Any]:
        """(MOST,) int32 neurons, -1 for none; (WINDOW, 5, MOST) float32, row s % WINDOW is that after step s."""
        return self._made if self.chosen and self._made is not None else NOBODY

    def look(self, moment: Mapping[str, Any]) -> None:
        """``moment``: the arrays of a network after a step, which its kernels on the CPU have recorded themselves."""

    def values(
        self, step: int, most: int = WINDOW, neurons: Sequence[int] | None = None
    ) -> tuple[Array, Array]:  # fmt: skip
        """(k,) the last steps before ``step`` in which these ``neurons`` of the chosen, or all, were recorded, and
        (k, 5, neurons) the state after each of them."""
        places = [self.chosen.index(each) for each in (self.chosen if neurons is None else neurons)]
        kept = min(step - max((self._since[place] for place in places), default=step), WINDOW, most)
        steps = np.arange(step - kept, step)
        if self._made is None or kept <= 0:
            return steps[:0], np.zeros((0, len(STATE), len(places)), np.float32)
        with self._backend.active():
            rows = self._made[1][self._backend.array(steps % WINDOW)]
        return steps, self._backend.to_host(rows)[:, :, places]


class CudaElectrodes(Electrodes):
    """Of a GPU: one launch after each step. Who is chosen is on the device too, so a graph of steps holds for any
    choice. ``noted``: the network's own kernel notes what synapses give, with ``arguments``."""

    def __init__(self, backend: Any, noted: bool) -> None:
        super().__init__(backend)
        self._noted = noted
        self._record: Any = None

    def _make(self) -> None:
        super()._make()
        self._record = self._backend.compile(SOURCE).get_function("record")  # now: a graph cannot load a kernel

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Of a kernel that notes what synapses give (``network.cu``): ``places`` and lengths, or none."""
        if not self.chosen or self._made is None:
            return np.uint64(0), np.uint64(0), np.int32(0), np.int32(0)
        return *self._made, np.int32(MOST), np.int32(WINDOW)

    def look(self, moment: Mapping[str, Any]) -> None:
        if not self.chosen or self._made is None:
            return
        none = np.uint64(0)
        given = (none, none) if self._noted else (moment["g_e"], moment["g_i"])
        state = moment["clock"], moment["voltage"], *given, moment.get("recovery", none), moment["last"]
        self._record((MOST // 32,), (32,), (*self._made, *state, np.int32(MOST), np.int32(WINDOW)))
