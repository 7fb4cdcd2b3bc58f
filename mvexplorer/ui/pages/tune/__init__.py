"""Which ε, and why: curves over the axis of the bandwidth sliders, and eigenvalues over a slider."""
