"""What a source does over time."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.fdtd.parameters.common import LENGTH
from engines.fdtd.sources.typed_waveforms import STEPS, WHOLE, check
from engines.formulas.typed.definitions import html

Line = Annotated[str, Field(max_length=2_000)]


class Pulse(ParameterGroup):
    """A Gaussian pulse of a carrier: a band of wavelengths."""

    kind: Literal["pulse"] = "pulse"
    wavelength: float = quantity(1.0, LENGTH, "Wavelength in vacuum at the middle of its spectrum", gt=0)
    cycles: float = quantity(1.0, "1", "Standard deviation of the Gaussian in periods of the carrier", gt=0.2, le=1000)


class Gaussian(ParameterGroup):
    """A Gaussian without a carrier: all wavelengths down to the shortest."""

    kind: Literal["gaussian"] = "gaussian"
    wavelength: float = quantity(1.0, LENGTH, "Wavelength at which its spectrum has fallen to a tenth", gt=0)


class Continuous(ParameterGroup):
    """A sine that rises smoothly and goes on."""

    kind: Literal["continuous"] = "continuous"
    wavelength: float = quantity(1.0, LENGTH, "Wavelength in vacuum", gt=0)
    rise: float = quantity(3.0, "1", "Periods in which it rises", gt=0, le=1000)


class Derivative(ParameterGroup):
    """A differentiated Gaussian: no constant part."""

    kind: Literal["differentiated Gaussian"] = "differentiated Gaussian"
    wavelength: float = quantity(1.0, LENGTH, "Wavelength in vacuum at the peak of its spectrum", gt=0)


class Ricker(ParameterGroup):
    """A Ricker wavelet, the negative second derivative of a Gaussian: what ground-penetrating radars send."""

    kind: Literal["Ricker"] = "Ricker"
    wavelength: float = quantity(1.0, LENGTH, "Wavelength in vacuum at the peak of its spectrum", gt=0)


class FromFile(ParameterGroup):
    """A waveform of one's own, cubic between the points of a file."""

    kind: Literal["file"] = "file"
    path: str = quantity(
        "",
        "",
        "CSV of increasing time and value; time in what its heading says, as time [ps], or else in fs, ps or ns "
        "where lengths are in µm, mm or m",
        file="table",
    )


class TypedSignal(ParameterGroup):
    """A waveform of one's own, f(t) by formulas; zero before 0 and after its end."""

    kind: Literal["formula"] = "formula"
    lines: Annotated[list[Line], Lines(check, STEPS, WHOLE, (), html)] = quantity(
        list(WHOLE[0][1]),
        "",
        "What f is at the time t, in fs, ps or ns where lengths are in µm, mm or m; other lines name parts of it",
        title="Waveform",
        max_length=60,
    )
    lasts: float = quantity(
        22.5, "", "When it has come to its end, in the same unit: it begins and ends at zero", title="Ends at", gt=0
    )


Signal = Annotated[
    Pulse | Gaussian | Continuous | Derivative | Ricker | FromFile | TypedSignal, Field(discriminator="kind")
]
