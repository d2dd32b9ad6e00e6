"""The grid of Yee: where components stand, how long cells are, and what holds at the faces."""
