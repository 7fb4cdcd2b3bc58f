"""Files of arrays: NumPy's own, HDF5, and folders of pictures."""
