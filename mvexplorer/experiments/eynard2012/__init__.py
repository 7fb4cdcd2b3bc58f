"""Eynard, Glashoff, Bronstein, Bronstein: Multimodal diffusion geometry by joint diagonalization (2012)."""
