"""Data, parameters and tasks: what every other room speaks of."""
