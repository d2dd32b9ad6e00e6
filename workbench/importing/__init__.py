"""What a file of others is before a problem is made of it: meshes and surfaces, told in words."""
