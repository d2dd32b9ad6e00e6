"""W s and Wᵀ s against float64 on fresh random input, for every format and precision, and what is refused."""

import numpy as np
import pytest
import scipy.sparse

from engines.api.errors import ProblemError
from engines.spiking import EventList, EventMatrix
from engines.spiking.events import memory
from engines.spiking.events.cpu_kernels import draw
from engines.spiking.events.dense import cuda
from engines.spiking.events.reference import product
from engines.spiking.events.sparse.procedural import Drawn
from engines.spiking.events.weights import decoded, stored

DENSITIES = (0.0, 0.001, 0.1, 1.0)
SHAPE = (150, 333)
"""(postsynaptic, presynaptic): no multiples of packs, warps or shares."""
PRECISIONS = ("float32", "float16", "int8")
ORDERS = ("presynaptic", "postsynaptic")


@pytest.fixture(autouse=True)
def few_shapes(monkeypatch):
    """Few threads, so that lists are full and there are shares; several threads on a row, fewer than a warp."""
    monkeypatch.setattr(cuda, "SHAPES", dict.fromkeys((False, True), ((64, 8, 16), (32, 32, 1))))


def events_of(rng, size, density):
    """(size, 3): two binary vectors and, for graded products, values."""
    events = rng.random((size, 3)) < density
    events[rng.integers(size)] |= density > 0
    return events, np.where(events, rng.normal(size=(size, 3)), 0).astype(np.float32)


def kept(table, precision, order):
    """float64: ``table`` (postsynaptic, presynaptic) as it is stored, and that a float16 is off by 2^-11, an int8 by
    half a step of its row."""
    rows = (table if order == "postsynaptic" else table.T).astype(np.float32)
    of = stored(np.ascontiguousarray(rows), precision)
    held = decoded(of).astype(np.float64)
    allowed = {"float32": 0 * rows, "float16": 2**-11 * np.abs(rows) + 2**-25, "int8": None}[precision]
    if allowed is None:
        allowed = np.abs(rows).max(axis=1, keepdims=True) / 254 * 1.0001 + 0 * rows
    assert (np.abs(held - rows) <= allowed).all()
    return held if order == "postsynaptic" else held.T


def close(result, table, events, roundings, sizes=None):
    """Each rounding is of 6e-8 of at most the sum of sizes, of which random signs leave far less.

    ``sizes``: those of the synapses where several are one entry of ``table``, which may cancel in it.
    """
    assert result.dtype == np.float32
    sizes = product(np.abs(table) if sizes is None else sizes, np.abs(events))
    assert (np.abs(result - product(table, events)) <= roundings * 6e-8 * sizes + 1e-12).all()


def check(matrix, table, densities=DENSITIES, roundings=340, alike=True, sizes=None):
    """Binary and graded, single and in a batch (``alike``: with the same bits), both ways.

    A sum of up to 333 float32 products: at most as many roundings, and those of a scale (340).
    """
    assert matrix.shape == table.shape
    rng = np.random.default_rng()
    sizes = np.abs(table) if sizes is None else sizes
    for operator, held, size in ((matrix, table, sizes), (matrix.T, table.T, sizes.T)):
        for density in densities:
            events, values = events_of(rng, held.shape[1], density)
            batch = operator @ events
            close(batch, held, events, roundings, size)
            np.testing.assert_array_equal(operator @ events.astype(float), batch)  # the same bits again
            single = operator @ events[:, 1]
            close(single, held, events[:, 1], roundings, size)
            assert not alike or (single == batch[:, 1]).all()
            graded = operator.graded @ values
            close(graded, held, values, roundings, size)
            assert not alike or (operator.graded @ values[:, 2] == graded[:, 2]).all()


@pytest.mark.parametrize(
    ("order", "precision"), [*((order, precision) for order in ORDERS for precision in PRECISIONS), ("both", "float32")]
)
def test_dense_equals_float64(backend, order, precision):
    table = np.random.default_rng().normal(size=SHAPE)
    matrix = EventMatrix.dense(table, backend, precision=precision, order=order)
    check(matrix, kept(table, precision, order), DENSITIES if precision == "float32" else DENSITIES[2:3])


def gathered(product, given):
    out = np.empty((given.batch, product.shape[1]), np.float32)
    product.gather_into(out, given)
    return out


