"""Files of others, mutated at random: every reader gives a value or one sentence of ours."""
