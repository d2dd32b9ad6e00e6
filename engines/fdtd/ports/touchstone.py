"""Scattering parameters as Touchstone files (``.s1p``, ``.s2p``, … ``.sNp``; ``.ts``), versions 1.1 and 2.0.

After the specification of the IBIS Open Forum (version 2.0, 2009): an option line ``# GHz S MA R 50``, then for each
frequency, ascending, its parameters in pairs: real and imaginary part (RI), magnitude and angle in degrees (MA), or
decibels and angle (DB). Two ports stand in one line in the order 11, 21, 12, 22, which is by columns; more ports row by
row, each from a new line on, at most four pairs in a line. Version 2.0 adds keywords before the data, which say the
order of two ports and may give each port an impedance of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import ProblemError

Format = Literal["RI", "MA", "DB"]
UNITS = {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9}
PAIRS_PER_LINE = 4
KEYWORD = re.compile(r"^\[([^\]]+)\]\s*(.*)$")


@dataclass(frozen=True)
class Network:
    """frequencies: (f,) [Hz], ascending; parameters: (f, n, n) complex S; impedances: (n,) [Ω] that they refer to."""

    frequencies: Array
    parameters: Array
    impedances: Array

    @property
    def ports(self) -> int:
        return int(self.parameters.shape[1])


def suffix(ports: int, version: Literal["1.1", "2.0"] = "1.1") -> str:
    """What the name of such a file ends in."""
    return f".s{ports}p" if version == "1.1" else ".ts"


def touchstone_text(
    network: Network,
    *,
    version: Literal["1.1", "2.0"] = "1.1",
    form: Format = "RI",
    unit: Literal["Hz", "kHz", "MHz", "GHz"] = "GHz",
) -> str:
    """The text of a file. Raises ProblemError for what the version cannot say."""
    impedances = np.asarray(network.impedances, float)
    if (np.diff(network.frequencies) <= 0).any():
        raise ProblemError("A Touchstone file has frequencies that ascend: sort them, and leave out doubles.")
    if not np.isfinite(network.parameters).all():
        raise ProblemError("Some S-parameters are not known: run until the pulse has passed all ports.")
    if version == "1.1" and np.ptp(impedances) > 0:
        raise ProblemError("Touchstone 1.1 has one impedance for all ports: use version 2.0, or equal impedances.")
    option = f"# {unit} S {form} R {impedances[0]:.10g}"
    if version == "2.0":
        lines = ["[Version] 2.0", option, f"[Number of Ports] {network.ports}"]
        lines += ["[Two-Port Data Order] 21_12"] if network.ports == 2 else []
        lines.append(f"[Number of Frequencies] {len(network.frequencies)}")
        lines.append("[Reference] " + " ".join(f"{value:.10g}" for value in impedances))
        lines.append("[Network Data]")
    else:
        lines = [option]
    for frequency, matrix in zip(network.frequencies, network.parameters, strict=True):
        lines += _data_lines(float(frequency) / UNITS[unit.lower()], matrix, form)
    if version == "2.0":
        lines.append("[End]")
    return "\n".join(lines) + "\n"


def commented(files: Mapping[str, str], noticed: Iterable[Finding]) -> dict[str, str]:
    """Texts of such files, each behind what makes their numbers wrong."""
    notes = "".join(f"! {finding.message}\n" for finding in noticed if finding.distorts)
    return {name: notes + text for name, text in files.items()}


def _data_lines(frequency: float, matrix: Array, form: Format) -> list[str]:
    if len(matrix) <= 2:
        rows = [matrix.T.reshape(-1)]  # 11, 21, 12, 22
    else:
        rows = [row[n : n + PAIRS_PER_LINE] for row in matrix for n in range(0, len(row), PAIRS_PER_LINE)]
    texts = [" ".join(f"{part: .12e}" for value in row for part in _pair(complex(value), form)) for row in rows]
    first = f"{frequency:.12g}"
    return [f"{first} {texts[0]}", *(" " * (len(first) + 1) + text for text in texts[1:])]


def _pair(value: complex, form: Format) -> tuple[float, float]:
    if form == "RI":
        return value.real, value.imag
    size, angle = abs(value), float(np.degrees(np.angle(value)))
    return (size, angle) if form == "MA" else (float(20 * np.log10(max(size, 1e-30))), angle)


def read_touchstone(text: str, ports: int | None = None) -> Network:
    """The network in a file's text; ``ports`` as the name's ending says, which version 1.1 needs.

    Reads S-parameters as full matrices. Noise data are left out. Raises ProblemError with the line.
    """
    numbers: list[float] = []
    option: list[str] | None = None
    keywords: dict[str, str] = {}
    in_data, last = True, ""
    for place, raw in enumerate(text.splitlines(), 1):
        line = raw.split("!")[0].strip()
        if not line:
            continue
        if line.startswith("#"):
            option = option if option is not None else line[1:].lower().split()
            continue
        match = KEYWORD.match(line)
        if match:
            name, value = match[1].lower(), match[2].lower()
            keywords[name] = value
            in_data, last = name == "network data", name
            if name == "end":
                break
            continue
        if "version" in keywords and not in_data:
            if last == "reference":
                keywords[last] += f" {line}"  # it may go on in further lines
            continue
        try:
            numbers += [float(part) for part in line.split()]
        except ValueError as error:
            raise ProblemError(f"Line {place} of the Touchstone file is not a line of numbers: '{raw}'.") from error
    unit, form, impedance = _option(option or [])
    ports = int(keywords["number of ports"]) if "number of ports" in keywords else ports
    if not ports:
        raise ProblemError("How many ports has this Touchstone file? A name like antenna.s2p says so.")
    if keywords.get("matrix format", "full") != "full":
        raise ProblemError("Touchstone files with half a matrix are not read: save it with [Matrix Format] Full.")
    return _network(np.array(numbers), unit, form, impedance, ports, keywords)


def _option(words: list[str]) -> tuple[float, str, float]:
    """Unit, format and impedance of ``# GHz S MA R 50``, whose parts are these where they are left out."""
    unit, form, impedance = 1e9, "ma", 50.0
    for place, word in enumerate(words):
        if word in UNITS:
            unit = UNITS[word]
        elif word in ("ri", "ma", "db"):
            form = word
        elif word in ("y", "z", "h", "g"):
            raise ProblemError(f"This Touchstone file has {word.upper()}-parameters: only S-parameters are read.")
        elif word == "r" and place + 1 < len(words):
            impedance = float(words[place + 1])
    return unit, form, impedance


