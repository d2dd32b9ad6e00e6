"""What stays the same within one movie: the range of its colours, how many times displacements are drawn, and what its
longest arrow stands for. A picture that chose its own would have a crack open and jump back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class MovieScales:
    """Widened by each moment that is shown, until :attr:`fixed`: then they hold all of these."""

    range: tuple[float, float] | None = None
    deformation: float | None = None
    longest: float | None = None
    fixed: bool = False

    def range_with(self, found: tuple[float, float] | None) -> tuple[float, float] | None:
        """With the range of one moment; None where it has none."""
        if found is not None and not self.fixed:
            low, high = self.range or found
            self.range = min(low, found[0]), max(high, found[1])
        return self.range

    def deformation_with(self, found: float) -> float:
        """With how many times one moment is drawn: what moves the farthest is to stay in the picture."""
        if self.deformation is None or not self.fixed:
            self.deformation = min(self.deformation or found, found)
        return self.deformation

    def longest_with(self, found: float) -> float:
        """With what the longest arrow of one moment stands for."""
        if self.longest is None or not self.fixed:
            self.longest = max(self.longest or found, found)
        return self.longest
