"""Data, parameters and tasks: used by every other package."""
