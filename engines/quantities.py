"""Units as people write them: which of them are of one kind, and how a number in one is a number in another."""

from __future__ import annotations

import math
import re

PREFIXES = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
BASES = ("s", "m", "V", "A", "W", "J", "N", "Pa", "Hz", "Ω", "Ah", "Wh", "F", "S", "C")
OTHERS = {
    "sec": ("s", 1.0), "second": ("s", 1.0), "min": ("s", 60.0), "minute": ("s", 60.0), "h": ("s", 3600.0),
    "hr": ("s", 3600.0), "hour": ("s", 3600.0), "d": ("s", 86400.0), "day": ("s", 86400.0), "volt": ("V", 1.0),
    "amp": ("A", 1.0), "ampere": ("A", 1.0), "watt": ("W", 1.0), "ohm": ("Ω", 1.0), "1": ("1", 1.0), "%": ("1", 0.01),
    "degC": ("°C", 1.0), "°C": ("°C", 1.0), "oC": ("°C", 1.0), "celsius": ("°C", 1.0), "K": ("°C", 1.0),
    "kelvin": ("°C", 1.0), "cm": ("m", 0.01), "in": ("m", 0.0254),
    "Å": ("m", 1e-10), "dB": ("dB", 1.0), "°": ("°", 1.0), "deg": ("°", 1.0), "rad": ("°", 57.29577951308232),
}  # fmt: skip
"""Those that are no base unit with a prefix: what they are a part of, and how much of it."""
FAMILIES = (
    ("fs", "ps", "ns", "µs", "ms", "s", "min", "h", "d"), ("nm", "µm", "mm", "cm", "m", "in"), ("µV", "mV", "V", "kV"),
    ("µA", "mA", "A", "kA"), ("mW", "W", "kW"), ("mAh", "Ah"), ("Wh", "kWh"), ("mJ", "J", "kJ"), ("mN", "N", "kN"),
    ("Pa", "kPa", "MPa", "GPa"), ("Hz", "kHz", "MHz", "GHz", "THz"), ("°C", "K"), ("mΩ", "Ω"), ("%", "1"), ("°", "rad"),
)  # fmt: skip
KELVIN = 273.15
_MEASURED = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\W\d_].*|[%°].*)", re.ASCII | re.DOTALL)


def conversion(unit: str, into: str) -> tuple[float, float] | None:
    """(factor, offset): ``factor * value + offset`` is in ``into`` what ``value`` is in ``unit``.

    None where the two are of different kinds or one is not known.
    """
    unit, into = _plain(unit), _plain(into)
    one, other = _known(unit), _known(into)
    if unit == "C" and other is not None and other[0] == "°C":  # which is no charge there
        unit, one = "°C", other
    if unit == into:
        return 1.0, 0.0
    if one is None or other is None or one[0] != other[0]:
        return None
    offset = KELVIN * (_is_kelvin(into) - _is_kelvin(unit)) if one[0] == "°C" else 0.0
    return one[1] / other[1], offset


def number_for(text: str, unit: str) -> str:
    """What to give instead of a number with a unit: ``0.005 (V)`` for ``5 mV``, ``a number in V`` for ``5 s``; empty
    where the text is none, or nothing tells the unit."""
    found = _MEASURED.fullmatch(text.strip().replace("µ", "u").replace("μ", "u"))
    if found is None or not unit or depends(unit):
        return ""
    known = conversion(found[2], unit)
    if known is None:
        others = re.findall(r"[^\W\d]+", found[2])  # of S/m, too
        return f"a number in {unit}" if unit != "1" and all(map(is_known, others)) else ""
    told = f"{known[0] * float(found[1]) + known[1]:.12g}"
    return told if unit == "1" else f"{told} ({unit})"


def depends(unit: str) -> bool:
    """Whether it hangs on the values of other fields (:func:`engines.api.parameters.quantity`)."""
    return "{" in unit or " if " in unit


def is_known(unit: str) -> bool:
    """Whether this is a unit, in one of the ways that people write it."""
    return _known(_plain(unit)) is not None


def alike(unit: str) -> list[str]:
    """The units that people choose among for what is measured in ``unit``, small ones first; it alone if unknown."""
    if not unit:
        return []
    return next((list(each) for each in FAMILIES if any(conversion(one, unit) for one in each)), [unit])


def _is_kelvin(unit: str) -> bool:
    return unit.lower() in ("k", "kelvin", "kelvins")


def _plain(unit: str) -> str:
    """``A h``, ``A·h`` and ``Ah`` are one; so are µ in both of its codes and u."""
    return re.sub(r"[\s·.*]", "", unit).replace("µ", "u").replace("μ", "u").replace("Ω", "Ω") or "1"


def _known(unit: str) -> tuple[str, float] | None:
    """(kind, size in it). Words alone may be in capitals or plural: H is no hour, and ds no days."""
    for name in (unit, unit.lower(), unit.lower().removesuffix("s")):
        if name in OTHERS and (name == unit or len(name) > 1):
            return OTHERS[name]
    for base in sorted(BASES, key=len, reverse=True):
        if unit.endswith(base) and unit.removesuffix(base) in PREFIXES:
            return base, PREFIXES[unit.removesuffix(base)]
    return None


def percent(share: float) -> str:
    """A share to two digits, and without a power of ten: ``percent(1.234)`` is ``120 %``."""
    return f"{float(f'{100 * share:.2g}'):.15g} %"


def rounded_down(value: float, digits: int) -> float:
    """The largest number of so many significant digits that is not above the positive ``value``."""
    places = digits - math.ceil(math.log10(value))
    return math.floor(value * 10.0**places) / 10.0**places
