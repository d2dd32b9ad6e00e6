"""The public operator: a matrix of synaptic weights that is multiplied with vectors of events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend import open_backend
from engines.backend.twins import pick
from engines.spiking.events import vectors
from engines.spiking.events.memory import need_dense, need_sparse
from engines.spiking.events.product import Product
from engines.spiking.events.products import dense_product, only_of, procedural_product, sparse_product
from engines.spiking.events.sparse.formats import Format, packed
from engines.spiking.events.sparse.procedural import Drawn
from engines.spiking.events.vectors import EventList
from engines.spiking.events.weights import BYTES, Precision, numbers, stored

_BOOL, _FLOAT32 = np.dtype(bool), np.dtype(np.float32)
Order = Literal["presynaptic", "postsynaptic", "both"]


class EventMatrix:
    """W (postsynaptic, presynaptic), stored by presynaptic neuron unless ``order`` says otherwise.

    ``W @ s``: ``s`` is ``(presynaptic,)`` or ``(presynaptic, batch)`` of 0 and 1, a list, a NumPy array or an array
    of bools on the device, or an :class:`EventList` of the device; the result, float32, is where ``s`` was.
    ``W.graded @ s`` takes any numbers (float32 on the device), of which those that are not 0 are events. ``W.T @ s`` is
    the product with the transpose, through the same storage. Sums are the same from run to run on a backend.

    ``order``: by whom weights are stored. "presynaptic" reads what an event needs; "postsynaptic" all of it, unless the
    matrix is transposed; "both" keeps two copies and takes the faster way for the density at hand.
    ``precision``: float32, float16 or int8 with a scale for each neuron it is stored by.

    Raises ProblemError for weights that are no numbers, events that are none, shapes that do not match, and a matrix
    that the device has no memory for.
    """

    def __init__(self, backend: Backend, products: Product, *, transposed: bool = False, graded: bool = False) -> None:
        self._backend, self._products, self._transposed, self._graded = backend, products, transposed, graded
        self._product_into = products.scan_into if transposed else products.gather_into
        self._anywhere = products.scans_anywhere if transposed else products.gathers_anywhere
        self._on_cpu = pick(backend, cpu=True, cuda=False)
        self._given = vectors.on_host if self._on_cpu else partial(vectors.on_device, backend)
        self.shape: tuple[int, int] = products.shape if transposed else products.shape[::-1]

    @classmethod
    def dense(
        cls, weights: Any, backend: Backend | None = None, *, precision: Precision = "float32",
        order: Order = "presynaptic",
    ) -> EventMatrix:  # fmt: skip
        """From all weights, ``(postsynaptic, presynaptic)``."""
        backend = backend or open_backend("cpu")
        table = np.asarray(weights)
        if table.ndim != 2 or 0 in table.shape:
            raise ProblemError(f"A weight matrix has rows and columns; this array has the shape {table.shape}.")
        only_of("Weights are stored in the order", order, Order)
        need_dense(backend, table.shape[0], table.shape[1], BYTES.get(precision, 4) * (1 + (order == "both")))
        values = numbers(table)
        rows = {"presynaptic": [values.T], "postsynaptic": [values], "both": [values.T, values]}[order]
        products = dense_product(backend, [stored(np.ascontiguousarray(each), precision) for each in rows])
        return cls(backend, products, transposed=order == "postsynaptic")

    @classmethod
    def sparse(
        cls, weights: Any, backend: Backend | None = None, *, precision: Precision = "float32",
        format: Format = "compressed", order: Order = "presynaptic",
    ) -> EventMatrix:  # fmt: skip
        """From any of SciPy's sparse matrices, ``(postsynaptic, presynaptic)``.

        ``format``: "compressed" (CSC by presynaptic, CSR by postsynaptic neuron), "ell", or "sell" (SELL-C-σ by
        postsynaptic neuron; compressed otherwise, and on the CPU); with both orders, that of the copy by postsynaptic
        neuron, the other one is compressed.
        """
        backend = backend or open_backend("cpu")
        only_of("Synapses are stored in the order", order, Order)
        only_of("Synapses lie in the format", format, Format)
        copies = []
        for each in ("presynaptic", "postsynaptic") if order == "both" else (order,):
            table = weights.tocsc() if each == "presynaptic" else weights.tocsr()
            if not table.has_canonical_format:
                table = table.copy() if table is weights else table  # the caller's stays as it is
                table.sum_duplicates()
            pushed = order == "both" and each == "presynaptic"
            length = np.diff(table.indptr)
            wide = format == "ell" and not pushed
            entries = len(length) * int(length.max(initial=0)) if wide else table.nnz
            need_sparse(backend, table.nnz, entries, BYTES.get(precision, 4), 1 + (order == "both"))
            columns = table.shape[0] if each == "presynaptic" else table.shape[1]
            layout: Format = "compressed" if pushed else format
            copies.append(
                packed(
                    table.indptr.astype(np.int64), table.indices, numbers(table.data), columns, precision, layout,
                    pick(backend, cpu=False, cuda=each == "postsynaptic"),
                )
            )  # fmt: skip
        return cls(backend, sparse_product(backend, copies), transposed=order == "postsynaptic")

    @classmethod
    def fixed_number(
        cls, targets: Any, weights: Any, postsynaptic: int, backend: Backend | None = None, *,
        precision: Precision = "float32",
    ) -> EventMatrix:  # fmt: skip
        """Every presynaptic neuron has the same number of synapses: ``targets`` and ``weights: (presynaptic, number)``.

        One number as ``weights`` stands for all.
        """
        backend = backend or open_backend("cpu")
        places = np.asarray(targets)
        if places.ndim != 2 or places.dtype.kind not in "iu":
            raise ProblemError(f"Targets are whole numbers, a row for each neuron; not {places.dtype} {places.shape}.")
        if places.size and not (places.min() >= 0 and places.max() < postsynaptic):
            raise ProblemError(
                f"Targets are from 0 to {postsynaptic - 1}; these are from {places.min()} to {places.max()}."
            )
        values = np.asarray(weights)
        if values.ndim and values.shape != places.shape:
            raise ProblemError(f"Weights {values.shape} and targets {places.shape} have different shapes.")
        need_sparse(backend, places.size, places.size, BYTES.get(precision, 4))
        starts = np.arange(len(places) + 1, dtype=np.int64) * places.shape[1]
        flat = numbers(np.broadcast_to(values, places.shape)).ravel()
        rows = packed(starts, places.ravel(), flat, postsynaptic, precision, "ell", side_by_side=False)
        return cls(backend, sparse_product(backend, [rows]))

    @classmethod
    def procedural(
        cls, postsynaptic: int, presynaptic: int, number: int, weights: float | tuple[float, float], seed: int,
        backend: Backend | None = None,
    ) -> EventMatrix:  # fmt: skip
        """Nothing is stored: each presynaptic neuron has ``number`` synapses that are drawn again at each use.

        Targets are equally likely and independent of each other; ``weights``: one for all, or the least and the largest
        of equally likely ones. The same numbers on all devices.
        """
        least, most = weights if isinstance(weights, tuple) else (weights, weights)
        given = numbers(np.array([least, most]))
        if min(postsynaptic, presynaptic, number) < 1 or max(postsynaptic, presynaptic, number) >= 2**31:
            raise ProblemError("Neurons and synapses of each are whole numbers from 1 to 2,147,483,647.")
        if not 0 <= seed < 2**64:
            raise ProblemError(f"A seed is a whole number from 0 to 2^64 − 1, not {seed}.")
        backend = backend or open_backend("cpu")
        drawn = Drawn(presynaptic, postsynaptic, number, given[0], np.float32(given[1] - given[0]), seed)
        return cls(backend, procedural_product(backend, drawn))

    @property
    def T(self) -> EventMatrix:
        """The transpose, without a copy."""
        return EventMatrix(
            self._backend, self._products, transposed=not self._transposed, graded=self._graded
        )  # fmt: skip

    @property
    def graded(self) -> EventMatrix:
        """The same matrix for events of any size, without a copy."""
        return EventMatrix(self._backend, self._products, transposed=self._transposed, graded=True)

    def __matmul__(self, events: Any) -> Any:
        return self.dot(events)

    def dot(self, events: Any, out: Any = None) -> Any:
        """``W @ events``, into ``out`` if that is given: float32 of the result's shape, where the result would be.

        A vector on a GPU whose length is a whole number of 16 neurons is read where it lies; with ``out`` nothing is
        allocated then.
        """
        if isinstance(events, EventList):
            self._check_list(events)
            single, on_host = True, isinstance(events.indices, np.ndarray)
            given = vectors.list_on(self._backend, events, self.shape[1])
        else:
            if isinstance(events, (list, tuple)):
                events = _as_array(events)
            if events.ndim not in (1, 2) or events.shape[0] != self.shape[1]:
                raise ProblemError(
                    f"A matrix {self.shape} takes {self.shape[1]} events; this array has the shape "
                    f"{tuple(events.shape)}."
                )
            single, on_host = events.ndim == 1, isinstance(events, np.ndarray)
            checked = _checked(events, self._graded) if on_host else _on_device(events, self._graded)
            if not single and not events.shape[1]:
                return np.zeros((self.shape[0], 0), np.float32)
            given = self._given(checked if single else checked.T)
        if out is not None:
            _check_room(out, (self.shape[0],) if single else (self.shape[0], given.batch), on_host)
        return self._product(given, single, on_host, out)

    def _product(self, given: Any, single: bool, on_host: bool, out: Any) -> Any:
        direct = single and on_host == self._on_cpu  # what kernels write is the result
        if direct and self._anywhere:
            if out is None:
                out = self._backend.empty(self.shape[0], np.float32)
            self._product_into(out[None] if on_host else out, given)
            return out
        with self._backend.active():
            if direct and out is not None:
                rows = out
            else:
                rows = self._backend.empty(self.shape[0] if direct else (given.batch, self.shape[0]), np.float32)
            self._product_into(rows, given)
            if direct:
                return rows
            found = self._backend.to_host(rows) if on_host and not self._on_cpu else rows
            found = found[0] if single else found.T
            if out is None:
                return found
            out[...] = found
            return out

    def _check_list(self, events: EventList) -> None:
        if events.values is not None and not self._graded:
            raise ProblemError("This list's events have values: multiply it with the matrix's .graded, or drop them.")
        vectors.checked_list(events)


def _as_array(events: Sequence[Any]) -> Array:
    """Of Python's own numbers. Raises ProblemError where rows differ in length."""
    try:
        return np.asarray(events)
    except ValueError:
        raise ProblemError("Events are a list of numbers, or of rows of the same length.") from None


