"""What lies on the graphics card: shaders, triangles, grids, spheres, markers, text and the screen."""
