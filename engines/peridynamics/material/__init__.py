"""What bonds are of: stiffness and strength on a lattice, several materials, influence functions, surfaces and laws."""
