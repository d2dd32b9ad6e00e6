"""A run as a script sees it: started, waited for, asked for what came out, steered."""
