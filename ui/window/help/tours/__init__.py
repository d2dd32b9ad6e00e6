"""Tours of three minutes: what to click and what to see, as data, and the card that leads through them."""
