"""Files to `MultiView` and back: tables, NumPy and MATLAB files, sample manifests, exported coordinates."""
