"""What advances: diffusion and reaction in turn, many steps as one launch, and the simulation around them."""
