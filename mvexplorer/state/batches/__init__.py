"""Many jobs for one answer: sweeps, small multiples, null tests and stability."""
