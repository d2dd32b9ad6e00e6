"""What a watcher of the tissue is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from engines.api import Array, MarkerInfo, Markers
from engines.watching import Watcher

NEVER = 2**62
"""Steps between two looks of who looks at the start alone."""


class Snapshot(NamedTuple):
    """The voltage ``(n_padded,)`` [mV] on the device at ``time`` [ms], and the factor on all conductivities."""

    time: float
    voltage: Any
    conductivity_scale: float = 1.0


class TissueWatcher(Watcher[Snapshot]):
    """Looks at the voltage at the start and every few steps, and keeps what it finds on the device.

    Cells stand in the order of the device, as in the voltage.
    """

    marked: MarkerInfo | None = None

    def conduct(self, changed: Array, left: Array) -> None:
        """Painting has changed the share of their conductivity that cells have left, ``left: (n_cells,)``, in those of
        ``changed: (m,)``. Called outside ``backend.active``."""

    def look_between(self, moment: Snapshot) -> None:
        """See the present where it is not this watcher's turn, for who asks now; called as :meth:`look`. What later
        looks build upon must stay as it is."""

    @abstractmethod
    def state(self) -> dict[str, Array]:
        """All that :meth:`restore` needs to go on as if nothing had been."""

    @abstractmethod
    def restore(self, state: Mapping[str, Array]) -> None:
        """Take a state back. A state without this watcher's values starts it anew."""

    def values(self, field: str) -> Any:
        """(n_padded,) on the device: one of ``fields``."""
        raise KeyError(field)

    def markers(self) -> Markers | None:
        """The points of ``marked`` as they were when it looked, or looked between."""
        return None
