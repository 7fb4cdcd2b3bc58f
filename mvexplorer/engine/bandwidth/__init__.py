"""Rules that choose ε, their curves, and the little language in which ε is given."""
