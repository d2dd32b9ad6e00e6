"""Models of the heart cell: the reaction half of the monodomain equation."""
