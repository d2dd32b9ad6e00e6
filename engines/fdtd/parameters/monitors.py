"""What is measured while a problem runs, and when it ends by itself."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import Among, ParameterGroup, quantity
from engines.fdtd.parameters.common import LENGTH, Axis, Place

Component = Literal["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"]
FAR = 1e9
"""A coordinate beyond every grid: monitors end where the grid ends, or where its absorbing layers begin."""


GIVEN = {"wavelength": "wavelengths", "frequency": "frequencies"}
SPECTRAL = (
    "THz if given=frequency and grid.length_unit=um | GHz if given=frequency and grid.length_unit=mm | "
    f"MHz if given=frequency | {LENGTH}"
)
"""The unit of what is a wavelength or a frequency, as ``given`` beside it says."""
AS_WHAT = "in vacuum, in the unit of length; frequencies are in THz with µm, in GHz with mm, in MHz with m"


class Frequencies(ParameterGroup):
    """Frequencies of a spectrum, as a range or a list, as wavelengths in vacuum or as frequencies."""

    given: Literal["wavelength", "frequency"] = quantity("wavelength", "", f"Wavelengths {AS_WHAT}", labels=GIVEN)
    choice: Literal["range", "list"] = quantity("range", "", "From one to another, or one by one")
    first: float = quantity(0.8, SPECTRAL, "First wavelength or frequency", gt=0, when={"choice": ("range",)})
    last: float = quantity(1.2, SPECTRAL, "Last wavelength or frequency", gt=0, when={"choice": ("range",)})
    count: int = quantity(
        41, "1", "How many, evenly spaced between first and last", ge=1, le=2000, when={"choice": ("range",)}
    )
    values: list[float] = quantity(
        [1.0], SPECTRAL, "Wavelengths or frequencies", max_length=2000, when={"choice": ("list",)}
    )
    every: int = quantity(
        0, "1", "Steps between two samples; 0: as many as the spectra allow", ge=0, le=10_000, advanced=True
    )


class Ringing(ParameterGroup):
    """Resonances sought in a trace, after the sources are over."""

    on: bool = quantity(False, "", "Find frequency and Q of what rings", title="Find them")
    given: Literal["wavelength", "frequency"] = quantity(
        "wavelength", "", f"Wavelengths {AS_WHAT}", labels=GIVEN, when={"on": (True,)}
    )
    first: float = quantity(0.8, SPECTRAL, "One end of the band in which they are sought", gt=0, when={"on": (True,)})
    last: float = quantity(1.2, SPECTRAL, "Its other end", gt=0, when={"on": (True,)})


class FarSetting(ParameterGroup):
    """Waves far away, of what leaves a box; around the box there is nothing but vacuum, and walls."""

    on: bool = quantity(False, "", "Compute pattern, directivity and radiated energy", title="Compute it")
    shown: float = quantity(
        0.0, "", "Wavelength or frequency whose pattern is shown, the nearest there is; 0: the middle one",
        title="Pattern at", ge=0,
        when={"on": (True,)},
    )  # fmt: skip
    axis: Axis = quantity("z", "", "Polar angles are counted from this axis", title="Polar axis", when={"on": (True,)})


class TraceMonitor(ParameterGroup):
    """Components of the field at a point over time, and their spectrum."""

    kind: Literal["trace"] = "trace"
    name: str = quantity("trace", "", "What charts and files call it", min_length=1, max_length=40)
    place: Place = quantity((2.0, 2.0, 2.0), LENGTH, "Where it is; the field is interpolated")
    components: list[Component] = quantity(["Ez"], "", "What is recorded", min_length=1, max_length=6)
    every: int = quantity(
        0, "1", "Steps between two samples; 0: ten in the shortest period", ge=0, le=10_000, advanced=True
    )
    ringing: Ringing = quantity(Ringing(), "", "Resonances of the first component", title="Resonances", folded=True)


class PlaneMonitor(ParameterGroup):
    """Spectrum of the power through a rectangle across an axis; its edges are moved to the nearest nodes."""

    kind: Literal["plane"] = "plane"
    name: str = quantity("plane", "", "What charts and files call it", min_length=1, max_length=40)
    axis: Axis = quantity("x", "", "Direction across the plane; power along it counts as positive")
    position: float = quantity(3.0, LENGTH, "Where the plane is on that axis")
    low: Place = quantity(
        (-FAR, -FAR, -FAR), LENGTH, "Lowest corner; along the axis it is of no account", advanced=True
    )
    high: Place = quantity((FAR, FAR, FAR), LENGTH, "Highest corner; along the axis it is of no account", advanced=True)
    measures: Literal["power", "transmission", "reflection"] = quantity(
        "power",
        "",
        "Power alone, of the part that is computed, without mirror images; the part of the incident power that passes "
        "here; or the part that comes back, for which the incident fields are subtracted. A run without objects finds "
        "these first",
        labels={"power": "power", "transmission": "transmission T", "reflection": "reflection R"},
    )
    relative_to: Annotated[str, Among("monitors[plane].name", words={"": "none"})] = quantity(
        "", "", "Name of the plane whose power this one's is told as a part of, as behind a guide; empty: none",
        title="As a part of", max_length=40, when={"measures": ("power",)},
    )  # fmt: skip
    frequencies: Frequencies = quantity(Frequencies(), "", "Frequencies of the spectrum")


class BoxMonitor(ParameterGroup):
    """Spectrum of the power out of a box, and the fields on its surface for far fields."""

    kind: Literal["box"] = "box"
    name: str = quantity("box", "", "What charts and files call it", min_length=1, max_length=40)
    low: Place = quantity((1.0, 1.0, 1.0), LENGTH, "Corner of lowest coordinates")
    high: Place = quantity((3.0, 3.0, 3.0), LENGTH, "Corner of highest coordinates")
    measures: Literal["power", "scattering", "absorption"] = quantity(
        "power",
        "",
        "Power that leaves it; or, of what a plane wave meets, the cross-section of scattering (the box stands around "
        "the wave's box) or of absorption (within it). Mirror images count in cross-sections and far fields; power is "
        "that of the part that is computed",
        labels={"power": "power", "scattering": "scattering cross-section", "absorption": "absorption cross-section"},
    )
    area: float = quantity(
        0.0, f"{LENGTH}²", "Geometric cross-section of what is inside, πr² of a ball: cross-sections are told as parts "
        "of it, as efficiencies Q; 0: as areas", ge=0, when={"measures": ("scattering", "absorption")},
    )  # fmt: skip
    frequencies: Frequencies = quantity(Frequencies(), "", "Frequencies of the spectrum")
    far_field: FarSetting = quantity(FarSetting(), "", "Waves far away")


class VolumeMonitor(ParameterGroup):
    """Spectra of components in a box of cells, shown as fields; a box without thickness is one layer of cells."""

    kind: Literal["volume"] = "volume"
    name: str = quantity("volume", "", "What files call it", min_length=1, max_length=40)
    low: Place = quantity((-FAR, -FAR, -FAR), LENGTH, "Corner of lowest coordinates")
    high: Place = quantity((FAR, FAR, FAR), LENGTH, "Corner of highest coordinates")
    components: list[Component] = quantity(["Ez"], "", "What is recorded", min_length=1, max_length=6)
    frequencies: Frequencies = quantity(
        Frequencies(choice="list"), "", "Frequencies of the spectra; the first eight are shown as fields"
    )


Monitor = Annotated[TraceMonitor | PlaneMonitor | BoxMonitor | VolumeMonitor, Field(discriminator="kind")]


class Ending(ParameterGroup):
    """When a run ends by itself."""

    at_decay: bool = quantity(False, "", "End when the field has died down", title="End at decay")
    part: float = quantity(
        1e-5,
        "1",
        "End when the energy is this part of its largest, after the sources are over",
        gt=0,
        lt=1,
        when={"at_decay": (True,)},
    )
