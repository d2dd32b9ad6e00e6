"""What the product is made of and how it is handed out: lock, list of parts, wheel, and what it does without."""
