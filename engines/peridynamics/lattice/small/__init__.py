"""Small bodies: many steps in one launch, and many bodies at once."""
