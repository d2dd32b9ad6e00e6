"""Docks and pages beside the 3D view: gallery, problem, view, probes, timeline, meters, log."""
