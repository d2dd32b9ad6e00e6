"""Explicit diffusion on the CPU: eigenmodes, the float64 reference, and what holds to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from engines.stencil.diffusion.cpu import CpuDiffusion
from engines.stencil.diffusion.forward_euler import DIFFUSION
from engines.stencil.setup.sides import Ghost
from engines.stencil.step import reference
from tests.engines.stencil.side_kinds import sides

EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52}
KINDS = ["periodic", "value", "gradient", "mixed"]


def advanced(cpu, u, rates, ghosts, steps, precision="float64", depth=None, tile=None, source=None, k=None, dt=0.3):
    """``u`` after ``steps`` steps, fused ``depth`` deep on the tiles that are asked for."""
    diffusion = DIFFUSION.open(cpu, u.shape, rates, ghosts, dt, precision, k)
    if depth is not None:
        diffusion.depth = depth
        diffusion._tile = (depth, *(tile or (u.shape[-2], u.shape[-1])))
    now = np.array(u, precision, order="C")
    heat = None if source is None else np.ascontiguousarray(source, precision)
    with cpu.active():
        return diffusion.advance(now, np.full_like(now, np.nan), heat, steps)[0]


def mode(n: int, m: int, kind: str) -> np.ndarray:
    """The eigenvector with m half waves of one axis of n cells (m is even on a periodic axis)."""
    x = (np.arange(n) + 0.5) / n
    return np.cos(m * np.pi * x) if kind == "insulated" else np.sin(m * np.pi * x)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(
    ("counts", "modes", "kinds"),
    [
        ((40, 30), (3, 2), ("zero", "zero")),
        ((40, 30), (3, 0), ("zero", "insulated")),
        ((31, 18), (4, 5), ("periodic", "insulated")),
        ((12, 10, 9), (1, 2, 3), ("zero", "zero", "zero")),
        ((12, 10, 9), (2, 1, 4), ("periodic", "insulated", "periodic")),
    ],
)
def test_a_mode_decays_by_its_factor_at_each_step(cpu, counts, modes, kinds, precision):
    """Each step rounds at most ten times by half a unit, relative to |u| ≤ 1 (9 steps: 45 epsilon); the start and the
    rates are rounded too, the latter times the sum of 4 d neighbours."""
    rates = (0.11, 0.17, 0.05)[: len(counts)]
    start = np.ones(counts[::-1])
    for axis, (n, m, kind) in enumerate(zip(counts, modes, kinds, strict=True)):
        start *= np.expand_dims(mode(n, m, kind), [a for a in range(len(counts)) if a != len(counts) - 1 - axis])
    ghosts = sides(*kinds)
    factor = reference.mode_decay(modes, counts, rates)
    steps = 9
    now = advanced(cpu, start, rates, ghosts, steps, precision)
    assert np.abs(now - factor**steps * start).max() <= 60 * EPSILON[precision]


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("kinds", [(k,) * 2 for k in KINDS] + [(k,) * 3 for k in KINDS] + [("periodic", "mixed")])
@pytest.mark.parametrize("extras", ["", "source", "variable", "source variable"])
def test_steps_equal_the_reference(cpu, kinds, extras, precision):
    """|u| stays below 2; 5 steps of at most 20 roundings of half a unit of values up to 4: 200 epsilon."""
    rng = np.random.default_rng(7)
    shape = (7, 9, 11)[-len(kinds) :]
    u, heat = rng.uniform(-1, 1, shape), rng.uniform(-1, 1, shape)
    rates = (0.08, 0.12, 0.05)[: len(kinds)]
    ghosts = sides(*kinds)
    k = rng.uniform(0.1, 1.0, shape) if "variable" in extras else None
    s = heat if "source" in extras else None
    now = advanced(cpu, u, rates, ghosts, 5, precision, source=s, k=k)
    expected = reference.diffuse(u, rates, ghosts, 5, k, s, dt=0.3)
    assert np.abs(now - expected).max() <= 200 * EPSILON[precision]


FUSED_2D = [((17, 23), (1, 23)), ((17, 23), (1, 5)), ((3, 40), (1, 16)), ((1, 6), (1, 4)), ((5, 1), (1, 1))]
FUSED_3D = [((7, 9, 11), (9, 11)), ((7, 9, 11), (2, 4)), ((9, 1, 5), (1, 2)), ((1, 2, 3), (2, 3)), ((2, 5, 1), (3, 1))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", [2, 3, 4, 7])
@pytest.mark.parametrize(("shape", "tile"), FUSED_2D + FUSED_3D)
@pytest.mark.parametrize("extras", ["", "source variable"])
def test_a_fused_pass_equals_single_steps_bit_for_bit(cpu, shape, tile, depth, kind, extras):
    rng = np.random.default_rng(depth)
    u = rng.uniform(-1, 1, shape)
    ghosts = sides(*[kind] * len(shape))
    for rates in ((0.1, 0.1, 0.1)[: len(shape)], (0.1, 0.13, 0.04)[: len(shape)]):
        k = rng.uniform(0.1, 1.0, shape) if extras else None
        s = rng.uniform(-1, 1, shape) if extras else None
        single = advanced(cpu, u, rates, ghosts, depth + 1, "float32", 1, source=s, k=k)
        fused = advanced(cpu, u, rates, ghosts, depth + 1, "float32", depth, tile, source=s, k=k)
        assert (single == fused).all()


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(37, 64), (9, 45), (4, 33), (4, 1, 39), (5, 3, 64), (13, 7, 45)])
def test_steps_in_vectors_equal_those_of_the_general_kernel_bit_for_bit(cpu, shape, kind, precision):
    """Rows of whole vectors and others, groups of rows that overlap, stores into the caches and past them."""
    rng = np.random.default_rng(5)
    u, heat = rng.uniform(-1, 1, shape).astype(precision), rng.uniform(-1, 1, shape).astype(precision)
    for rates in ((0.1, 0.1, 0.1)[: len(shape)], (0.1, 0.13, 0.04)[: len(shape)]):
        diffusion = DIFFUSION.open(cpu, shape, rates, sides(*[kind] * len(shape)), 0.3, precision)
        for source in (None, heat):
            general = np.full_like(u, np.nan)
            with cpu.active():
                diffusion._launch(u, general, source, (1, *shape[-2:]), diffusion._box)
                for diffusion._beyond_caches in (False, True):
                    memory = cpu.empty(1 << 18, precision)  # at a multiple of 64 bytes
                    vectors = memory[: u.size].reshape(shape)
                    vectors[...] = np.nan
                    diffusion._step(u, vectors, source, diffusion._box)
                    assert (vectors == general).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [16, 19, 27])
def test_planes_in_blocks_of_rows_equal_whole_ones_bit_for_bit(cpu, rows, kind, monkeypatch):
    """Blocks of eight rows, the last with all of its rows or a few."""
    u = np.random.default_rng(6).uniform(-1, 1, (5, rows, 48)).astype(np.float32)
    diffusion = DIFFUSION.open(cpu, u.shape, (0.1, 0.13, 0.04), sides(*[kind] * 3), 0.3, "float32")
    whole, blocks = np.full_like(u, np.nan), np.full_like(u, np.nan)
    with cpu.active():
        diffusion._step(u, whole, None, diffusion._box)
        monkeypatch.setattr("engines.stencil.diffusion.cpu.BLOCK_BYTES", 1)
        diffusion._step(u, blocks, None, diffusion._box)
    assert diffusion._block(diffusion._box) == 8
    assert (blocks == whole).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [2, 3, 5, 7])
def test_threads_share_planes_and_rows_bit_for_bit(cpu, threads, kind, monkeypatch):
    """Five rows for as many threads, and nine planes in two parts where there are more."""
    u = np.random.default_rng(8).uniform(-1, 1, (9, 5, 48)).astype(np.float32)
    diffusion = DIFFUSION.open(cpu, u.shape, (0.1, 0.13, 0.04), sides(*[kind] * 3), 0.3, "float32")
    general, shared = np.full_like(u, np.nan), np.full_like(u, np.nan)
    monkeypatch.setattr(diffusion, "_threads", threads)
    with cpu.active():
        diffusion._launch(u, general, None, (1, 5, 48), diffusion._box)
        diffusion._step(u, shared, None, diffusion._box)
    assert (shared == general).all()


def test_where_stores_go_is_measured_where_a_cache_may_hold_the_grid(cpu, monkeypatch):
    """Above the least size, below the cache's: there and back with both, and then the one that is told."""
    asked = []

    def second(key, candidates, time_one):
        asked.append(candidates)
        return candidates[1] if all(time_one(each) > 0 for each in candidates) else candidates[0]

    monkeypatch.setattr("engines.stencil.diffusion.cpu.tune", second)
    monkeypatch.setattr("engines.stencil.diffusion.cpu.last_level_cache_bytes", lambda: 1 << 22)
    held = {}
    for planes in (4, 12, 40):  # 65,536 points; 196,608, both grids 1.6 MB; 655,360, 5.2 MB
        asked.clear()
        diffusion = DIFFUSION.open(
            cpu, (planes, 128, 128), (0.1, 0.1, 0.1), sides(*["periodic"] * 3), 1.0, "float32", depth=1
        )
        held[planes] = (diffusion._beyond_caches, list(asked))
    assert held == {4: (False, []), 12: (True, [((0,), (1,))]), 40: (True, [])}


