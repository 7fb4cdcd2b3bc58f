"""Many jobs for one answer: sweeps, null tests, stability, passes over very many samples."""
