"""Peridynamics: solids that break, as particles joined by bonds."""
