"""Pulses that a person adds to the protocol of a tissue while it runs, by clicking it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.cardiac.stimulus.protocol import MAXIMUM, Protocol, Pulse
from engines.cardiac.tissue.rows import ALL_ROWS, Rows

SILENT = Pulse(current=0.0, first=0, length=1, period=1, count=0)
"""Stands at a bit that no pulse uses now."""
STATE = ("touch_bits", "touch_first", "touch_length", "touch_current", "touch_offsets", "touch_cells")


class TouchProtocol(Protocol):
    """A problem's stimuli, and single pulses on the bits that they leave.

    ``version`` grows with each change, for whoever keeps what :meth:`currents` said.
    """

    def __init__(self, plan: Protocol) -> None:
        super().__init__(plan.mask, plan.pulses)
        self.own = len(plan.pulses)
        """Bits below this are the problem's."""
        self.version = 0

    def add(self, current: float, step: int, length: int) -> int:
        """A pulse of ``current`` [mV/ms] in the ``length`` steps from ``step`` on; returns its bit.

        Raises ProblemError where no bit is free.
        """
        for bit in range(self.own, MAXIMUM):
            used = self.pulses[bit] if bit < len(self.pulses) else SILENT
            if not used.on(step) and used.next_edge(step) == np.inf:
                self.put(bit, Pulse(current, step, length, length, 1))
                return bit
        if self.own == MAXIMUM:
            raise ProblemError(f"All {MAXIMUM} stimuli are the problem's own: remove one to stimulate by hand.")
        raise ProblemError(f"{MAXIMUM - self.own} pulses are on at once: wait until one has ended.")

    def put(self, bit: int, pulse: Pulse) -> None:
        """``pulse`` at ``bit``, whatever was there."""
        pulses = [*self.pulses, *[SILENT] * (bit + 1 - len(self.pulses))]
        pulses[bit] = pulse
        self.pulses = tuple(pulses)
        self._forget()

    def clear(self) -> None:
        """The problem's own stimuli alone."""
        self.pulses = self.pulses[: self.own]
        self._forget()

    def _forget(self) -> None:
        self._valid = (0, 0)
        self.version += 1


class Touch:
    """Gives pulses to cells: keeps the protocol and the mask on the device (``mask``) in step with each other.

    Cells are numbered as in the operator, of which the device has ``rows``. ``mask_on_host: (n_cells,)`` uint32 are
    the bits of the problem's stimuli.
    """

    def __init__(
        self, backend: Backend, protocol: TouchProtocol, mask: Any, mask_on_host: Array, rows: Rows = ALL_ROWS
    ) -> None:  # fmt: skip
        self._backend, self._protocol, self._mask, self._rows = backend, protocol, mask, rows
        self._bits = np.array(mask_on_host, np.uint32)
        self._silent = np.zeros(len(self._bits), bool)
        self._cells: dict[int, Array] = {}

    def stimulate(self, cells: Array, current: float, step: int, length: int) -> None:
        """A pulse from ``step`` on into ``cells: (m,)``. Raises ProblemError as :meth:`TouchProtocol.add`."""
        self._place(self._protocol.add(current, step, length), cells)

    def silence(self, cells: Array, silent: Array) -> None:
        """No stimulus reaches those of ``cells: (m,)`` that are ``silent: (m,)`` bool; the others again get theirs."""
        self._silent[cells] = silent
        self._write(cells)

    def state(self, step: int) -> dict[str, Array]:
        """The pulses that have not ended at ``step``."""
        pulses = self._protocol.pulses
        going = [bit for bit in sorted(self._cells) if pulses[bit].first + pulses[bit].length > step]
        cells = [self._cells[bit] for bit in going]
        values = (
            np.array(going, np.int32),
            np.array([pulses[bit].first for bit in going], np.int64),
            np.array([pulses[bit].length for bit in going], np.int64),
            np.array([pulses[bit].current for bit in going], np.float64),
            np.cumsum([0, *map(len, cells)]).astype(np.int64),
            np.concatenate([np.zeros(0, np.int32), *cells]).astype(np.int32),
        )
        return dict(zip(STATE, values, strict=True))

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take a state back; one without pulses leaves the problem's own stimuli."""
        for bit in list(self._cells):
            self._place(bit, np.zeros(0, np.int32))
        self._protocol.clear()
        self._cells = {}
        if STATE[0] not in state:
            return
        bits, firsts, lengths, currents, offsets, cells = (state[name] for name in STATE)
        for k, bit in enumerate(map(int, bits)):
            length = int(lengths[k])
            if not (self._protocol.own <= bit < MAXIMUM and length > 0):
                raise ValueError(f"there is no pulse {bit} of {length} steps")
            self._protocol.put(bit, Pulse(float(currents[k]), int(firsts[k]), length, length, 1))
            self._place(bit, cells[offsets[k] : offsets[k + 1]])

    def _place(self, bit: int, cells: Array) -> None:
        before = self._cells.get(bit, cells[:0])
        self._bits[before] &= np.uint32(~(1 << bit) & 0xFFFFFFFF)
        self._bits[cells] |= np.uint32(1 << bit)
        self._cells[bit] = cells
        self._write(np.union1d(before, cells))

    def _write(self, cells: Array) -> None:
        which, here = self._rows.here(cells)
        if len(here):
            with self._backend.active():
                bits = np.where(self._silent[cells], np.uint32(0), self._bits[cells])[which]
                self._mask[self._backend.array(here)] = self._backend.array(bits)
