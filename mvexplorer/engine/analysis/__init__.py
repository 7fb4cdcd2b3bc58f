"""Analyses of a picture: is it real, where do two differ, what is this point."""