def test_what_is_tuned_equals_single_steps_bit_for_bit(cpu, monkeypatch):
    """A grid large enough for the tiles to be measured, with as many steps as leave a remainder.

    All candidates run; then the first is taken, for which one is the fastest is the machine's affair."""

    def first(key, candidates, time_one):
        assert min(time_one(candidate) for candidate in candidates) > 0
        return candidates[0]

    monkeypatch.setattr("engines.stencil.diffusion.cpu.tune", first)
    u = np.random.default_rng(1).uniform(-1, 1, (700, 300))
    diffusion = DIFFUSION.open(cpu, u.shape, (0.2, 0.2), sides("value", "periodic"), 1.0, "float32")
    assert diffusion.depth > 1
    one, ghosts = u.astype(np.float32), sides("value", "periodic")
    with cpu.active():
        many, _ = diffusion.advance(one.copy(), np.empty_like(one), None, 2 * diffusion.depth + 3)
    assert (many == advanced(cpu, u, (0.2, 0.2), ghosts, 2 * diffusion.depth + 3, "float32", 1)).all()


def test_tiles_of_small_grids_are_measured_in_several_steps(cpu, monkeypatch):
    """After a single one threads slept, and woke in the time of another: three steps at a pass seemed faster, and were
    taken for 128³, where they take half as long again."""
    taken = {}

    def counted(self, u, out, source, tile, box):
        taken[tile] = taken.get(tile, 0) + tile[0]

    def last(key, candidates, time_one):
        if len(candidates) > 2:  # not where results are stored
            assert min(time_one(candidate) for candidate in candidates) > 0
        return candidates[-1]

    monkeypatch.setattr("engines.stencil.diffusion.cpu.tune", last)
    monkeypatch.setattr(CpuDiffusion, "_pass", counted)
    for shape, least in (((64, 64, 64), 12), ((128, 128, 128), 4), ((64, 512, 512), 1)):
        taken.clear()
        DIFFUSION.open(cpu, shape, (0.1,) * 3, sides(*["insulated"] * 3), 1.0, "float32")
        singles = [steps for tile, steps in taken.items() if tile[0] == 1]
        assert singles == [least]
        assert all(steps >= min(least, tile[0]) for tile, steps in taken.items())


