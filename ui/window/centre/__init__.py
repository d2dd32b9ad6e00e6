"""What lies in the centre of the window: its workspaces and pages, and what is said over them."""
