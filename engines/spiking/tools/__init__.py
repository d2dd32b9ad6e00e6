"""What may be done with a network besides running it: how often a neuron fires over the current into it."""
