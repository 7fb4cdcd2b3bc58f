"""Analyses that are asked in the background: each has one question and keeps its answer."""
