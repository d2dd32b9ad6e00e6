"""Who is joined to whom, as viewers ask: the partners of one neuron, and how many synapses populations have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.spiking.watch.groups import Groups

AT_ONCE = 1 << 24
"""Synapses that are looked through at a time, for those of one target."""
LOOKED_AT = 1 << 22
"""Synapses of a population that are counted for the means of its targets; of more, those of every k-th sender."""
BLOCKS = ChartInfo(
    "blocks",
    "Synapses per neuron that hears",
    "1",
    kind="matrix",
    x_title="Hearers",
    across_title="Senders",
    x_unit="1",
)


@dataclass(frozen=True, eq=False)
class Block:
    """Synapses by sender: row r is ``targets[starts[r]:starts[r + 1]] >> shift``; ``weights`` gives those of places."""

    starts: Array
    targets: Array
    shift: int
    weights: Callable[[Array], Array]
    changing: str = ""
    """The array of a device that has the weights, where they change."""

    def senders(self, places: Array) -> Array:
        """The neurons that synapses at ``places: (k,)`` belong to."""
        return np.searchsorted(self.starts, places, side="right") - 1


@dataclass(frozen=True, eq=False)
class Partners:
    """Of one neuron in one block: synapses at ``out_places`` to ``targets``, at ``in_places`` from ``sources``."""

    block: Block
    out_places: Array
    targets: Array
    in_places: Array
    sources: Array


def partners(block: Block, neuron: int) -> Partners:
    """All synapses are looked through for those that the neuron hears: a second for a thousand million."""
    out = np.arange(block.starts[neuron], block.starts[neuron + 1])
    low, high = neuron << block.shift, (neuron + 1) << block.shift
    found = [
        begin + np.flatnonzero((part >= low) & (part < high))
        for begin in range(0, len(block.targets), AT_ONCE)
        for part in (block.targets[begin : begin + AT_ONCE],)
    ]
    into = np.concatenate([np.zeros(0, np.int64), *found])
    return Partners(block, out, block.targets[out] >> block.shift, into, block.senders(into))


def facts(found: Sequence[Partners], groups: Groups) -> tuple[Fact, ...]:
    """How many synapses from and to each population."""

    def by_population(neurons: Array) -> Array:
        counts, _ = np.histogram(neurons, groups.bounds - 0.5)
        return counts

    heard = sum(by_population(each.sources) for each in found)
    sent = sum(by_population(each.targets) for each in found)
    told = []
    for title, counts in (("Synapses from", heard), ("Synapses to", sent)):
        told += [
            Fact(f"{title} {name}", float(count), "")
            for name, count in zip(groups.names, np.atleast_1d(counts), strict=False)
            if count
        ]
    return tuple(told)


def in_degrees(blocks: Sequence[Block], groups: Groups) -> Array:
    """(populations that send, populations that hear) mean synapses of a neuron that hears."""
    sizes = np.diff(groups.bounds)
    own = np.repeat(np.arange(len(sizes), dtype=np.uint8 if len(sizes) < 256 else np.int32), sizes)
    totals = np.zeros((len(sizes), len(sizes)))
    for block in blocks:
        for sender, (first, stop) in enumerate(pairwise(groups.bounds)):
            synapses = int(block.starts[stop] - block.starts[first])
            stride = max(1, -(-synapses // LOOKED_AT))
            rows = range(int(first), int(stop), stride)
            parts = (
                [block.targets[block.starts[first] : block.starts[stop]]]
                if stride == 1
                else [block.targets[block.starts[row] : block.starts[row + 1]] for row in rows]
            )
            for part in parts:
                counts = np.bincount(own[part >> block.shift], minlength=len(sizes))
                totals[sender] += counts * ((stop - first) / max(len(rows), 1))
    return np.asarray(totals / np.maximum(sizes, 1))


def block_chart(means: Array, groups: Groups) -> ChartData:
    """A row for each population that sends, a column for each that hears."""
    columns = np.arange(1.0, len(means) + 1)
    curves = (Curve(name, columns, row) for name, row in zip(groups.names, means, strict=True))
    return ChartData(tuple(curves), columns=groups.names)
