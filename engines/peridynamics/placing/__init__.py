"""What of a peridynamic problem stands in space, and is dragged there."""
