"""What else feeds the ports of a run, whose curves are S-parameters where one alone is fed."""

from __future__ import annotations

from collections.abc import Iterator

from engines.api import Finding, Remedy
from engines.fdtd.parameters import FdtdParameters


def feeding_findings(parameters: FdtdParameters) -> Iterator[Finding]:
    fed = [number for number, port in enumerate(parameters.ports) if port.amplitude > 0]
    if not fed:
        return
    first, *others = fed
    if others:
        numbers = ", ".join(f"{number + 1}" for number in others[:-1])
        numbers += f"{' and ' * bool(numbers)}{others[-1] + 1}"
        yield Finding(
            f"Port {first + 1} is fed, and {numbers} too: the curves are no S-parameters, as what the others send "
            "counts as what comes out, and the input impedance is that of all together. Feed one in each run.",
            place=("ports", others[0], "amplitude"),
            remedy=Remedy(f"Feed port {first + 1} alone", {("ports", number, "amplitude"): 0.0 for number in others}),
            distorts=True,
        )
    if parameters.sources:
        yield Finding(
            f"Beside port {first + 1} there are sources: what they send into ports counts as if the port had sent it, "
            "and the curves are no S-parameters. Take them away, or set the amplitude of the port to 0.",
            place=("ports", first, "amplitude"),
            distorts=True,
        )
