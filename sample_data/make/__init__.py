"""Scripts that made the sample data; nothing here is needed to run the application."""
