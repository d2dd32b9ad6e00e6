"""From the parameters of monitors to their watchers: checked first, without arrays, and made when a run is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.fdtd.far.walls import line_axis, mirrors_of, obstacles, walls_of
from engines.fdtd.far.watcher import FarWatcher
from engines.fdtd.grid.yee import FREQUENCY_UNITS, SPEED_OF_LIGHT
from engines.fdtd.monitors.balance import LEAST, Balance, incident_energy
from engines.fdtd.monitors.decay import DecayWatcher, check_dies_down
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.monitors.fourier import FourierPlan, FourierWatcher, Surroundings, fourier_plan
from engines.fdtd.monitors.frequencies import over_at, source_spectrum
from engines.fdtd.monitors.relative import CROSS_SECTIONS, TRANSMISSION, check_compared, compared
from engines.fdtd.monitors.ringing.ringing import RingingWatcher, band_of
from engines.fdtd.monitors.settling import SettlingWatcher
from engines.fdtd.monitors.sums.blocks import Rectangle, box_rectangles, inner_nodes, plane_node, rectangle
from engines.fdtd.monitors.trace import CAPACITY, TraceWatcher, interpolation
from engines.fdtd.monitors.volume import VolumeWatcher, cells_between, volume_blocks
from engines.fdtd.parameters import (
    BoxMonitor,
    FdtdParameters,
    Frequencies,
    ModeSource,
    PlaneMonitor,
    TraceMonitor,
    VolumeMonitor,
)
from engines.fdtd.sources.waveforms import TimeCourse
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.watch.watcher import FieldWatcher

RESERVED = ("balance", "ports", CROSS_SECTIONS, TRANSMISSION)
"""Groups of a file of results that are of no monitor."""
WEAK = 1e-3
"""Of a source's largest amplitude: where its spectrum is below this, ratios to it are noise."""


@dataclass(frozen=True)
class FluxPlan:
    """A plane or box: what it sums, and on which rectangles."""

    monitor: PlaneMonitor | BoxMonitor
    plan: FourierPlan
    rectangles: tuple[Rectangle, ...]

    @property
    def measures(self) -> str:
        return self.monitor.measures if isinstance(self.monitor, PlaneMonitor) else "power"


@dataclass(frozen=True)
class VolumePlan:
    """A volume: what it sums, first cell and cells along x, y, z."""

    monitor: VolumeMonitor
    plan: FourierPlan
    first: Array
    count: Array


@dataclass(frozen=True)
class MonitorPlans:
    """All monitors of a problem, checked. ``memory``: (name, bytes on the device) of each; ``points``: of traces, by
    their names, where they are not as :func:`interpolation` finds them."""

    around: Surroundings
    plans: tuple[TraceMonitor | FluxPlan | VolumePlan, ...]
    memory: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]
    points: Mapping[str, tuple[Array, Array, Array]] = field(default_factory=dict)

    @property
    def normalised(self) -> list[FluxPlan]:
        """Planes whose flux is a part of the incident one."""
        return [each for each in self.plans if isinstance(each, FluxPlan) and each.measures != "power"]


def plan_monitors(parameters: FdtdParameters, around: Surroundings) -> MonitorPlans:
    """Cheap. Raises ProblemError."""
    plans: list[TraceMonitor | FluxPlan | VolumePlan] = []
    memory: list[tuple[str, int]] = []
    findings: list[Finding] = []
    names: set[str] = set()
    for number, monitor in enumerate(parameters.monitors):
        name, noticed = monitor.name, list[Finding]()
        if name in names or name in RESERVED:
            raise ProblemError(f"Two monitors are called '{name}': rename one.")
        if "/" in name:
            raise ProblemError(f"The monitor's name '{name}' has a slash, which files do not take: rename it.")
        if name in (".", ".."):
            raise ProblemError(f"The monitor's name '{name}' is that of a folder where files are written: rename it.")
        names.add(name)
        if isinstance(monitor, TraceMonitor):
            interpolation(monitor, around)
            if monitor.ringing.on:
                band_of(monitor, around)
            plans.append(monitor)
            memory.append((name, CAPACITY * len(monitor.components) * around.value_bytes))
            continue
        if isinstance(monitor, VolumeMonitor):
            first, count = cells_between(around.yee, name, monitor.low, monitor.high)
            blocks = volume_blocks(monitor.components, first, count)
            plan = fourier_plan(name, monitor.frequencies, blocks, around)
            plans.append(VolumePlan(monitor, plan, first, count))
        else:
            rectangles = _rectangles(monitor, parameters, around)
            if isinstance(monitor, BoxMonitor) and monitor.far_field.on:
                mirrors_of(parameters, around.yee, name)
                line_axis(monitor, around.axes)
                noticed += obstacles(monitor, parameters, around.yee, around.axes)
            plan = fourier_plan(
                name, monitor.frequencies, [block for each in rectangles for block in each.blocks()], around
            )
            plans.append(FluxPlan(monitor, plan, tuple(rectangles)))
        memory.append((name, plan.memory))
        over_incident = isinstance(monitor, PlaneMonitor | BoxMonitor) and monitor.measures != "power"
        noticed += _weak(monitor.frequencies, number, plan, around, over_incident)
        findings += [replace(finding, place=("monitors", number)) for finding in noticed]
    found = MonitorPlans(around, tuple(plans), tuple(memory), tuple(findings))
    _check_complex(found)
    if parameters.ending.at_decay:
        check_dies_down(around)
    _check_normalised(found, parameters)
    check_compared(parameters, around.waveforms)
    return found


