"""What sources add to the fields, and the lines that plane waves travel on."""
