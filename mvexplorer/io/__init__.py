"""Files to `MultiView` and back: tables, workbooks, Parquet, NumPy, MATLAB, HDF5, AnnData, waveforms, manifests."""
