"""A Yee grid on several ranks: slabs across z, of which each takes the steps and sums what its monitors see."""
