"""Where in a view the body stands: between the plates at its edges, which would lie over it otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from ui.scene.cameras.camera import FRAMED, Camera


@dataclass(frozen=True)
class Room:
    """Points at the edges that are not the body's; the colour bar stands at the right.

    As much is left free at the left, so that the body stands in the middle, where nobody says otherwise.
    """

    left: float = 130.0
    top: float = 0.0
    right: float = 130.0
    least: float = 0.6
    """The part of the width that is the body's in any case."""
    of_round: float = 1.0
    """How much of left and top is kept from a body that is fitted as a ball, which has no corners."""
    listed: tuple[float, float] | None = None
    """The lower right corner of what is listed at the upper left, which a ball keeps clear of."""
    tight: bool = False
    """A frame, whose ticks are at its left and below, goes to the edges of the room above and at the right."""
    crowded: Room | None = None
    """What holds where plates would leave the body less than its part of the width."""
    of_portraits: bool = False
    """Whether that holds only in views that are higher than wide, which have room for all that is listed."""

    def at(self, width: float, height: float, ratio: float) -> Room:
        """The room of a view of so many device pixels."""
        is_crowded = (self.left + self.right) * ratio > (1 - self.least) * width
        if self.of_portraits and height <= width:
            is_crowded = False
        return self.crowded if self.crowded is not None and is_crowded else self

    def place(self, camera: Camera, width: int, height: int, ratio: float, fit: bool) -> None:
        """Have the camera's center in the middle of what is left of a view of (width, height) device pixels, ``ratio``
        to a point; ``fit``: and the scene as large as it has room."""
        kept = self.of_round if camera.frame is None else 1.0
        left, top, right = kept * self.left * ratio, kept * self.top * ratio, self.right * ratio
        squeeze = min((1 - self.least) * width / (left + right), 1.0)
        left, right = squeeze * left, squeeze * right
        wide, high = width - left - right, max(height - top, 0.5 * height)
        if self.tight and camera.frame is not None:
            wide, high = (2 * free * more / (1 + more) for free, more in zip((wide, high), FRAMED, strict=True))
        if camera.frame is None and self.listed is not None:
            x, y = (ratio * part for part in self.listed)
            free, under = width - right - x, max(height - high / 2 - y, 0.0)
            radius = min(wide / 2, high / 2, (free**2 + under**2) / (2 * free))  # touches the corner and what is right
            beside = x + sqrt(max(radius**2 - under**2, 0.0))
            left, wide = max(left + wide / 2, beside) - radius, 2 * radius
        camera.offset = (2 * left + wide) / width - 1, high / height - 1
        if fit:
            camera.distance = camera.fitting_distance(wide / high, high / height)


CENTRED = Room(crowded=Room(left=16.0, top=110.0, right=134.0, least=0.4), of_portraits=True)
"""In a picture: in a narrow portrait below time and title."""
BESIDE_BAR = Room(left=16.0, top=88.0, right=134.0, least=0.4, tight=True)
"""In a view that is narrow: time and the first meter are on top, in short."""
BESIDE_PLATES = Room(
    220.0, 64.0, 124.0, least=0.4, of_round=0.72, listed=(196.0, 154.0), tight=True, crowded=BESIDE_BAR
)
"""In the window: meters are listed at the left; a sentence with buttons may stand on top of the view."""
