"""Colourings that a background job computes from the pictures."""
