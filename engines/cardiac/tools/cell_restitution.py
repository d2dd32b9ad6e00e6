"""Restitution of a cell alone: its action potential after a rest of some length, by S1-S2 or by dynamic pacing.

S1-S2: after a train S1 one premature pulse S2; all coupling intervals at once, as cells of one tissue. They are alike
until S2, so that one cell is paced, its state is taken at each interval, and S2 comes to all of them together.
Dynamic (Koller, Riccio and Gilmour 1998, doi 10.1152/ajpheart.1998.275.5.H1635): the cycle length is shortened by and
by; the last beat of each gives a point. On the CPU in float64, whatever the problem runs on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.backend.threads import parallel_region
from engines.cardiac.cells.cpu import CpuTissue
from engines.cardiac.parameters import CardiacParameters, RegionSetting
from engines.cardiac.parameters.cells import NON_CONDUCTING
from engines.cardiac.setup.cells import make_cells, step_limit
from engines.cardiac.stimulus.protocol import Protocol
from engines.geometry.meshes.box import box_mesh

SAMPLE = 0.1
"""Time between two looks at the voltage [ms]; a repolarisation is linear between them (2e-4 ms at 1 mV/ms)."""
LOOKS_AT_ONCE = 500
REPOLARISED = 0.9
EXCITED_WITHIN = 30.0
"""How long a pulse has to make a cell cross the threshold [ms]: slow models take several."""
LATE = 10.0
"""A beat that begins so much later [ms] after its pulse than a rested cell's is the slow response of a cell that has
not recovered; it does not count."""
ALTERNATING = 4.0
"""Difference of APD90 between two beats [ms] that is called alternans."""
LASTING = 0.5
"""The part of it that is left after as many beats more: what becomes less settles."""
LONGEST = 3000.0
"""An action potential that lasts longer [ms] counts as one that does not end."""
STRONGEST = 1000.0
"""Largest current that is tried for the threshold [pA/pF]."""


@dataclass(frozen=True)
class Pulses:
    """``duration`` [ms]; ``strength`` in diastolic thresholds."""

    duration: float = 1.0
    strength: float = 2.0


@dataclass(frozen=True)
class Points:
    """A restitution curve: ``interval``, ``apd: (n,)`` [ms], ascending in the diastolic interval. That is from the end
    of a beat to the pulse S2, which is chosen, or in dynamic pacing to where the next beat begins: with APD90 a cycle.

    ``coupling: (n,)`` [ms], what was between the pulses; ``blocked`` [ms], the longest that gave no beat, NaN if all
    did; ``train`` [ms], APD90 of S1, or at the longest cycle; ``current`` [pA/pF], that of the pulses; ``alternans``
    [ms], the longest cycle at which two beats differ by :data:`ALTERNATING`, and go on to; NaN where none do.
    """

    interval: Array
    apd: Array
    coupling: Array
    blocked: float
    train: float
    current: float
    alternans: float = math.nan

    @property
    def slopes(self) -> Array:
        """(n,) central differences of APD over the interval; NaN for fewer than three points."""
        if len(self.apd) < 3:
            return np.full(len(self.apd), math.nan)
        return np.asarray(np.gradient(self.apd, self.interval))


class Cells:
    """``n`` cells alone, alike, of a problem's model and a region's changes (a spread is left out: its middle)."""

    def __init__(self, parameters: CardiacParameters, region: RegionSetting | None, n: int, progress: Progress) -> None:
        if region is not None and region.condition == NON_CONDUCTING:
            raise ProblemError(
                f"Cells of '{region.region}' are a non-conducting scar and are never excited: choose another region.",
                ("region",),
            )
        mesh = box_mesh((-(-n // 6), 1, 1), (1.0, 1.0, 1.0))
        regions = []
        if region is not None:
            changes = [change.model_copy(update={"spread": 0.0}) for change in region.changes]
            regions = [region.model_copy(update={"region": "tissue", "changes": changes})]
        numerics = parameters.numerics.model_copy(update={"precision": "fp64"})
        alone = parameters.model_copy(update={"regions": regions, "numerics": numerics, "stimuli": []})
        plan = Protocol(np.zeros(mesh.n_cells, np.uint32), [])
        order = np.arange(mesh.n_cells, dtype=np.int32)
        self.tissue: Any = make_cells(CpuBackend(), mesh, alone, plan, order, progress)
        if isinstance(self.tissue, CpuTissue):  # as in the published protocol: potassium must not drift in a train
            self.tissue.potassium_stimulus = True
        self.voltage = self.tissue.new_voltage()
        self.n = n
        self.kept: list[tuple[Array, Array]] | None = None
        """If a list: the state of the first cell after each look is put there."""
        self.threshold = numerics.activation_threshold
        wanted = min(numerics.step, step_limit(parameters))
        self.chunk = max(1, math.ceil(SAMPLE / wanted - 1e-9))
        self.dt = SAMPLE / self.chunk

    def state(self) -> tuple[Array, Array]:
        """Of the first cell: ``(voltage,)`` and ``(rows,)`` as stored."""
        return self.voltage[:1].copy(), self.tissue.states[:, 0].copy()

    def take(self, states: Sequence[tuple[Array, Array]]) -> None:
        """Cell k goes on from ``states[k]``; what is beyond them, from the last."""
        last = len(states) - 1
        of = np.minimum(np.arange(len(self.voltage)), last)
        self.voltage[:] = np.array([voltage[0] for voltage, _ in states])[of]
        self.tissue.states[:] = np.array([rows for _, rows in states])[of].T

    def run(self, looks: int, current: float = 0.0) -> Array:
        """(looks, n) [mV], after each :data:`SAMPLE`."""
        record = np.empty((looks, self.n))
        for begin in range(0, looks, LOOKS_AT_ONCE):
            with parallel_region():
                for k in range(begin, min(begin + LOOKS_AT_ONCE, looks)):
                    self.tissue.pace(self.voltage, current, self.chunk, self.chunk, 1, self.dt)
                    record[k] = self.voltage[: self.n]
                    if self.kept is not None:
                        self.kept.append(self.state())
        return record

    def beats(self, cycle: float, pulses: Pulses, current: float, count: int) -> None:
        """``count`` beats of ``cycle`` [ms] that nobody looks at."""
        if count > 0:
            steps, on = looks_of(cycle) * self.chunk, looks_of(pulses.duration) * self.chunk
            with parallel_region():
                self.tissue.pace(self.voltage, current, steps, on, count, self.dt)

    def beat(self, looks: int, pulses: Pulses, current: float) -> Array:
        """(looks, n) [mV] from the start of a pulse on."""
        on = min(looks_of(pulses.duration), looks)
        return np.concatenate([self.run(on, current), self.run(looks - on)])


def looks_of(time: float) -> int:
    return max(1, round(time / SAMPLE))


def threshold_current(cells: Cells, pulses: Pulses) -> float:
    """Smallest current [pA/pF] that excites a rested cell, to 1 %. Raises ProblemError."""
    rest = cells.state()

    def excites(current: float) -> bool:
        cells.take([rest])
        return bool((cells.beat(looks_of(pulses.duration + EXCITED_WITHIN), pulses, current) > cells.threshold).any())

    low, high = 0.0, 1.0
    while not excites(high):
        low, high = high, 2.0 * high
        if high > STRONGEST:
            raise ProblemError(
                f"A cell is not excited by {STRONGEST:g} pA/pF over {pulses.duration:g} ms: look at its changes, or at "
                "the threshold that counts as activation."
            )
    while high - low > 0.01 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if excites(middle) else (middle, high)
    cells.take([rest])
    return high


def ends(record: Array, rest: float, threshold: float) -> tuple[Array, Array]:
    """When each cell's beat begins and ends in ``record: (looks, n)`` [ms from its start]; NaN where there is none.

    It begins where the voltage crosses ``threshold`` upwards (at the start where it is above it already) and ends where
    it has lost 90 % of its height above ``rest`` [mV].
    """
    n, times = record.shape[1], np.full((2, record.shape[1]), math.nan)
    for cell in range(n):
        voltage = record[:, cell]
        above = np.flatnonzero(voltage > threshold)
        if not len(above):
            continue
        times[0, cell] = _crossing(voltage, int(above[0]), threshold)
        top = int(np.argmax(voltage))
        level = voltage[top] - REPOLARISED * (voltage[top] - rest)
        below = np.flatnonzero(voltage[top:] < level)
        if len(below):
            times[1, cell] = _crossing(voltage, top + int(below[0]), level)
    return times[0], times[1]


def _crossing(voltage: Array, k: int, level: float) -> float:
    """Where ``level`` is crossed between looks k − 1 and k, the first look being one :data:`SAMPLE` after the start."""
    if k == 0:
        return SAMPLE
    return float(SAMPLE * (k + (level - voltage[k - 1]) / (voltage[k] - voltage[k - 1])))


def prompt(start: Array, begun: float) -> Array:
    """(n,) ``start`` of beats, NaN for slow responses; ``begun``: that of a rested cell [ms from its pulse]."""
    return np.where(start > begun + LATE, math.nan, start)


def premature(
    parameters: CardiacParameters,
    region: RegionSetting | None,
    cycle: float,
    beats: int,
    intervals: Array,
    pulses: Pulses,
    progress: Progress = no_progress,
) -> Points:
    """S1-S2: ``beats`` at ``cycle`` [ms], then S2 after each of the diastolic ``intervals: (n,)`` [ms], ascending.

    Raises ProblemError.
    """
    one = Cells(parameters, region, 1, progress)
    progress("Finding the diastolic threshold", 0.02)
    current = pulses.strength * threshold_current(one, pulses)
    for beat in range(beats - 1):
        progress(f"S1, beat {beat + 1} of {beats}", 0.05 + 0.45 * beat / beats)
        one.beats(cycle, pulses, current, 1)
    rest = float(one.voltage[0])
    one.kept = []
    begun, ended = _last_beat(one, rest, pulses, current, progress)
    while len(one.kept) < looks_of(ended + intervals[-1]) + 1:
        progress("Waiting for the last S2", 0.6)
        one.run(LOOKS_AT_ONCE)
    looks = np.unique(np.ceil((ended + intervals) / SAMPLE).astype(int))
    many = Cells(parameters, region, len(looks), no_progress)
    many.take([one.kept[look - 1] for look in looks])
    record = many.beat(looks_of(pulses.duration), pulses, current)
    longest = looks_of(1.5 * ended + 100.0)
    while len(record) < longest:
        progress("S2 after each interval, all at once", 0.7 + 0.3 * len(record) / longest)
        record = np.concatenate([record, many.run(LOOKS_AT_ONCE)])
    start, end = ends(record, rest, many.threshold)
    couplings = SAMPLE * looks
    return points(couplings - ended, end - prompt(start, begun), couplings, ended - begun, current)


def dynamic(
    parameters: CardiacParameters,
    region: RegionSetting | None,
    cycles: Array,
    beats: int,
    pulses: Pulses,
    progress: Progress = no_progress,
) -> Points:
    """``beats`` (at least 2) at each of ``cycles: (n,)`` [ms], descending; the last beat of each, after the rest before
    it. It ends where pulses are no longer followed one by one. Raises ProblemError."""
    one = Cells(parameters, region, 1, progress)
    progress("Finding the diastolic threshold", 0.02)
    current = pulses.strength * threshold_current(one, pulses)
    rest, begun, blocked, alternans = float(one.voltage[0]), 0.0, math.nan, math.nan
    found: list[tuple[float, float, float]] = []
    for k, cycle in enumerate(cycles):
        progress(f"Pacing each {cycle:.0f} ms", 0.05 + 0.95 * k / len(cycles))
        one.beats(cycle, pulses, current, beats - 2)
        looks = looks_of(cycle)
        first, before = ends(one.beat(looks, pulses, current), rest, one.threshold)
        start, end = ends(one.beat(looks, pulses, current), rest, one.threshold)
        begun = float(start[0]) if not found else begun
        if not np.isfinite(before[0] + end[0] + prompt(start, begun)[0]):
            blocked = SAMPLE * looks
            break
        apart = abs(end[0] - start[0] - before[0] + first[0])
        if math.isnan(alternans) and apart > ALTERNATING:
            one.beats(cycle, pulses, current, beats - 2)
            (a, b), (c, d) = (ends(one.beat(looks, pulses, current), rest, one.threshold) for _ in range(2))
            if abs(d[0] - c[0] - b[0] + a[0]) > max(ALTERNATING, LASTING * apart):
                alternans = SAMPLE * looks
        found.append((SAMPLE * looks + float(start[0] - before[0]), float(end[0] - start[0]), SAMPLE * looks))
    if not found:
        raise ProblemError(f"A cell does not follow a cycle length of {cycles[0]:g} ms: begin with a longer one.")
    interval, apd, coupling = np.array(found)[::-1].T
    order = np.argsort(interval, kind="stable")
    return Points(interval[order], apd[order], coupling[order], blocked, float(apd[-1]), current, alternans)


def _last_beat(one: Cells, rest: float, pulses: Pulses, current: float, progress: Progress) -> tuple[float, float]:
    """When S1's last beat begins and ends [ms from its pulse]. Raises ProblemError."""
    record = one.beat(looks_of(pulses.duration), pulses, current)
    while len(record) * SAMPLE < LONGEST:
        progress("The last beat of S1", 0.55)
        record = np.concatenate([record, one.run(LOOKS_AT_ONCE)])
        begun, ended = (float(time[0]) for time in ends(record, rest, one.threshold))
        if math.isfinite(begun + ended):
            return begun, ended
    raise ProblemError("The beats of S1 do not excite the cell, or do not end: use a longer cycle length.")


def points(interval: Array, apd: Array, coupling: Array, train: float, current: float) -> Points:
    """Without those that gave no beat, nor any shorter than one that gave none."""
    lost = np.flatnonzero(~np.isfinite(apd))
    blocked = float(coupling[lost[-1]]) if len(lost) else math.nan
    kept = slice(lost[-1] + 1 if len(lost) else 0, None)
    return Points(interval[kept], apd[kept], coupling[kept], blocked, train, current)
