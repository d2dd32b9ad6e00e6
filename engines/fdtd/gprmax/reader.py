"""Reads gprMax's ``.in`` files (docs.gprmax.com, "Input file commands"): its basic commands, the others refused.

Lengths are metres and times nanoseconds. A body fills the cells whose middles it holds, which for gprMax's bodies, made
of whole cells, are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engines.api import Finding, Imported
from engines.api.errors import ProblemError
from engines.fdtd.gprmax.commands import Command, Place, commands_of
from engines.fdtd.gprmax.mapping import WAVEFORMS, Receiver, monitors_of, port_of
from engines.fdtd.gprmax.objects import FREE_SPACE, OBJECTS
from engines.fdtd.parameters import FdtdParameters, LumpedPort, Material, PointSource
from engines.fdtd.setup.grid import make_yee
from engines.reading import guarded

SUFFIX = ".in"
PEC = "pec"
USUAL_LAYER = 10
GIGAHERTZ = 1e-9
IGNORED = {
    "title": "",
    "messages": "",
    "num_threads": "",
    "geometry_view": "it writes no file here; the window shows the materials",
    "snapshot": "it writes no file here; record fields instead",
    "src_steps": "the problem is that of the first trace; move the source for others",
    "rx_steps": "the problem is that of the first trace; move the receiver for others",
}
"""Commands that change nothing, and what to say of them."""
INSTEAD = {
    "transmission_line": "it is not possible here: use #voltage_source",
    "magnetic_dipole": "it is not possible here: use #hertzian_dipole",
    "edge": "a wire thinner than a cell is not possible here: use #cylinder",
    "plate": "a sheet without thickness is not possible here: use a #box of a cell",
    "python": "code in the file is not run: write its commands out",
}
"""What to do about commands that are known and not possible."""


@dataclass
class _Scene:
    """What was read so far."""

    domain: Place | None = None
    spacing: Place | None = None
    layers: tuple[int, ...] = (USUAL_LAYER,) * 6
    courant: float | None = None
    materials: dict[str, Material] = field(default_factory=dict)
    objects: list[Any] = field(default_factory=list)
    waveforms: dict[str, tuple[float, Any]] = field(default_factory=dict)
    dipoles: list[Command] = field(default_factory=list)
    gaps: list[Command] = field(default_factory=list)
    receivers: list[Receiver] = field(default_factory=list)
    window: tuple[float, bool] | None = None
    """(how long, whether in steps and not in ns)."""
    told: list[str] = field(default_factory=list)


@guarded("cannot be read as a gprMax file: save it again as text.")
def read_gprmax(path: Path) -> Imported:
    """The problem in a ``.in`` file. Raises ProblemError with the line and the command that cannot be read."""
    scene = _Scene()
    for command in commands_of(path):
        try:
            _take(command, scene)
        except ValidationError as error:
            raise command.error(_first(error)) from error
    return _problem(scene, path.name)


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg'][0].lower()}{problem['msg'][1:]}." if where else f"{problem['msg']}."


def _take(command: Command, scene: _Scene) -> None:
    name = command.name
    if name in IGNORED:
        if IGNORED[name]:
            scene.told.append(f"Line {command.line}, #{name}: {IGNORED[name]}.")
    elif name in OBJECTS:
        scene.objects.append((command, OBJECTS[name](command)))
    elif name in TAKEN:
        TAKEN[name](command, scene)
    else:
        raise command.error(f"{INSTEAD.get(name, 'this command is not read: remove it, or put others in its place')}.")


def _domain(command: Command, scene: _Scene) -> None:
    command.check(3, 3, "three lengths")
    scene.domain = command.place(0)
    if min(scene.domain) <= 0:
        raise command.error("lengths have to be above zero.")


def _spacing(command: Command, scene: _Scene) -> None:
    command.check(3, 3, "three lengths")
    scene.spacing = command.place(0)
    if min(scene.spacing) <= 0:
        raise command.error("cells have to be larger than zero.")


def _layers(command: Command, scene: _Scene) -> None:
    if len(command.words) not in (1, 6):
        raise command.error(f"{len(command.words)} values stand there; it takes one, or six for x0, y0, z0, x, y, z.")
    found = [int(command.number(at)) for at in range(len(command.words))]
    scene.layers = tuple(found * 6 if len(found) == 1 else found)
    if len({layer for layer in scene.layers if layer}) > 1:
        raise command.error("layers of different thickness are not possible here: give them one, or 0 for none.")


def _courant(command: Command, scene: _Scene) -> None:
    command.check(1, 1, "a number")
    scene.courant = command.number(0)


def _window(command: Command, scene: _Scene) -> None:
    command.check(1, 1, "a time in seconds or a number of steps")
    value, steps = command.number(0), command.words[0].isdigit()
    if value <= 0:
        raise command.error("it has to be above zero.")
    scene.window = (value, True) if steps else (value / GIGAHERTZ, False)


def _material(command: Command, scene: _Scene) -> None:
    command.check(5, 5, "ε_r, σ, μ_r, σ* and a name")
    name = command.words[4]
    if name in scene.materials or name in (PEC, FREE_SPACE):
        raise command.error(f"there is a material '{name}' already: rename one.")
    if command.words[1] == "inf":
        scene.materials[name] = Material(name=name, perfect_conductor=True)
        return
    scene.materials[name] = Material(
        name=name, permittivity=command.number(0), conductivity=command.number(1), permeability=command.number(2),
        magnetic_loss=command.number(3),
    )  # fmt: skip


def _waveform(command: Command, scene: _Scene) -> None:
    command.check(4, 4, "a kind, an amplitude, a frequency and a name")
    kind, name = command.words[0], command.words[3]
    if kind not in WAVEFORMS:
        raise command.error(f"the waveform '{kind}' is not possible here: use {' or '.join(WAVEFORMS)}.")
    frequency = command.number(2) * GIGAHERTZ
    if frequency <= 0:
        raise command.error("its frequency has to be above zero.")
    scene.waveforms[name] = command.number(1), WAVEFORMS[kind](frequency)


def _dipole(command: Command, scene: _Scene) -> None:
    command.check(5, 7, "x, y or z, a place and the name of a waveform")
    if command.words[0] not in ("x", "y", "z"):
        raise command.error(f"'{command.words[0]}' is not a direction: use x, y or z.")
    if len(command.words) > 5:
        raise command.error("times at which it begins and ends are not possible here: remove them.")
    command.place(1)
    scene.dipoles.append(command)


def _gap(command: Command, scene: _Scene) -> None:
    command.check(6, 8, "x, y or z, a place, a resistance and the name of a waveform")
    if command.words[0] not in ("x", "y", "z"):
        raise command.error(f"'{command.words[0]}' is not a direction: use x, y or z.")
    if len(command.words) > 6:
        raise command.error("times at which it begins and ends are not possible here: remove them.")
    command.place(1)
    if command.number(4) <= 0:
        raise command.error("a source without a resistance is not possible here: give it one above zero, such as 50.")
    scene.gaps.append(command)


def _receiver(command: Command, scene: _Scene) -> None:
    if len(command.words) < 3:
        raise command.error(f"{len(command.words)} values stand there; it takes a place.")
    name = command.words[3] if len(command.words) > 3 else ""
    scene.receivers.append(Receiver(name, command.place(0), command.words[4:], command.line))


TAKEN = {
    "domain": _domain,
    "dx_dy_dz": _spacing,
    "pml_cells": _layers,
    "time_step_stability_factor": _courant,
    "time_window": _window,
    "material": _material,
    "waveform": _waveform,
    "hertzian_dipole": _dipole,
    "voltage_source": _gap,
    "rx": _receiver,
}


def _problem(scene: _Scene, name: str) -> Imported:
    if scene.domain is None or scene.spacing is None:
        missing = "#domain" if scene.domain is None else "#dx_dy_dz"
        raise ProblemError(f"'{name}' has no {missing}: add it.")
    counts = [max(1, round(length / cell)) for length, cell in zip(scene.domain, scene.spacing, strict=True)]
    for command, item in scene.objects:
        if item.material == PEC:
            scene.materials.setdefault(PEC, Material(name=PEC, perfect_conductor=True))
        elif item.material not in scene.materials and item.material != "vacuum":
            raise command.error(f"there is no material '{item.material}': add a #material of this name.")
    grid: dict[str, Any] = {"length_unit": "m"}
    faces: dict[str, Any] = {"layer": max(scene.layers) or USUAL_LAYER}
    for axis, (letter, count) in enumerate(zip("xyz", counts, strict=True)):
        grid |= {f"cells_{letter}": count, f"size_{letter}": count * scene.spacing[axis]}
        for end, layer in (("low", scene.layers[axis]), ("high", scene.layers[axis + 3])):
            faces[f"{letter}_{end}"] = "periodic" if count == 1 else "CPML" if layer else "PEC"
    sources = [_source(command, scene) for command in scene.dipoles]
    ports = [_port(command, scene) for command in scene.gaps]
    monitors, told = monitors_of(scene.receivers)
    if sources or ports:
        scene.told.append("Waveforms begin here where they leave zero, which is earlier than in gprMax.")
    try:
        parameters = FdtdParameters.model_validate(
            {
                "grid": grid,
                "faces": faces,
                "materials": [material.model_dump() for material in scene.materials.values()],
                "objects": [item.model_dump() for _, item in scene.objects],
                "sources": [source.model_dump() for source in sources],
                "ports": [port.model_dump() for port in ports],
                "monitors": [monitor.model_dump() for monitor in monitors],
                **({} if scene.courant is None else {"numerics": {"courant": scene.courant}}),
            }
        )
    except ValidationError as error:
        raise ProblemError(f"'{name}' cannot be used here: {_first(error)}") from error
    findings = tuple(Finding(each, "info") for each in (*scene.told, *told))
    return Imported(parameters, findings, _until(scene, parameters))


def _until(scene: _Scene, parameters: FdtdParameters) -> float | None:
    """When a run ends [ns]."""
    if scene.window is None or not scene.window[1]:
        return None if scene.window is None else scene.window[0]
    return scene.window[0] * parameters.numerics.courant * make_yee(parameters.grid).largest_step()


def _source(command: Command, scene: _Scene) -> PointSource:
    """The current of an edge of the grid: it stands half a cell further along its direction than the named node."""
    assert scene.spacing is not None
    axis = "xyz".index(command.words[0])
    amplitude, signal = _driven(command, scene, 4)
    place = list(command.place(1))
    place[axis] += scene.spacing[axis] / 2
    return PointSource.model_validate(
        {"place": place, "axis": command.words[0], "moment": amplitude * scene.spacing[axis], "signal": signal}
    )


def _port(command: Command, scene: _Scene) -> LumpedPort:
    assert scene.spacing is not None
    amplitude, signal = _driven(command, scene, 5)
    cell = scene.spacing["xyz".index(command.words[0])]
    try:
        return port_of(command.words[0], command.place(1), cell, command.number(4), amplitude, signal)
    except ValidationError as error:
        raise command.error(_first(error)) from error


def _driven(command: Command, scene: _Scene, at: int) -> tuple[float, Any]:
    """Amplitude and signal of the waveform that word ``at`` names."""
    waveform = command.words[at]
    if waveform not in scene.waveforms:
        raise command.error(f"there is no waveform '{waveform}': add a #waveform of this name.")
    return scene.waveforms[waveform]
