"""The Python interface: what ``import workbench`` offers to scripts and notebooks, on top of the other rooms."""
