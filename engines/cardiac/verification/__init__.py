"""Cases with answers that this code did not make: what ``workbench verify`` runs of the cardiac engine."""
