"""Bytes that a step moves and that a problem holds, counted from the algorithm."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engines.api import KernelTraffic
from engines.fdtd.grid.boundaries import Axis, psi_shapes
from engines.fdtd.grid.dimensions import ALL, Parts
from engines.fdtd.grid.yee import Yee
from engines.fdtd.sources.driven import Driven

STEPS = "yee"
"""What the steps are timed as."""
INDUCED = 4
"""Entries of H on a GPU for one of E: the faces around an edge."""
ENTRY_BYTES = 12
"""Of the place and the signal of an entry; a weight comes on top."""


def layer_values(yee: Yee, axes: Sequence[Axis]) -> int:
    """Values of ψ that one pass reads and writes."""
    return sum(math.prod(shape) for shape in psi_shapes(yee, axes))


def faded_values(yee: Yee, axes: Sequence[Axis]) -> int:
    """Values of a field in the absorbers; a corner counts for each of its axes."""
    return sum(3 * yee.cells * sum(axis.fading) // axis.n for axis in axes)


def traffic(
    yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, parts: Parts = ALL, states: int = 0,
    id_bytes: int = 1, passes: int = 2, copies: int = 1,
) -> KernelTraffic:  # fmt: skip
    """Per cell each of the two passes reads the components that there are (six, but in two dimensions three), one pass
    over both fields reads them once; both write each once and read an id for each (H only with ``magnetic``). In the
    layers ψ is read and written, where poles are ``states`` values of theirs, and in absorbers the fields once more.

    A component takes 7 operations, ψ and a state 4. copies: real and imaginary parts of the fields
    """
    cells, psi = yee.cells, 2 * layer_values(yee, axes) * yee.planes // yee.shape[0]
    if parts.count < ALL.count:
        psi //= 2  # of the two components that have a difference along an axis of the plane there is one
    also = psi + states + 2 * faded_values(yee, axes)
    named = sum(parts.electric) + (sum(parts.magnetic) if magnetic else 0)
    return KernelTraffic(
        STEPS,
        bytes_read=copies * ((passes * cells * parts.count + also) * value_bytes + cells * named * id_bytes),
        bytes_written=copies * (cells * parts.count + also) * value_bytes,
        flops=copies * (7 * cells * parts.count + 4 * (psi + states) + 2 * faded_values(yee, axes)),
    )


def memory_bytes(
    yee: Yee, axes: Sequence[Axis], value_bytes: int, magnetic: bool, states: int = 0, id_bytes: int = 1
) -> int:
    """Fields, ids, ψ and ``states`` values of poles, with the spans of their rows, on the device."""
    ids = (6 if magnetic else 3) * id_bytes
    spans = 3 * yee.shape[0] * yee.shape[1] * 16 if states else 0
    values = 2 * layer_values(yee, axes) + states
    return yee.places * (6 * value_bytes + ids) + values * value_bytes + spans


def source_bytes(yee: Yee, axes: Sequence[Axis], driven: Driven, value_bytes: int, induced: bool) -> int:
    """About what the entries of sources take: the faces of boxes and sheets as large as the layers leave room.

    A wave along an axis drives one component of E and of H on most of a face, all others two; ``induced``: entries of E
    have entries of H beside them, on a GPU.
    """
    across = [axis.clear[1] - axis.clear[0] + 1 for axis in axes]
    faces = [math.prod(across) // many for many in across]
    box = sum(2 * faces[d] for d in range(3) if not axes[d].wraps)
    sheets = sum(faces[beam.axis] for beam in driven.beams) + sum(faces[launch.axis] for launch in driven.launches)
    points = box * (len(driven.waves) + 2 * len(driven.oblique)) + 2 * sheets
    return points * (2 + INDUCED * induced) * (ENTRY_BYTES + value_bytes)
