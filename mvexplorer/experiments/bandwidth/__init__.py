"""Lindenbaum, Salhov, Yeredor, Averbuch: Gaussian bandwidth selection for manifold learning (2020)."""
