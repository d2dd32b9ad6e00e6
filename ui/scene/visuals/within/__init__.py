"""Surfaces within a body: they are looked for when they are drawn, at a pace that leaves the window its time."""