def _checked(events: Array, graded: bool) -> Array:
    """Events on the host as bools, or float32 if graded. Raises ProblemError."""
    if graded:
        return numbers(events, "events")
    if events.dtype == _BOOL:
        return events
    active = events != 0
    wrong = active != (events == 1)
    if wrong.any():
        place = tuple(int(index) for index in np.argwhere(wrong)[0])
        raise ProblemError(
            f"Events are 0 or 1; number {place[0] if len(place) == 1 else place} is {events[place]}. For others there "
            "is the matrix's .graded."
        )
    return np.asarray(active)


def _on_device(events: Any, graded: bool) -> Any:
    if events.dtype != (_FLOAT32 if graded else _BOOL):
        wanted = "float32" if graded else "bool"
        raise ProblemError(f"On the device, events are an array of {wanted}, not of {events.dtype}.")
    return events


def _check_room(out: Any, shape: tuple[int, ...], on_host: bool) -> None:
    """Raises ProblemError for an array that cannot take a result of this shape."""
    if isinstance(out, np.ndarray) != on_host:
        raise ProblemError(f"The result is on the {'host' if on_host else 'device'}, where 'out' is to be, too.")
    if out.shape != shape or out.dtype != _FLOAT32 or not out.flags.c_contiguous:
        raise ProblemError(
            f"The result is a contiguous array of float32 {shape}; 'out' is one of {out.dtype} {tuple(out.shape)}."
        )
