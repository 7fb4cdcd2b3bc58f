"""Eigenpairs of operators, warm starts, and what is doubtful about them."""
