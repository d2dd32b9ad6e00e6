"""Weights times spikes, called from Python once a step: our ``EventMatrix`` beside brainevent's compiled products."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from workbench.bench.peers.case import Answer, PeerCase, Place, Side, Size, peer

VECTORS = 16
"""Vectors of spikes that take turns."""


def size(neurons: int, share: float, firing: float, calls: int) -> Size:
    """``share`` of all pairs has a synapse, 1: a dense matrix; ``firing``: share of the neurons."""
    kind = "dense" if share == 1.0 else f"{100 * share:g} % of synapses"
    values = {"neurons": neurons, "share": share, "firing": firing, "calls": calls}
    return Size(f"{neurons:,} {kind}, {100 * firing:g} % fire", values, calls, calls / 1e3)


CASE = PeerCase(
    id="products",
    title="Weights times spikes, called from Python",
    peer="brainevent",
    module="brainevent",
    install="pip install brainevent (with a GPU: pip install brainevent 'jax[cuda13]')",
    versions=("brainevent", "jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda13-plugin"),
    unit="thousand calls/s",
    precision="fp32",
    sizes={
        "cpu": (size(4_000, 0.02, 0.01, 2000), size(20_000, 0.02, 0.01, 300), size(10_000, 1.0, 0.01, 200)),
        "cuda": (
            size(10_000, 1.0, 0.01, 5000), size(20_000, 1.0, 0.1, 2000), size(20_000, 0.02, 0.01, 5000),
            size(100_000, 0.01, 0.01, 1000),
        ),
    },
    # Sums of up to some thousand numbers of one sign in float32.
    tolerance=1e-5,
    measured="largest difference of sums over the largest",
    devices=("cpu", "cuda"),
)  # fmt: skip


def spikes(values: Mapping[str, Any]) -> Array:
    """(VECTORS, neurons) bool"""
    return np.random.default_rng(2).random((VECTORS, values["neurons"])) < values["firing"]


def synapses(values: Mapping[str, Any]) -> tuple[Array, Array, Array]:
    """Starts (neurons + 1), targets and weights by presynaptic neuron; each sends as many."""
    n, random = values["neurons"], np.random.default_rng(1)
    number = round(values["share"] * n)
    # One in each of ``number`` spans: distinct and ascending.
    bounds = np.linspace(0, n, number + 1).astype(np.int64)
    targets = (bounds[:-1] + (random.random((n, number)) * np.diff(bounds)).astype(np.int64)).astype(np.int32)
    return np.arange(n + 1, dtype=np.int32) * np.int32(number), targets.ravel(), weights(random, n * number)


def weights(random: np.random.Generator, count: int) -> Array:
    return random.random(count, np.float32) + np.float32(0.5)


def dense(values: Mapping[str, Any]) -> Array:
    """(neurons, neurons), by presynaptic neuron."""
    n = values["neurons"]
    return weights(np.random.default_rng(1), n * n).reshape(n, n)


class Products(Side):
    """``calls`` products in a row with the vectors in turn, and the device at rest at the end."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        self.threads, self._calls = place.threads, values["calls"]
        self._given: list[Any] = []

    @abstractmethod
    def product(self, given: Any) -> Any:
        """Weights times one vector of spikes."""

    @abstractmethod
    def wait(self, found: Any) -> None:
        """Until the device has this product."""

    def run(self) -> None:
        for call in range(self._calls):
            found = self.product(self._given[call % VECTORS])
        self.wait(found)


class Ours(Products):
    """Into an array that is given, as a loop would."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        import scipy.sparse

        from engines.spiking.events.matrix import EventMatrix

        super().__init__(values, place)
        self._backend = place.open()
        if values["share"] == 1.0:
            self._matrix = EventMatrix.dense(dense(values).T, self._backend)
        else:
            starts, targets, sizes = synapses(values)
            n = values["neurons"]
            rows = scipy.sparse.csr_array((sizes, targets, starts), shape=(n, n))
            self._matrix = EventMatrix.sparse(rows.T, self._backend)
        # NumPy's bools on the CPU, arrays of the device on a GPU.
        self._given = [self._backend.array(each) for each in spikes(values)]
        self._out = self._backend.empty((values["neurons"],), np.float32)

    def product(self, given: Any) -> Any:
        return self._matrix.dot(given, self._out)

    def wait(self, found: Any) -> None:
        self._backend.synchronize()

    def answer(self) -> Answer:
        return {f"{number}": self._backend.to_host(self.product(self._given[number])).copy() for number in range(4)}


class Theirs(Products):
    """One product compiled by ``jax.jit``, with the matrix as an argument."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        brainevent = peer("brainevent")
        jax = peer("jax")

        super().__init__(values, place)
        n = values["neurons"]
        if values["share"] == 1.0:
            self._matrix = jax.numpy.asarray(dense(values))
        else:
            starts, targets, sizes = (jax.numpy.asarray(each) for each in synapses(values))
            self._matrix = brainevent.CSR((sizes, targets, starts), shape=(n, n))
        self._given = [jax.numpy.asarray(each) for each in spikes(values)]
        self._product = jax.jit(lambda given, matrix: brainevent.BinaryArray(given) @ matrix)

    def product(self, given: Any) -> Any:
        return self._product(given, self._matrix)

    def wait(self, found: Any) -> None:
        found.block_until_ready()

    def answer(self) -> Answer:
        return {f"{number}": np.asarray(self.product(self._given[number])) for number in range(4)}


def ours(values: Mapping[str, Any], place: Place) -> Side:
    return Ours(values, place)


def theirs(values: Mapping[str, Any], place: Place) -> Side:
    return Theirs(values, place)
