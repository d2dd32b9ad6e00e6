"""The Kernel Lab's plots: roofline, scaling, bandwidth and heat maps, on screen and as images."""
