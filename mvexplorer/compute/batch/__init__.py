"""Many jobs for one answer of a script: null tests, stability, sweeps, passes over very many samples."""
