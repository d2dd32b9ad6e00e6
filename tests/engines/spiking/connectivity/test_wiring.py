"""Rules of connection: exact numbers, probabilities over distance, weights and delays as asked, tables, refusals."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.devices.select import open_backend
from engines.spiking.connectivity import files
from engines.spiking.connectivity.layout import particles, places_of, space
from engines.spiking.connectivity.pairs import random_synapses
from engines.spiking.connectivity.wiring import Space, Span, wire
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters, published
from engines.spiking.parameters.connections import Connection
from engines.spiking.setup.checks import findings
from engines.spiking.setup.populations import spans
from workbench.project.presets import open_preset, preset_called

SIDE = 1000.0


def drawn(n, *given, seed=1, places=None, dt=0.1, flat=True):
    """Population a is the first half of n neurons, b the second."""
    spans = {"a": Span(0, n // 2), "b": Span(n // 2, n)}
    places = np.random.default_rng(5).random((n, 3)) * SIDE if places is None else places
    if flat:
        places = places * [1, 1, 0]
    space = Space(places, {0: SIDE, n // 2: SIDE}, {0: flat, n // 2: flat})
    connections = [Connection.model_validate({"source": "a", "target": "b", **each}) for each in given]
    return wire(connections, spans, space, dt, seed, np.zeros(n)), places


def senders(wiring):
    return np.repeat(np.arange(len(wiring.starts) - 1), np.diff(wiring.starts))


def test_fixed_numbers_are_exact():
    inputs, _ = drawn(400, {"rule": {"kind": "fixed inputs", "number": 37}})
    np.testing.assert_array_equal(np.bincount(inputs.targets, minlength=400), np.repeat([0, 37], 200))
    outputs, _ = drawn(400, {"rule": {"kind": "fixed outputs", "number": 37}})
    np.testing.assert_array_equal(np.diff(outputs.starts), np.repeat([37, 0], 200))
    for wiring, other in ((inputs, np.diff(inputs.starts)[:200]), (outputs, np.bincount(outputs.targets)[200:])):
        assert (senders(wiring) < 200).all()
        assert (wiring.targets >= 200).all()
        assert other.var() == pytest.approx(37 * 199 / 200, rel=5 * np.sqrt(2 / 200))  # multinomial


def test_a_fixed_total_is_exact_and_both_ends_are_drawn_anew():
    """Degrees are multinomial on both sides, and pairs are joined as often as a Poisson variable says: with K synapses
    of N pairs, N (1 − (1 + K/N) e^(−K/N)) are joined more than once."""
    total, size = 30_000, 200
    rule = {"rule": {"kind": "fixed total", "number": total}}
    wiring, _ = drawn(2 * size, rule)
    assert len(wiring.targets) == total
    assert (senders(wiring) < size).all()
    assert (wiring.targets >= size).all()
    outputs, inputs = np.bincount(senders(wiring)), np.bincount(wiring.targets)[size:]
    mean = total / size
    for degrees in (outputs, inputs):
        assert degrees.var() == pytest.approx(mean * (1 - 1 / size), rel=5 * np.sqrt(2 / size))
    assert abs(np.corrcoef(outputs, inputs)[0, 1]) < 5 / np.sqrt(size)
    often = (np.bincount(senders(wiring) * size + wiring.targets - size, minlength=size**2) > 1).sum()
    share = 1 - (1 + total / size**2) * np.exp(-total / size**2)
    assert often == pytest.approx(size**2 * share, abs=5 * np.sqrt(size**2 * share))
    again, _ = drawn(2 * size, rule, rule)
    assert len(again.targets) == 2 * total
    halves = np.bincount(senders(again)) - outputs  # the second connection of these senders, drawn apart
    assert abs(np.corrcoef(outputs, halves[:size])[0, 1]) < 5 / np.sqrt(size)
    other, _ = drawn(2 * size, rule, seed=2)
    assert abs(np.corrcoef(outputs, np.bincount(senders(other)))[0, 1]) < 5 / np.sqrt(size)


def test_one_to_one_and_all_to_all():
    one, _ = drawn(40, {"rule": {"kind": "one to one"}})
    np.testing.assert_array_equal(senders(one), np.arange(20))
    np.testing.assert_array_equal(one.targets, np.arange(20, 40))
    every, _ = drawn(40, {"rule": {"kind": "all to all"}})
    np.testing.assert_array_equal(every.targets.reshape(20, 20), np.tile(np.arange(20, 40), (20, 1)))


def test_probability_draws_what_the_plain_network_draws():
    spans = {"a": Span(0, 300)}
    space = Space(np.zeros((300, 3)), {0: 1.0}, {0: True})
    rule = {"kind": "probability", "probability": 0.1}
    wiring = wire([Connection(source="a", rule=rule)], spans, space, 0.1, 9, np.zeros(300))
    expected = random_synapses(300, 0.1, 9)
    np.testing.assert_array_equal(wiring.starts, expected.starts)
    np.testing.assert_array_equal(wiring.targets, expected.targets)


def test_connections_of_one_sender_draw_apart():
    rule = {"rule": {"kind": "probability", "probability": 0.2}}
    two, _ = drawn(400, rule, rule)
    one, _ = drawn(400, rule)
    twice = np.bincount(senders(two) * 400 + two.targets).max()
    both = (np.bincount(senders(two) * 400 + two.targets) == 2).sum()
    assert twice == 2
    assert len(one.targets) == pytest.approx(8000, abs=5 * 80)
    assert both == pytest.approx(0.04 * 200**2, abs=5 * np.sqrt(0.04 * 200**2))


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_distance_follows_its_kernel(kernel, periodic, flat):
    """In each ring of distance the share of pairs that are joined is the kernel's mean over these pairs, within 5
    standard deviations."""
    rule = {"kind": "distance", "kernel": kernel, "probability": 0.8, "width": 200.0, "periodic": periodic}
    wiring, places = drawn(1000, {"rule": rule}, flat=flat)
    gaps = np.abs(places[:500, None] - places[None, 500:])
    if periodic:
        gaps = np.minimum(gaps, SIDE - gaps)
    apart = np.linalg.norm(gaps, axis=2)
    chance = 0.8 * (np.exp(-0.5 * (apart / 200) ** 2) if kernel == "gaussian" else np.exp(-apart / 200))
    joined = np.zeros((500, 500))
    joined[senders(wiring), wiring.targets - 500] = 1
    for low in (0, 100, 200, 400):
        ring = (apart >= low) & (apart < low + 100)
        expected, spread = chance[ring].sum(), np.sqrt((chance * (1 - chance))[ring].sum())
        assert joined[ring].sum() == pytest.approx(expected, abs=5 * spread)


def test_weights_and_delays_are_as_asked():
    """40,000 of each: means and spreads within 5 standard errors; weights to a quantum, delays to half a step."""
    every = {"rule": {"kind": "all to all"}}
    normal, _ = drawn(
        400,
        every
        | {
            "weight": {"kind": "normal", "weight": -2.0, "spread": 0.2},
            "delay": {"kind": "normal", "delay": 3.0, "spread": 0.25},
        },
    )
    assert normal.weights.mean() == pytest.approx(-2, abs=5 * 0.4 / 200)
    assert normal.weights.std() == pytest.approx(0.4, rel=5 / np.sqrt(2 * 40_000))
    assert normal.delays.mean() == pytest.approx(30, abs=5 * 7.5 / 200)
    assert normal.delays.std() == pytest.approx(np.hypot(7.5, 1 / np.sqrt(12)), rel=5 / np.sqrt(2 * 40_000))
    assert normal.delays.min() >= 1
    assert abs(np.corrcoef(normal.weights, normal.delays)[0, 1]) < 5 / 200
    lognormal, _ = drawn(400, every | {"weight": {"kind": "lognormal", "weight": 0.5, "spread": 1.0}})
    assert lognormal.weights.mean() == pytest.approx(0.5, abs=5 * 0.5 / 200)
    assert np.log(lognormal.weights).std() == pytest.approx(np.sqrt(np.log(2)), rel=5 / np.sqrt(2 * 40_000))
    wide, _ = drawn(400, every | {"weight": {"kind": "normal", "weight": -2.0, "spread": 1.0}})
    assert wide.weights.max() == 0
    assert (wide.weights == 0).mean() == pytest.approx(0.1587, abs=5 * np.sqrt(0.16 * 0.84 / 40_000))
    far, places = drawn(400, every | {"delay": {"kind": "distance", "velocity": 0.1}})
    apart = np.linalg.norm(places[senders(far)] - places[far.targets], axis=1)
    np.testing.assert_array_equal(far.delays, np.maximum(1, np.rint(apart * 1e-3 / 0.1 / 0.1)))


def test_all_inputs_at_once_fit_in_a_sum():
    wiring, _ = drawn(400, {"rule": {"kind": "all to all"}, "weight": {"kind": "lognormal", "weight": 3.0}})
    sums = np.bincount(wiring.targets, np.abs(wiring.words[:, 1]).astype(float))
    assert 2**28 < sums.max() < 2**31


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_tables_are_read(tmp_path, suffix):
    table = {"pre": [3, 0, 3], "post": [1, 1, 7], "weight": [0.5, -2.0, 1.25], "delay": [0.2, 1.0, 0.0]}
    path = tmp_path / f"synapses.{suffix}"
    if suffix == "npz":
        np.savez(path, **{name: np.array(values) for name, values in table.items()})
    else:
        rows = "\n".join(",".join(map(str, row)) for row in zip(*table.values(), strict=True))
        path.write_text(",".join(table) + "\n" + rows)
    wiring, _ = drawn(20, {"rule": {"kind": "file", "path": str(path)}})
    np.testing.assert_array_equal(senders(wiring), [0, 3, 3])
    np.testing.assert_array_equal(wiring.targets, [11, 11, 17])
    np.testing.assert_allclose(wiring.weights, [-2.0, 0.5, 1.25], rtol=1e-8)
    np.testing.assert_array_equal(wiring.delays, [10, 2, 0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "text",
    [
        "pre;post;weight;delay [s]\n3;1;0.5;0.001\n0;1;-2;0.0002\n",
        "post\tdelay (us)\tpre\tweight\n1\t1000\t3\t0.5\n1\t200\t0\t-2\n",
        '"pre","post","weight","delay/ms"\n3,1,0.5,1\n0,1,-2,0.2\n',
        "# columns = ['i', 'j', 'weight', 'delay']\n3.0\t1.0\t0.0005\t1.0\n0.0\t1.0\t-0.002\t0.2\n",
        '# label = \'a\'\n# columns = ["i", "j", "delay", "weight"]\n3 1 1.0 0.0005\n0 1 0.2 -0.002\n',
        "i,j,weight,delay\n3,1,0.5,1\n0,1,-2,0.2\n",
        "# by hand\npre post weight delay\n3 1 0.5 1\n0 1 -2 0.2\n",
        "3 1 0.5 1\n0 1 -2 0.2\n",
    ],
)
def test_columns_of_a_table_are_known_by_their_names_and_delays_by_their_unit(tmp_path, text):
    """A delay under any other heading than "delay" was left out without a word. PyNN's weights are in nA or µS."""
    (tmp_path / "table.csv").write_text(text)
    assert files.rows(str(tmp_path / "table.csv")) == 2
    files.check_connections(tmp_path / "table.csv")
    found = files.read(str(tmp_path / "table.csv"))
    assert found["weight"] == pytest.approx([0.5, -2.0])
    assert sorted(found) == ["delay", "post", "pre", "weight"]
    np.testing.assert_array_equal(found["pre"], [3, 0])
    np.testing.assert_allclose(found["delay"], [1.0, 0.2])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("pre,post\n1,2\n", None),
        ("1,2\n3,4\n", None),
        ("pre,post,weight\n1,2,nan\n", "weight of synapse 1 .* is not a number"),
        ("pre,post,weight,delay\n1,2,1,1\n1,2,1,nan\n", "delay of synapse 2 .* is not a number"),
        ("pre,post\n1,10\n", "names neuron 10 as post"),
        ("pre,post\n-1,1\n", "names neuron -1 as pre"),
        ("pre,post,delay\n1,2,0.05\n", "is shorter than the step"),
        ("pre,post,delay\n1,2,7000\n", "more than 65,535 steps"),
        ("post,weight\n1,2\n", "no columns 'pre' and 'post'|cannot be read"),
        ("pre,post\nx,y\n", "cannot be read as connections"),
        ("pre;post;weight\n0;0;2,5\n", "synapses.csv has decimals behind a comma: write them behind a point"),
        ("0\t0\t2,5\n", "synapses.csv has decimals behind a comma: write them behind a point"),
        ("source,target\n0,1\n", "synapses.csv has no columns 'pre' and 'post', but source, target: name"),
        ("pre," * 100_000, "cannot be read as connections"),
        ("pre,post\n", "synapses.csv has no connections: write a row"),
        ("pre,post\n# none\n\n", "synapses.csv has no connections: write a row"),
        ("", "synapses.csv has no connections: write a row"),
    ],
)
def test_tables_that_are_wrong_say_why(tmp_path, text, sentence):
    path = tmp_path / "synapses.csv"
    path.write_text(text)
    rule = {"rule": {"kind": "file", "path": str(path)}}
    if sentence is None:
        assert len(drawn(20, rule)[0].targets) > 0
        return
    with pytest.raises(ProblemError, match=sentence):
        drawn(20, rule)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target": "c"}, "no population 'c': choose one of a, b, or 'all'"),
        ({"delay": {"kind": "constant", "delay": 0.05}}, "shorter than the step"),
        ({"rule": {"kind": "file", "path": ""}}, "choose a CSV or npz file"),
    ],
)
def test_what_connections_cannot_mean_says_why(change, sentence):
    with pytest.raises(ProblemError, match=sentence):
        drawn(20, change)


