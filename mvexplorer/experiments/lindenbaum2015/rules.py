"""The rules by which the paper chooses bandwidths: (24) and its own."""

RULES = {"max-min": "max-min", "multiview": "Algorithm 1"}
"""A rule's id -> as the paper calls it."""
