"""Bonds as bits: those of a body, and those that its notches cut."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import TypeAdapter

from engines.api import Array
from engines.api.errors import ProblemError
from engines.peridynamics.body.cuts import Cut, Cutter, FlatCut, Penny, Plane
from engines.peridynamics.body.filling import Filled, Frame, Place, filled, shape_of
from engines.peridynamics.body.rows import between_rows, way_between_rows
from engines.peridynamics.lattice.family import WORD, Family, family
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.parameters import AnyNotch, FlatNotch, Notch, PennyNotch, PeridynamicParameters, PlaneNotch

AT_ONCE = 1 << 15
"""Places whose words are made together: they stay in a cache."""
POINTS_AT_ONCE = 1 << 18
ANCHORS = ("start", "end", "corner", "center", "point")
"""Fields of flat notches that move when they do."""


def joined(mask: Array, layout: Layout, kin: Family) -> Array:
    """(words, size) uint32: the bits of the bonds between places of ``mask: (size,)`` bool."""
    words = np.zeros((kin.words, layout.size), np.uint32)
    counts = np.array(layout.counts)
    first, last = (int(place) for place in layout.places(np.stack([np.zeros(3, int), counts - 1])))
    steps = [int(step) for step in layout.steps(kin.offsets)]
    taken = mask.astype(np.uint32)
    shifted = np.empty(AT_ONCE, np.uint32)
    for start in range(first, last + 1, AT_ONCE):
        stop = min(start + AT_ONCE, last + 1)
        here, moved = taken[start:stop], shifted[: stop - start]
        if not here.any():
            continue
        for bit, step in enumerate(steps):
            np.left_shift(taken[start + step : stop + step], np.uint32(bit % WORD), out=moved)
            words[bit // WORD, start:stop] |= moved
        words[:, start:stop] *= here
    return words


def cut_of(notch: AnyNotch, frame: Frame, place: Place = ()) -> Cutter:
    """In lattice spacings from the first particle, a flat one between rows. Raises ProblemError, which names
    ``place``."""
    drawn = drawn_cut_of(notch, frame, place)
    return between_rows(drawn) if isinstance(drawn, FlatCut) else drawn


def drawn_cut_of(notch: AnyNotch, frame: Frame, place: Place = ()) -> Cutter:
    """As :func:`cut_of`, where it was drawn."""
    d = frame.dimensions
    if isinstance(notch, Notch):
        return _straight(notch, frame, place)
    if isinstance(notch, PlaneNotch):
        return Plane(frame.lattice(notch.point), _unit(notch.normal[:d], (*place, "normal")))
    if isinstance(notch, FlatNotch | PennyNotch):
        if d == 2:
            raise ProblemError(f"A {notch.kind} cuts bodies of three dimensions: use a segment.", (*place, "kind"))
        if isinstance(notch, PennyNotch):
            across = _unit(notch.normal, (*place, "normal"))
            return Penny(frame.lattice(notch.center), across, notch.radius / frame.spacing)
        spans = np.array([notch.first, notch.second]) / frame.spacing
        area, sizes = np.linalg.norm(np.cross(*spans)), np.linalg.norm(spans, axis=1)
        if area < 1e-6 * max(float(sizes.prod()), 1e-6):
            raise ProblemError("The edges of a cut lie on one line: let them span an area.", (*place, "second"))
        return Cut(frame.lattice(notch.corner), spans)
    return shape_of(notch.shape, frame, (*place, "shape"))


def _straight(notch: Notch, frame: Frame, place: Place) -> Cut:
    start, end = (frame.lattice((*point, 0.0))[:2] for point in (notch.start, notch.end))
    if np.linalg.norm(end - start) < 1e-6:
        raise ProblemError("A notch begins where it ends: move one of its ends.", (*place, "end"))
    if frame.dimensions == 2:
        return Cut(start, (end - start)[None])
    if notch.high_z <= notch.low_z:
        raise ProblemError("The highest z of a notch is not above the lowest: exchange them.", (*place, "high_z"))
    low, high = ((value - frame.origin[2]) / frame.spacing - 0.5 for value in (notch.low_z, notch.high_z))
    # far beyond the body the end of the notch decides nothing, and huge numbers would only lose digits
    low, high = max(low, -10.0), min(high, frame.counts[2] + 10.0)
    return Cut(np.array([*start, low]), np.array([[*(end - start), 0.0], [0.0, 0.0, high - low]]))


def _unit(vector: tuple[float, ...], place: Place) -> Array:
    length = float(np.linalg.norm(vector))
    if length == 0:
        raise ProblemError("The normal of a cut has no length: give it a direction, such as (0, 1, 0).", place)
    return np.asarray(np.array(vector) / length)


def crossings(cut: Cutter, mask: Array, layout: Layout, kin: Family) -> Iterator[tuple[int, Array, Array]]:
    """For one bit of each pair of opposite ones: (bit, places, places of the other ends) of the bonds that ``cut``
    cuts among the particles of ``mask: (size,)`` bool."""
    d = layout.dimensions
    points = _near(cut, mask, layout, kin.reach)
    if not len(points):
        return
    places = layout.places(points)
    floats = points[:, :d].astype(float)
    for bit, (offset, step) in enumerate(zip(kin.offsets, layout.steps(kin.offsets), strict=True)):
        if tuple(offset[::-1]) < (0, 0, 0):
            continue
        both = np.flatnonzero(mask[places + step])
        crossed = both[cut.crosses(floats[both], floats[both] + offset[:d])]
        yield bit, places[crossed], places[crossed] + step


def _near(cut: Cutter, mask: Array, layout: Layout, reach: int) -> Array:
    """(m, 3) int64 cells of the particles whose bonds it may cut."""
    low, high = cut.bounds()
    d, counts = layout.dimensions, layout.counts
    first = [int(max(0.0, np.floor(max(at, -1e9)) - reach)) for at in low] + [0] * (3 - d)
    last = [int(min(count, np.ceil(min(at, 1e9)) + reach + 1)) for at, count in zip(high, counts, strict=False)]
    spans = [range(a, b) for a, b in zip(first, last + [1] * (3 - d), strict=True)]
    rows, found = len(spans[1]) * len(spans[2]), [np.zeros((0, 3), np.int64)]
    step = max(1, POINTS_AT_ONCE // max(1, len(spans[0])))
    for start in range(0, rows if len(spans[0]) else 0, step):
        z, y = np.divmod(np.arange(start, min(start + step, rows)), len(spans[1]))
        box = np.empty((len(y), len(spans[0]), 3), np.int64)
        box[..., 0], box[..., 1], box[..., 2] = spans[0], (y + first[1])[:, None], (z + first[2])[:, None]
        cells = box.reshape(-1, 3)
        cells = cells[mask[layout.places(cells)]]
        found.append(cells[cut.near(cells[:, :d].astype(float), reach)])
    return np.concatenate(found)


def cut_out(cut: Cutter, mask: Array, layout: Layout, kin: Family, words: Array) -> None:
    """Clear the bits of the bonds that ``cut`` cuts in ``words``, at both of their ends."""
    opposite = kin.opposite()
    for bit, places, others in crossings(cut, mask, layout, kin):
        for each, at in ((bit, places), (int(opposite[bit]), others)):
            words[each // WORD, at] &= ~np.uint32(1 << each % WORD)


def notches_on_rows(parameters: PeridynamicParameters) -> dict[int, tuple[dict[Place, tuple[float, ...]], Array]]:
    """By the numbers, from 0, of the flat notches that lie on a row of particles: what their places become half-way to
    the next row, and the way there (3,) [mm]. Raises ProblemError."""
    frame, found = filled(parameters).frame, {}
    for number, notch in enumerate(parameters.notches):
        place: Place = ("notches", number)
        cut = drawn_cut_of(notch, frame, place)
        way = way_between_rows(cut) if isinstance(cut, FlatCut) else None
        if way is not None:
            moved = np.zeros(3)
            moved[: frame.dimensions] = way * frame.spacing
            placed = {name: getattr(notch, name) for name in ANCHORS if hasattr(notch, name)}
            changes = {
                (*place, name): tuple(float(f"{each:.9g}") for each in np.array(point) + moved[: len(point)])
                for name, point in placed.items()
            }
            found[number] = changes, moved
    return found


def idle_notches(parameters: PeridynamicParameters) -> tuple[int, ...]:
    """The numbers, from 0, of the notches that cut no bond. Raises ProblemError."""
    adapter = TypeAdapter[AnyNotch](AnyNotch)
    body, reach = filled(parameters), parameters.bonds.reach
    notches = (adapter.dump_json(notch).decode() for notch in parameters.notches)
    return tuple(number for number, notch in enumerate(notches) if not _cuts(notch, body, reach, number))


_cutting: WeakKeyDictionary[Filled, dict[tuple[str, int, int], bool]] = WeakKeyDictionary()
"""Of each body as long as it lives: whether a notch cuts a bond."""


def _cuts(notch_json: str, body: Filled, reach: int, number: int) -> bool:
    known = _cutting.setdefault(body, {})
    key = notch_json, reach, number
    if key not in known:
        known[key] = _cuts_any(notch_json, body, reach, number)
    return known[key]


def _cuts_any(notch_json: str, body: Filled, reach: int, number: int) -> bool:
    layout, mask = _laid_out(body, reach)
    cut = cut_of(TypeAdapter[AnyNotch](AnyNotch).validate_json(notch_json), body.frame, ("notches", number))
    return any(len(places) for _, places, _ in crossings(cut, mask, layout, family(body.dimensions, reach)))


@lru_cache(maxsize=2)
def _laid_out(body: Filled, reach: int) -> tuple[Layout, Array]:
    layout = Layout(body.counts, reach, body.dimensions)
    mask = np.zeros(layout.size, bool)
    mask[layout.places(body.cells)] = True
    return layout, mask