def from_table(path, **changes):
    population = {"name": "one", "number": 20}
    rule = {"kind": "file", "path": str(path)}
    first = {"source": "one", "target": "one"}
    return SpikingParameters.model_validate(
        {"populations": [population], "connections": [first, {**first, "rule": rule, **changes}]}
    )


@pytest.mark.parametrize("kind", ["normal", "lognormal"])
@pytest.mark.parametrize("mean", [2.0, -0.5])
def test_weights_of_a_table_without_them_are_drawn_as_those_of_other_rules(tmp_path, kind, mean):
    """Those had the mean, all of them. 40,000 are drawn: their spread is known to 1 %."""
    pre, post = np.divmod(np.arange(40_000), 200)
    np.savez(tmp_path / "pairs.npz", pre=pre, post=post)
    rule, weight = {"kind": "file", "path": str(tmp_path / "pairs.npz")}, {"kind": kind, "weight": mean, "spread": 0.4}
    weights, again = (drawn(400, {"rule": rule, "weight": weight})[0].weights for _ in range(2))
    every = drawn(400, {"rule": {"kind": "all to all"}, "weight": weight})[0].weights
    assert np.quantile(weights, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(every, [0.1, 0.5, 0.9]), rel=0.02)
    assert weights.std() == pytest.approx(every.std(), rel=0.04)
    np.testing.assert_array_equal(weights, again)
    assert (drawn(400, {"rule": rule, "weight": weight}, seed=2)[0].weights != weights).any()
    assert (np.sign(weights) == np.sign(mean)).mean() > 0.99
    np.savez(tmp_path / "pairs.npz", pre=pre, post=post, weight=np.full(40_000, 0.25))
    assert (drawn(400, {"rule": rule, "weight": weight})[0].weights == 0.25).all()


