"""The left side: bandwidths and parameters."""
