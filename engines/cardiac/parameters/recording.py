"""What is recorded of a run besides the voltage: maps of each beat, electrograms, phase."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from engines.api.parameters import Among, ParameterGroup, quantity
from engines.recording import LABELS, FieldSeries

EcgSet = Literal["off", "across", "around", "own"]


class Electrode(ParameterGroup):
    """A point in the volume around the tissue, or in it."""

    name: str = quantity("E1", "", "Name of the electrode", min_length=1)
    position: tuple[float, float, float] = quantity((0.0, 0.0, 0.0), "mm", "Where it is")


class Lead(ParameterGroup):
    """The difference of two electrodes' potentials."""

    name: str = quantity("I", "", "Name of the lead", min_length=1)
    plus: Annotated[str, Among("electrodes.name")] = quantity(
        "E1", "", "Name of the electrode that counts", min_length=1
    )
    minus: Annotated[str, Among("electrodes.name", words={"": "none"})] = quantity(
        "", "", "Name of the electrode that is subtracted; empty: none, a unipolar lead"
    )


class TissueSeries(FieldSeries):
    """Whole fields over time, for ParaView or for openCARP's programs."""

    format: Literal["series", "vtkhdf", "igb"] = quantity(  # type: ignore[assignment]  # one more choice
        "series", "", "A file for each moment, one that grows (ParaView 5.12 and later), or openCARP's of each point",
        labels=LABELS,
    )  # fmt: skip


class Recording(ParameterGroup):
    """What is read from the tissue while it runs."""

    only_written: ClassVar[frozenset[str]] = frozenset({"fields"})

    fields: TissueSeries = quantity(TissueSeries(), "", "Which whole fields are written, how often and in which form")

    maps: bool = quantity(True, "", "Latest activation, repolarisation, APD, resting and peak voltage of each cell")
    repolarisation: float = quantity(
        90.0,
        "%",
        "Part of a beat's height that has to be lost for its end: 90 for APD90",
        title="Repolarised at",
        when={"maps": (True,)},
        ge=10,
        le=98,
    )
    interval: float = quantity(
        0.2, "ms", "Time between two looks at the voltage", when={"maps": (True,)}, advanced=True, gt=0, le=5
    )
    ecg: EcgSet = quantity(
        "across",
        "",
        "Electrodes of the pseudo-ECG",
        title="Pseudo-ECG",
        labels={
            "off": "none",
            "across": "leads X, Y, Z across",
            "around": "six leads around it",
            "own": "own electrodes",
        },
    )
    electrodes: list[Electrode] = quantity([], "", "Electrodes of the pseudo-ECG", when={"ecg": ("own",)})
    leads: list[Lead] = quantity(
        [], "", "Leads between these electrodes; without any, each electrode is a lead", when={"ecg": ("own",)}
    )
    bath_conductivity: float = quantity(
        0.2,
        "S/m",
        "Conductivity of the volume around the tissue (a torso: about 0.2)",
        when={"ecg": ("across", "around", "own")},
        advanced=True,
        gt=0,
        le=100,
    )
    phase: bool = quantity(False, "", "Phase of each cell's voltage, and the phase singularities on the surface")
    phase_delay: float = quantity(
        8.0,
        "ms",
        "The voltage so long ago is the other coordinate",
        when={"phase": (True,)},
        advanced=True,
        gt=0,
        le=50,
    )
    phase_origin: float = quantity(
        -40.0, "mV", "The voltage that phase turns around", when={"phase": (True,)}, advanced=True, ge=-80, le=20
    )
