"""Tetrahedral meshes: checked, ordered, refined, measured."""
