"""How strong synapses are: histograms by sending population, now and, where weights change, at first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve, histogram
from engines.spiking.connectivity.partners import Block
from engines.spiking.watch.groups import Groups

BARS = 40
LOOKED_AT = 100_000
"""Synapses of a population and block that are looked at; of more every k-th, and counts are as many times as large."""


def weights_info(unit: str) -> ChartInfo:
    return ChartInfo(
        "weights", "Synapses, by weight", "1", kind="bar", x_title="Weight", x_unit=unit, y_title="Synapses"
    )


class Weights:
    """Looks at the same synapses each time; those of fixed weights once. ``highest``: of the blocks that change."""

    def __init__(self, blocks: Sequence[Block], groups: Groups, highest: Sequence[float]) -> None:
        self._groups = groups
        self._seen: list[tuple[int, Block, Array, float, Array]] = []
        """Population, block, places of synapses, how many each stands for, weights at first."""
        for population, (first, stop) in enumerate(pairwise(groups.bounds)):
            for block in blocks:
                begin, end = int(block.starts[first]), int(block.starts[stop])
                places = np.arange(begin, end, max(1, -(-(end - begin) // LOOKED_AT)))
                if len(places):
                    each = (end - begin) / len(places)
                    self._seen.append((population, block, places, each, np.asarray(block.weights(places), float)))
        known = [weights for *_, weights in self._seen] + [np.array([0.0, *highest])]
        self._low, self._high = float(min(map(np.min, known))), float(max(map(np.max, known)))
        self._edges = self._between(self._low, self._high)

    def chart(self, now: Callable[[Block, Array], Array]) -> ChartData:
        """``now`` gives the present weights of synapses of a block that changes."""
        curves: list[Curve] = []
        whole = [np.asarray(now(seen[1], seen[2]), float) if seen[1].changing else seen[4] for seen in self._seen]
        self._edges = self._between(
            min([self._low, *(float(each.min()) for each in whole)]),
            max([self._high, *(float(each.max()) for each in whole)]),
        )
        for population, name in enumerate(self._groups.names):
            own = [seen for seen in self._seen if seen[0] == population]
            if not own:
                continue
            present = [each for each, seen in zip(whole, self._seen, strict=True) if seen[0] == population]
            curves.append(self._bars(name, present, own))
            if any(seen[1].changing for seen in own):
                curves.append(self._bars(f"{name}, at first", [seen[4] for seen in own], own))
        return ChartData(tuple(curves)) if curves else EMPTY

    def _between(self, low: float, high: float) -> Array:
        """Edges of the bars."""
        return np.linspace(low, high if high > low else low + 1.0, BARS + 1)

    def _bars(
        self, title: str, weights: Sequence[Array], own: Sequence[tuple[int, Block, Array, float, Array]]
    ) -> Curve:
        parts = [
            histogram(np.clip(each, self._edges[0], self._edges[-1]), self._edges, title).y * seen[3]
            for each, seen in zip(weights, own, strict=True)
        ]
        return replace(histogram(np.zeros(0), self._edges, title), y=np.rint(np.sum(parts, axis=0)))