def _rectangles(
    monitor: PlaneMonitor | BoxMonitor, parameters: FdtdParameters, around: Surroundings
) -> list[Rectangle]:
    yee, axes = around.yee, around.axes
    if isinstance(monitor, BoxMonitor):
        return box_rectangles(yee, axes, monitor.name, monitor.low, monitor.high, walls_of(parameters))
    d = "xyz".index(monitor.axis)
    node = plane_node(yee, axes, monitor.name, d, monitor.position)
    low, high = list(monitor.low), list(monitor.high)
    low[d], high[d] = yee.nodes(d)[0], yee.nodes(d)[-1]
    ends = inner_nodes(yee, axes, monitor.name, low, high)
    return [rectangle(yee, axes, d, node, ends[:, 0].tolist(), ends[:, 1].tolist())]


@lru_cache(maxsize=32)
def _spectrum(waveform: TimeCourse, frequencies: tuple[float, ...], dt: float, steps: int, every: int) -> Array:
    """(count,): asked for anew at each edit, most of which change no source."""
    return np.asarray(np.abs(source_spectrum([waveform], np.array(frequencies), dt, steps, every)[0]))


def _strength(plan: FourierPlan, around: Surroundings) -> Array | None:
    """(frequencies,) of the largest amplitude of a pulse, in the one that has most there; None without pulses."""
    pulses = [waveform for waveform in around.waveforms if not waveform.steady]
    if not pulses:
        return None
    strength = np.zeros(len(plan.frequencies))
    for waveform in pulses:
        top = waveform.highest_frequency
        scan = np.append(plan.frequencies, np.linspace(0.0, 2 * top, 257))
        every = max(1, int(1.0 / (8 * max(top, scan.max()) * around.dt)))
        steps = int(over_at(waveform) / around.dt)
        spectrum = _spectrum(waveform, tuple(scan), around.dt, steps, every)
        strength = np.maximum(strength, spectrum[: len(strength)] / spectrum.max())
    return strength


def _weak(
    setting: Frequencies, number: int, plan: FourierPlan, around: Surroundings, over_incident: bool
) -> list[Finding]:
    """What is said of frequencies that pulses hardly have. number: of the monitor in the form, from 0; over_incident:
    whether it gives parts of what comes in"""
    strength = _strength(plan, around)
    if strength is None:
        return []
    weak = strength**2 <= LEAST * strength.max() ** 2 if over_incident else strength < WEAK
    if not weak.any():
        return []
    unit = around.unit.replace("um", "µm")
    shown = SPEED_OF_LIGHT / plan.frequencies[weak]
    where = f"{weak.sum()} of {len(weak)} wavelengths ({shown.min():.3g} to {shown.max():.3g} {unit})"
    told = f"the sources have less than {WEAK:g} of their largest amplitude at {where}: spectra there are noise."
    if over_incident:
        told = (
            f"nothing will be shown at {where}, where the sources have less than {LEAST:g} of the energy that they "
            "have at the best of them: shorter pulses reach further."
        )
    return [
        Finding(
            f"Monitor '{plan.name}': {told}",
            "info" if over_incident else "warning",
            remedy=None if setting.choice == "list" else _narrower(setting, number, ~weak, unit),
        )
    ]


def _narrower(setting: Frequencies, number: int, strong: Array, unit: str) -> Remedy | None:
    """The part of a range that the sources reach, if they reach any of it and no gap is in between."""
    given, reached = np.linspace(setting.first, setting.last, setting.count), np.flatnonzero(strong)
    if not len(reached) or reached[-1] - reached[0] >= len(reached):
        return None
    first, last = (float(f"{each:.6g}") for each in given[reached[[0, -1]]])
    what = unit if setting.given == "wavelength" else FREQUENCY_UNITS[unit]
    changes: dict[tuple[str | int, ...], float] = {
        ("monitors", number, "frequencies", "first"): first,
        ("monitors", number, "frequencies", "last"): last,
    }
    return Remedy(f"Measure {first:g} to {last:g} {what}", changes)


