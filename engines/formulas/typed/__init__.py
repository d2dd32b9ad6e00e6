"""What languages of typed equations share: units of names, equations as print has them, what steps leave of t."""
