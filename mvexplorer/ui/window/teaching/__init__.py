"""The window while a lesson runs: what it points to, what is put back, and how it comes and goes."""
