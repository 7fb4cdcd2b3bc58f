"""Salhov, Bermanis, Wolf, Averbuch: Diffusion representations (2015)."""
