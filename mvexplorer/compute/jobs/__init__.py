"""Jobs as frozen values, the requests they carry out, and what they cost."""
