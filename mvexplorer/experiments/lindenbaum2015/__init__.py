"""Lindenbaum, Yeredor, Salhov, Averbuch: Multi-view diffusion maps (2015; Information Fusion 55, 2020)."""
