"""Several bodies on a GPU, one behind the other: the same particles, bonds and regions, other materials and loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array
from engines.peridynamics.lattice.cuda import CudaSolver
from engines.peridynamics.lattice.small.cuda import with_paces
from engines.peridynamics.lattice.solver import Discretised


class CudaBodies(CudaSolver):
    """As :class:`CudaSolver`, with places of all bodies: (d, bodies · size). ``kick_values`` and ``energy_values`` are
    those of a stiffness of 1: times :attr:`stiffness` they are each body's."""

    def __init__(self, backend: Any, bodies: Sequence[Discretised], precision: str) -> None:
        super().__init__(backend, _stacked(bodies), precision)
        self.count, self.each = len(bodies), bodies[0].layout.size
        self.stiffness = np.array([body.stiffness for body in bodies])
        """(bodies,)"""
        assert self._many is not None  # it has as many bodies as the layout fits in
        materials = np.array([(body.stiffness, body.limit) for body in bodies]).astype(self.dtype)
        self._many.take_materials(backend, materials)
        self._laws = backend.array(np.concatenate([body.laws for body in bodies]).astype(self.dtype))

    def take(self, table: Any, orders: Array) -> None:
        """``table`` on the device and ``orders: (bodies, 3)`` as ``steps.cu`` has them. Inside ``backend.timed``."""
        assert self._many is not None
        self._many.launch(self, table, self.backend.array(np.ascontiguousarray(orders, np.int32)))

    def table(self, tables: Array, paces: Array) -> Any:
        """(bodies, rows, kinds, 4, d) and (bodies, rows, 2), on the device."""
        return self.backend.array(with_paces(tables, paces).astype(self.dtype))

    def apart(self, values: Any) -> Any:
        """(d, bodies, size) of (d, bodies · size), or (bodies, size) of (bodies · size)."""
        return values.reshape(*values.shape[:-1], self.count, self.each)

    def sums(self, wanted: Sequence[tuple[bool, int, Any]]) -> Any:
        """(bodies, wanted) float64 on the device: sums of forces or displacements along an axis at places of a body,
        with :meth:`measure` done; forces for a stiffness of 1. Inside ``backend.active``."""
        read = self.backend.empty((self.count, max(1, len(wanted))), np.float64)
        for place, (of_forces, axis, places) in enumerate(wanted):
            values = self.apart(self.kick_values[axis] if of_forces else self.arrays["u"][axis])
            read[:, place] = values[:, places].sum(axis=1, dtype=np.float64)
        return read


def alike(first: Discretised, other: Discretised) -> bool:
    """Whether two bodies can lie one behind the other: they differ in stiffness, limits and numbers of their law."""
    return (
        first.layout == other.layout
        and first.mixture is None
        and other.mixture is None
        and (first.law.key if first.law else "") == (other.law.key if other.law else "")
        and first.laws.shape == other.laws.shape
        and all(
            _equal(getattr(first, name), getattr(other, name))
            for name in ("places", "kind", "words", "breakable", "whole", "weights", "half_shares")
        )
    )


def _equal(first: Array | None, other: Array | None) -> bool:
    return first is other if first is None or other is None else np.array_equal(first, other)


def _stacked(bodies: Sequence[Discretised]) -> Discretised:
    first, count = bodies[0], len(bodies)
    size = first.layout.size
    return replace(
        first,
        places=np.concatenate([first.places.astype(np.int64) + number * size for number in range(count)]),
        whole=np.tile(first.whole, count),
        kind=np.tile(first.kind, count),
        words=np.tile(first.words, count),
        breakable=np.tile(first.breakable, count),
        half_shares=None if first.half_shares is None else np.tile(first.half_shares, count),
        stiffness=1.0,
    )
