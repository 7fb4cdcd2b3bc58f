"""The papers' figures and tables as data: what is computed, what to look for, and whether it reproduces."""
