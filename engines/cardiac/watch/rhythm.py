"""What a tissue does after its latest stimulus: how much is excited, how long waves run, and whether they come back,
which is re-entry.

One wave activates a cell once, however it winds. So beats are counted from a pulse on before which no front was moving,
and more of them than pulses since then are not of the stimuli.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

from engines.api import Array, Finding, SeriesInfo
from engines.api.charts import ChartInfo
from engines.cardiac.stimulus.protocol import Protocol
from engines.cardiac.watch.kernels import WatcherKernels
from engines.cardiac.watch.maps import Maps
from engines.cardiac.watch.watcher import Snapshot, TissueWatcher

STANDING_MILLISECONDS = 20.0
"""Where no cell was activated for so long no front moves any more: the slowest takes that for a millimetre."""
SERIES = (
    SeriesInfo("excited", "Excited tissue", "%"),
    SeriesInfo("activity", "Activity since the latest stimulus", "ms"),
    SeriesInfo("own_beats", "Beats without a stimulus", "1"),
)
Gathered = Callable[[Array], Sequence[Array]]


class Rhythm(TissueWatcher):
    """Reads ``maps``, which look first: it knows what these have seen.

    ``dt`` [ms]; ``every``: steps between two samples of series; ``gathered``: the values of all ranks, of this one's
    own; None: it is the only one. Series are asked of all ranks together.
    """

    series = SERIES
    charts = tuple(ChartInfo(info.name, info.title, info.unit, (info.name,)) for info in SERIES)

    def __init__(
        self,
        kernels: WatcherKernels,
        maps: Maps,
        protocol: Protocol,
        dt: float,
        every: int,
        gathered: Gathered | None = None,
    ) -> None:
        self._kernels, self._maps, self._protocol, self._dt = kernels, maps, protocol, dt
        self._gathered: Gathered = gathered or (lambda own: [own])
        self.every = every
        self._pulse, self._waves, self._step = -1, 0, 0
        self._own = kernels.place(4)
        self._known: Callable[[], Array] | None = None

    def look(self, moment: Snapshot) -> None:
        pulse = self._protocol.latest(round(moment.time / self._dt))
        if pulse > self._pulse:
            self._pulse = pulse
            self._count_from(pulse * self._dt)
        self.look_between(moment)

    def look_between(self, moment: Snapshot) -> None:
        self._step = round(moment.time / self._dt)
        self._see()

    def conduct(self, changed: Array, left: Array) -> None:
        with self._kernels.backend.active():  # the maps, which come first, have fewer cells that conduct, or more
            self._see()

    def _see(self) -> None:
        self._kernels.excited(self._maps.of_cells, self._own.device)
        self._own.change()
        self._known = None

    def _count_from(self, time: float) -> None:
        """A pulse began at ``time``: its wave is one more, or the first where none was under way."""
        arrays = self._maps.of_cells
        fresh = (arrays.activation > max(time - STANDING_MILLISECONDS, 0.0)) & (arrays.activation < time)
        if np.sum(self._gathered(np.array([float(fresh.sum())]))):
            self._waves += 1
        else:
            self._waves = 1
            arrays.beats[:] = arrays.activation >= time  # looks are this far apart: its wave may have begun

    def _found(self) -> Array:
        """Latest activation [ms], most beats, cells that are excited, cycle length [ms] where beats are most, cells
        that conduct."""
        return self._found_later()()

    def _found_later(self) -> Callable[[], Array]:
        if self._known is None:
            own, conducting = self._own.read_later(), self._maps.conducting

            def found() -> Array:
                latest, beats, excited, cycles, cells = np.array(self._gathered(np.append(own(), conducting))).T
                return np.array([latest.max(), beats.max(), excited.sum(), cycles[beats.argmax()], cells.sum()])

            self._known = cache(found)
        return self._known

    def observe(self) -> Mapping[str, float]:
        return self.observe_later()()

    def observe_later(self) -> Callable[[], Mapping[str, float]]:
        found, begun = self._found_later(), self._protocol.latest(self._step)
        waves = self._waves + (begun > self._pulse)  # a pulse since the latest look has a wave that is not its own

        def observed() -> Mapping[str, float]:
            latest, beats, excited, _, cells = found()
            return {
                "excited": 100 * float(excited / max(cells, 1)),
                "activity": max(float(latest) - max(begun, 0) * self._dt, 0.0),
                "own_beats": max(float(beats) - waves, 0.0),
            }

        return observed

    def noticed(self) -> Sequence[Finding]:
        """Of a tissue that was stimulated more than once, or does not come to rest."""
        if self._pulse < 0:
            return ()
        observed, pulse, now = self.observe(), self._pulse * self._dt, self._step * self._dt
        ran = f"{observed['activity']:.0f} ms"
        moving = pulse + observed["activity"] > now - STANDING_MILLISECONDS
        if observed["own_beats"]:
            times = "once" if observed["own_beats"] == 1 else f"up to {observed['own_beats']:.0f} times"
            begin, then = "Re-entry, or cells that fire by themselves", f"tissue was activated again {times}"
            end = f"{'and goes on' if moving else f'for {ran}'}; cycle length there {self._found()[3]:.0f} ms"
        elif sum(pulse.count for pulse in self._protocol.pulses) < 2:
            return ()
        else:
            begin, then = f"No re-entry{' so far' * moving}", "nothing was activated again"
            end = "but a wave still runs: run longer" if moving else f"and the last wave ran for {ran}"
        text = f"{begin}: after the latest stimulus at {pulse:g} ms {then}, {end}."
        return (Finding(text, "info", ("stimuli",)),)

    def state(self) -> dict[str, Array]:
        return {"rhythm": np.array([self._pulse, self._waves])}  # the rest is of the maps

    def restore(self, state: Mapping[str, Array]) -> None:
        self._pulse, self._waves = map(int, state.get("rhythm", np.array([-1, 0]))[:2])  # earlier versions kept more