def test_small_boxes_are_stepped_one_by_one_and_planes_several_at_a_time(cpu):
    depths = [
        DIFFUSION.open(cpu, shape, (0.1,) * len(shape), sides(*["insulated"] * len(shape)), 1.0, "float32").depth
        for shape in ((48, 48, 48), (96, 96))
    ]
    assert depths[0] == 1 < depths[1]


@pytest.mark.parametrize("sourced", [False, True])
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("kinds", [("value", "insulated", "value"), ("periodic", "periodic", "insulated")])
def test_bands_of_whole_planes_equal_single_steps_bit_for_bit(cpu, kinds, precision, sourced):
    """With planes beside them that they compute, too: of shapes that no number of rows or threads divides."""
    for shape in ((33, 20, 37), (17, 9, 64)):
        u, heat = (np.random.default_rng(seed).uniform(-1, 1, shape).astype(precision) for seed in (1, 2))
        diffusion = DIFFUSION.open(cpu, shape, (0.1, 0.12, 0.09), sides(*kinds), 1.0, precision, depth=1)
        found = {}
        for depth in (1, 2, 3, 5):
            diffusion._tile = (depth, shape[1], 0 if depth > 1 else shape[2])
            diffusion.depth = depth
            with cpu.active():
                found[depth], _ = diffusion.advance(u.copy(), np.empty_like(u), heat if sourced else None, 11)
        assert not (found[1] == u).all()
        for depth in (2, 3, 5):
            assert (found[depth] == found[1]).all()


