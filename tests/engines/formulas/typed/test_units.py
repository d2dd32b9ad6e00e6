"""Units by name: how large they are, of which dimension, and what is said of what has none."""

import pytest

from engines.api.errors import ProblemError
from engines.formulas.typed.units import UNITS, named, unit


@pytest.mark.parametrize(
    ("text", "size", "name", "small"),
    [
        ("mV", 1.0, "volt", "mV"), ("volt", 1000.0, "volt", "mV"), ("uA", 1e6, "amp", "pA"),
        ("nS", 1.0, "siemens", "nS"),
        ("msiemens", 1e6, "siemens", "nS"), ("uF*cm**-2", 0.01, "farad/metre**2", "pF/um**2"),
        ("Hz", 1e-3, "hertz", "kHz"),
        ("1/ms", 1.0, "hertz", "kHz"), ("Mohm", 1e-3, "ohm", "Gohm"), ("second", 1000.0, "second", "ms"),
        ("mV/ms", 1.0, "volt/second", "mV/ms"), ("nS*mV", 1.0, "amp", "pA"), ("pF*mV/ms", 1.0, "amp", "pA"),
        ("1", 1.0, "1", "1"), ("", 1.0, "1", "1"), ("mM", 1.0, "mmolar", "mM"), ("cm2", 1e8, "metre**2", "um**2"),
        ("ms**-2", 1.0, "1/second**2", "1/ms**2"),
    ],
)  # fmt: skip
def test_units_have_their_size_and_name(text, size, name, small):
    dimension, factor = unit(text)
    assert factor == pytest.approx(size, rel=1e-12)
    assert named(dimension) == name
    assert named(dimension, small=True) == small
    assert unit(named(dimension, small=True)) == (dimension, pytest.approx(1.0, rel=1e-12))


def test_names_of_units_are_names_that_formulas_can_read():
    assert all(name.isidentifier() for name in UNITS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mv", "perhaps mV"), ("mV + mV", "is no unit"), ("mV mV", "an operator is missing"),
        ("exp(1)", "unknown function"), ("0", "measured in"), ("-mV", "measured in"), ("0**-1*mV", "measured in"),
        ("1e300*mV", "measured in"), ("10**-400", "measured in"), ("(-1)**0.5*mV", "measured in"),
        ("mV**1e300", "measured in"),
    ],
)  # fmt: skip
def test_what_is_no_unit_is_said_in_a_sentence(text, told):
    with pytest.raises(ProblemError, match=told) as caught:
        unit(text)
    assert str(caught.value).endswith(".")
