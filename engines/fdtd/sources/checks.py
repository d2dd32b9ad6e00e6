"""What is known of sources before anything as large as the grid is made: what cannot run, and what one should know."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import Finding
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.parameters import BeamSource, ObliqueWaveSource, Source
from engines.fdtd.sources.beams import radius_at
from engines.fdtd.sources.currents import check_place
from engines.fdtd.sources.driven import Driven
from engines.fdtd.sources.oblique import check_open, direction, steps_towards
from engines.fdtd.sources.sheets import NAMES, across, carrier_of, open_range, sheet_node, window_of

TIGHT = 1.0
"""Wavelengths: below this waist a beam's field is no longer the paraxial one."""
ROOM = 2.0
"""Radii beside the middle of a beam: cut at 1.7, −40 dB of its power goes back; uncut −72 dB."""
FAR_OFF = 0.15
"""Degrees by which an oblique wave may miss its direction without a word."""


def source_findings(yee: Yee, axes: Sequence[Axis], driven: Driven, sources: Sequence[Source]) -> tuple[Finding, ...]:
    """sources: what ``driven`` was made of, in the order of the form.

    Raises ProblemError for oblique waves that periodic faces do not carry, and sheets without a carrier or room.
    """
    found: list[Finding] = []
    slanted, beams = (
        [("sources", n) for n, source in enumerate(sources) if isinstance(source, kind)]
        for kind in (ObliqueWaveSource, BeamSource)
    )
    for number, dipole in enumerate(driven.dipoles, 1):
        check_place(yee, axes, dipole, number)
    for place, wave in zip(slanted, driven.oblique, strict=True):
        check_open(yee, [axis.wraps for axis in axes], wave)
        wanted = direction(wave.theta, wave.phi)
        _, miss = steps_towards(wanted, yee.spacing)
        if miss > FAR_OFF:
            found.append(
                Finding(f"The grid carries the oblique plane wave {miss:.2g}° beside its direction.", place=place)
            )
    for number, (place, beam) in enumerate(zip(beams, driven.beams, strict=True), 1):
        what = f"Beam {number}"
        if beam.axis == beam.polarization:
            raise ProblemError(
                f"{what} goes along {NAMES[beam.axis]} and has its field across that: choose another polarization."
            )
        carrier_of(beam.waveform, what)
        node = sheet_node(yee, axes, beam.axis, beam.sheet, what)
        wavelength = SPEED_OF_LIGHT / beam.waveform.carrier
        if beam.waist < TIGHT * wavelength:
            found.append(
                Finding(
                    f"{what} has a waist of {beam.waist / wavelength:.2g} wavelengths: below 1 it is wider than the "
                    "paraxial formula says, and turns into an ordinary wave with field along its direction.",
                    place=place,
                )
            )
        radius = radius_at(beam, yee.nodes(beam.axis)[node] - beam.focus[beam.axis])
        for d in across(beam.axis):
            low, high = (yee.nodes(d)[n] for n in open_range(axes[d]))
            room = min(beam.focus[d] - low, high - beam.focus[d])
            if not axes[d].wraps and room < ROOM * radius:
                found.append(
                    Finding(
                        f"{what} is cut along {NAMES[d]}: its radius at the sheet is {radius:.3g}, and the absorbing "
                        f"layer is {max(room, 0.0):.3g} away from its middle; 2 radii or more are better.",
                        place=place,
                    )
                )
    for number, launch in enumerate(driven.launches, 1):
        what = f"Mode source {number}"
        carrier_of(launch.waveform, what)
        sheet_node(yee, axes, launch.axis, launch.place[launch.axis], what)
        window_of(yee, axes, launch, what)
    return tuple(found)