def test_a_table_whose_weights_change_has_no_negative_ones(tmp_path):
    """They were 0 without a word."""
    (tmp_path / "table.csv").write_text("pre,post,weight\n0,0,1.0\n0,1,-0.5\n")
    rule = {"kind": "file", "path": str(tmp_path / "table.csv")}
    with pytest.raises(ProblemError, match=r"^The weight of synapse 2 is -0\.5, and those that change are") as refused:
        drawn(20, {"rule": rule, "plasticity": {"kind": "stdp"}})
    assert refused.value.place == ("connections", 0, "rule", "path")
    (tmp_path / "table.csv").write_text("pre,post,weight\n0,0,1.0\n0,1,0\n")
    assert list(drawn(20, {"rule": rule, "plasticity": {"kind": "stdp"}})[0].plastic[0].weights) == [1, 0]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", "^Connection 2 has no file to be read from: choose a CSV or npz file"),
        ("gone.csv", "^There is no file 'gone.csv' for connection 2: choose"),
    ],
)
def test_a_connection_without_its_file_is_told_before_the_run(path, sentence):
    """There is no file '' was said at Run alone, and not of which connection."""
    with pytest.raises(ProblemError, match=sentence) as refused:
        SpikingEngine().estimate(Problem(from_table(path)), open_backend("cpu"))
    assert refused.value.place == ("connections", 1, "rule", "path")


