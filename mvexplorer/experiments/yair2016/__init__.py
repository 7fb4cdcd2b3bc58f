"""Yair, Talmon: Local canonical correlation analysis for nonlinear common variables discovery (2016)."""
