"""The page “Diagnostics”: figures that tell how a picture came about."""
