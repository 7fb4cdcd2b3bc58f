"""Files to `MultiView` and back: tables, NumPy and MATLAB files, waveforms, sample manifests."""
