"""The page “Sweep”: scores along an axis."""
