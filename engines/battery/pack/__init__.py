"""Packs: cells in a box of voxels, wired in series and parallel, each with its own temperature, on either backend."""
