"""The mathematics: arrays in, arrays out. No threads, no Qt.

From the bottom up: `core` (data, parameters, tasks), `kernels`, `spectral` and `dimension`, `pipeline` (what a method
is, and the stages from data to a decomposition), `bandwidth` and `methods` (one file per family), `api` (what a caller
asks for), `analysis` (what a picture is worth).
"""
