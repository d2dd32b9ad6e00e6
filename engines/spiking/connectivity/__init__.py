"""Who is joined to whom: neurons in space, synapses drawn from rules or read from tables, partners of a neuron."""
