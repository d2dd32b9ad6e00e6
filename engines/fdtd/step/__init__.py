"""What advances E and H, on either device."""
