"""What is done to a cell: the language of protocols, drive cycles, and the plan that kernels follow."""
