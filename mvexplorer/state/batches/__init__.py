"""Many jobs for one answer in the window: sweeps, small multiples, null tests and stability."""