def test_lists_that_are_full(monkeypatch, own_cache):
    """333 events and 333 rows for a list of 256; one share, and several groups on a row."""
    from engines.spiking.events.kinds import Given
    from engines.spiking.events.vectors import DeviceGiven, on_device
    from tests.cuda_on_host import COMPILER, HostCudaBackend

    if COMPILER is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setattr(cuda, "SHAPES", dict.fromkeys((False, True), ((32, 16, 0),)))
    backend, rng = HostCudaBackend(), np.random.default_rng()
    rows = rng.normal(size=SHAPE[::-1]).astype(np.float32)
    dense = cuda.CudaDense(backend, stored(rows, "float32"))
    for density in (0.85, 1.0):
        _, values = events_of(rng, SHAPE[1], density)
        close(gathered(dense, on_device(backend, values.T)).T, rows.T, values, 340)
        one = EventList.of(values[:, 0], backend, graded=True)
        listed = DeviceGiven(Given.LIST, one.indices, 1, 16, True, SHAPE[1], one.count, one.values)
        close(gathered(dense, listed)[0], rows.T, values[:, 0], 340)


def sparse_table(rng):
    table = scipy.sparse.random(*SHAPE, density=0.05, rng=rng, data_rvs=rng.standard_normal).astype(np.float32)
    return table.tocsr()


@pytest.mark.parametrize(
    ("format", "order", "precision"),
    [
        *((format, order, "float32") for format in ("compressed", "ell", "sell") for order in ORDERS),
        *(("compressed", "presynaptic", precision) for precision in PRECISIONS[1:]),
        *(("sell", "postsynaptic", precision) for precision in PRECISIONS[1:]),
    ],
)
def test_sparse_equals_float64(backend, format, order, precision):
    table = sparse_table(np.random.default_rng())
    matrix = EventMatrix.sparse(table, backend, precision=precision, format=format, order=order)
    check(matrix, kept(table.toarray(), precision, order), DENSITIES if precision == "float32" else DENSITIES[2:3], 80)


def test_pushed_sums_are_exact_and_the_same_everywhere(backend):
    """Integers: the sum is rounded once, and graded products once each."""
    from engines.backend.cpu import CpuBackend

    rng = np.random.default_rng()
    table = sparse_table(rng)
    for density in DENSITIES:
        events, values = events_of(rng, SHAPE[1], density)
        result = EventMatrix.sparse(table, backend) @ events
        np.testing.assert_allclose(result, product(table.toarray(), events), rtol=6.1e-8, atol=1e-12)
        values *= np.float32(10.0) ** rng.integers(-6, 6)
        here = EventMatrix.sparse(table, CpuBackend(), precision="int8")
        there = EventMatrix.sparse(table, backend, precision="int8")
        np.testing.assert_array_equal(there.graded @ values, here.graded @ values)


@pytest.mark.parametrize("percent", [0, 10, 100])
def test_both_orders_switch(backend, percent, monkeypatch):
    from engines.spiking.events.sparse import both_orders

    monkeypatch.setattr(both_orders, "_switch", lambda *_: percent)
    table = sparse_table(np.random.default_rng())
    matrix = EventMatrix.sparse(table, backend, format="sell", order="both")
    check(matrix, table.toarray().astype(float), DENSITIES[2:], 80, alike=False)


def test_the_switch_is_measured(backend):
    from engines.spiking.events.sparse.both_orders import PERCENTS

    matrix = EventMatrix.sparse(sparse_table(np.random.default_rng()), backend, order="both")
    assert set(matrix._products.percents) <= {0, *PERCENTS}


def test_the_device_decides(tmp_path, monkeypatch):
    """Where the host does not know how many events there are, one of both ways ends at once."""
    from engines.spiking.events.kinds import Given
    from engines.spiking.events.sparse import both_orders
    from engines.spiking.events.vectors import DeviceGiven, on_device
    from tests.cuda_on_host import COMPILER, HostCudaBackend

    if COMPILER is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setattr(both_orders, "_switch", lambda *_: 10)
    backend, rng = HostCudaBackend(), np.random.default_rng()
    table = sparse_table(rng)
    matrix = EventMatrix.sparse(table, backend, format="ell", order="both")
    for density in DENSITIES:
        events, _ = events_of(rng, SHAPE[1], density)
        given = on_device(backend, events.T)
        unknown = DeviceGiven(given.kind, given.array, 3, given.pitch, False, SHAPE[1])
        close(gathered(matrix._products, unknown).T, table.toarray(), events, 80)
        one = EventList.of(events[:, 0], backend)
        listed = DeviceGiven(Given.LIST, one.indices, 1, 16, False, SHAPE[1], one.count)
        close(gathered(matrix._products, listed)[0], table.toarray(), events[:, 0], 80)


