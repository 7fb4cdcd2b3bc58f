"""Many jobs for one answer, of a script or the window: null tests, stability, sweeps, passes over very many samples."""
