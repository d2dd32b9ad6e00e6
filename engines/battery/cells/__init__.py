"""Whole cells: the single-particle model with and without electrolyte, heat and ageing, on either backend."""