def test_fixed_number(backend):
    rng = np.random.default_rng()
    targets = np.stack([rng.permutation(70)[:9] for _ in range(90)])
    table = np.zeros((70, 90))
    np.put_along_axis(table.T, targets, np.float32(-0.3), axis=1)
    check(EventMatrix.fixed_number(targets, -0.3, 70, backend), table, roundings=100)


def test_procedural(backend):
    """Equal to the table of what is drawn, on both backends; targets and weights are as likely as they should be."""
    drawn = Drawn(333, 150, 31, np.float32(-0.5), np.float32(2.0), seed=2**40 + 7)
    table = drawn.table().T
    sizes, targets, weights = np.zeros(table.shape), np.empty(31, np.int64), np.empty(31, np.float32)
    for row in range(333):
        draw(np.uint64(drawn.seed), row, 31, 150, drawn.low, drawn.span, targets, weights)
        np.add.at(sizes[:, row], targets, np.abs(weights))
    matrix = EventMatrix.procedural(150, 333, 31, (-0.5, 1.5), drawn.seed, backend)
    check(matrix, table, roundings=120, sizes=sizes)
    counts = np.count_nonzero(table, axis=1)  # two on one target are rare
    # 69 synapses per target, Poisson: six standard deviations
    assert abs(counts - 333 * 31 / 150).max() < 6 * np.sqrt(69)
    assert abs(table.sum() / (333 * 31) - 0.5) < 6 * 2 / np.sqrt(12 * 333 * 31)
    assert not np.array_equal(table, Drawn(333, 150, 31, drawn.low, drawn.span, 8).table().T)


@pytest.mark.parametrize("order", ORDERS)
def test_event_lists(backend, order):
    rng = np.random.default_rng()
    table = rng.normal(size=SHAPE).astype(np.float32)
    dense, sparse = (
        make(given, backend, order=order)
        for make, given in ((EventMatrix.dense, table), (EventMatrix.sparse, scipy.sparse.csr_array(table)))
    )
    for density in DENSITIES:
        events, values = events_of(rng, SHAPE[1], density)
        for matrix in (dense, sparse):
            close(matrix @ EventList.of(events[:, 0], backend), table, events[:, 0], 340)
            close(matrix.graded @ EventList.of(values[:, 0], backend, graded=True), table, values[:, 0], 340)


def test_a_result_goes_where_it_is_asked_for(backend):
    table = sparse_table(np.random.default_rng(5))
    matrix, (events, _) = EventMatrix.sparse(table, backend), events_of(np.random.default_rng(6), SHAPE[1], 0.2)
    for given in (events, events[:, 0], EventList.of(events[:, 0], backend)):
        wanted = matrix @ given
        out = np.full(wanted.shape, np.nan, np.float32)
        assert matrix.dot(given, out) is out
        np.testing.assert_array_equal(out, wanted)
    for wrong in (np.empty(SHAPE[0] + 1, np.float32), np.empty(SHAPE[0]), np.empty(2 * SHAPE[0], np.float32)[::2]):
        with pytest.raises(ProblemError, match="contiguous array of float32"):
            matrix.dot(events[:, 0], wrong)


def test_sums_do_not_depend_on_threads():
    from engines.backend.cpu import CpuBackend

    rng = np.random.default_rng()
    weights, events = rng.normal(size=(5000, 200)), rng.random(200) < 0.5
    backend = CpuBackend()
    matrix = EventMatrix.dense(weights, backend)
    first = matrix @ events
    backend.threads = 1
    np.testing.assert_array_equal(matrix @ events, first)


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        (np.array([0, 1, 2, 0]), r"Events are 0 or 1; number 2 is 2\. For others there is the matrix's \.graded"),
        (np.array([[0, 0], [np.nan, 0], [1, 1], [0, 0]]), r"Events are 0 or 1; number \(1, 0\) is nan"),
        (np.zeros(5, bool), r"A matrix \(3, 4\) takes 4 events; this array has the shape \(5,\)"),
        ([0, 1, 2, 0], "Events are 0 or 1; number 2 is 2"),
        ([[0], [1, 1], [0], [0]], "a list of numbers, or of rows of the same length"),
        (EventList(np.zeros(4, np.int64), np.zeros(1, np.int32)), "indices are int32, not int64"),
        (EventList(np.zeros(4, np.int32), np.zeros(1, np.int32), np.ones(4, np.float32)), "have values"),
    ],
)
def test_events_that_are_none(events, sentence):
    with pytest.raises(ProblemError, match=sentence):
        EventMatrix.dense(np.ones((3, 4))) @ events


