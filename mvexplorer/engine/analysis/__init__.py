"""Analyses of a picture: null tests and stability, where two pictures differ, what a point is."""
