"""Rules that choose ε, their curves, and the syntax in which ε is given."""