@pytest.mark.parametrize("kind", ["insulated", "periodic"])
def test_bands_of_whole_planes_are_tried_where_the_ends_of_a_box_do_not_meet(cpu, monkeypatch, kind):
    tried = []
    monkeypatch.setattr(
        "engines.stencil.diffusion.cpu.tune", lambda key, candidates, _: tried.extend(candidates) or candidates[0]
    )
    DIFFUSION.open(cpu, (64, 64, 64), (0.1,) * 3, sides("insulated", "insulated", kind), 1.0, "float32")
    assert any(tile[2:] == (0,) for tile in tried) == (kind == "insulated")


@pytest.mark.parametrize("variable", [False, True])
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(13, 37), (5, 6, 19)])
def test_constants_stay_to_the_last_bit(cpu, shape, precision, variable):
    k = np.random.default_rng(2).uniform(0.01, 1, shape) if variable else None
    for rates in ((0.1,) * len(shape), (0.07, 0.11, 0.03)[: len(shape)]):
        for kind in ("periodic", "insulated"):
            u = np.full(shape, 37.3, precision)
            assert (advanced(cpu, u, rates, sides(*[kind] * len(shape)), 11, precision, k=k) == u).all()


@pytest.mark.parametrize("kind", ["periodic", "insulated"])
@pytest.mark.parametrize("shape", [(33, 41), (9, 10, 11)])
def test_the_content_is_conserved_to_round_off(cpu, shape, kind):
    """50 steps round each of n cells ten times by 1e-16: at worst 5e-14 of the mean, at random far less."""
    rng = np.random.default_rng(3)
    u, k = rng.uniform(0, 1, shape), rng.uniform(0.01, 1, shape)
    rates = (0.1, 0.15, 0.07)[: len(shape)]
    for conductivity in (None, k):
        now = advanced(cpu, u, rates, sides(*[kind] * len(shape)), 50, k=conductivity)
        assert abs(now.sum() / u.sum() - 1) <= 5e-14
        assert now.std() < 0.9 * u.std()


def test_the_largest_step_is_stable_and_a_larger_one_is_not(cpu):
    """At r = 1/4 the checkerboard of a plane changes its sign at each step; beyond, it grows by |1 − 8 r|."""
    u = (np.indices((16, 16)).sum(axis=0) % 2) * 2.0 - 1.0
    ghosts = sides("periodic", "periodic")
    assert np.abs(advanced(cpu, u, (0.25, 0.25), ghosts, 1000)).max() == 1.0
    grown = np.abs(advanced(cpu, u, (0.2501, 0.2501), ghosts, 1000)).max()
    assert grown == pytest.approx(1.0008**1000, rel=1e-9)


def test_a_composite_conducts_by_the_harmonic_law(cpu):
    """Two layers between u = 0 and u = 1: the steady flux is 1 / (L₁/k₁ + L₂/k₂), the kink lies at the interface."""
    n, first, factor = 20, 8, 0.1
    k = np.ones((2, n))
    k[:, first:] = factor
    cold_and_hot = (Ghost(False, -1.0, 0.0), Ghost(False, -1.0, 2.0))
    ghosts = (cold_and_hot, sides("insulated")[0])
    steady = advanced(cpu, np.zeros((2, n)), (0.2, 0.2), ghosts, 40_000, k=k)
    flux = 1.0 / (first + (n - first) / factor)  # per cell, with h = 1
    x = np.arange(n) + 0.5
    expected = np.where(x < first, flux * x, 1.0 - flux / factor * (n - x))
    assert np.abs(steady - expected).max() <= 1e-12  # the slowest mode has decayed below 1e-16; n roundings add up


def test_the_error_falls_with_the_square_of_the_spacing(cpu):
    """The mode (1, 1) of the unit square at a fixed time, dt with h²: continuum exp(−2 π² t)."""
    errors = []
    for n in (8, 16, 32):
        rate = 0.2
        steps = round(0.05 * n**2 / rate)
        u = np.outer(mode(n, 1, "zero"), mode(n, 1, "zero"))
        now = advanced(cpu, u, (rate, rate), sides("zero", "zero"), steps)
        time = steps * rate / n**2
        errors.append(np.abs(now - np.exp(-2 * np.pi**2 * time) * u).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.02)
