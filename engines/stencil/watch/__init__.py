"""What is seen of a run: the fields with their colours, content and largest value."""