def test_a_list_of_events_is_an_array(backend):
    table = np.arange(12.0).reshape(3, 4)
    matrix = EventMatrix.dense(table, backend)
    np.testing.assert_array_equal(matrix @ [0, 1, 1, 0], table @ [0, 1, 1, 0])
    np.testing.assert_array_equal(matrix @ [[0, 1], [1, 1], [1, 0], [0, 0]], table @ [[0, 1], [1, 1], [1, 0], [0, 0]])
    np.testing.assert_array_equal(matrix.graded @ [0, 0.5, 2, 0], table @ [0, 0.5, 2, 0])


@pytest.mark.parametrize("order", ["presynaptic", "postsynaptic", "both"])
@pytest.mark.parametrize("form", [scipy.sparse.csc_array, scipy.sparse.csr_array])
def test_the_callers_matrix_stays_as_it_is(backend, order, form):
    """Synapses that stand twice and out of order: the product adds them, and whoever gave them still has all."""
    given = form((np.array([1.0, 2.0, 4.0, 8.0]), np.array([2, 0, 2, 1]), np.array([0, 3, 3, 4])), shape=(3, 3))
    before = [given.data.copy(), given.indices.copy(), given.indptr.copy()]
    matrix = EventMatrix.sparse(given, backend, order=order)
    np.testing.assert_array_equal(matrix @ np.array([1, 0, 1]), given.toarray() @ [1, 0, 1])
    for held, now in zip(before, (given.data, given.indices, given.indptr), strict=True):
        np.testing.assert_array_equal(now, held)


def test_graded_events_are_numbers():
    with pytest.raises(ProblemError, match="The events hold nan at 1; all are finite"):
        EventMatrix.dense(np.ones((3, 4))).graded @ np.array([0, np.nan, 1, 2])


def test_weights_that_are_none():
    weights = np.ones((3, 4))
    weights[2, 1] = np.nan
    with pytest.raises(ProblemError, match=r"hold nan at \(2, 1\)"):
        EventMatrix.dense(weights)
    with pytest.raises(ProblemError, match="hold nan"):
        EventMatrix.sparse(scipy.sparse.csr_array(weights))
    with pytest.raises(ProblemError, match="float16 ends at 65504"):
        EventMatrix.dense(np.full((2, 2), 7e4), precision="float16")
    with pytest.raises(ProblemError, match="float32, float16, int8; not as 'bf16'"):
        EventMatrix.dense(np.ones((2, 2)), precision="bf16")
    with pytest.raises(ProblemError, match="presynaptic, postsynaptic or both; not 'rows'"):
        EventMatrix.dense(np.ones((2, 2)), order="rows")
    with pytest.raises(ProblemError, match="rows and columns"):
        EventMatrix.dense(np.ones(3))
    with pytest.raises(ProblemError, match="from 0 to 2; these are from 0 to 3"):
        EventMatrix.fixed_number(np.array([[0, 3]]), 1.0, 3)
    with pytest.raises(ProblemError, match="different shapes"):
        EventMatrix.fixed_number(np.array([[0, 2]]), np.ones(3), 3)
    with pytest.raises(ProblemError, match="whole numbers from 1"):
        EventMatrix.procedural(10, 10, 0, 1.0, 1)


def test_more_than_memory_says_how_many_fit(monkeypatch):
    """1,000,000 bytes: 500 × 500 weights of 4 bytes; 125,000 synapses of 8."""
    monkeypatch.setattr(memory, "free_bytes", lambda backend: 1_000_000)
    with pytest.raises(ProblemError, match=r"600 × 600 weights .* 1.44 MB; .* has 1 MB free, room for 500 × 500\."):
        EventMatrix.dense(np.ones((600, 600)))
    EventMatrix.dense(np.ones((600, 600)), precision="float16")
    table = scipy.sparse.csr_array(np.ones((400, 400)))
    with pytest.raises(ProblemError, match=r"160,000 synapses take 1.28 MB .* room for 125,000\."):
        EventMatrix.sparse(table)


def test_a_product_that_was_interrupted_leaves_nothing_behind(monkeypatch):
    """Pushed sums are kept from call to call: those of a call that failed half-way are not."""
    from engines.spiking.events import cpu_kernels

    table, finish = sparse_table(np.random.default_rng(9)), cpu_kernels.finish
    matrix, events = EventMatrix.sparse(table), np.ones(SHAPE[1], bool)
    wanted = matrix @ events

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(cpu_kernels, "finish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        matrix @ events
    monkeypatch.setattr(cpu_kernels, "finish", finish)
    np.testing.assert_array_equal(matrix @ events, wanted)