@pytest.mark.parametrize(
    ("heading", "place", "sentence"),
    [
        ("pre,post,weight,delay", "weight", "The weights and delays of connection 2 are those of table"),
        ("i,j,weight,delay", "weight", "The weights and delays of connection 2 are those of table"),
        ("pre,post,number,delay", "delay", "The delays of connection 2 are those of table"),
        ("0,2,1,1", "weight", "The weights and delays of connection 2 are those of table"),
        ("# columns = ['i', 'j', 'weight', 'delay']", "weight", "The weights and delays of connection 2"),
        ("pre,post", None, None),
        ("", None, None),
    ],
)
def test_what_a_table_has_in_place_of_the_form_is_told(tmp_path, heading, place, sentence):
    row = ",".join("1111"[: heading.count(",") + 1])
    (tmp_path / "table.csv").write_text(f"{heading}\n{row}\n" if heading else "")
    told = [each for each in findings(from_table(tmp_path / "table.csv")) if "connection 2" in each.message]
    assert [each.place for each in told] == ([("connections", 1, place)] if place else [])
    assert all(each.message.startswith(sentence) for each in told)


@pytest.mark.parametrize(
    ("heading", "called", "severity"),
    [
        ("pre,post,w,d", "columns w, d of table.csv", "warning"),
        ("pre;post;Strength [nS];delay", "column Strength [nS] of table.csv", "warning"),
        ("pre,post,weight,delay,note", "column note of table.csv", "info"),
        ("0,2,1,1,7", "column 5 of table.csv", "info"),
        ("# columns = ['i', 'j', 'weight', 'delay', 'tau_plus']", "column tau_plus of table.csv", "info"),
        ("pre,post,a,b,c,d,e,f,g", "columns a, b, c, d, e, f, … of table.csv", "warning"),
        ("pre,post", None, None),
    ],
)
def test_columns_that_nothing_reads_are_told(tmp_path, heading, called, severity):
    """Weights under "w" were left out without a word."""
    separator = ";" if ";" in heading else ","
    (tmp_path / "table.csv").write_text(f"{heading}\n{separator.join('1' * (heading.count(separator) + 1))}\n")
    told = [each for each in findings(from_table(tmp_path / "table.csv")) if each.message.startswith("Nothing reads")]
    assert [each.severity for each in told] == [severity] * bool(called)
    assert all(f"Nothing reads the {called}: " in each.message for each in told)
    assert all(each.place == ("connections", 1, "rule", "path") for each in told)


