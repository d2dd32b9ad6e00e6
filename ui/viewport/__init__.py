"""The 3D view of the window: a Qt widget around the scene, the mouse in it, and what it may cost."""
