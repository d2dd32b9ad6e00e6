"""Ports: lumped sources and loads, scattering parameters, Touchstone files."""
