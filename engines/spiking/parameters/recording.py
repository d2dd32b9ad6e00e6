"""What is written of a network's neurons to disk."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from engines.api.parameters import Among, quantity
from engines.recording import Recording as FieldRecording


class Recording(FieldRecording):
    """What is written of each neuron into a folder of results, besides series and charts."""

    only_written: ClassVar[frozenset[str]] = FieldRecording.only_written | {"spikes", "populations"}

    spikes: Literal["all", "none", "populations"] = quantity(
        "all", "", "Whose spikes are written, as time and number of the neuron",
        labels={"all": "All neurons", "none": "None", "populations": "Some populations"},
    )  # fmt: skip
    populations: list[Annotated[str, Among("populations.name")]] = quantity(
        [], "", "Names of the populations whose spikes are written", when={"spikes": ("populations",)}, max_length=64
    )

    def takes(self, population: str) -> bool:
        """Whether spikes of this population are written."""
        return self.spikes == "all" or (self.spikes == "populations" and population in self.populations)
