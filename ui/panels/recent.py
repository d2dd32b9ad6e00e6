"""The projects that were opened or saved last, as small cards above the gallery."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ui.panels.small_cards import CardRows, SmallCard
from workbench.storage.recent import RecentFile


class RecentList(CardRows):
    """Newest first; ``opened`` carries the path."""

    def set_files(self, files: Sequence[RecentFile]) -> None:
        cards = []
        for file in files:
            path = Path(file.path)
            card = SmallCard(path, file.title, f"{path.name}\n{path.parent}", file.picture, self)
            card.setAccessibleName(f"{file.title}, {path}")
            card.setToolTip(f"Click to open {path}")
            cards.append(card)
        self.set_cards("Recent", cards)
