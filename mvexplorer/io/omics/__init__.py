"""AnnData and MuData."""
