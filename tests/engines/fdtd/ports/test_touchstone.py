"""Touchstone files against the specification, and S-parameters of known circuits."""

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.fdtd.ports.scattering import decibels, input_impedance, scattering_chart, scattering_column, waves
from engines.fdtd.ports.touchstone import Network, read_touchstone, suffix, touchstone_text


def network(ports, count=3, impedances=50.0):
    generator = np.random.default_rng(ports)
    parameters = generator.standard_normal((count, ports, ports)) + 1j * generator.standard_normal(
        (count, ports, ports)
    )
    return Network(np.linspace(1e9, 2e9, count), parameters, np.full(ports, impedances))


@pytest.mark.parametrize("ports", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("form", ["RI", "MA", "DB"])
@pytest.mark.parametrize("version", ["1.1", "2.0"])
def test_what_is_written_is_read(ports, form, version):
    known = network(ports)
    found = read_touchstone(touchstone_text(known, version=version, form=form, unit="MHz"), ports)
    assert found.frequencies == pytest.approx(known.frequencies)
    assert found.parameters == pytest.approx(known.parameters, rel=1e-10)
    assert found.impedances == pytest.approx(known.impedances)


def test_two_ports_stand_by_columns():
    """11, 21, 12, 22 in one line: the one order that differs from all others."""
    values = np.array([[[0.11, 0.12], [0.21, 0.22]]], complex)
    text = touchstone_text(Network(np.array([1e9]), values, np.full(2, 50.0)))
    option, data = text.splitlines()
    assert option == "# GHz S RI R 50"
    assert [float(part) for part in data.split()] == [1, 0.11, 0, 0.21, 0, 0.12, 0, 0.22, 0]


def test_more_ports_stand_by_rows_of_at_most_four_pairs():
    values = 10 * np.arange(1, 6)[:, None] + np.arange(1, 6)[None, :] + 0j
    lines = touchstone_text(Network(np.array([5e8]), values[None], np.full(5, 75.0)), unit="MHz").splitlines()
    assert lines[0] == "# MHz S RI R 75"
    numbers = [[float(part) for part in line.split()] for line in lines[1:]]
    assert [len(row) for row in numbers] == [9, 2, 8, 2, 8, 2, 8, 2, 8, 2]
    assert numbers[0][::2] == [500, 0, 0, 0, 0]
    assert numbers[0][1::2] == [11, 12, 13, 14]
    assert numbers[1][0] == 15
    assert numbers[2][::2] == [21, 22, 23, 24]


def test_a_measured_file():
    """Decibels and degrees, comments, a line of noise data behind, options in another case and order."""
    text = """! of an amplifier
# db r 50 s ghz   ! an option line
0.1 -46.1695 36.997 -0.03647 -0.777 -60 10 -46.1589 37.042
0.2 -42.1679 55.856 -0.04224 -1.544 -61 20 -43.1503 56.852 ! the last
0.15 1.2 0.4 20 0.3
"""
    found = read_touchstone(text, 2)
    assert found.frequencies == pytest.approx([1e8, 2e8])
    assert found.parameters[0, 1, 0] == pytest.approx(10 ** (-0.03647 / 20) * np.exp(-1j * np.radians(0.777)))
    assert abs(found.parameters[0, 0, 1]) == pytest.approx(1e-3)


def test_defaults_and_keywords_of_version_two():
    assert read_touchstone("#\n1 0.5 90\n", 1).parameters[0, 0, 0] == pytest.approx(0.5j)
    text = """[Version] 2.0
# Hz S RI R 50
[Number of Ports] 2
[Two-Port Data Order] 12_21
[Number of Frequencies] 1
[Reference] 50
75
[Network Data]
7 11 0 12 0 21 0 22 0
[End]
"""
    found = read_touchstone(text)
    assert found.parameters[0].real.tolist() == [[11, 12], [21, 22]]
    assert found.impedances.tolist() == [50, 75]
    assert "[Reference] 50 75" in touchstone_text(found, version="2.0")
    assert (suffix(2), suffix(2, "2.0")) == (".s2p", ".ts")


def test_what_cannot_be_written_or_read():
    with pytest.raises(ProblemError, match="one impedance"):
        touchstone_text(Network(np.array([1.0]), np.zeros((1, 2, 2)), np.array([50.0, 75.0])))
    with pytest.raises(ProblemError, match="ascend"):
        touchstone_text(Network(np.array([2.0, 1.0]), np.zeros((2, 1, 1)), np.array([50.0])))
    with pytest.raises(ProblemError, match="not known"):
        touchstone_text(Network(np.array([2.0]), np.full((1, 1, 1), np.nan), np.array([50.0])))
    for text, ports, told in (
        ("# GHz S RI\n1 0.5 x\n", 1, "Line 2"),
        ("# GHz Z RI\n1 0.5 0\n", 1, "Z-parameters"),
        ("# GHz S RI\n1 0.5 0\n", None, "antenna.s2p"),
        ("# GHz S RI\n1 0.5 0\n", 3, "19 numbers"),
    ):
        with pytest.raises(ProblemError, match=told):
            read_touchstone(text, ports)


def test_a_resistor_in_series():
    """R between two ports of Z: S11 = R/(R + 2Z), S21 = 2Z/(R + 2Z)."""
    z, r = 50.0, 30.0
    known = np.array([[r, 2 * z], [2 * z, r]]) / (r + 2 * z)
    current = 1.0 / (r + 2 * z)
    into, out = waves(np.array([[1.0 - z * current, z * current]]), np.array([[current, -current]]), z)
    assert scattering_column(into, out, 0)[0] == pytest.approx(known[:, 0])
    assert input_impedance(known[0, 0], z) == pytest.approx(r + z)
    power = 0.5 * (np.abs(into[0]) ** 2 - np.abs(out[0]) ** 2)
    assert power[0] == pytest.approx(0.5 * (1 / 130) * (1 - 50 / 130))
    (first, second) = scattering_chart(np.array([1.0]), known[None, :, 0], 0).curves
    assert (first.title, second.title) == ("S11", "S21")
    assert second.y[0] == pytest.approx(decibels(known[1, 0]))
