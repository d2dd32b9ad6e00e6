"""gprMax's bodies as objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engines.fdtd.gprmax.commands import Command
from engines.fdtd.parameters.objects import VACUUM, Box, Object, Polygon, Rod, Sphere
from engines.geometry.solids.extruded import ACROSS

FREE_SPACE = "free_space"


def _material(command: Command, at: int) -> str:
    """The name of the one material; gprMax's last word may say whether to average, which is done always here."""
    names = command.words[at:]
    if len(names) > 1 and names[-1] in ("y", "n"):
        names = names[:-1]
    if len(names) > 1:
        raise command.error("materials that differ along x, y and z are not read: name one material.")
    return VACUUM if names[0] == FREE_SPACE else names[0]


def _box(command: Command) -> Object:
    command.check(7, 10, "two corners and a material")
    low, high = command.place(0), command.place(3)
    if any(b <= a for a, b in zip(low, high, strict=True)):
        raise command.error("the second corner has to lie above the first along x, y and z.")
    return Box(material=_material(command, 6), low=low, high=high)


def _sphere(command: Command) -> Object:
    command.check(5, 8, "a centre, a radius and a material")
    return Sphere(material=_material(command, 4), center=command.place(0), radius=command.number(3))


def _cylinder(command: Command) -> Object:
    command.check(8, 11, "the middles of two ends, a radius and a material")
    return Rod(
        material=_material(command, 7), start=command.place(0), end=command.place(3), radius=command.number(6)
    )  # fmt: skip


def _triangle(command: Command) -> Object:
    command.check(11, 14, "three corners, a thickness and a material")
    corners, thickness = [command.place(at) for at in (0, 3, 6)], command.number(9)
    if thickness <= 0:
        raise command.error("a sheet without thickness is not possible here: give it one of a cell or more.")
    for axis in range(3):
        low = corners[0][axis]
        if all(corner[axis] == low for corner in corners):
            points = [(corner[ACROSS[axis][0]], corner[ACROSS[axis][1]]) for corner in corners]
            name: str = _material(command, 10)
            return Polygon(material=name, axis=_axis(axis), low=low, high=low + thickness, points=points)
    raise command.error("its corners have to share one coordinate.")


def _axis(number: int) -> str:
    return "xyz"[number]


OBJECTS: Mapping[str, Callable[[Command], Object]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "triangle": _triangle,
}
