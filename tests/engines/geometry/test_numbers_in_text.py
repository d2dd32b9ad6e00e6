"""The parser of numbers against Python's own float()."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api.errors import MeshError
from engines.geometry.readers import text


def compiled(line: str) -> np.ndarray:
    """What the compiled parser makes of a text, however short."""
    data = np.frombuffer(line.encode(), np.uint8)
    out = np.empty(len(data) + 1)
    count, at = text.fill(data, 0, out)
    assert at == len(data), f"stopped at {line[at:]!r}"
    return out[:count]


@given(
    st.lists(st.floats(allow_nan=False, min_value=-1e300, max_value=1e300), min_size=1),
    st.sampled_from(["\n", " ", ", ", "\t", "\r\n"]),
)
def test_shortest_representations_come_back(values: list[float], blank: str) -> None:
    parsed = compiled(blank.join(map(repr, values)))
    # 17 digits exceed what one product rounds correctly: two roundings, and pow() at large exponents
    np.testing.assert_allclose(parsed, values, rtol=4e-15, atol=1e-307)


@given(st.lists(st.integers(-(10**14), 10**14), min_size=1), st.integers(0, 9))
def test_up_to_fifteen_digits_are_exact(digits: list[int], places: int) -> None:
    texts = [f"{d / 10**places:.{places}f}" if places else str(d) for d in digits]
    exact = [float(t) for t in texts]
    short = [len(t.strip("-").replace(".", "")) <= 15 for t in texts]
    parsed = compiled(" ".join(texts))
    np.testing.assert_array_equal(parsed[short], np.array(exact)[short])


@pytest.mark.parametrize(
    ("written", "value"),
    [("1d-3", 1e-3), ("+.5", 0.5), ("5.", 5.0), ("-0", 0.0), ("1E+05", 1e5), ("-inf", -np.inf), ("Infinity", np.inf)],
)
def test_other_ways_to_write_numbers(written: str, value: float) -> None:
    assert compiled(written)[0] == value


def test_nan_and_comments() -> None:
    parsed = compiled("# points\n1 nan # the second\n2")
    np.testing.assert_array_equal(parsed, [1, np.nan, 2])


@pytest.mark.parametrize("word", ["x", "1.2.3", "1e", "--1", "12a", ".", "-"])
@pytest.mark.parametrize("padding", [0, text.SMALL])
def test_what_is_no_number_is_named_with_its_line(word: str, padding: int) -> None:
    data = np.frombuffer(f"1 2\n3 {word} 4\n".encode() + b" " * padding, np.uint8)
    with pytest.raises(MeshError, match="line 2 where a number belongs"):
        text.numbers(data, "mesh.pts")
