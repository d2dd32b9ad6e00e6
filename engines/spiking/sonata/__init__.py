"""Networks in the SONATA format: circuits of point neurons, with their inputs, as populations and connections."""
