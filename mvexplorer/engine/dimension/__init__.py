"""Estimates of the intrinsic dimension."""
