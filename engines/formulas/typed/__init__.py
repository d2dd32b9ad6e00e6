"""What languages of typed equations share: units of what they name, and equations as print has them."""