def _network(numbers: Array, unit: float, form: str, impedance: float, ports: int, keywords: dict[str, str]) -> Network:
    row = 1 + 2 * ports**2
    count = int(keywords["number of frequencies"]) if "number of frequencies" in keywords else len(numbers) // row
    if ports == 2 and "version" not in keywords and len(numbers) % row:
        falls = np.flatnonzero(np.diff(numbers[::row]) <= 0)  # noise data begin at a lower frequency
        count = int(falls[0]) + 1 if len(falls) else count
    elif len(numbers) < count * row or (len(numbers) % row and "version" not in keywords):
        raise ProblemError(
            f"A Touchstone file of {ports} ports has {row} numbers for each frequency, and this one has "
            f"{len(numbers)} in all: is the number of ports right?"
        )
    table = numbers[: count * row].reshape(count, row)
    first, second = table[:, 1::2], table[:, 2::2]
    if form == "ri":
        values: Array = first + 1j * second
    else:
        size: Array = first if form == "ma" else 10 ** (first / 20)
        values = size * np.exp(1j * np.radians(second))
    parameters = values.reshape(count, ports, ports)
    if ports == 2 and keywords.get("two-port data order", "21_12") == "21_12":
        parameters = parameters.transpose(0, 2, 1)
    reference = [float(part) for part in keywords.get("reference", "").split()]
    impedances = np.array(reference) if reference else np.full(ports, impedance)
    return Network(table[:, 0] * unit, parameters, impedances)