def test_arrays_that_nothing_reads_are_told(tmp_path):
    np.savez(tmp_path / "table.npz", pre=[0], post=[1], w=[2.0])
    told = [each.message for each in findings(from_table(tmp_path / "table.npz"))]
    assert any(each.startswith("Nothing reads the column w of table.npz") for each in told)


def test_a_delay_beyond_16_bits_is_refused():
    with pytest.raises(ProblemError, match="is 90,000 steps, and there is room for 65,535"):
        drawn(20, {"delay": {"kind": "normal", "delay": 900.0}}, dt=0.01)


def test_a_slab_has_distances_in_space():
    """Neurons of both populations stand in the same slab, evenly; delays are distances across it too, over the
    velocity, rounded to steps of 0.1 ms, at least one."""
    place = {"kind": "slab", "side": 400.0, "thickness": 200.0}
    given = SpikingParameters.model_validate(
        {
            "populations": [{"name": name, "number": 300, "place": place} for name in ("one", "other")],
            "connections": [
                {
                    "source": "one",
                    "target": "other",
                    "rule": {"kind": "distance", "width": 100.0, "periodic": True},
                    "delay": {"kind": "distance", "velocity": 0.05},
                }
            ],
        }
    )
    where = space(places_of(given.populations))
    spots = where.places
    assert (np.ptp(spots, axis=0) > [350, 350, 150]).all()
    assert (np.abs(spots[:, 2]) < 100).all()
    np.testing.assert_array_equal(spots, particles(places_of(given.populations)).positions)
    for axis, edges in enumerate(([0, 200, 400], [0, 200, 400], [-100, 0, 100])):
        halves = np.histogram(spots[:300, axis], edges)[0]
        assert halves.min() > 120  # of 150, where 17 % of the sites stay empty at random
    wiring = wire(given.connections, spans(given), where, 0.1, 1, np.zeros(600))
    gaps = np.abs(spots[senders(wiring)] - spots[wiring.targets])
    gaps[:, :2] = np.minimum(gaps[:, :2], 400 - gaps[:, :2])  # and not across the slab
    assert gaps[:, 2].max() > 150
    expected = np.maximum(np.rint(np.sqrt((gaps**2).sum(axis=1)) / 50.0 / 0.1), 1)
    np.testing.assert_allclose(wiring.delays, expected, atol=1)  # where the quotient is a half, to rounding
    assert (wiring.delays != expected).mean() < 1e-3


