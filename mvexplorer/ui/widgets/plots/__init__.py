"""Plots: curves, matrices, bars, strips, and their legends."""