def _check_complex(plans: MonitorPlans) -> None:
    """Spectra of the real part alone mix the waves of two phases."""
    sums = [each.plan.name for each in plans.plans if not isinstance(each, TraceMonitor)]
    if sums and any(axis.phase for axis in plans.around.axes):
        raise ProblemError(
            f"Monitor '{sums[0]}' sums spectra of one real field, and between Bloch faces there are two: use traces, "
            "or periodic faces."
        )


def _check_normalised(plans: MonitorPlans, parameters: FdtdParameters) -> None:
    planes = plans.normalised
    if not planes:
        return
    if any(isinstance(source, ModeSource) for source in parameters.sources):
        raise ProblemError(
            f"Monitor '{planes[0].plan.name}' compares with a run without objects, where a mode source has no guide: "
            "let it measure power."
        )
    if any(waveform.steady for waveform in plans.around.waveforms):
        raise ProblemError(
            f"Monitor '{planes[0].plan.name}' compares with the incident wave over a band: give the sources a pulse."
        )
    if not plans.around.waveforms:
        raise ProblemError(f"Monitor '{planes[0].plan.name}' compares with the incident wave: add a source.")
    for each in planes[1:]:
        if not np.array_equal(each.plan.frequencies, planes[0].plan.frequencies):
            raise ProblemError(
                f"Monitors '{planes[0].plan.name}' and '{each.plan.name}' measure R and T: "
                "give them the same frequencies."
            )


@dataclass(frozen=True)
class Incident:
    """What a run without objects left: energies of each plane of R or T [J/Hz], and sums of those of R, by name.

    ``nothing`` [J/Hz]: what is less is leak and rounding
    """

    nothing: float
    energies: dict[str, Array]
    sums: dict[str, Array]


def make_watchers(
    parameters: FdtdParameters,
    plans: MonitorPlans,
    backend: Backend,
    steps: YeeSteps,
    largest: float,
    incident: Incident | None = None,
    whole: bool = False,
) -> list[FieldWatcher]:
    """``incident``: of planes that measure R or T; without it they measure power; ``whole``: see :class:`Balance`."""
    around = plans.around
    found: list[FieldWatcher] = []
    parts: dict[str, list[FluxWatcher]] = {"reflection": [], "transmission": []}
    for number, plan in enumerate(plans.plans, 1):
        if isinstance(plan, TraceMonitor):
            trace = TraceWatcher(number, plan, around, backend, steps, points=plans.points.get(plan.name))
            found += [trace, RingingWatcher(number, trace, around)] if plan.ringing.on else [trace]
        elif isinstance(plan, VolumePlan):
            found.append(
                VolumeWatcher(number, plan.monitor, plan.plan, plan.first, plan.count, around, backend, steps, largest)
            )
        else:
            taken = incident.sums.get(plan.plan.name) if incident is not None else None
            flux = FluxWatcher(number, plan.plan, plan.rectangles, around, backend, steps, taken)
            found.append(flux)
            if isinstance(plan.monitor, BoxMonitor) and plan.monitor.far_field.on:
                found.append(_far(number, flux, plan.monitor, parameters, around))
            if plan.measures != "power":
                parts[plan.measures].append(flux)
    if incident is not None:
        names = [each.plan.name for each in parts["transmission"] or parts["reflection"]]
        strength = _strength(plans.normalised[0].plan, around)
        reached = strength is None or strength.max() >= WEAK
        energy = incident_energy([incident.energies[name] for name in names], names, incident.nothing, reached)
        every = plans.normalised[0].plan.every
        found.append(
            Balance(parts["reflection"], parts["transmission"], energy, every, whole, parameters.ending.at_decay)
        )
    fluxes = {each.plan.name: each for each in found if isinstance(each, FluxWatcher)}
    found += compared(parameters, fluxes, around)
    if parameters.ending.at_decay:
        found.append(DecayWatcher(parameters.ending, around, backend, steps))
    pulses = around.waveforms and not any(waveform.steady for waveform in around.waveforms)
    if pulses and (parameters.ports or any(isinstance(each, FourierWatcher) for each in found)):
        sought = any(isinstance(each, RingingWatcher) for each in found)
        found.append(SettlingWatcher(around, backend, steps, sought, parameters.ending))
    return found


def _far(
    number: int, flux: FluxWatcher, monitor: BoxMonitor, parameters: FdtdParameters, around: Surroundings
) -> FarWatcher:
    line = line_axis(monitor, around.axes)
    depth = 1.0 if line is None else float(np.ptp(around.yee.nodes(line)))
    mirrors = mirrors_of(parameters, around.yee, monitor.name)
    return FarWatcher(number, flux, monitor.far_field, mirrors, line, around.unit, depth)
