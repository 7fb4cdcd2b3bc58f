"""Eigenpairs of operators, warm starts, and warnings about them."""
