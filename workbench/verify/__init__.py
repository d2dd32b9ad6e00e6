"""Cases with known answers, run on this machine: what is right, what is wrong, and the tables that say so."""
