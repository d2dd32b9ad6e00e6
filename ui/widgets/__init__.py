"""Small parts that every room uses: strips, chips, icons, colours, numbers as text, work on another thread."""
