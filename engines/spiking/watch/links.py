"""The synapses of one neuron as lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engines.api import Array
from engines.api.charts import Links
from engines.spiking.connectivity.partners import Block, Partners

MOST = 120
"""Lines that are drawn; of more synapses every k-th."""


def links_of(
    found: Sequence[Partners], neuron: int, positions: Array, unit: str, weights: Callable[[Block, Array], Array]
) -> Links | None:
    """Lines to those who hear the neuron and from those that it hears, in the colours of their weights."""
    others = np.concatenate([np.concatenate([each.targets, each.sources]) for each in found])
    if not len(others):
        return None
    values = np.concatenate(
        [weights(each.block, np.concatenate([each.out_places, each.in_places])) for each in found]
    ).astype(float)
    stride = -(-len(others) // MOST)
    others, values = others[::stride], values[::stride]
    ends = np.stack([np.full(len(others), neuron), others], axis=1)
    largest = float(np.abs(values).max()) or 1.0
    return Links("Weight", unit, (-largest, largest), np.asarray(positions, float)[ends], values)