def test_opposite_sides_are_joined_where_they_are_equal():
    """A sender 290 µm along a side of 300 was 190 µm beyond a side of 100, which counted as 90: it is 10."""
    rule = {"kind": "distance", "width": 100.0, "periodic": True}
    places = [{"kind": "sheet", "side": side} for side in (300.0, 100.0)]
    given = SpikingParameters.model_validate(
        {
            "populations": [
                {"name": name, "number": 30, "place": place}
                for name, place in zip(("one", "other"), places, strict=True)
            ],
            "connections": [{"source": "one", "target": "other", "rule": rule}],
        }
    )
    with pytest.raises(ProblemError, match="populations have sides of 100 and 300 µm") as refused:
        wire(given.connections, spans(given), space(places_of(given.populations)), 0.1, 1, np.zeros(60))
    assert refused.value.place == ("connections", 0, "rule", "periodic")


def test_sheets_follow_each_other_upwards_or_downwards_as_layers_of_cortex():
    """The microcircuit's preset stands as it is drawn, L2/3 above L6; its synapses are as they were."""
    given = open_preset(preset_called("potjans_diesmann")).parameters
    heights = {}
    for sheets in ("upwards", "downwards"):
        network = given.model_copy(update={"sheets": sheets})
        positions, first = SpikingEngine().geometry_of(Problem(network)).positions, 0
        heights[sheets] = []
        for population in network.populations:
            (height,) = np.unique(positions[first : first + population.number, 2])
            heights[sheets].append(height)
            first += population.number
    assert given.sheets == "downwards"
    assert given == published.potjans_diesmann()
    np.testing.assert_allclose(heights["upwards"], 0.28 * 30.0 * np.sqrt(2192) * np.arange(8), rtol=1e-6)
    np.testing.assert_array_equal(heights["downwards"], -np.array(heights["upwards"]))
    ways = (space(places_of(given.populations, sheets)) for sheets in ("upwards", "downwards"))
    assert np.array_equal(*(way.places for way in ways))
