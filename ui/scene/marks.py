"""Which of the things that stand in space are shown, chosen, and in hand."""

from __future__ import annotations

from dataclasses import dataclass

from engines.api.placing import Path, PlacedItem, Placement


@dataclass(frozen=True)
class Marks:
    """What a scene shows of a placement: ``chosen`` is a path, ``hovered`` another; ``grips``: whether handles are
    there to be dragged; ``dragged`` stands for the chosen item while it is; ``said`` is told at the pointer, a refusal
    if ``wrong``."""

    placement: Placement | None = None
    chosen: Path | None = None
    hovered: Path | None = None
    grips: bool = False
    dragged: PlacedItem | None = None
    said: str = ""
    wrong: bool = False

    @property
    def item(self) -> PlacedItem | None:
        """The chosen item, as it is drawn."""
        if self.dragged is not None:
            return self.dragged
        return None if self.placement is None else self.placement.at(self.chosen)
