"""Experiments of our own, behind which no paper stands."""
