"""What one should know of typed synapses before they run."""

from __future__ import annotations

from collections.abc import Iterator

from engines.api import Finding
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup.populations import typed_synapses_of
from engines.spiking.typed.names import WEIGHT
from engines.spiking.typed.synapses.language import uses


def synapse_findings(parameters: SpikingParameters) -> Iterator[Finding]:
    """Weights outside of where statements keep them, or that nothing takes; spikes that add nothing."""
    for k, own in typed_synapses_of(parameters).items():
        connection, typed = parameters.connections[k], own.typed
        place = ("connections", k, "plasticity")
        if all(many is None for path in typed.paths for many in path.quanta):
            yield Finding(
                f"Spikes of {connection.source} add nothing to {connection.target}: write what they do, as "
                "g_e_post += w.",
                place=(*place, "on_pre"),
            )
        highest, mean = typed.highest(own.given), connection.weight.weight
        takes = any(uses([node], WEIGHT) for _, node in typed.model.starts)
        if not takes:
            yield Finding(
                f"Synapses from {connection.source} to {connection.target} do not begin at their connection's weight: "
                f"'Begin at' names no {WEIGHT}.",
                "info",
                (*place, "starts"),
            )
        elif highest is not None and mean > highest:
            yield Finding(
                f"The first weights from {connection.source} to {connection.target} ({mean:g} in the mean) are above "
                f"{highest:g}, to which the first event cuts them.",
                place=("connections", k, "weight", "weight"),
            )
